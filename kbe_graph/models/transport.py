"""Connection to an OpenAI-style endpoint: one request at a time within its limits, made again where that may help.

It is made of aiohttp, as the ``openai`` client would use as much processor time as everything else together.
"""

import asyncio
import io
import os
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from errno import errorcode
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from kbe_graph.extras import __version__
from kbe_graph.models.reply import BUSY, TRIES, CallFailed, failure_of_status
from kbe_graph.models.settings import ModelSettings
from kbe_graph.secret import Secrets, login_secrets

if TYPE_CHECKING:
    from aiohttp import ClientSession, FormData, StreamReader
    from aiolimiter import AsyncLimiter

CONNECT = 20.0  # seconds to get a connection
LARGE = 1 << 20  # bytes above which a body is sent in chunks
FAILED = 300  # the lowest status that is not a reply
FIRST_WAIT, LONGEST_WAIT = 0.25, 30.0  # seconds between tries, doubled each time
QUIET, SELDOM = 5.0, 30.0  # seconds of a wait that is told, and between such lines
FEW = 3  # calls lost in a row before the endpoint counts as down
NEVER = -float("inf")
Answer = TypeVar("Answer")


class Endpoint:
    """Endpoint defined by base URL, key and model; tied to the event loop it is used in. Close it at the end.

    ``out`` holds the tasks whose call is in flight, and ``tell`` receives a line about each long wait. ``takes_format``
    is whether it accepts a ``response_format``, None until that is known. With ``api_version`` it uses Azure's
    protocol, where the model is the deployment's name.
    """

    def __init__(self, settings: ModelSettings, *, tell: Callable[[str], None] = lambda _: None) -> None:
        settings.require_key()
        self.settings = settings
        self.secrets = settings.secrets | Secrets(login_secrets(getproxies().values()))
        self.out: set[asyncio.Task[object] | None] = set()
        self.takes_format: bool | None = None
        self._tell = tell
        self._turns = asyncio.Semaphore(settings.in_flight)
        self._requests = _limiter(settings.requests_per_minute, 1.0)
        self._tokens = _limiter(settings.tokens_per_minute, 10.0)
        self._answered = self._told = NEVER
        self._lost = 0  # calls given up since the last answer
        self._url, self._query, self._headers = address_of(settings)

    @asynccontextmanager
    async def turn(self, tokens: int) -> AsyncIterator[None]:
        """Wait until a request of about ``tokens`` tokens may go out; the turn lasts until its reply is stored."""
        async with self._turns:
            if self._requests:
                await self._requests.acquire()
            if self._tokens:
                await self._tokens.acquire(min(float(tokens), self._tokens.max_rate))
            task = asyncio.current_task()
            self.out.add(task)
            try:
                yield
            finally:
                self.out.discard(task)
        self._note_answer()

    async def until_answered(
        self, attempt: Callable[[], Awaitable[Answer]], tries: Mapping[str, int] | None = None
    ) -> Answer:
        """Make the attempt, and again where the failure may pass, as ``Retry-After`` says; raises the last CallFailed.

        It ends after the tries of its kind, of which ``tries`` were made earlier, or if the endpoint has answered no
        call during ``patience``.
        """
        counts, since = Counter(tries or {}), 0.0
        while True:
            try:
                return await attempt()
            except CallFailed as failed:
                since = since or time.monotonic()
                counts[failed.kind] += 1
                if failed.kind not in BUSY:
                    self._note_answer()
                quiet = time.monotonic() - max(since, self._answered)
                is_over = failed.kind in BUSY and max(quiet, failed.retry_after or 0.0) > self.settings.patience
                if is_over or counts[failed.kind] >= TRIES.get(failed.kind, 1):
                    raise
                wait = _wait(failed, counts.total())
                self._tell_of_wait(failed, wait, quiet)
            await asyncio.sleep(wait)

    async def post(self, path: str, content: "bytes | FormData", most: int) -> bytes:
        """Send one request and return the body of its reply, of which at most ``most`` bytes; raises CallFailed."""
        from aiohttp import ClientError

        data = io.BytesIO(content) if isinstance(content, bytes) and len(content) > LARGE else content
        kind = {"Content-Type": "application/json"} if isinstance(content, bytes) else None
        url, hide = f"{self._url.rstrip('/')}/{path}", self.secrets.hide
        sent: dict[str, Any] = {"params": self._query, "data": data, "headers": kind}
        try:
            async with (
                asyncio.timeout(self.settings.timeout),
                self._session.post(url, **sent, allow_redirects=False) as answer,
            ):
                raw = hide(await _read(answer.content, most))
        except TimeoutError:
            raise CallFailed("timeout", f"no reply within {self.settings.timeout:g} s") from None
        except (ClientError, OSError) as error:
            raise CallFailed("connection", hide(_reason(error))) from None
        if answer.status >= FAILED:
            headers = {name.lower(): hide(value) for name, value in answer.headers.items()}
            raise failure_of_status(answer.status, headers, raw)
        return raw

    def is_down(self, failed: CallFailed, *, has_replied: bool) -> bool:
        """Count a call that was given up; True if the endpoint seems to answer none, as far as earlier runs tell."""
        if failed.kind not in BUSY:
            return False
        self._lost += 1
        is_new = self._answered == NEVER and (failed.kind == "connection" or not has_replied)
        return is_new or self._lost > FEW

    async def close(self) -> None:
        """Close the connections."""
        if "_session" in self.__dict__:
            await self._session.close()

    def _note_answer(self) -> None:
        self._answered, self._lost = time.monotonic(), 0

    def _tell_of_wait(self, failed: CallFailed, wait: float, quiet: float) -> None:
        now = time.monotonic()
        if max(wait, quiet) > QUIET and now - self._told > SELDOM:
            self._told = now
            self._tell(f"{self.settings.base_url} does not answer ({failed.message}); trying again in {wait:.0f} s")

    @cached_property
    def _session(self) -> "ClientSession":
        from aiohttp import ClientSession, ClientTimeout, TCPConnector
        from httpx2 import create_ssl_context

        address = urlsplit(self._url)
        ssl = create_ssl_context() if address.scheme == "https" else True
        headers = {"Accept": "application/json", "User-Agent": f"kbe-graph/{__version__}"}
        return ClientSession(
            connector=TCPConnector(limit=self.settings.in_flight + 8, ssl=ssl),
            headers={"Authorization": f"Bearer {self.settings.key or 'none'}", **headers, **self._headers},
            timeout=ClientTimeout(total=None, sock_connect=CONNECT),
            proxy=None if proxy_bypass(address.hostname or "") else getproxies().get(address.scheme),
        )


