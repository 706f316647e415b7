"""Requests to servers on the web: with a contact, waits as servers ask, a limit of bytes, and no private addresses."""

import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.utils import formatdate, parsedate_to_datetime
from functools import cached_property
from ipaddress import IPv6Address, ip_address
from threading import Event
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import urlsplit

from kbe_graph.errors import ConfigError, SourceError
from kbe_graph.extras import __version__
from kbe_graph.files.opening import MOST_WHOLE
from kbe_graph.text import on_one_line

if TYPE_CHECKING:
    from httpx2 import Client, Request, Response
    from tenacity import RetryCallState

NO_CONTACT = (
    "whose operators require one; looked in `contact`, environment KBE_CONTACT and kbe.toml [facts] "
    "contact; set an e-mail or web address there"
)
BUSY = frozenset({429, 503})
"""Statuses with which a server asks to wait."""
_REASON = 200  # characters of what a server says
_FAULTS = frozenset({500, 502, 504})
_ATTEMPTS = 3
_REDIRECTS = 5
_LOST = 3  # failures of a host in a row, after which it is no longer asked
_SHORTEST = 0.1  # minimum wait in seconds if a server asks to wait
_CONNECT, _READ, _WHOLE = 10.0, 65.0, 300.0  # timeouts in seconds: connect, between bytes, whole reply


@dataclass(frozen=True, slots=True)
class WebSettings:
    """How to ask servers; raises ConfigError for a contact that cannot be part of a header.

    ``contact`` is a mail or web address for servers' operators; hosts on this machine and in private networks are
    allowed only with ``local_hosts``. ``patience`` is the total number of seconds that one request may wait, ``pause``
    the wait before a retry unless the server states one, ``most`` the maximum size of a reply in bytes.
    """

    contact: str = ""
    local_hosts: bool = False
    patience: float = 300.0
    pause: float = 2.0
    most: int = MOST_WHOLE

    def __post_init__(self) -> None:
        if any(ord(letter) < 32 or ord(letter) > 255 for letter in self.contact):
            problem = "write an e-mail or web address without special characters"
            raise ConfigError(f"the contact is {self.contact!r}; {problem}")

    def require_contact(self, address: str) -> None:
        """Raise ConfigError if the contact is missing and the server is on the network."""
        host = host_of(address)
        if not (self.contact or (self.local_hosts and is_loopback(host))):
            raise ConfigError(f"no contact for {host!r}, {NO_CONTACT}")


class WebReply(NamedTuple):
    """The content of an address, with the status and headers of the reply (names in lower case)."""

    content: bytes
    status: int
    headers: Mapping[str, str]


class WebError(Exception):
    """A failed request. ``status`` is that of the last reply, 0 if there was none.

    ``busy`` means that the server asked to wait, for ``wait`` seconds if it said so; ``again`` that a retry may
    succeed.
    """

    def __init__(
        self, problem: str, status: int = 0, *, wait: float | None = None, busy: bool = False, again: bool = False
    ) -> None:
        super().__init__(problem)
        self.status, self.wait, self.busy, self.again = status, wait, busy, again or busy


Check = Callable[[WebReply], None]
"""A function that raises WebError for a reply that is not what was asked for."""


