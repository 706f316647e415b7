"""Reads a chat completion as it came over the wire, and says whether it is a whole reply."""

from typing import Any, NamedTuple

from kbe_graph.models.failures import CallFailed, failure_of_status
from kbe_graph.models.request import Usage


class WholeReply(NamedTuple):
    """The content of a whole reply; ``usage`` is None where the endpoint does not give it."""

    text: str
    finish: str
    model: str
    usage: Usage | None


def read_completion(raw: bytes) -> WholeReply:
    """Return the reply in a 200 answer; raises CallFailed for a page, an error, or a reply empty, cut or refused."""
    import orjson

    try:
        body: Any = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise CallFailed("page", raw[:200].decode("utf-8", "replace"), raw=raw) from None
    if not isinstance(body, dict):
        raise CallFailed("page", str(body), raw=raw)
    if not body.get("choices"):
        raise _without_choices(body, raw)
    usage = read_usage(body.get("usage"))
    choice = body["choices"][0]
    message = choice.get("message") or {}
    text, finish = _text(message.get("content")), choice.get("finish_reason") or "stop"
    if fault := _fault(message, text, finish):
        failed = CallFailed(*fault, raw=raw)
        failed.usage, failed.text = usage or Usage(), text
        raise failed
    return WholeReply(text, finish, str(body.get("model") or ""), usage)


def read_usage(usage: Any) -> Usage | None:
    """Return the tokens of a ``usage`` object; None where there is none."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details") or {}
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or 0
    return Usage(usage.get("prompt_tokens") or 0, cached, usage.get("completion_tokens") or 0)


def _fault(message: dict[str, Any], text: str, finish: str) -> tuple[str, str] | None:
    if message.get("refusal"):
        return "refused", str(message["refusal"])
    if finish == "content_filter":
        return "filtered", finish
    if finish == "length":
        return "cut", finish
    return None if text.strip() else ("empty", finish)


def _text(content: Any) -> str:
    """Return a message's content, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _without_choices(body: dict[str, Any], raw: bytes) -> CallFailed:
    """Return the failure of a 200 answer that holds an error instead, by the status that it names, if any."""
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return failure_of_status(code, {}, raw)
    failed = (
        failure_of_status(400, {}, raw) if error else CallFailed("no choices", raw[:200].decode("utf-8", "replace"))
    )
    if failed.fault.kind == "request":
        failed = CallFailed("no choices", failed.message)
    failed.raw, failed.usage = raw, read_usage(body.get("usage")) or Usage()
    return failed
