"""From `key=value` words to a checked dataclass, with one clear line for every mistake.

Hydra does the composing: the dataclass (the schema, with its defaults) comes first, then the named preset,
then the words of the command line. What this file adds is the language of the errors, in the terms of
the setting that is wrong, and three conveniences of the command line: enum members in lower case
(`output=json`), new keys in dictionaries without Hydra's `+`, and list items with options without quotes.
"""

import dataclasses
import difflib
import enum
import json
import re
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hydra import compose as hydra_compose
from hydra import initialize_config_module
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, OverrideType
from hydra.errors import HydraException
from omegaconf import OmegaConf
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from dotzero.configs import preset_names

__all__ = ["compose", "parse_override", "settings_text"]

T = TypeVar("T")

_SCALARS: dict[Any, str] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    Path: "a path",
}


def compose(
    schema: type[T],
    overrides: Sequence[str],
    *,
    presets: str | None = "preset",
    aliases: Mapping[str, str] | None = None,
) -> T:
    """Build the settings of one job.

    Args:
        schema: A dataclass; nested dataclasses, enums, lists, dictionaries and optional scalars are fine, an
            optional dataclass is not (Hydra cannot set a value inside a group that is None).
        overrides: Words such as `search.num_simulations=64`; `preset=NAME` picks a preset.
        presets: The folder under `configs/` with this job's presets, or None for a job without presets.
        aliases: Other names of top-level settings, for words that Python keeps to itself (`from`).

    Returns:
        An instance of `schema`, made by its constructor, so that every `__post_init__` check has run.

    Raises:
        ValueError: With one line that names the setting, what it must be and what was given.
    """
    _assert_composable(schema)
    words = [_checked_word(schema, word, presets, aliases or {}) for word in overrides]
    name = f"{schema.__module__}.{schema.__qualname__}"
    store = ConfigStore.instance()
    store.store(name=f"{name}.schema", node=schema)
    defaults = [f"{name}.schema", *([{presets: None}] if presets else []), "_self_"]
    store.store(name=name, node={"defaults": defaults})
    try:
        with initialize_config_module("dotzero.configs", version_base="1.3"):
            config = hydra_compose(name, overrides=words)
        result = OmegaConf.to_object(config)
    except (HydraException, OmegaConfBaseException) as error:
        raise ValueError(_explain(schema, error)) from error
    assert isinstance(result, schema)
    return result


def settings_text(settings: object) -> str:
    """The settings as YAML, for people to read and to start a preset from."""
    return OmegaConf.to_yaml(OmegaConf.structured(settings))


def parse_override(word: str) -> Override:
    """Read one `key=value` word in Hydra's grammar.

    Raises:
        ValueError: If it is no such word, or adds or deletes a key.
    """
    if not word.strip():
        raise ValueError(f"a setting must be written key=value, got {word!r}")
    try:
        override = OverridesParser.create().parse_override(word)
    except HydraException as error:
        problem = _first_line(error)
        raise ValueError(f"a setting must be written key=value, got {word!r} ({problem})") from error
    if override.type is not OverrideType.CHANGE:
        raise ValueError(f"a setting must be written key=value, without + or ~, got {word!r}")
    return override


def _checked_word(schema: type, word: str, presets: str | None, aliases: Mapping[str, str]) -> str:
    """The word as Hydra is to see it, after the checks that Hydra would word worse."""
    word = _quote_items(schema, word)
    override = parse_override(word)
    key = override.get_key_element()
    if override.is_sweep_override():
        raise ValueError(f"{key} must be one value here, got {word!r}: several values are for train -m")
    if presets is not None and key == presets:
        names = preset_names(presets)
        if override.value() is not None and override.value() not in names:
            raise ValueError(f"{presets} must be one of {', '.join(names)}, got {override.value()!r}")
        return word
    if key in aliases:
        word, key = aliases[key] + word.removeprefix(key), aliases[key]
    kind = _type_of(schema, key)
    if kind is None:
        names = [*_keys(schema), *aliases, *([presets] if presets else [])]
        raise ValueError(f"{key} is not a setting of this act{_near(key, names)}")
    if isinstance(kind, _InsideMapping) or typing.get_origin(kind) is dict:
        return f"++{word}"
    member = _member_name(kind, override.value())
    return f"{key}={member}" if member else word