class WebClient:
    """A thread-safe client of servers; a context manager, whose end stops all waits.

    A ``service`` is asked at one address: no redirect is followed.
    """

    def __init__(
        self,
        settings: WebSettings,
        *,
        service: bool = False,
        headers: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        self._settings, self._service, self._headers = settings, service, headers or {}
        self._closed = Event()
        self._sleep = sleep
        self._lost: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._client.close()

    def text(self, address: str, form: Mapping[str, str], check: Check) -> str:
        """Send a form to a service and return the text of the reply; raises SourceError."""
        try:
            return self.ask(address, form, check).content.decode()
        except WebError as error:
            raise SourceError(
                f"{address!r}: {error}; the answers so far are kept, and `offline` uses only those"
            ) from None

    def ask(self, address: str, form: Mapping[str, str] | None = None, check: Check = lambda _: None) -> WebReply:
        """Request an address, or send it a form, and return the reply.

        Retries after the pause that the server specifies (Retry-After), and after a fault, until the patience is
        exhausted. Raises WebError.
        """
        from tenacity import Retrying, retry_if_exception
        from tenacity.nap import sleep_using_event

        host = host_of(address)
        if self._lost[host] >= _LOST:
            raise WebError(f"skipped because {host} failed {_LOST} times in a row", again=True)
        retrying = Retrying(
            retry=retry_if_exception(lambda error: isinstance(error, WebError) and error.again),
            wait=lambda state: self._wait(_error_of(state)),
            stop=self._is_over,
            sleep=self._sleep or sleep_using_event(self._closed),
            reraise=True,
        )
        try:
            reply = retrying(self._attempt, address, form, check)
        except WebError as error:
            self._lost[host] = self._lost[host] + 1 if error.busy or (error.again and not error.status) else 0
            if error.busy:
                error.args = (
                    f"{error}; it asks clients to wait {self._wait(error):.0f} s, so run the same command later",
                )
            raise
        self._lost[host] = 0
        return reply

    def _wait(self, error: WebError) -> float:
        wait = self._settings.pause if error.wait is None else error.wait
        return max(wait, _SHORTEST) if error.busy else wait

    def _is_over(self, state: "RetryCallState") -> bool:
        is_tried = not _error_of(state).busy and state.attempt_number >= _ATTEMPTS
        waited = max(state.idle_for, state.seconds_since_start or 0.0)
        return is_tried or waited + state.upcoming_sleep > self._settings.patience or self._closed.is_set()

    @cached_property
    def _client(self) -> "Client":
        from httpx2 import Client, Timeout

        return Client(
            headers={"user-agent": f"kbe-graph/{__version__} ({self._settings.contact or 'local'})", **self._headers},
            timeout=Timeout(_READ, connect=_CONNECT),
            follow_redirects=not self._service,
            max_redirects=_REDIRECTS,
            event_hooks={"request": [self._check_address]},
        )

    def _check_address(self, request: "Request") -> None:
        url = request.url
        if url.scheme not in {"http", "https"} or not url.host:
            raise WebError(f"leads to a {url.scheme!r} address, not to http or https")
        if url.userinfo and not self._service:
            raise WebError(f"leads to {url.host!r} with a login; remove it")
        if not self._settings.local_hosts:
            _require_public(url.host)

    def _attempt(self, address: str, form: Mapping[str, str] | None, check: Check) -> WebReply:
        from httpx2 import HTTPError, InvalidURL, TooManyRedirects

        try:
            with self._client.stream("GET" if form is None else "POST", address, data=form) as response:
                reply = self._read(response)
        except TooManyRedirects:
            raise WebError(f"redirects more than {_REDIRECTS} times") from None
        except (HTTPError, OSError) as error:  # its own words may quote the login of a proxy
            problem = f"cannot be reached, or closed the connection ({type(error).__name__})"
            raise WebError(problem, again=True) from None
        except (InvalidURL, ValueError) as error:  # includes invalid host names
            raise WebError(str(error)) from None
        check(reply)
        return reply

    def _read(self, response: "Response") -> WebReply:
        end, content = time.monotonic() + min(_WHOLE, self._settings.patience), bytearray()
        if response.status_code != 200:
            raise _refused(response)
        for piece in response.iter_bytes():
            content += piece
            if len(content) > self._settings.most:
                raise WebError(f"has more than {self._settings.most:,} bytes", response.status_code)
            if time.monotonic() > end:
                raise TimeoutError
        return WebReply(bytes(content), response.status_code, dict(response.headers))


def _error_of(state: "RetryCallState") -> WebError:
    error = state.outcome.exception() if state.outcome else None
    return error if isinstance(error, WebError) else WebError("")


def _refused(response: "Response") -> WebError:
    from httpx2 import codes

    status = response.status_code
    problem = f"answered {status} {codes.get_reason_phrase(status)}".rstrip()
    if response.is_redirect:
        return WebError(f"{problem}, a redirect, which is not followed; set the address that answers", status)
    if 400 <= status < 500 and status not in BUSY:
        reason = next(response.iter_bytes(), b"").decode(errors="replace").strip()
        problem += f": {on_one_line(reason, _REASON)!r}" if reason and not reason.startswith("<") else ""
    wait = asked_wait(response.headers) if status in BUSY else None
    return WebError(problem, status, wait=wait, busy=status in BUSY, again=status in _FAULTS)


def asked_wait(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a reply asks to wait (Retry-After, RFC 9110, section 10.2.3), None if it states none.

    A date is compared with the reply's own ``date``, so that differences between clocks do not matter.

    >>> asked_wait({"retry-after": "5"}), asked_wait({"retry-after": "soon"})
    (5.0, None)
    """
    text = headers.get("retry-after", "").strip()
    if text.isdigit():
        return float(text)
    with suppress(TypeError, ValueError):
        until, now = (parsedate_to_datetime(date) for date in (text, headers.get("date") or formatdate(usegmt=True)))
        return max(0.0, (until - now).total_seconds())
    return None


def host_of(address: str) -> str:
    """Return the host of an address, or an empty string."""
    with suppress(ValueError):
        return urlsplit(address).hostname or ""
    return ""


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


def _require_public(host: str) -> None:
    with suppress(OSError):  # one that has no address here may have one behind a proxy
        for row in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM):
            if not is_public(str(row[4][0])):
                problem = f"is {row[4][0]}, on this machine or a private network; allow it with `local_hosts`"
                raise WebError(problem)


def is_public(text: str) -> bool:
    """Return True for an address on the public network; an IPv4 address within IPv6 is checked too.

    >>> is_public("8.8.8.8"), is_public("10.0.0.1"), is_public("::ffff:127.0.0.1")
    (True, False, False)
    """
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        address = address.ipv4_mapped or address.sixtofour or address
    return address.is_global and not (address.is_multicast or address.is_reserved)
