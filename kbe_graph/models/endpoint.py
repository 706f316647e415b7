"""Client for an OpenAI-style endpoint: single attempts, classified failures, and responses stripped of secrets.

Chat completions and image edits are sent with aiohttp: the ``openai`` client would use as much CPU time as everything
else together, and reads bodies of any length. The ``openai`` client handles files and batches, which are rare.
"""

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

from kbe_graph import __version__
from kbe_graph.models.completion import read_body
from kbe_graph.models.failures import CallFailed, failure_of_exception, failure_of_status
from kbe_graph.models.rate_limit import RateLimiter
from kbe_graph.models.request import CHAT, Route
from kbe_graph.models.retry import Patience
from kbe_graph.models.settings import ModelSettings
from kbe_graph.secret import Secrets, login_secrets

if TYPE_CHECKING:
    from aiohttp import ClientSession, StreamReader, TraceConfig
    from httpx2 import AsyncClient, Timeout
    from openai import AsyncOpenAI

CONNECT = 20.0  # seconds to get a connection
LARGE = 1 << 20  # bytes above which a body is sent in chunks
FAILED = 300  # the lowest status that is not a reply
FILE = "/content"  # URL suffix of a file download, which is not JSON
AGENT = f"kbe-graph/{__version__}"


class ModelEndpoint:
    """Endpoint defined by base URL, key and model; tied to the event loop it is used in. Close it at the end.

    It does not retry; ``retry`` decides that for all calls. ``out`` holds the tasks whose call is in flight; ``tell``
    receives a line about each long wait, and ``sent`` is called at each request. With ``api_version`` it uses Azure's
    protocol, where the model is the name of the deployment.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        tell: Callable[[str], None] = lambda _: None,
        sent: Callable[[], None] = lambda: None,
    ) -> None:
        settings.require_key()
        self.settings = settings
        self._note_sent = sent
        self.patience = Patience(settings.patience, settings.base_url, tell=tell)
        self.out: set[asyncio.Task[object] | None] = set()
        self.limiter = RateLimiter(
            in_flight=settings.in_flight,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
        )

    @asynccontextmanager
    async def exchange(
        self, content: Callable[[], Awaitable[bytes]], tokens: int, route: Route = CHAT
    ) -> AsyncIterator[bytes]:
        """Send one request of about ``tokens`` tokens and yield the body of its 200 response; raises CallFailed.

        ``content`` encodes the request only when its turn comes, so that no more bodies are in memory than calls in
        flight. The turn lasts until the context exits, when the response has been stored.
        """
        async with self.limiter.turn(tokens) as sent_at:
            encoded = await content()
            task = asyncio.current_task()
            self.out.add(task)
            try:
                yield await self._answer(encoded, route, sent_at)
            finally:
                self.out.discard(task)

    async def _answer(self, content: bytes, route: Route, sent_at: float) -> bytes:
        try:
            headers, raw = await self._post(content, route)
        except CallFailed as failed:
            if failed.fault.kind == "pace" and not self.patience.is_beyond(failed):
                self.patience.tell_pause(self.limiter.note_refusal(sent_at, failed.retry_after))
            raise
        self.limiter.note_reply(headers)
        return raw

    async def close(self) -> None:
        """Close the connections."""
        for name in ("client", "_session"):
            if name in self.__dict__:
                await getattr(self, name).close()

    async def _post(self, content: bytes, route: Route) -> tuple[Mapping[str, str], bytes]:
        from aiohttp import ClientError

        session, kind = self._session, {"Content-Type": route.content_type}
        data = io.BytesIO(content) if len(content) > LARGE else content
        try:
            async with (
                asyncio.timeout(self.settings.timeout),
                session.post(
                    self._url(route.path), data=data, headers=kind, proxy=self._proxy, allow_redirects=False
                ) as answer,
            ):
                status, headers, content = answer.status, answer.headers, await _read(answer.content, route.most)
        except (ClientError, OSError, TimeoutError) as error:
            raise failure_of_exception(error, self._secrets.hide) from None
        return headers, self._body(status, headers, content)

    def _body(self, status: int, headers: Mapping[str, str], content: bytes) -> bytes:
        """Redact the secrets in a response body, for every response; raises CallFailed for an error status."""
        hide = self._secrets.hide
        raw = hide(content)
        if status >= FAILED:
            raise failure_of_status(status, {name.lower(): hide(value) for name, value in headers.items()}, raw)
        return raw

    @cached_property
    def _secrets(self) -> Secrets:
        """The secrets of the settings and the passwords of the proxies in the environment."""
        from urllib.request import getproxies

        return self.settings.secrets | Secrets(login_secrets(getproxies().values()))

    @property
    def _base_url(self) -> str:
        base, settings = self.settings.base_url, self.settings
        if not settings.api_version or "/deployments/" in base or "/openai/" in base:
            return base
        return f"{base}/openai/deployments/{settings.model}"

    @property
    def _query(self) -> dict[str, str]:
        return {"api-version": self.settings.api_version} if self.settings.api_version else {}

    @property
    def _headers(self) -> dict[str, str]:
        azure = {"api-key": self.settings.key} if self.settings.api_version else {}
        return {**azure, **self.settings.headers}

    def _url(self, path: str) -> str:
        base = f"{self._base_url.rstrip('/')}/{path}"
        return f"{base}?{urlencode(self._query)}" if self._query else base

    @cached_property
    def _session(self) -> "ClientSession":
        from aiohttp import ClientSession, ClientTimeout, TCPConnector
        from httpx2 import create_ssl_context

        ssl = create_ssl_context() if self._base_url.startswith("https:") else True
        headers = {"Accept": "application/json", "User-Agent": AGENT}
        return ClientSession(
            connector=TCPConnector(limit=self.settings.in_flight + 8, ssl=ssl),
            headers={"Authorization": f"Bearer {self.settings.key or 'none'}", **headers, **self._headers},
            timeout=ClientTimeout(total=None, sock_connect=CONNECT),
            trace_configs=[self._tracing()],
        )

    def _tracing(self) -> "TraceConfig":
        """Count requests when their headers are sent: a request without a connection was never sent."""
        from aiohttp import TraceConfig

        async def note_sent(*_: object) -> None:
            """Record a request."""
            self._note_sent()

        tracing = TraceConfig()
        tracing.on_request_headers_sent.append(note_sent)
        return tracing

    @cached_property
    def _proxy(self) -> str | None:
        """The proxy from the environment, looked up once because aiohttp would look it up, slowly, for each call."""
        from urllib.request import getproxies, proxy_bypass

        address = urlsplit(self._base_url)
        return None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)

    @cached_property
    def client(self) -> "AsyncOpenAI":
        """The ``openai`` client for files and batches; raises CallFailed."""
        from httpx2 import Timeout
        from openai import AsyncOpenAI

        timeout = Timeout(self.settings.timeout, connect=CONNECT)
        return AsyncOpenAI(
            api_key=self.settings.key or "none",
            base_url=self._base_url,
            default_query=self._query,
            default_headers=self._headers,
            max_retries=0,
            timeout=timeout,
            http_client=self._closed_client(timeout),
        )

    def _closed_client(self, timeout: "Timeout") -> "AsyncClient":
        """Build an HTTP client that follows no redirects and raises CallFailed for an unusable response.

        On its own, the ``openai`` client sends the key along with a redirect and accepts an HTML page as a reply.
        """
        from aiohttp import ClientError
        from httpx2 import HTTPError, Request, Response
        from openai import DefaultAioHttpClient

        body, hide = self._body, self._secrets.hide

        class ClosedClient(DefaultAioHttpClient):
            async def send(self, request: Request, **_: Any) -> Response:
                try:
                    answer = await super().send(request, follow_redirects=False)
                except (HTTPError, ClientError, OSError, TimeoutError) as error:
                    raise failure_of_exception(error, hide) from None
                raw = body(answer.status_code, answer.headers, answer.content)
                if not request.url.path.endswith(FILE):
                    read_body(raw)
                return Response(200, headers={"content-type": "application/json"}, content=raw, request=request)

        return ClosedClient(timeout=timeout)


async def _read(stream: "StreamReader", most: int) -> bytes:
    """Read a response body, stopping as soon as it exceeds ``most`` bytes."""
    content = bytearray()
    async for chunk in stream.iter_any():
        content += chunk
        if len(content) > most:
            break
    return bytes(content)