def _quote_items(schema: type, word: str) -> str:
    """Quote the items of a list of texts that have options: `players=[medium,zero:DIR@simulations=64]`.

    Hydra's grammar wants quotes around an item with an equals sign, and the shell quotes around those. A
    comma before `name=` belongs to the item, as in `zero:DIR@simulations=64,temperature=0.5`.
    """
    key, _, value = word.partition("=")
    is_list = value.startswith("[") and value.endswith("]") and "=" in value
    if not is_list or set("'\"\\") & set(value) or _type_of(schema, key) != list[str]:
        return word
    items = re.split(r",(?!\s*\w+=)", value[1:-1])
    return f"{key}=[{','.join(json.dumps(item.strip()) for item in items)}]"


class _InsideMapping:
    """Stands for the type of a key inside a dictionary, where any name may be given."""


def _type_of(schema: type, key: str) -> Any:
    """The annotated type of a dotted key; None if there is no such setting."""
    kind: Any = schema
    for part in key.split("."):
        kind = _without_none(kind)
        if typing.get_origin(kind) is dict:
            return _InsideMapping()
        hints = typing.get_type_hints(kind) if dataclasses.is_dataclass(kind) else {}
        if part not in hints:
            return None
        kind = hints[part]
    return kind


def _keys(schema: Any, prefix: str = "") -> Iterator[str]:
    """All dotted keys of a schema."""
    for name, kind in typing.get_type_hints(schema).items():
        inner = _without_none(kind)
        yield prefix + name
        if dataclasses.is_dataclass(inner):
            yield from _keys(inner, f"{prefix}{name}.")


def _assert_composable(schema: Any) -> None:
    """Refuse what Hydra cannot compose; a programmer's mistake."""
    for name, kind in typing.get_type_hints(schema).items():
        inner = _without_none(kind)
        if dataclasses.is_dataclass(inner):
            assert inner is kind, f"{schema.__name__}.{name} must not be an optional dataclass"
            _assert_composable(inner)


def _without_none(kind: Any) -> Any:
    """`int | None` as `int`, anything else as it is."""
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        members = [member for member in typing.get_args(kind) if member is not type(None)]
        return members[0] if len(members) == 1 else kind
    return kind


def _near(key: str, names: Sequence[str]) -> str:
    """Settings that the user may have meant, as the end of a sentence."""
    last = key.rpartition(".")[2]
    same_end = [name for name in names if name.rpartition(".")[2] == last]
    close = same_end or difflib.get_close_matches(key, names, n=3, cutoff=0.6)
    return f" (did you mean {' or '.join(close[:3])}?)" if close else ""


def _member_name(kind: Any, value: object) -> str | None:
    """The enum member that a word in any case means; None if `kind` is no enum or there is none."""
    kind = _without_none(kind)
    if not (isinstance(kind, type) and issubclass(kind, enum.Enum) and isinstance(value, str)):
        return None
    return {name.casefold(): name for name in kind.__members__}.get(value.casefold())


def _expected(kind: Any, key: str) -> str:
    """What a setting must be, as a phrase."""
    inner = _without_none(kind)
    or_null = " or null" if inner is not kind else ""
    if isinstance(inner, type) and issubclass(inner, enum.Enum):
        return f"one of {', '.join(name.lower() for name in inner.__members__)}{or_null}"
    if typing.get_origin(inner) in (list, tuple):
        return f"a list such as [a,b]{or_null}"
    if typing.get_origin(inner) is dict:
        return f"a group of settings such as {key}.NAME=..."
    if dataclasses.is_dataclass(inner):
        first = dataclasses.fields(inner)[0].name
        return f"a group of settings such as {key}.{first}=..."
    return f"{_SCALARS.get(inner, str(inner))}{or_null}"


def _explain(schema: type, error: BaseException) -> str:
    """One line for an error of Hydra or OmegaConf."""
    cause: BaseException | None = error
    while cause is not None and not (isinstance(cause, OmegaConfBaseException) and cause.full_key):
        cause = cause.__cause__ or cause.__context__
    if not isinstance(cause, OmegaConfBaseException):
        return _first_line(error)
    key = str(cause.full_key)
    if isinstance(cause, MissingMandatoryValue):
        return f"{key} must be given: add {key}=..."
    kind = _type_of(schema, key.partition("[")[0])
    if kind is None:
        return f"{key} is not a setting of this act{_near(key, list(_keys(schema)))}"
    if isinstance(kind, _InsideMapping) or "[" in key or "nterpolation" in type(cause).__name__:
        return f"{key}: {_first_line(cause)}"
    return f"{key} must be {_expected(kind, key)}, got {cause.value!r}"


def _first_line(error: BaseException) -> str:
    """The first line of an error's text."""
    return str(error).partition("\n")[0]
