"""Connection to an OpenAI-style endpoint: one attempt at a time within its limits, tried again with tenacity.

Chat completions and image edits are sent with aiohttp, as the ``openai`` client would use as much processor time as
everything else together. The ``openai`` client handles files and batches, which are rare.
"""

import asyncio
import io
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode, urlsplit

from kbe_graph import __version__
from kbe_graph.models.completion import read_completion
from kbe_graph.models.failures import BUSY, CallFailed, failure_of_status, one_line
from kbe_graph.models.request import CHAT, Route
from kbe_graph.models.settings import ModelSettings
from kbe_graph.secret import Secrets, login_secrets

if TYPE_CHECKING:
    from aiohttp import ClientSession, StreamReader, TraceConfig
    from aiolimiter import AsyncLimiter
    from openai import AsyncOpenAI
    from tenacity import RetryCallState

CONNECT = 20.0  # seconds to get a connection
LARGE = 1 << 20  # bytes above which a body is sent in chunks
FAILED = 300  # the lowest status that is not a reply
FIRST_WAIT, LONGEST_WAIT = 0.25, 30.0  # seconds between tries, doubled each time
QUIET, SELDOM = 5.0, 30.0  # seconds of a wait that is told, and between such lines
FEW = 3  # calls lost in a row before the endpoint counts as down
AGENT = f"kbe-graph/{__version__}"
Answer = TypeVar("Answer")


