"""Access to the pages: for this machine's own browser, with the token of the printed address, and no other site."""

import asyncio
import secrets
from collections.abc import Iterable, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
    """Return an address of this machine and a port, as they stand in a request's Host."""
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
