"""Serving the application: address, signals, the first lines on the terminal."""

import asyncio
import ipaddress
import socket
import sys
from collections.abc import Callable

import uvicorn

from dotzero.play.web.app import make_app
from dotzero.play.web.messages import MOST_BYTES
from dotzero.play.web.site import Site

BACKLOG = 256


def serve(site: Site, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve a site until Ctrl-C or SIGTERM, and close it.

    Args:
        site: What is served.
        host: The address to listen at.
        port: 0 takes any free one.
        ready: Called with the page's address once connections are taken.

    Raises:
        OSError: The address cannot be listened at.
        KeyboardInterrupt: After Ctrl-C, once all is closed.
    """
    try:
        listening = _listen(host, port)
    except BaseException:
        site.close()
        raise
    with listening:
        config = uvicorn.Config(
            make_app(site),
            log_level="warning",
            access_log=False,
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_max_queue=16,
            timeout_graceful_shutdown=3,
            server_header=False,
        )
        server = _Server(config, lambda: ready(_address(listening)))
        _warm_up(site)  # before anybody waits: loading torch holds up all threads for seconds
        asyncio.run(server.serve([listening]))


class _Server(uvicorn.Server):
    """Tells when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to take connections."""
        await super().startup(sockets)
        if self.started:
            self._ready()


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OSError(error.errno, error.strerror, f"{host}:{port}") from error
    except BaseException:
        listening.close()
        raise
    return listening


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def _warm_up(site: Site) -> None:
    try:
        site.warm_up()
    except (ValueError, OSError) as error:  # who plays against the network is told again
        sys.stderr.write(f"the network is not ready: {error}\n")
