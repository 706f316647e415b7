"""Downloads by HTTP, politely: one connection, waits as long as a server says, hosts of the public network alone."""

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
_LOST = 3  # addresses of a host in a row that cannot be reached, after which no more of it are tried
_SHORTEST = 0.5  # seconds that are waited for whoever asks to wait
_CONNECT, _READ, _WHOLE = 10.0, 30.0, 300.0  # seconds: to connect, without a byte, for all of one answer


@dataclass(frozen=True, slots=True)
class DownloadSettings:
    """How servers are asked; raises ConfigError for a contact that cannot stand in a header.

    ``contact`` is a mail or web address that operators can write to; hosts of this machine and of private networks are
    asked only with ``local_hosts``. ``patience`` is how many seconds one address may be waited for, ``pause`` how long
    to wait before a failed one is asked again, ``most`` how many bytes an answer may have.
    """

    contact: str = ""
    local_hosts: bool = False
    patience: float = 300.0
    pause: float = 2.0
    most: int = MOST_WHOLE

    def __post_init__(self) -> None:
        check_contact(self.contact)

    def require_contact(self, address: str) -> None:
        """Raise ConfigError where a server on the network would be asked without a contact."""
        host = host_of(address)
        if not (self.contact or (self.local_hosts and is_loopback(host))):
            raise ConfigError(f"no contact for {host!r}, {NO_CONTACT}")


class Download(NamedTuple):
    """The content of an address, with the status and the headers of the answer, their names in small letters."""

    content: bytes
    status: int
    headers: Mapping[str, str]


class DownloadError(Exception):
    """An address gave nothing. ``status`` is that of the last answer, 0 for none.

    ``wait`` is the pause that the server asked for; ``again`` says that it may be asked again.
    """

    def __init__(self, problem: str, status: int = 0, *, wait: float | None = None, again: bool = False) -> None:
        super().__init__(problem)
        self.status, self.wait, self.again = status, wait, again


@dataclass(slots=True)
class Pauses:
    """Until when each host is left alone, and how many of its addresses in a row could not be reached."""

    until: dict[str, float] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)

    def seconds(self, host: str) -> float:
        """Return the seconds for which a host is still left alone."""
        return max(0.0, self.until.get(host, 0.0) - time.monotonic())

    def note(self, host: str, error: DownloadError | None) -> None:
        """Take in how an attempt ended."""
        if error and error.wait is not None:
            self.until[host] = max(self.until.get(host, 0.0), time.monotonic() + error.wait)
        self.lost[host] = self.lost.get(host, 0) + 1 if error and not error.status and error.again else 0


class Downloader:
    """One connection, to one host at a time; a context manager. Several share ``pauses``."""

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
        """Return the content of an address; asks again after a fault, and after the pause that the server names.

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
        """Follow redirects, each to a host that is checked like the first."""
        for _ in range(1 + _REDIRECTS):
            async with self._answer(address) as response:
                if not response.has_redirect_location:
                    return await self._read(response)
                address = urljoin(address, response.headers["location"])
        raise DownloadError(f"redirects more than {_REDIRECTS} times", response.status_code)

    @asynccontextmanager
    async def _answer(self, address: str) -> AsyncIterator["Response"]:
        """Give the answer of an address, whose body is still to be read; raises DownloadError, also within."""
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
        except (InvalidURL, ValueError) as error:  # a name that no host can have is a ValueError too
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
        """Return the addresses to connect to; behind a proxy the name, which may be known there alone."""
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
                trust_env=False,  # a login of .netrc is not for whoever the file names
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
    """Connect to the first target that lets us, and ask it for the address by its name.

    The targets are those that were checked, so that no second look-up of the name leads elsewhere.
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
    """Return the host of an address, empty where it has none."""
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
    """Return the addresses of a host, the best first.

    Raises OSError for a host that has none. Raises ValueError, unless ``local`` hosts are allowed, where one of them
    belongs to this machine, a private network or nobody: whoever wrote the file must not reach into yours.
    """
    rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = tuple(dict.fromkeys(str(row[4][0]) for row in rows))
    inner = () if local else [address for address in addresses if not is_public(address)]
    if inner:
        raise ValueError(f"is {inner[0]}, on this machine or a private network; allow it with `local_hosts=True`")
    return addresses


def is_public(text: str) -> bool:
    """Return True if an address belongs to a host of the public network, also one of IPv4 within IPv6.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    address = _unwrapped(ip_address(text.partition("%")[0]))
    return address.is_global and not (address.is_multicast or address.is_reserved)


def _unwrapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the address of IPv4 that one of IPv6 leads to (mapped, 6to4, NAT64), else the address itself."""
    if isinstance(address, IPv4Address):
        return address
    through = IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None
    return address.ipv4_mapped or address.sixtofour or through or address
