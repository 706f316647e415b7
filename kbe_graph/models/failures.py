"""The kinds of failure of a call: one table, and the reading of an answer or an exception as one of them.

The ``openai`` client raises by status alone. Endpoints say more in their words: a used-up quota, a prompt too long, a
field that they do not take.
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
MOST = 20_000  # bytes of an error's body that are read
MOST_SEARCHED = 2000  # characters of it that patterns are searched in


class Fault(NamedTuple):
    """One kind of failure.

    ``error`` is raised, with ``advice`` as its message ({model}, {url}, {step} and {message} filled in), once a call
    has ended so ``tries`` times. ``waits`` tells whether there is a pause between two tries: there is none if the
    model's own words were at fault, or if the rate limit makes all calls wait.
    """

    kind: str
    error: type[KbeError]
    tries: int
    advice: str
    waits: bool = True


_ROWS = (
    # the run ends: no other call would fare better
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
    # the endpoint's trouble: asked again, and the run ends if it lasts
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
    # this call's trouble: the others go on
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
# of an answer with an error status: the first row whose status and pattern fit decides
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
    """A call that failed: ``fault`` is the kind; ``raw``, ``usage`` and ``text`` hold the reply, if there was one.

    ``message`` is the endpoint's; ``retry_after`` the seconds that it asks to wait, if any. ``alone`` means that the
    endpoint answered other calls meanwhile: then this call is given up, and the run goes on. ``searched`` is the start
    of the endpoint's answer in lower case, to search for names of fields.
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
        """Return the same failure as another kind."""
        failed = CallFailed(kind, message or self.message, retry_after=self.retry_after, raw=self.raw)
        failed.usage, failed.text, failed.alone = self.usage, self.text, self.alone
        return failed

    def error(self, *, model: str, url: str, step: str) -> KbeError:
        """Make the error to raise when the call is given up."""
        advice = self.fault.advice.format(model=model, url=url, step=step, message=one_line(self.message))
        if self.fault.error is ReplyError or (self.alone and self.fault.error is ModelUnavailable):
            return ReplyError(advice, reply=self.text, kind=self.fault.kind)
        return self.fault.error(advice)


def one_line(message: str) -> str:
    """Cut an endpoint's message to one line of at most 200 characters."""
    return " ".join(message.split())[:200].rstrip(". ") or "no reason given"


def without_surrogates(text: str) -> str:
    """Replace unpaired surrogates, which neither SQLite nor a terminal takes, by question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def failure_of_status(status: int, headers: Mapping[str, str], content: bytes) -> CallFailed:
    """Make the failure of an answer with an error status."""
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
    """Make the failure of a client's exception; ``hide`` hides secrets in its words.

    The transport of the ``openai`` client reports a connection that was reset as a time-out. Only its cause tells the
    two apart.
    """
    causes = [error]
    while (cause := causes[-1].__cause__) is not None and isinstance(cause, Exception):
        causes.append(cause)
    kind = "timeout" if any(isinstance(cause, asyncio.TimeoutError) for cause in causes) else "connection"
    return CallFailed(kind, hide(f"{type(causes[-1]).__name__} {causes[-1]}"))


def _message(text: str) -> str:
    """Return the message in an error's body, or the body itself."""
    try:
        body: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    body = body[0] if isinstance(body, list) and body else body
    error = body.get("error", body) if isinstance(body, dict) else body
    message = error.get("message", error) if isinstance(error, dict) else error
    return without_surrogates(str(message)[:MOST])
