"""The server of web pages on this machine, for guests with a personal link, under its own host and origin."""

import asyncio
import secrets
import socket
from collections.abc import Callable, Iterable, Mapping

import uvicorn
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kbe_graph.errors import ConfigError

HOST = "127.0.0.1"
CONNECTIONS = 100  # at the same time; a browser opens six
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # with no-referrer, a form's own origin would be null
    "cache-control": "no-store",
}
CLOSE = {"connection": "close"}  # a refused request keeps no connection
GUEST = "kbe_guest"  # key of the guest's name in a request's scope


class AccessControl:
    """ASGI middleware that refuses foreign hosts and origins, and requests without the token of a guest.

    A guest's link has the token, and sets it as a cookie. ``guests`` maps tokens to names.
    """

    def __init__(self, app: ASGIApp, port: int, guests: Mapping[str, str]) -> None:
        self._app, self._guests = app, guests
        self._hosts, self._cookie = {f"{HOST}:{port}", f"localhost:{port}"}, f"kbe_{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request, or pass it on."""
        if scope["type"] != "http":
            return

        async def send_fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._answer(Request(scope)) or self._app)(scope, receive, send_fenced)

    def _answer(self, request: Request) -> Response | None:
        host, origin = request.headers.get("host", "").casefold(), request.headers.get("origin")
        if host not in self._hosts:
            return PlainTextResponse(f"the host {host!r} is not served here; use the printed address", 400, CLOSE)
        if origin != f"http://{host}" and (origin is not None or request.method not in {"GET", "HEAD"}):
            refusal = f"requests from {origin!r} are refused here; use the pages themselves"
            return PlainTextResponse(refusal, 403, CLOSE)
        if (token := request.query_params.get("token", "")) in self._guests:
            answer = RedirectResponse(request.url.remove_query_params("token"), 303)
            answer.set_cookie(self._cookie, token, httponly=True, samesite="lax")
            return answer
        request.scope[GUEST] = self._guests.get(request.cookies.get(self._cookie, ""))
        return None if request.scope[GUEST] else PlainTextResponse("open the printed address", 403, CLOSE)


def serve_pages(
    make_app: Callable[[], ASGIApp],
    names: Iterable[str],
    ready: Callable[[Mapping[str, str]], None],
    *,
    port: int = 0,
    end: Callable[[], None] = lambda: None,
) -> None:
    """Serve an application on this machine until interrupted; ``end`` then stops any running work.

    ``ready`` receives the address of each guest, by name; it can be opened repeatedly until the server stops. ``port``
    0 chooses a free one. Raises ConfigError if the port is not available, and what ``make_app`` raises.
    """
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise ConfigError(f"cannot serve at port {port}: {error.strerror}; choose another `port`") from None
    with listener:
        port = listener.getsockname()[1]
        guests = {secrets.token_urlsafe(24): name for name in names}
        app = AccessControl(make_app(), port, guests)
        ready({name: f"http://{HOST}:{port}/?token={token}" for token, name in guests.items()})
        config = uvicorn.Config(
            app,
            lifespan="off",
            ws="none",
            http="h11",
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=2,
        )
        _Server(config, end).run(sockets=[listener])


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, end: Callable[[], None]) -> None:
        super().__init__(config)
        self._end = end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await asyncio.to_thread(self._end)
        await super().shutdown(sockets)
