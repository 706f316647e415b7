"""Etiquette towards public servers: identify the user, and wait as long as the server asks."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import ip_address

from kbe_graph import __version__
from kbe_graph.errors import ConfigError

BUSY = frozenset({429, 503})
"""Statuses with which a server asks to wait."""

FAULTS = frozenset({500, 502, 504})
"""Statuses after which a retry may succeed."""

NO_CONTACT = (
    "whose operators require one; looked in `contact=...`, environment KBE_CONTACT and kbe.toml [facts] "
    "contact; set an e-mail or web address there"
)


def check_contact(contact: str) -> None:
    """Raise ConfigError for a contact that cannot be part of a header."""
    if any(ord(letter) < 32 or ord(letter) > 255 for letter in contact):
        raise ConfigError(f"the contact is {contact!r}; write an e-mail or web address without special characters")


def user_agent(contact: str) -> str:
    """Return the User-Agent header: program, version and contact (Wikimedia's User-Agent policy)."""
    return f"kbe-graph/{__version__} ({contact or 'local'})"


def is_loopback(host: str) -> bool:
    """Return True if a host is this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def retry_after(text: str, date: str = "") -> float | None:
    """Return the seconds given by a Retry-After header (RFC 9110, section 10.2.3), or None if it is invalid.

    A date is compared with the reply's own ``Date`` header, so that differences between clocks do not matter.
    """
    if text.strip().isdigit():
        return float(text)
    until = _time(text)
    return None if until is None else max(0.0, (until - (_time(date) or datetime.now(UTC))).total_seconds())


def _time(text: str) -> datetime | None:
    try:
        then = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return then if then.tzinfo else then.replace(tzinfo=UTC)
