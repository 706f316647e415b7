"""An OpenAI-style endpoint: a single attempt of a call, its failures sorted.

Chat completions are sent over aiohttp itself: building each request with the ``openai`` client takes as much of the
processor as all else. That client does what is asked seldom: files and batches.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from kbe_graph import __version__
from kbe_graph.models.failures import CallFailed, failure_of_exception, failure_of_status
from kbe_graph.models.pace import Pace
from kbe_graph.models.retry import Patience
from kbe_graph.models.settings import ModelSettings

if TYPE_CHECKING:
    from aiohttp import ClientSession, TraceConfig
    from openai import AsyncOpenAI

CONNECT = 20.0  # seconds to get a connection
ERROR = 400  # the lowest status of an error
AGENT = f"kbe-graph/{__version__}"


class ModelEndpoint:
    """A base URL, key and model; belongs to the event loop it is used in. Close it at the end.

    The client does not retry: that is decided where all calls are seen (``retry``). ``out`` holds the tasks whose
    call is on its way; ``tell`` is told what is waited for, ``sent`` each request that goes out. With ``api_version``
    set it speaks to Azure, where the model is the name of the deployment.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        tell: Callable[[str], None] = lambda _: None,
        sent: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self._note_sent = sent
        self.patience = Patience(settings.patience, settings.base_url, tell=tell)
        self.out: set[asyncio.Task[object] | None] = set()
        self.pace = Pace(
            in_flight=settings.in_flight,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
        )

    @asynccontextmanager
    async def exchange(self, content: Callable[[], Awaitable[bytes]], tokens: int) -> AsyncIterator[bytes]:
        """Send a chat request of so many tokens once, and yield the body of its 200 answer; raises CallFailed.

        ``content`` encodes the request when its turn has come, so that no more bodies are in memory than calls in
        flight. The turn lasts until the answer is dealt with: one that is not kept yet is still in flight.
        """
        async with self.pace.turn(tokens) as sent_at:
            encoded = await content()
            task = asyncio.current_task()
            self.out.add(task)
            try:
                yield await self._answer(encoded, sent_at)
            finally:
                self.out.discard(task)

    async def send(self, content: Callable[[], Awaitable[bytes]], tokens: int) -> bytes:
        """Return what ``exchange`` yields, for an answer that is not kept."""
        async with self.exchange(content, tokens) as raw:
            return raw

    async def _answer(self, content: bytes, sent_at: float) -> bytes:
        try:
            headers, raw = await self._post(content)
        except CallFailed as failed:
            if failed.fault.kind == "pace" and not self.patience.is_beyond(failed):
                self.patience.tell_pause(self.pace.note_refusal(sent_at, failed.retry_after))
            raise
        self.pace.note_reply(headers)
        return raw

    @asynccontextmanager
    async def guarded_client(self) -> AsyncIterator["AsyncOpenAI"]:
        """Yield the client for other requests (files, batches); its exceptions are raised as CallFailed."""
        from openai import APIConnectionError, APIStatusError

        try:
            yield self.client
        except APIStatusError as error:
            raise failure_of_status(error.status_code, error.response.headers, error.response.content) from None
        except (APIConnectionError, OSError, TimeoutError) as error:
            raise failure_of_exception(error) from None

    async def close(self) -> None:
        """Close the connections."""
        for name in ("client", "_session"):
            if name in self.__dict__:
                await getattr(self, name).close()

    async def _post(self, content: bytes) -> tuple[Mapping[str, str], bytes]:
        from aiohttp import ClientError

        session = self._session
        try:
            async with (
                asyncio.timeout(self.settings.timeout),
                session.post(self._url, data=content, proxy=self._proxy) as answer,
            ):
                status, headers, raw = answer.status, answer.headers, await answer.read()
        except (ClientError, OSError, TimeoutError) as error:
            raise failure_of_exception(error) from None
        if status >= ERROR:
            raise failure_of_status(status, headers, raw)
        return headers, raw

    @cached_property
    def _url(self) -> str:
        base = f"{self._base_url.rstrip('/')}/chat/completions"
        return f"{base}?{urlencode(self._query)}" if self._query else base

    @property
    def _base_url(self) -> str:
        return _azure_url(self.settings) if self.settings.api_version else self.settings.base_url

    @property
    def _query(self) -> dict[str, str]:
        return {"api-version": self.settings.api_version} if self.settings.api_version else {}

    @cached_property
    def _session(self) -> "ClientSession":
        from aiohttp import ClientSession, ClientTimeout, TCPConnector
        from httpx2 import create_ssl_context

        ssl = create_ssl_context() if self._url.startswith("https:") else True
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": AGENT}
        return ClientSession(
            connector=TCPConnector(limit=self.settings.in_flight + 8, ssl=ssl),
            headers={"Authorization": f"Bearer {self.settings.key or 'none'}", **headers, **self._headers},
            timeout=ClientTimeout(total=None, sock_connect=CONNECT),
            trace_configs=[self._tracing()],
        )

    def _tracing(self) -> "TraceConfig":
        """Return what notes each request whose headers go out: one without a connection was never sent."""
        from aiohttp import TraceConfig

        async def note_sent(*_: object) -> None:
            """Note a request."""
            self._note_sent()

        tracing = TraceConfig()
        tracing.on_request_headers_sent.append(note_sent)
        return tracing

    @cached_property
    def _proxy(self) -> str | None:
        """The proxy that the environment names for the endpoint: looked up once, as it takes longer than a call."""
        from urllib.request import getproxies, proxy_bypass

        address = urlsplit(self._url)
        return None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme)

    @property
    def _headers(self) -> dict[str, str]:
        azure = {"api-key": self.settings.key} if self.settings.api_version else {}
        return {**azure, **self.settings.headers}

    @cached_property
    def client(self) -> "AsyncOpenAI":
        """The client for other requests than chat completions."""
        from httpx2 import Timeout
        from openai import AsyncOpenAI, DefaultAioHttpClient

        timeout = Timeout(self.settings.timeout, connect=CONNECT)
        return AsyncOpenAI(
            api_key=self.settings.key or "none",
            base_url=self._base_url,
            default_query=self._query,
            default_headers=self._headers,
            max_retries=0,
            timeout=timeout,
            http_client=DefaultAioHttpClient(timeout=timeout),
        )


def _azure_url(settings: ModelSettings) -> str:
    if "/deployments/" in settings.base_url or "/openai/" in settings.base_url:
        return settings.base_url
    return f"{settings.base_url}/openai/deployments/{settings.model}"
