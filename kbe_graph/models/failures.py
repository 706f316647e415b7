"""Failures of calls: what a response or an exception means, how often it is tried, and the error raised in the end."""

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from kbe_graph.errors import ConfigError, KbeError, ModelUnavailable, QuotaReached, ReplyError
from kbe_graph.models.catalogue import Usage
from kbe_graph.secret import bare_address

MOST = 20_000  # bytes read of an error body
MOST_SEARCHED = 2000  # characters of it that are searched for patterns
LONGEST_WAIT = 10 * 365 * 86_400.0  # seconds that an endpoint can ask to wait
# kinds of failure that are tried again, and how often; all others once
TRIES = {"pace": 1_000_000, "server": 7, "connection": 7, "timeout": 3, "broken": 3, "no picture": 2}
TRIES |= {"empty": 2, "invalid": 2}
BUSY = ("pace", "server", "connection", "timeout")  # the endpoint's fault, not the request's
STATUSES = {401: "key", 403: "key", 408: "timeout", 504: "timeout", 524: "timeout", 429: "pace"}
STATUSES |= {409: "server", 425: "server"}
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit|credit balance")
_FILTER = re.compile(
    r"content_filter|content management policy|responsibleai|content[_ ]policy|moderation|\bflagged\b"
    r"|data_?inspection|inappropriate content|prohibited[_ ]content|safety (system|filter|setting|polic)"
)
_TOO_LONG = re.compile(
    r"context_length|context size|context length|prompt is too long|too many tokens|request too large"
)


class CallFailed(Exception):
    """Failed call: ``kind`` is counted; ``raw``, ``usage`` and ``text`` hold the reply, if there was one.

    ``message`` is the endpoint's message, and ``retry_after`` the number of seconds that it asks to wait, if any.
    """

    def __init__(self, kind: str, message: str, *, retry_after: float | None = None, raw: bytes = b"") -> None:
        super().__init__(kind, message)
        self.kind, self.message, self.retry_after, self.raw = kind, message, retry_after, raw
        self.usage = Usage()
        self.text = ""

    @property
    def tries(self) -> int:
        """How often a call is tried that fails in this way."""
        return TRIES.get(self.kind, 1)

    def error(self, *, model: str, url: str, step: str, is_down: bool = False) -> KbeError:
        """Build the error to raise when the call is given up; ``is_down`` if the endpoint answers no call."""
        reason = one_line(self.message)
        match self.kind:
            case "key":
                return ConfigError(f"{url} rejects the key ({reason}); check `api_key`, KBE_API_KEY, OPENAI_API_KEY")
            case "quota":
                return QuotaReached(
                    f"the account at {url} has no credit left ({reason}); add credit, then run the same command"
                )
            case kind if is_down and kind in BUSY:
                return ModelUnavailable(
                    f"{url} does not answer ({reason}); check that the server is up and base_url is right, or run the "
                    "same command later"
                )
            case "too long":
                problem = f"the prompt is longer than {model!r} accepts ({reason})"
            case "filtered":
                problem = f"the content filter of {url} withheld a reply"
            case "refused":
                problem = f"{model!r} refused ({reason})"
            case "cut":
                problem = f"a reply of {model!r} was cut off at the token limit; raise max_tokens"
            case "empty":
                problem = f"an empty reply from {model!r}"
            case "invalid":
                problem = reason
            case _:
                problem = f"{url} gave no reply ({reason})"
        return ReplyError(f"step {step!r}: {problem}", reply=self.text, kind=self.kind)


def one_line(message: str) -> str:
    """Shorten an endpoint's message to one line of at most 200 characters."""
    return " ".join(message.split())[:200].rstrip(". ") or "no reason given"


def without_surrogates(text: str) -> str:
    """Replace unpaired surrogates, which neither SQLite nor a terminal accepts, with question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def failure_of_status(status: int, headers: Mapping[str, str], content: bytes) -> CallFailed:
    """Build the failure for a response with an error status."""
    text = content[:MOST].decode("utf-8", "replace")
    message, searched = _message(text), text[:MOST_SEARCHED].casefold()
    kind = _kind(status, searched)
    if 300 <= status < 400:
        message = f"it redirects to {bare_address(headers.get('location', ''))}; set base_url to the final address"
    return CallFailed(kind, f"{status}: {message}", retry_after=_retry_after(headers))


def _kind(status: int, searched: str) -> str:
    if status == 402 or _QUOTA.search(searched):
        return "quota"
    if status in {400, 403, 404, 422} and _FILTER.search(searched):
        return "filtered"
    if status == 413 or _TOO_LONG.search(searched):
        return "too long"
    return STATUSES.get(status, "server" if status >= 500 else "request")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after", "")
    seconds: float | None = None
    with suppress(ValueError, TypeError, OverflowError):
        seconds = float(value) if value.replace(".", "", 1).isdigit() else _seconds_until(value)
    return None if seconds is None else min(LONGEST_WAIT, max(0.0, seconds))


def _seconds_until(date: str) -> float:
    return parsedate_to_datetime(date).timestamp() - time.time()


def _message(text: str) -> str:
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error) if isinstance(error, dict) else error
    return without_surrogates(str(message)[:MOST])
