"""Play in the browser: both games, against the levels, a network, or two people.

Examples:
    dotzero web
    dotzero web --port 9000 --checkpoint runs/boxes_5x5/export --open

Games and statistics are kept in the user's data folder (or --data, or the environment variable DOTZERO_DATA),
the same as of dotzero play. Only this machine can reach the server, unless --host names another address, such
as 0.0.0.0; there is no password then, so do it in a network that you trust.
"""

import argparse

from dotzero.scripts.boxes_options import ToolParser
from dotzero.scripts.data_option import told_data

_LARGEST_PORT = 65535


def main(argv: list[str]) -> int:
    """Run the act."""
    options = _parser().parse_args(argv)
    if not 0 <= options.port <= _LARGEST_PORT:
        raise ValueError(f"--port must be in 0..{_LARGEST_PORT}, got {options.port}")
    _require_extra()
    from dotzero.play.web.messages import LONGEST_DELAY
    from dotzero.play.web.server import is_loopback, serve
    from dotzero.play.web.site import Site, SiteConfig

    if not 0 <= options.delay <= LONGEST_DELAY:
        raise ValueError(f"--delay must be in 0..{LONGEST_DELAY:g} seconds, got {options.delay}")
    config = SiteConfig(
        checkpoints=tuple(options.checkpoint), hosts=tuple(options.allow_host), delay=options.delay
    )
    if options.checkpoint:
        from dotzero.models.export import exported_folder

        for path in options.checkpoint:
            exported_folder(path, "--checkpoint")
    with told_data(options.data) as folder:
        site = Site(folder, config)
    if site.saves.notice:
        print(site.saves.notice)

    def ready(address: str) -> None:
        print(f"dotzero plays at {address} (Ctrl-C ends it)", flush=True)
        if not is_loopback(options.host):
            print("it can be reached from other machines, without a password", flush=True)
        if options.open:
            import webbrowser

            webbrowser.open(address)

    serve(site, options.host, options.port, ready)
    return 0


def _require_extra() -> None:
    """Refuse to begin without the packages of the extra `web`."""
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn", "websockets") if find_spec(name) is None]
    if missing:
        raise ValueError(f"dotzero web needs the package {missing[0]}: pip install 'dotzero[web]'")


def _parser() -> argparse.ArgumentParser:
    parser = ToolParser("web", __doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="0: any free one (default: 8000)")
    parser.add_argument(
        "--checkpoint", action="append", default=[], metavar="DIR",
        help="a network to offer beside the released ones; may be given several times",
    )  # fmt: skip
    parser.add_argument("--data", metavar="DIR", help="folder of saved games and statistics")
    parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME",
        help="a name, beside addresses and localhost, that browsers may call the server by",
    )  # fmt: skip
    parser.add_argument(
        "--delay", type=float, default=0.5, help="seconds between the computer's lines (default: 0.5)"
    )
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    return parser