class Transport:
    """Endpoint defined by base URL, key and model; tied to the event loop it is used in. Close it at the end.

    ``out`` holds the tasks whose call is in flight; ``tell`` receives a line about each long wait, and ``sent`` is
    called at each request. With ``api_version`` it uses Azure's protocol, where the model is the deployment's name.
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
        self._tell, self._note_sent = tell, sent
        self.out: set[asyncio.Task[object] | None] = set()
        self._turns = asyncio.Semaphore(settings.in_flight)
        self._answered = self._told = -float("inf")
        self._lost = 0  # calls given up since the last answer

    async def attempt(
        self,
        content: Callable[[], Awaitable[bytes]],
        tokens: int,
        route: Route,
        use: Callable[[bytes], Awaitable[Answer]],
    ) -> Answer:
        """Send one request of about ``tokens`` tokens and pass the body of its reply to ``use``; raises CallFailed.

        ``content`` encodes the request only when its turn comes, so that no more bodies are in memory than calls in
        flight. The turn lasts until ``use`` has stored the reply.
        """
        async with self._turns:
            if self._requests:
                await self._requests.acquire()
            if self._tokens:
                await self._tokens.acquire(min(float(tokens), self._tokens.max_rate))
            encoded, task = await content(), asyncio.current_task()
            self.out.add(task)
            try:
                answer = await use(await self._post(encoded, route))
            finally:
                self.out.discard(task)
        self._note_answer()
        return answer

    async def until_answered(self, attempt: Callable[[], Awaitable[Answer]], tries: Mapping[str, int]) -> Answer:
        """Make the attempt, and again where the failure may pass, as ``Retry-After`` says; raises the last CallFailed.

        It ends after the tries of its kind, of which ``tries`` were made by earlier commands, or if the endpoint has
        answered no call during ``patience``.
        """
        from tenacity import AsyncRetrying, retry_if_exception

        since = 0.0
        counts = Counter(tries)

        def may_pass(error: BaseException) -> bool:
            nonlocal since
            if not isinstance(error, CallFailed):
                return False
            since = since or time.monotonic()
            counts[error.kind] += 1
            if error.kind not in BUSY:
                self._note_answer()
            quiet = time.monotonic() - max(since, self._answered)
            is_over = error.kind in BUSY and max(quiet, error.retry_after or 0.0) > self.settings.patience
            return counts[error.kind] < error.tries and not is_over

        def wait(state: "RetryCallState") -> float:
            return self._wait(state, since)

        async def once() -> Answer:
            return await attempt()

        return await AsyncRetrying(retry=retry_if_exception(may_pass), wait=wait, reraise=True)(once)

    def is_down(self, failed: CallFailed, *, has_replied: bool) -> bool:
        """Count a call that was given up; True if the endpoint seems to answer none, as far as earlier runs tell."""
        if failed.kind not in BUSY:
            return False
        self._lost += 1
        is_new = self._answered == -float("inf") and (failed.kind == "connection" or not has_replied)
        return is_new or self._lost > FEW

    async def close(self) -> None:
        """Close the connections."""
        for name in ("client", "_session"):
            if name in self.__dict__:
                await getattr(self, name).close()

    def _note_answer(self) -> None:
        self._answered, self._lost = time.monotonic(), 0

    def _wait(self, state: "RetryCallState", since: float) -> float:
        from tenacity import wait_random_exponential

        failed = state.outcome.exception() if state.outcome else None
        if not isinstance(failed, CallFailed) or failed.kind in {"empty", "invalid"}:
            return 0.0
        backoff = wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)
        seconds: float = backoff(state) if failed.retry_after is None else failed.retry_after
        now = time.monotonic()
        if max(seconds, now - max(since, self._answered)) > QUIET and now - self._told > SELDOM:
            self._told = now
            self._tell(f"{self.settings.base_url} does not answer ({failed.message}); trying again in {seconds:.0f} s")
        return seconds

    async def _post(self, content: bytes, route: Route) -> bytes:
        from aiohttp import ClientError

        data = io.BytesIO(content) if len(content) > LARGE else content
        kind, hide = {"Content-Type": route.content_type}, self._secrets.hide
        try:
            async with (
                asyncio.timeout(self.settings.timeout),
                self._session.post(
                    self._url(route.path), data=data, headers=kind, proxy=self._proxy, allow_redirects=False
                ) as answer,
            ):
                raw = hide(await _read(answer.content, route.most))
        except TimeoutError:
            raise CallFailed("timeout", f"no reply within {self.settings.timeout:g} s") from None
        except (ClientError, OSError) as error:
            raise CallFailed("connection", hide(f"{type(error).__name__} {error}")) from None
        if answer.status >= FAILED:
            headers = {name.lower(): hide(value) for name, value in answer.headers.items()}
            raise failure_of_status(answer.status, headers, raw)
        return raw

    @cached_property
    def _requests(self) -> "AsyncLimiter | None":
        a_minute = self.settings.requests_per_minute
        return _limiter(a_minute, max(1.0, 60.0 / a_minute)) if a_minute else None

    @cached_property
    def _tokens(self) -> "AsyncLimiter | None":
        a_minute = self.settings.tokens_per_minute
        return _limiter(a_minute, 10.0) if a_minute else None

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
        from aiohttp import TraceConfig

        async def note_sent(*_: object) -> None:
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
        """The ``openai`` client for files and batches; it follows no redirect, as it would send the key along."""
        from openai import AsyncOpenAI, DefaultAioHttpClient

        return AsyncOpenAI(
            api_key=self.settings.key or "none",
            base_url=self._base_url,
            default_query=self._query,
            default_headers=self._headers,
            timeout=self.settings.timeout,
            http_client=DefaultAioHttpClient(follow_redirects=False),
        )

    async def ask_client(self, asked: Callable[[], Awaitable[Answer]]) -> Answer:
        """Use the ``openai`` client; raises CallFailed."""
        from aiohttp import ClientError
        from openai import APIStatusError, OpenAIError

        try:
            return await asked()
        except APIStatusError as error:
            raw = self._secrets.hide(error.response.content)
            raise failure_of_status(error.status_code, error.response.headers, raw) from None
        except (OpenAIError, ClientError, ValueError, TypeError, AttributeError) as error:  # odd replies too
            raise CallFailed("connection", self._secrets.hide(f"{error} {error.__cause__ or ''}")) from None


async def greeting(settings: ModelSettings) -> str:
    """Ask a model for one word, and return the start of its reply; raises ModelError and ConfigError."""
    import orjson

    words = "Write the single word hello, and nothing else."
    body = {"model": settings.model, "messages": [{"role": "user", "content": words}], **settings.body}
    transport = Transport(settings)

    async def content() -> bytes:
        return orjson.dumps(body)

    async def read(raw: bytes) -> str:
        return read_completion(raw).text

    try:
        text = await transport.until_answered(lambda: transport.attempt(content, 64, CHAT, read), {})
    except CallFailed as failed:
        raise failed.error(model=settings.model, url=settings.base_url, step=settings.step, is_down=True) from None
    finally:
        await transport.close()
    return one_line(text)[:40]


def _limiter(a_minute: float, seconds: float) -> "AsyncLimiter":
    from aiolimiter import AsyncLimiter

    return AsyncLimiter(a_minute / 60.0 * seconds, seconds)


async def _read(stream: "StreamReader", most: int) -> bytes:
    content = bytearray()
    async for chunk in stream.iter_any():
        content += chunk
        if len(content) > most:
            break
    return bytes(content)
