"""Replies of endpoints: what a response means, how often a failed call is made again, and the error in the end."""

import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError, KbeError, ModelUnavailable, QuotaReached, ReplyError
from kbe_graph.models.catalogue import Usage
from kbe_graph.secret import bare_address

MOST_BYTES = 4_000_000  # per body: many times the longest reply ever requested
MOST_TOKENS = 100_000_000
MOST_TEXT = 2000  # characters of a body that are shown or searched
BLANKS = 100  # at the end of a reply: more than an indentation
LONGEST_NAME = 200  # characters of a model's name
# kinds of failure that are tried again, and how often; all others once
TRIES = {"pace": 1_000_000, "server": 7, "connection": 7, "timeout": 3, "broken": 3, "no picture": 2}
TRIES |= {"empty": 2, "invalid": 2}
BUSY = ("pace", "server", "connection", "timeout")  # the endpoint's fault, not the request's
STATUSES = {401: "key", 408: "timeout", 504: "timeout", 524: "timeout", 429: "pace"}
STATUSES |= {409: "server", 425: "server"}
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing_hard_limit|credit balance")
_FILTER = re.compile(
    r"content_filter|content management policy|responsibleai|content[_ ]policy|moderation|\bflagged\b"
    r"|data_?inspection|inappropriate content|prohibited[_ ]content|safety (system|filter|setting|polic)"
)
_TOO_LONG = re.compile(
    r"context_length|context size|context length|prompt is too long|too many tokens|request too large"
)


PROBLEMS = {
    "too long": "the prompt is longer than {model!r} accepts ({reason})",
    "filtered": "the content filter of {url} withheld a reply",
    "refused": "{model!r} refused ({reason})",
    "cut": "a reply of {model!r} was cut off at the token limit; raise max_tokens",
    "blank": "{model!r} wrote blanks up to the token limit, as servers do that force a form",
    "empty": "an empty reply from {model!r}",
    "invalid": "{reason}",
}
"""What is said of a call that was given up, by kind."""


class CallFailed(Exception):
    """Failed call: ``kind`` is counted; ``raw``, ``usage`` and ``text`` hold the reply, if there was one.

    ``message`` is the endpoint's message, and ``retry_after`` the number of seconds that it asks to wait, if any.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retry_after: float | None = None,
        raw: bytes = b"",
        usage: Usage | None = None,
        text: str = "",
    ) -> None:
        super().__init__(kind, message)
        self.kind, self.message, self.retry_after = kind, message, retry_after
        self.raw, self.usage, self.text = raw, usage or Usage(), text

    @property
    def is_paid(self) -> bool:
        """Whether it may be charged: there was a reply, or one may have come after the timeout."""
        return bool(self.raw) or self.kind == "timeout"

    def error(self, *, model: str, url: str, step: str, is_down: bool = False) -> KbeError:
        """Build the error to raise when the call is given up; ``is_down`` if the endpoint answers no call."""
        reason = one_line(self.message)
        match self.kind:
            case "key":
                return ConfigError(
                    f"{url} rejects the key ({reason}); check KBE_API_KEY or OPENAI_API_KEY, which goes only to an "
                    "address that the command or the environment names"
                )
            case "quota":
                return QuotaReached(
                    f"the account at {url} has no credit left ({reason}); add credit, then run the same command"
                )
            case kind if is_down and kind in BUSY:
                return ModelUnavailable(
                    f"{url} does not answer ({reason}); check that the server is up and base_url is right, or run the "
                    "same command later"
                )
        problem = PROBLEMS.get(self.kind, "{url} gave no reply ({reason})").format(url=url, model=model, reason=reason)
        return ReplyError(f"step {step!r}: {problem}", reply=self.text, kind=self.kind)


def one_line(message: str) -> str:
    """Shorten an endpoint's message to one line of at most 200 characters."""
    return " ".join(message[:MOST_TEXT].split())[:200].rstrip(". ") or "no reason given"


