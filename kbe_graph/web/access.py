"""Access control for web pages: only browsers with a personal link, under known hosts, from the pages themselves."""

import asyncio
import secrets
from collections.abc import Iterable, Mapping, MutableMapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kbe_graph.errors import ConfigError

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",  # with no-referrer, a form's own origin would be null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
IPV6 = 6
CLOSE = {"connection": "close"}  # a refused request keeps no connection
GUEST = "kbe_guest"  # key of the guest's name in a request's scope


class AccessControl:
    """ASGI middleware that refuses foreign hosts and origins, and requests without the cookie of a guest.

    A guest gets the cookie for a token. ``guests`` maps tokens to names; a token works once unless ``again``. ``hosts``
    are additional host names, without port, besides those of loopback and the address that a request came to, which no
    other machine's site can have. ``public`` is the address (``https://review.example``) of a proxy before the server,
    if any. ``command`` is named in refusals.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        port: int,
        guests: Mapping[str, str],
        command: str,
        hosts: Iterable[str] = (),
        public: str = "",
        again: bool = False,
    ) -> None:
        self._app, self._command, self._again = app, command, again
        self._origins = {f"http://{host}:{port}".casefold() for host in (*LOOPBACK, *hosts)}
        self._public = origin_of(public) if public else ""
        self._cookie = f"kbe_{port}"
        self._tokens = dict(guests)
        self._keys = {name: secrets.token_urlsafe(32) for name in guests.values()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request, or pass it on."""
        if scope["type"] != "http":
            return
        request = Request(scope)
        answer = self._refusal(request) or self._entry(request)

        async def send_fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(message)
            await send(message)

        try:
            await (answer or self._app)(scope, receive, send_fenced)
        except asyncio.CancelledError:  # the server is shutting down
            await PlainTextResponse(f"{self._command} has ended", 503, CLOSE)(scope, receive, send_fenced)

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "").casefold()
        own = self._own_origin(host, request.scope["server"])
        if not own:
            return PlainTextResponse(f"the host {host!r} is not served here; use the printed address", 400, CLOSE)
        origin = request.headers.get("origin")
        is_own = origin is not None and origin.casefold() == own
        if not is_own and (origin is not None or request.method not in {"GET", "HEAD"}):
            refusal = f"requests from {origin!r} are refused here; use the pages themselves"
            return PlainTextResponse(refusal, 403, CLOSE)
        return None

    def _own_origin(self, host: str, server: tuple[str, int]) -> str:
        if self._public and host == urlsplit(self._public).netloc:
            return self._public
        origin = f"http://{host}"
        return origin if origin in self._origins or host == _address_of(server) else ""

    def _entry(self, request: Request) -> Response | None:
        guest = _match(self._tokens, request.query_params.get("token", ""))
        if guest:
            return self._let_in(request, guest)
        cookie = request.cookies.get(self._cookie, "")
        guest = _match({key: name for name, key in self._keys.items()}, cookie)
        if not guest:
            once = "" if self._again else "; it can be used once"
            return PlainTextResponse(f"open the address that {self._command} printed{once}", 403, CLOSE)
        request.scope[GUEST] = guest
        return None

    def _let_in(self, request: Request, guest: str) -> Response:
        if not self._again:
            self._tokens = {token: name for token, name in self._tokens.items() if name != guest}
        answer = RedirectResponse(_without_token(request), 303)
        secure = self._public.startswith("https:") and request.headers.get("host", "") == urlsplit(self._public).netloc
        answer.set_cookie(self._cookie, self._keys[guest], httponly=True, samesite="lax", secure=secure)
        return answer


def origin_of(address: str) -> str:
    """Return the origin of a public address; raises ConfigError if invalid.

    >>> origin_of("https://Review.example/")
    'https://review.example'
    """
    try:
        url = urlsplit(address.casefold())
        port = f":{url.port}" if url.port else ""
    except ValueError:
        url, port = urlsplit(""), ""
    if url.scheme not in {"http", "https"} or not url.hostname or url.username or url.path.strip("/") or url.query:
        raise ConfigError(f"the public address is {address!r}; give one like https://review.example, without a path")
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return f"{url.scheme}://{host}{port}"


def _match(names: Mapping[str, str], given: str) -> str:
    matches = [name for secret, name in names.items() if secrets.compare_digest(secret.encode(), given.encode())]
    return matches[0] if matches else ""


def _address_of(server: tuple[str, int]) -> str:
    address = ip_address(server[0])
    own = getattr(address, "ipv4_mapped", None) or address
    return f"[{own}]:{server[1]}" if own.version == IPV6 else f"{own}:{server[1]}"


def _without_token(request: Request) -> str:
    url = urlsplit(str(request.url.remove_query_params("token")))
    return f"/{url.path.lstrip('/')}" + (f"?{url.query}" if url.query else "")


def _add_headers(message: MutableMapping[str, Any]) -> None:
    own = {name for name, _ in message["headers"]}
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in own]
    message["headers"] = [*message["headers"], *added]
