"""Polite HTTP downloads: one connection, waits as servers ask, and only hosts on the public network by default."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from kbe_graph.errors import ConfigError
from kbe_graph.files.opening import MOST_WHOLE
from kbe_graph.files.politeness import BUSY, FAULTS, NO_CONTACT, check_contact, is_loopback, retry_after, user_agent
from kbe_graph.secret import bare_address

if TYPE_CHECKING:
    from ssl import SSLContext

    from httpx2 import AsyncClient, Response

_ATTEMPTS = 3
_REDIRECTS = 5
_LOST = 3  # unreachable addresses of a host in a row, after which the rest are skipped
_SHORTEST = 0.5  # minimum wait in seconds if a server asks to wait
_CONNECT, _READ, _WHOLE = 10.0, 30.0, 300.0  # timeouts in seconds: connect, between bytes, whole reply


@dataclass(frozen=True, slots=True)
class DownloadSettings:
    """Settings for downloads; raises ConfigError for a contact that cannot be part of a header.

    ``contact`` is a mail or web address for servers' operators; hosts on this machine and in private networks are
    allowed only with ``local_hosts``. ``patience`` is the total number of seconds to wait for one address, ``pause``
    the wait before a retry, ``most`` the maximum size of a reply in bytes.
    """

    contact: str = ""
    local_hosts: bool = False
    patience: float = 300.0
    pause: float = 2.0
    most: int = MOST_WHOLE

    def __post_init__(self) -> None:
        check_contact(self.contact)

    def require_contact(self, address: str) -> None:
        """Raise ConfigError if the contact is missing and the server is on the network."""
        host = host_of(address)
        if not (self.contact or (self.local_hosts and is_loopback(host))):
            raise ConfigError(f"no contact for {host!r}, {NO_CONTACT}")


class Download(NamedTuple):
    """The content of an address, with the status and headers of the reply (names in lower case)."""

    content: bytes
    status: int
    headers: Mapping[str, str]


class DownloadError(Exception):
    """A failed download. ``status`` is that of the last reply, 0 if there was none.

    ``wait`` is the pause that the server asked for; ``again`` means that a retry may succeed.
    """

    def __init__(self, problem: str, status: int = 0, *, wait: float | None = None, again: bool = False) -> None:
        super().__init__(problem)
        self.status, self.wait, self.again = status, wait, again


@dataclass(slots=True)
class Pauses:
    """The times until which hosts must not be contacted, and the number of their failures in a row."""

    until: dict[str, float] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def seconds(self, host: str) -> float:
        """Return the remaining seconds for which a host must not be contacted."""
        return max(0.0, self.until.get(host, 0.0) - time.monotonic())

    def note(self, host: str, error: DownloadError | None) -> None:
        """Record the outcome of an attempt."""
        if error and error.wait is not None:
            self.until[host] = max(self.until.get(host, 0.0), time.monotonic() + error.wait)
        self.lost[host] = self.lost.get(host, 0) + 1 if error and not error.status and error.again else 0


class Downloader:
    """A client with one connection, to one host at a time; an async context manager. Clients can share ``pauses``."""

    def __init__(self, settings: DownloadSettings, pauses: Pauses) -> None:
        self._settings, self._pauses = settings, pauses
        self._origin = ""
        self._client: AsyncClient | None = None
        self._ssl: SSLContext | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    async def get(self, address: str) -> Download:
        """Download an address; retries after a fault, and after the pause that the server asks for.

        Raises DownloadError.
        """
        host, failed = host_of(address), 0
        end = time.monotonic() + self._settings.patience
        while True:
            await self._wait(host, end)
            try:
                download = await self._follow(address)
            except DownloadError as error:
                self._pauses.note(host, error)
                failed += error.wait is None
                if not error.again or failed == _ATTEMPTS:
                    raise
                await asyncio.sleep(self._settings.pause if error.wait is None else 0)
            else:
                self._pauses.note(host, None)
                return download

    async def _wait(self, host: str, end: float) -> None:
        seconds = self._pauses.seconds(host)
        if time.monotonic() + seconds > end:
            raise DownloadError(f"{host} asks clients to wait {seconds:.0f} s; run the same command later", again=True)
        if self._pauses.lost.get(host, 0) >= _LOST * _ATTEMPTS:
            raise DownloadError(f"skipped because {host} failed {_LOST} times in a row", again=True)
        await asyncio.sleep(seconds)

    async def _follow(self, address: str) -> Download:
        """Follow redirects; each host is checked like the first."""
        for _ in range(1 + _REDIRECTS):
            async with self._answer(address) as response:
                if not response.has_redirect_location:
                    return await self._read(response)
                address = urljoin(address, response.headers["location"])
        raise DownloadError(f"redirects more than {_REDIRECTS} times", response.status_code)

    @asynccontextmanager
    async def _answer(self, address: str) -> AsyncIterator["Response"]:
        """Yield the reply of an address with its body unread; raises DownloadError, also within the context."""
        from httpx2 import HTTPError, InvalidURL, TimeoutException

        parts = _checked(address)
        try:
            async with asyncio.timeout(_WHOLE), self._connect(address, parts) as response:
                yield response
        except (TimeoutException, TimeoutError):
            raise DownloadError("does not answer in time", again=True) from None
        except (HTTPError, OSError) as error:
            raise DownloadError(
                f"cannot be reached, or closed the connection ({error or type(error).__name__})", again=True
            ) from None
        except (InvalidURL, ValueError) as error:  # includes invalid host names
            raise DownloadError(str(error)) from None

    @asynccontextmanager
    async def _connect(self, address: str, parts: SplitResult) -> AsyncIterator["Response"]:
        proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
        targets = await self._targets(parts, proxy=proxy)
        client = await self._client_of(f"{parts.scheme}://{parts.netloc}", proxy)
        response = await _send(client, address, targets)
        try:
            yield response
        finally:
            await response.aclose()

    async def _targets(self, parts: SplitResult, *, proxy: str | None) -> tuple[str, ...]:
        """Return the addresses to connect to; behind a proxy, the host name, which may be known only there."""
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        try:
            addresses = await addresses_of(host, port, local=self._settings.local_hosts)
        except OSError:
            if proxy is None:
                raise
            return (host,)
        return (host,) if proxy else addresses

    async def _client_of(self, origin: str, proxy: str | None) -> "AsyncClient":
        from httpx2 import AsyncClient, Limits, Timeout, create_ssl_context

        if self._client is None or self._origin != origin:
            await self._close()
            self._ssl = self._ssl or create_ssl_context()
            self._origin = origin
            self._client = AsyncClient(
                headers={
                    "user-agent": user_agent(self._settings.contact),
                    "accept": "image/*",
                    "accept-encoding": "identity",
                },
                verify=self._ssl,
                proxy=proxy,
                trust_env=False,  # a login in .netrc must not reach a host that the benchmark names
                timeout=Timeout(_READ, connect=_CONNECT),
                limits=Limits(max_connections=1, max_keepalive_connections=1),
            )
        return self._client

    async def _close(self) -> None:
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def _read(self, response: "Response") -> Download:
        status, headers = response.status_code, response.headers
        if status != 200:
            raise self._refused(response)
        most, content = self._settings.most, bytearray()
        async for piece in response.aiter_bytes():
            content += piece
            if len(content) > most:
                raise DownloadError(f"has more than {most:,} bytes", status)
        return Download(bytes(content), status, dict(headers))

    def _refused(self, response: "Response") -> DownloadError:
        status, headers = response.status_code, response.headers
        wait = retry_after(headers.get("retry-after", ""), headers.get("date", "")) if status in BUSY else None
        if status in BUSY:
            wait = self._settings.pause if wait is None else max(wait, _SHORTEST)
        problem = f"answers {status} {response.reason_phrase}".rstrip()
        return DownloadError(problem, status, wait=wait, again=status in BUSY | FAULTS)


async def _send(client: "AsyncClient", address: str, targets: Sequence[str]) -> "Response":
    """Request an address from the first target that accepts a connection, under its host name.

    The targets have been checked, so there must not be a second name lookup, which could lead elsewhere.
    """
    from httpx2 import URL, ConnectError

    url = URL(address)
    headers, secure = {"host": url.netloc.decode("ascii")}, {"sni_hostname": url.raw_host.decode("ascii")}
    for target in targets:
        request = client.build_request("GET", url.copy_with(host=target), headers=headers, extensions=secure)
        with suppress(ConnectError) if target != targets[-1] else nullcontext():
            return await client.send(request, stream=True)
    raise DownloadError("has no address")


def host_of(address: str) -> str:
    """Return the host of an address, or an empty string."""
    with suppress(ValueError):
        return urlsplit(address).hostname or ""
    return ""


def _checked(address: str) -> SplitResult:
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise DownloadError(f"is not an address ({error})") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise DownloadError(f"leads to {bare_address(address)!r}, which is not an http or https address")
    if "@" in parts.netloc:
        raise DownloadError(f"leads to {bare_address(address)!r}, which contains a login; remove it")
    return parts


_NAT64 = IPv6Network("64:ff9b::/96")


async def addresses_of(host: str, port: int, *, local: bool = False) -> tuple[str, ...]:
    """Resolve a host, with the best address first.

    Raises OSError if it has no address. Unless ``local`` is set, raises ValueError if any address belongs to this
    machine or a private network, or is reserved: the author of a benchmark file must not reach into the user's network.
    """
    rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(row[4][0]) for row in rows))
    inner = () if local else [address for address in addresses if not is_public(address)]
    if inner:
        raise ValueError(f"is {inner[0]}, on this machine or a private network; allow it with `local_hosts=True`")
    return addresses


def is_public(text: str) -> bool:
    """Return True for an address on the public network; IPv4 addresses within IPv6 are checked too.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    address = _unwrapped(ip_address(text.partition("%")[0]))
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address within an IPv6 address (mapped, 6to4, NAT64), or else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    through = IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
    return address.ipv4_mapped or address.sixtofour or through or address