def without_surrogates(text: str) -> str:
    """Replace unpaired surrogates, which neither SQLite nor a terminal accepts, with question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def failure_of_status(status: int, headers: Mapping[str, str], content: bytes) -> CallFailed:
    """Build the failure for a response with an error status."""
    text = content[: 10 * MOST_TEXT].decode("utf-8", "replace")
    message = _message(text)
    if 300 <= status < 400:
        message = f"it redirects to {bare_address(headers.get('location', ''))}; set base_url to the final address"
    kind = _kind(status, text[:MOST_TEXT].casefold())
    return CallFailed(kind, f"{status}: {message}", retry_after=_retry_after(headers))


def _kind(status: int, text: str) -> str:
    if status == 402 or _QUOTA.search(text):
        return "quota"
    if status in {400, 403, 404, 422} and _FILTER.search(text):
        return "filtered"
    if status == 413 or _TOO_LONG.search(text):
        return "too long"
    return STATUSES.get(status, "server" if status >= 500 else "request")


def _retry_after(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after", "")
    with suppress(ValueError, TypeError, OverflowError):
        is_number = value.replace(".", "", 1).isdigit()
        return max(0.0, float(value) if is_number else parsedate_to_datetime(value).timestamp() - time.time())
    return None


def _message(text: str) -> str:
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error) if isinstance(error, dict) else error
    return without_surrogates(str(message))


class WholeReply(NamedTuple):
    """Content of a complete reply; ``usage`` is None if the endpoint does not report it."""

    text: str
    finish: str
    model: str
    usage: Usage | None


def read_completion(raw: bytes) -> WholeReply:
    """Read the reply in a response with status 200.

    Raises CallFailed for an HTML page, an error, a broken or oversized body, or a reply that is empty, truncated or
    refused.
    """
    body = read_body(raw)
    usage = read_usage(body.get("usage"))
    choice = _first_choice(body)
    if not choice:
        problem = "no choices: " + raw[:200].decode("utf-8", "replace")
        raise CallFailed("broken", problem, raw=raw, usage=usage)
    message, finish = _table(choice.get("message")), str(choice.get("finish_reason") or "stop")
    text = _text(message.get("content"))
    if fault := _fault(message, text, finish):
        raise CallFailed(*fault, raw=raw, usage=usage, text=text)
    return WholeReply(text, finish, str(body.get("model") or "")[:LONGEST_NAME], usage)


def shown_text(raw: bytes) -> str:
    """Extract the text of a reply, complete or not; fall back to the start of the body."""
    with suppress(CallFailed):
        if text := _text(_table(_first_choice(read_body(raw)).get("message")).get("content")):
            return text
    return raw[:MOST_TEXT].decode("utf-8", "replace")


def read_usage(usage: Any) -> Usage | None:
    """Parse a ``usage`` object; None if it holds no valid numbers."""
    usage = _table(usage)
    cached = _count(_table(usage.get("prompt_tokens_details")).get("cached_tokens"))
    cached = cached or _count(usage.get("prompt_cache_hit_tokens")) or 0
    prompt, output = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if prompt is None and output is None:
        return None
    return Usage(prompt or 0, min(cached, prompt or 0), output or 0)


def read_body(raw: bytes, most: int = MOST_BYTES) -> dict[str, Any]:
    """Parse the JSON object in a response body; raises CallFailed if it is a page, broken, oversized or an error."""
    if len(raw) > most:
        raise CallFailed("invalid", f"a body of more than {most:,} bytes", raw=raw)
    start = raw[:200].decode("utf-8", "replace")
    try:
        body = _json(raw)
    except (ValueError, RecursionError) as error:
        raise CallFailed("broken", f"not JSON ({error}): {start}; check that base_url ends in /v1", raw=raw) from None
    if not isinstance(body, dict):
        raise CallFailed("broken", f"not a JSON object: {start}", raw=raw)
    if body.get("error") and not body.get("choices"):
        raise _failure_in_body(body["error"], raw)
    return body


def _json(content: bytes) -> Any:
    import orjson

    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:  # half a character, a BOM, or invalid bytes: what many endpoints send
        text = json.dumps(json.loads(content.decode("utf-8-sig", "replace")), ensure_ascii=False)
        return json.loads(without_surrogates(text))


def _failure_in_body(error: Any, raw: bytes) -> CallFailed:
    code = _table(error).get("code")
    if isinstance(code, int) and 400 <= code < 600:
        return failure_of_status(code, {}, raw)
    failed = failure_of_status(400, {}, raw)
    return CallFailed("broken" if failed.kind == "request" else failed.kind, failed.message, raw=raw)


def _first_choice(body: dict[str, Any]) -> dict[str, Any]:
    choices = body.get("choices")
    return _table(choices[0]) if isinstance(choices, list) and choices else {}


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    try:
        number = float(value) if isinstance(value, int | float | str) else -1.0
    except (ValueError, OverflowError):
        return None
    return int(number) if 0 <= number <= MOST_TOKENS else None


def _fault(message: dict[str, Any], text: str, finish: str) -> tuple[str, str] | None:
    if message.get("refusal"):
        return "refused", str(message["refusal"])
    if finish == "content_filter":
        return "filtered", finish
    if finish == "length":
        is_blank = len(text) - len(text.rstrip()) >= BLANKS
        return ("blank", f"{BLANKS} blanks and more") if is_blank else ("cut", finish)
    return None if text.strip() else ("empty", finish)


def _text(content: Any) -> str:
    if isinstance(content, list):
        texts = (_table(part).get("text") for part in content)
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""