def _reason(error: Exception) -> str:
    """Word why there is no connection as the system does, such as "Connection refused"."""
    if isinstance(error, OSError) and error.errno and error.errno in errorcode:
        return os.strerror(error.errno)
    return getattr(error, "strerror", "") or f"{type(error).__name__} {error}"


def address_of(settings: ModelSettings) -> tuple[str, dict[str, str], dict[str, str]]:
    """Return the address of an endpoint, its query and its headers; Azure's with the deployment and a header."""
    url, headers = settings.base_url, dict(settings.headers)
    if not settings.api_version:
        return url, {}, headers
    if not ("/deployments/" in url or "/openai/" in url):
        url += f"/openai/deployments/{settings.model}"
    return url, {"api-version": settings.api_version}, {"api-key": settings.key, **headers}


def _wait(failed: CallFailed, count: int) -> float:
    if failed.kind in {"empty", "invalid"}:
        return 0.0
    if failed.retry_after is not None:
        return failed.retry_after
    return random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2.0**count))


def _limiter(a_minute: float | None, seconds: float) -> "AsyncLimiter | None":
    from aiolimiter import AsyncLimiter

    if not a_minute:
        return None
    seconds = max(seconds, 60.0 / a_minute)
    return AsyncLimiter(a_minute / 60.0 * seconds, seconds)


async def _read(stream: "StreamReader", most: int) -> bytes:
    content = bytearray()
    async for chunk in stream.iter_any():
        content += chunk
        if len(content) > most:
            break
    return bytes(content)
