"""Table of call failures, and classification of responses and exceptions by it.

The ``openai`` client goes by status only. Endpoints say more in their messages: an exhausted quota, a prompt that is
too long, a field that they do not accept.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from kbe_graph.errors import ConfigError, KbeError, ModelUnavailable, QuotaReached, ReplyError
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.rate_limit import wait_hint
from kbe_graph.secret import bare_address

ENDLESS = 1_000_000
REDIRECTS = range(300, 400)
MOST = 20_000  # bytes read of an error body
MOST_SEARCHED = 2000  # characters of it that are searched for patterns


class Fault(NamedTuple):
    """Kind of call failure.

    Once a call has failed this way ``tries`` times, ``error`` is raised with ``advice`` as its message ({model}, {url},
    {step} and {message} filled in). ``waits`` says whether to pause between tries: not if the model's own output was at
    fault, or if the rate limit already delays all calls.
    """

    kind: str
    error: type[KbeError]
    tries: int
    advice: str
    waits: bool = True


_ROWS = (
    # fatal: no other call would succeed
    Fault(
        "key",
        ConfigError,
        1,
        "{url} rejects the key ({message}); check `ModelOptions(api_key=...)`, KBE_API_KEY, OPENAI_API_KEY",
    ),
    Fault(
        "forbidden", ConfigError, 1, "{url} does not allow this key to use model {model!r} ({message}); ask for access"
    ),
    Fault(
        "model",
        ConfigError,
        1,
        "no model {model!r} at {url} ({message}); 'curl {url}/models' lists the available models",
    ),
    Fault(
        "images",
        ConfigError,
        1,
        "model {model!r} does not accept pictures ({message}); choose another for step {step!r}",
    ),
    Fault(
        "parameter",
        ConfigError,
        1,
        "model {model!r} does not accept a field of the request ({message}); set it to false in [models.capabilities]",
    ),
    Fault(
        "stream",
        ConfigError,
        1,
        "model {model!r} at {url} only supports streaming ({message}); set stream = true in [models.body]",
    ),
    Fault(
        "quota",
        QuotaReached,
        1,
        "the account at {url} has no credit left ({message}); add credit, then run the same command",
    ),
    Fault(
        "redirect",
        ConfigError,
        1,
        "{url} redirects ({message}), which is not followed; set base_url to the final address",
    ),
    # endpoint problems: retried; the run ends if they persist
    Fault(
        "pace",
        ModelUnavailable,
        ENDLESS,
        "{url} still reports too many requests ({message}); lower in_flight",
        waits=False,
    ),
    Fault(
        "limit",
        ModelUnavailable,
        1,
        "{url} asks clients to wait until {message}; run the same command then, or raise patience in [models]",
    ),
    Fault("server", ModelUnavailable, 7, "{url} keeps failing ({message}); run the same command later to continue"),
    Fault(
        "connection",
        ModelUnavailable,
        7,
        "no connection to {url} ({message}); check that the server is up and base_url is right",
    ),
    Fault("timeout", ModelUnavailable, 3, "{url} did not reply in time ({message}); raise timeout in [models]"),
    Fault(
        "page",
        ModelUnavailable,
        5,
        "{url} returned a web page instead of a reply ({message}); check that base_url ends in /v1",
    ),
    # problems of one call: the others continue
    Fault("no choices", ReplyError, 3, "step {step!r}: a reply without choices from {model!r} ({message})"),
    Fault("no picture", ReplyError, 2, "step {step!r}: a reply without a picture from {model!r} ({message})"),
    Fault("broken", ReplyError, 3, "step {step!r}: {url} did not return JSON ({message})"),
    Fault("empty", ReplyError, 2, "step {step!r}: an empty reply from {model!r}", waits=False),
    Fault("invalid", ReplyError, 2, "step {step!r}: {message}", waits=False),
    Fault("cut", ReplyError, 1, "step {step!r}: a reply of {model!r} was cut off at the token limit; raise max_tokens"),
    Fault("refused", ReplyError, 1, "step {step!r}: {model!r} refused ({message})"),
    Fault("filtered", ReplyError, 1, "step {step!r}: the content filter of {url} withheld a reply"),
    Fault("too long", ReplyError, 1, "step {step!r}: the prompt is longer than {model!r} accepts ({message})"),
    Fault("request", ReplyError, 1, "step {step!r}: {url} rejects the request ({message})"),
)
FAULTS = {fault.kind: fault for fault in _ROWS}
# classification of error responses: the first row whose status and pattern match decides
STATUSES = (
    (REDIRECTS, r"", "redirect"),
    (None, r"insufficient_quota|exceeded your current quota|billing_hard_limit|credit balance", "quota"),
    ((402,), r"", "quota"),
    (
        (400, 403, 404, 422),
        (
            r"content_filter|content management policy|responsibleai|content[_ ]policy|moderation|\bflagged\b"
            r"|data_?inspection|inappropriate content|prohibited[_ ]content|safety (system|filter|setting|polic)"
        ),
        "filtered",
    ),
    ((413, 429), r"request too large", "too long"),
    (
        (400, 413, 422, 500),
        r"context_length|context size|context length|prompt is too long|too many tokens",
        "too long",
    ),
    (
        (400, 404),
        (
            r"model_not_found|deploymentnotfound|(model|deployment)\b[^.]{0,80}(does not exist|not found)"
            r"|(invalid|unknown) model"
        ),
        "model",
    ),
    (
        (400, 404, 415, 422, 500, 501),
        (
            r"not support[^.]{0,30}(image|vision|multimodal)|image[^.]{0,30}(not|only) supported|mmproj"
            r"|not a multimodal|no endpoints found that support image|(content type|unknown)[^.]{0,30}image_url"
        ),
        "images",
    ),
    (
        (400, 422),
        (
            r"non-?stream|(only|must|required?)\b[^.]{0,40}\bstream"
            r"|\bstream(ing)?\b[^.]{0,40}\b(must|required|only|enabled|true)\b"
        ),
        "stream",
    ),
    (
        (400, 422),
        (
            r"unsupported_(parameter|value)|unsupported (parameter|value)"
            r"|not support[^.]{0,40}(temperature|seed|response_format|schema)"
            r"|(temperature|seed|response_format|json_schema|max_tokens|max_completion_tokens)\b"
            r"[^.]{0,60}not (be )?supported"
        ),
        "parameter",
    ),
    ((401,), r"", "key"),
    ((403,), r"", "forbidden"),
    ((404,), r"", "model"),
    ((408, 504, 524), r"", "timeout"),
    ((429,), r"", "pace"),
    ((409, 425, *range(500, 600)), r"", "server"),
)


class CallFailed(Exception):
    """Failed call: ``fault`` is its kind; ``raw``, ``usage`` and ``text`` hold the reply, if there was one.

    ``message`` is the endpoint's message; ``retry_after`` the number of seconds that it asks to wait, if any. ``alone``
    means that the endpoint answered other calls in the meantime, so only this call is given up and the run continues.
    ``searched`` is the start of the endpoint's response in lower case, for finding field names.
    """

    def __init__(self, kind: str, message: str, *, retry_after: float | None = None, raw: bytes = b"") -> None:
        super().__init__(kind, message)
        self.fault = FAULTS[kind]
        self.message = message
        self.retry_after = retry_after
        self.raw = raw
        self.usage = Usage()
        self.text = ""
        self.alone = False
        self.searched = message[:MOST_SEARCHED].casefold()

    def as_kind(self, kind: str, message: str = "") -> "CallFailed":
        """Copy the failure as another kind."""
        failed = CallFailed(kind, message or self.message, retry_after=self.retry_after, raw=self.raw)
        failed.usage, failed.text, failed.alone = self.usage, self.text, self.alone
        return failed

    def error(self, *, model: str, url: str, step: str) -> KbeError:
        """Build the error to raise when the call is given up."""
        advice = self.fault.advice.format(model=model, url=url, step=step, message=one_line(self.message))
        if self.fault.error is ReplyError or (self.alone and self.fault.error is ModelUnavailable):
            return ReplyError(advice, reply=self.text, kind=self.fault.kind)
        return self.fault.error(advice)


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
    if status in REDIRECTS:
        message = bare_address(headers.get("location", message))
    kinds = (
        kind
        for statuses, pattern, kind in STATUSES
        if (statuses is None or status in statuses) and re.search(pattern, searched)
    )
    failed = CallFailed(next(kinds, "request"), f"{status}: {message}", retry_after=wait_hint(headers, message))
    failed.searched = searched
    return failed


def failure_of_exception(error: Exception, hide: Callable[[str], str]) -> CallFailed:
    """Build the failure for a client exception; ``hide`` redacts secrets in its message.

    The transport of the ``openai`` client reports a reset connection as a timeout. Only the exception's cause tells the
    two apart.
    """
    causes = [error]
    while (cause := causes[-1].__cause__) is not None and isinstance(cause, Exception):
        causes.append(cause)
    kind = "timeout" if any(isinstance(cause, asyncio.TimeoutError) for cause in causes) else "connection"
    return CallFailed(kind, hide(f"{type(causes[-1]).__name__} {causes[-1]}"))


def _message(text: str) -> str:
    """Extract the message from an error body, or return the body itself."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error) if isinstance(error, dict) else error
    return without_surrogates(str(message)[:MOST])
