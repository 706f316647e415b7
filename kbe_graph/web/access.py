"""Access control for web pages: only browsers with a personal link, under known hosts, from the pages themselves."""

import secrets
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
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
    "referrer-policy": "same-origin",  # with no-referrer, a form's own origin would be null
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
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
        own = [f"{host}:{port}".casefold() for host in (*LOOPBACK, *hosts)]
        beyond = origin_of(public) if public else ""
        self._origins = {host: f"http://{host}" for host in own} | {urlsplit(beyond).netloc: beyond}
        self._cookie = f"kbe_{port}"
        self._tokens = dict(guests)
        self._keys = {name: secrets.token_urlsafe(32) for name in guests.values()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request, or pass it on."""
        if scope["type"] != "http":
            return
        request = Request(scope)

        async def send_fenced(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await (self._refusal(request) or self._entry(request) or self._app)(scope, receive, send_fenced)

    def _refusal(self, request: Request) -> Response | None:
        host, origin = request.headers.get("host", "").casefold(), request.headers.get("origin")
        own = self._own_origin(request, host)
        if not own:
            return PlainTextResponse(f"the host {host!r} is not served here; use the printed address", 400, CLOSE)
        is_own = request.method in {"GET", "HEAD"} if origin is None else origin.casefold() == own
        if not is_own:
            refusal = f"requests from {origin!r} are refused here; use the pages themselves"
            return PlainTextResponse(refusal, 403, CLOSE)
        return None

    def _own_origin(self, request: Request, host: str) -> str:
        address, port = request.scope["server"]
        arrived = ip_address(address)
        arrived = getattr(arrived, "ipv4_mapped", None) or arrived
        if host == (f"[{arrived}]:{port}" if ":" in str(arrived) else f"{arrived}:{port}"):
            return f"http://{host}"
        return self._origins.get(host, "")

    def _entry(self, request: Request) -> Response | None:
        if guest := _match(self._tokens, request.query_params.get("token", "")):
            return self._let_in(request, guest)
        cookie = request.cookies.get(self._cookie, "")
        request.scope[GUEST] = _match({key: name for name, key in self._keys.items()}, cookie)
        if request.scope[GUEST]:
            return None
        once = "" if self._again else "; it can be used once"
        return PlainTextResponse(f"open the address that {self._command} printed{once}", 403, CLOSE)

    def _let_in(self, request: Request, guest: str) -> Response:
        if not self._again:
            self._tokens = {token: name for token, name in self._tokens.items() if name != guest}
        url = request.url.remove_query_params("token")
        answer = RedirectResponse(f"/{url.path.lstrip('/')}" + (f"?{url.query}" if url.query else ""), 303)
        secure = self._origins.get(request.headers.get("host", "").casefold(), "").startswith("https:")
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
