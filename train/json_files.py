"""JSON objects of a run, read back. Loads no torch, so that looking at a run is quick."""

import json
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a file, or None where it is absent.

    Raises:
        ValueError: The file is damaged; one line names it.
    """
    try:
        content = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError) as error:  # no JSON, no UTF-8, or a depth that nobody wrote
        raise ValueError(f"{path} is damaged: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path} is damaged: not a JSON object")
    return content
