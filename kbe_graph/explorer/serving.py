"""Serves the pages to one browser of this machine: the server, and who is let in."""

import asyncio
import errno
import os
import secrets
import socket
import warnings
from collections.abc import Callable, Iterable, MutableMapping
from contextlib import suppress
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from kbe_graph.errors import ConfigError, KbeWarning
from kbe_graph.explorer.explorer import Explorer
from kbe_graph.explorer.web_app import PATIENCE, web_app
from kbe_graph.workspace.workspace import Workspace

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with none at all, a form's own origin would be null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
IPV6 = 6
CLOSE = {"connection": "close"}  # a refused request keeps no connection


class AccessControl:
    """Refuses a request of a foreign Host or Origin, and one without the cookie that ``token`` gives, once.

    ``hosts`` are the names, without port, that the pages may be asked under, beside those of loopback and the address
    that a request came to: no site of another machine can have that one.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str, hosts: Iterable[str] = ()) -> None:
        self._app, self._token = app, token
        self._hosts = {f"{host}:{port}".casefold() for host in (*LOOPBACK, *hosts)}
        self._cookie, self._key = f"kbe_{port}", secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        answer = self._refusal(request) or self._entry(request)

        async def send_fenced(message: Message) -> None:
            """Send a message, with our headers where it begins a response."""
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        try:
            await (answer or self._app)(scope, receive, send_fenced)
        except asyncio.CancelledError:  # the server ends
            await PlainTextResponse("kbe explore has ended", 503, CLOSE)(scope, receive, send_fenced)

    def _refusal(self, request: Request) -> Response | None:
        """Return the refusal of a request with a foreign origin or host."""
        host = request.headers.get("host", "").casefold()
        if host not in self._hosts and host != _address_of(request.scope["server"]):
            return PlainTextResponse(f"the host {host!r} is not served here; use the printed address", 400, CLOSE)
        origin = request.headers.get("origin")
        is_own = origin is not None and origin.casefold() == f"http://{host}"
        if not is_own and (origin is not None or request.method not in {"GET", "HEAD"}):
            refusal = f"the origin {origin!r} may ask nothing here; use the pages themselves"
            return PlainTextResponse(refusal, 403, CLOSE)
        return None

    def _entry(self, request: Request) -> Response | None:
        """Return None for a request with the cookie, the cookie for the token, and a refusal for all others."""
        if secrets.compare_digest(request.cookies.get(self._cookie, "").encode(), self._key.encode()):
            return None
        token = request.query_params.get("token", "")
        if not (self._token and secrets.compare_digest(token.encode(), self._token.encode())):
            return PlainTextResponse("open the address that kbe explore printed; it can be used once", 403, CLOSE)
        self._token = ""
        answer = RedirectResponse(_without_token(request), 303)
        answer.set_cookie(self._cookie, self._key, httponly=True, samesite="lax")
        return answer


def _address_of(server: tuple[str, int]) -> str:
    """Return an address of this machine and a port, as in the Host of a request."""
    address = ip_address(server[0])
    own = getattr(address, "ipv4_mapped", None) or address
    return f"[{own}]:{server[1]}" if own.version == IPV6 else f"{own}:{server[1]}"


def _without_token(request: Request) -> str:
    """Return the path that was asked for, on this server, without the token."""
    url = urlsplit(str(request.url.remove_query_params("token")))
    return f"/{url.path.lstrip('/')}" + (f"?{url.query}" if url.query else "")


def _add_headers(message: MutableMapping[str, Any]) -> None:
    own = {name for name, _ in message["headers"]}
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
    message["headers"] = [*message["headers"], *added]


CONNECTIONS = 100  # at once: a browser opens six
OPEN = "other machines can reach these pages, by this machine's addresses as well; what is sent is not encrypted"
OF_PORT = (errno.EADDRINUSE, errno.EACCES)


def serve(work: Workspace, *, host: str, port: int, ready: Callable[[str], None]) -> None:
    """Serve the pages of a workspace; ``ready`` gets the address, whose token serves once.

    ``port`` 0 takes one that is free. Warns (KbeWarning) if other machines can reach the pages. Raises ConfigError
    if the host or the port is not available, and StoreError.
    """
    with _listen(host, port) as listener:
        bound, port = listener.getsockname()[:2]
        name = _name(host, bound)
        token = secrets.token_urlsafe(24)
        explorer = Explorer(work)
        app = AccessControl(web_app(explorer), port=port, token=token, hosts=(name, socket.getfqdn(name)))
        config = uvicorn.Config(
            app,
            lifespan="off",
            ws="none",
            http=PageConnection,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=2,
        )
        if not ip_address(bound).is_loopback:
            warnings.warn(OPEN, KbeWarning, stacklevel=2)
        ready(f"http://{name}:{port}/?token={token}")
        PageServer(config, explorer).run(sockets=[listener])


class PageServer(uvicorn.Server):
    """A server that ends running queries as soon as it is interrupted."""

    def __init__(self, config: uvicorn.Config, explorer: Explorer) -> None:
        super().__init__(config)
        self._explorer = explorer

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the running query, and answer all open requests."""
        await asyncio.to_thread(self._explorer.end)
        for task in self.server_state.tasks:
            task.cancel()
        await super().shutdown(sockets)


class PageConnection(H11Protocol):
    """A connection that is closed if it sends no whole request in time, or if there are too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            transport.close()
        self.loop.call_later(PATIENCE, self._end_if_silent)

    def _end_if_silent(self) -> None:
        if not self.headers:  # of the last request
            self.transport.close()


def _listen(host: str, port: int) -> socket.socket:
    if not host:
        raise ConfigError(
            "the host is empty; leave `host=...` out for this machine alone, or give 0.0.0.0 for all others"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with_ipv4 = host == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server((host, port), family=family, dualstack_ipv6=with_ipv4)
    except (OSError, OverflowError, TypeError, UnicodeError) as error:
        raise _not_served(host, port, error) from None


def _not_served(host: str, port: int, error: Exception) -> ConfigError:
    number = getattr(error, "errno", None) or 0
    reason = os.strerror(number) if number > 0 else "there is no such name"
    option = "`port=...`" if number in OF_PORT else "`host=...`"
    return ConfigError(f"cannot serve at {host!r} port {port}: {reason}; choose another {option}")


def _name(host: str, bound: str) -> str:
    """Return the host for an address: its name, or the bound address for a number."""
    if ip_address(bound).is_unspecified:
        return socket.gethostname()
    with suppress(OSError):
        socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)  # 127.1 and 0x7f000001 are numbers too
        return f"[{bound}]" if ":" in bound else bound
    return host
