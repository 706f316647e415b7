"""Polite client for a public Wikimedia service: one request at a time, with the pauses that the service asks for."""

import time
import warnings
import zlib
from collections.abc import Callable, Mapping
from http.client import HTTPException, HTTPMessage
from typing import NamedTuple, Protocol
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener, getproxies

from kbe_graph.errors import KbeWarning, SourceError
from kbe_graph.files.opening import MOST_WHOLE
from kbe_graph.files.politeness import BUSY, FAULTS, retry_after
from kbe_graph.secret import Secrets, login_secrets

_REDIRECTS = range(300, 400)
_ATTEMPTS = 3
_LONG = 10.0  # seconds of waiting after which the user is warned


class Manners(Protocol):
    """The settings for requests to a service."""

    @property
    def patience(self) -> float:
        """Total seconds that a request may wait."""
        ...

    @property
    def timeout(self) -> float:
        """Time limit of one attempt, in seconds."""
        ...

    @property
    def pause(self) -> float:
        """Seconds before a retry if the service does not specify them."""
        ...

    @property
    def user_agent(self) -> str:
        """The User-Agent header, which identifies the program and its user."""
        ...


class Refusal(NamedTuple):
    """The reason why an attempt failed.

    ``wait`` is the pause that the service asks for, or None; ``busy`` means that it asked to wait, ``final`` that there
    is no retry.
    """

    problem: str
    wait: float | None = None
    busy: bool = False
    final: bool = False


Reader = Callable[[str, HTTPMessage], "str | Refusal"]
"""A function that takes the text and headers of a reply, and returns the text or the reason to reject it."""


class _NoRedirects(HTTPRedirectHandler):
    """A redirect handler that follows no redirects: a reply from elsewhere is not the service's."""

    def redirect_request(self, *_: object) -> None:
        """Return None, so that the redirect is not followed."""


class Service:
    """Client for one address, which follows no redirects. ``setting`` names the setting of the address in messages."""

    def __init__(
        self,
        address: str,
        manners: Manners,
        read: Reader,
        *,
        setting: str = "`endpoint=...`",
        headers: Mapping[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = address
        self._manners, self._read, self._setting, self._sleep = manners, read, setting, sleep
        self._headers = {**(headers or {}), "User-Agent": manners.user_agent, "Accept-Encoding": "gzip"}
        self._secrets = Secrets(login_secrets(getproxies().values()))
        # uses the current proxies; urlopen would use those of its first call
        self._opener = build_opener(_NoRedirects)

    def ask(self, form: bytes) -> str:
        """Send a form and return the reply.

        Retries after the pause that the service specifies (Retry-After, in seconds or as a date), and after a fault or
        an incomplete reply, until ``patience`` is exhausted. Warns about a long wait. Raises SourceError.
        """
        waited, attempts = 0.0, 0
        while True:
            answer = self._attempt(form)
            if isinstance(answer, str):
                return answer
            answer = answer._replace(problem=self._secrets.hide(answer.problem))
            attempts += not answer.busy
            wait = self._manners.pause if answer.wait is None else answer.wait
            if answer.final or attempts == _ATTEMPTS or waited + wait > self._manners.patience:
                raise SourceError(self._message(answer, wait, waited))
            if waited + wait >= _LONG:
                self._warn(answer)
            self._sleep(wait)
            waited += max(wait, 0.1)

    def _warn(self, refusal: Refusal) -> None:
        warnings.warn(
            f"{self.address!r} {refusal.problem}; retrying for at most {self._manners.patience:.0f} s",
            KbeWarning,
            stacklevel=4,
        )

    def _message(self, refusal: Refusal, wait: float, waited: float) -> str:
        then = f"; it asks clients to wait {wait:.0f} s, so run the same command later" if refusal.busy else ""
        given_up = f" after {waited:.0f} s of waiting" if waited >= 1 else ""
        return (
            f"{self.address!r}: {refusal.problem}{given_up}{then}; "
            "the answers so far are kept, and `offline=True` uses only those"
        )

    def _attempt(self, form: bytes) -> "str | Refusal":
        request = Request(self.address, data=form, headers=self._headers)  # noqa: S310 - settings allow only http(s)
        try:
            with self._opener.open(request, timeout=self._manners.timeout) as response:
                content = response.read(MOST_WHOLE + 1)
                text = _unpacked(content, response.headers.get("Content-Encoding", ""))
                return text if isinstance(text, Refusal) else self._read(text, response.headers)
        except HTTPError as error:
            with error:
                return _refused(error, self._setting)
        except URLError as error:
            return Refusal(f"cannot be reached ({error.reason})")
        except (HTTPException, OSError, UnicodeDecodeError, zlib.error) as error:
            return Refusal(f"sent an incomplete answer ({type(error).__name__})")


def _unpacked(content: bytes, encoding: str) -> "str | Refusal":
    if encoding == "gzip":
        unzip = zlib.decompressobj(wbits=31)
        content = unzip.decompress(content, MOST_WHOLE + 1)
        if len(content) <= MOST_WHOLE and not unzip.eof:
            return Refusal("sent an incomplete answer")
    if len(content) > MOST_WHOLE:
        return Refusal(f"answered with more than {MOST_WHOLE:,} bytes", final=True)
    return content.decode("utf-8")


def _refused(error: HTTPError, setting: str) -> Refusal:
    problem = f"answered {error.code} {error.reason}"
    if error.code in _REDIRECTS:
        return Refusal(
            f"{problem}, a redirect, which is not followed; set {setting} to the final address",
            final=True,
        )
    if error.code in BUSY:
        wait = retry_after(error.headers.get("Retry-After", ""), error.headers.get("Date", ""))
        return Refusal(problem, wait, busy=True)
    return Refusal(problem, final=error.code not in FAULTS)
