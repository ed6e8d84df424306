"""The application: the page's files over HTTP, the game over one WebSocket.

The one idea: what a browser may do is said to the browser (`Content-Security-Policy` and its kin), and what a
connection may do is checked here, before anything behind it is reached.
"""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from dotzero.play.web.connection import Connection
from dotzero.play.web.limits import MOST_CONNECTIONS, Bucket, is_known_host, is_own_origin
from dotzero.play.web.messages import MOST_BYTES
from dotzero.play.web.site import Site

STATIC = Path(__file__).parent / "static"
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}
_NO_TEXT, _REFUSED, _TOO_MUCH, _TOO_MANY = 1003, 1008, 1009, 1013  # codes of RFC 6455


def make_app(site: Site) -> Starlette:
    """The application of a site, which it closes at its end."""

    async def page(request: Request) -> Response:
        return FileResponse(STATIC / "index.html")

    async def socket(websocket: WebSocket) -> None:
        await _serve(websocket, site)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            site.close()

    app = Starlette(
        routes=[
            Route("/", page),
            WebSocketRoute("/play", socket),
            Mount("/", StaticFiles(directory=STATIC)),
        ],
        lifespan=lifespan,
    )
    app.add_middleware(_Guard, hosts=site.config.hosts)
    return app


class _Guard:
    """Refuses requests by a name that is not ours, and says to browsers what the page may do."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app, self._hosts = app, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        host = Request(scope).headers.get("host")
        if not is_known_host(host, self._hosts):
            refused = PlainTextResponse("this server is called by its address; see dotzero web --help\n", 421)
            await refused(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                added = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self._app(scope, receive, with_headers)


class _Page:
    """The sending side of a WebSocket; what is said to a page that has gone is lost."""

    def __init__(self, websocket: WebSocket) -> None:
        self._websocket = websocket

    async def send_text(self, data: str) -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._websocket.send_text(data)


async def _serve(websocket: WebSocket, site: Site) -> None:
    """One connection from its beginning to its end."""
    headers = websocket.headers
    if not is_own_origin(headers.get("origin"), headers.get("host"), site.config.hosts):
        await websocket.close(_REFUSED)
        return
    if site.num_connections >= MOST_CONNECTIONS:
        await websocket.close(_TOO_MANY)
        return
    await websocket.accept()
    site.num_connections += 1
    connection, bucket = Connection(_Page(websocket), site), Bucket(site.config.now)
    try:
        while websocket.application_state is WebSocketState.CONNECTED:  # else sending found nobody there
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            if not bucket.take():
                await websocket.close(_REFUSED, "too many messages")
                return
            if text is None:  # bytes: every message is text
                await websocket.close(_NO_TEXT)
                return
            if len(text) > MOST_BYTES:
                await websocket.close(_TOO_MUCH)
                return
            await connection.receive(text)
    except WebSocketDisconnect:
        pass
    finally:
        site.num_connections -= 1
        await connection.close()
