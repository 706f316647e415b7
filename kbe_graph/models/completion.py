"""Parser for chat completion bodies that separates complete replies from all others.

The ``openai`` client does not validate the fields of a body, and JSON parsers reject the malformed bytes that some
endpoints send.
"""

import json
from typing import Any, NamedTuple

from kbe_graph.models.catalogue import Usage
from kbe_graph.models.failures import CallFailed, failure_of_status

MOST_DIGITS = 300  # in a number; a longer one is treated as infinite


def read_json(content: bytes) -> Any:
    """Parse a JSON body, replacing unpaired surrogates, a BOM and invalid bytes.

    Raises ValueError if the body is not JSON, is truncated, or is nested too deeply.
    """
    import orjson

    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        pass
    try:
        return _whole(json.loads(content.decode("utf-8-sig", "replace"), parse_int=_number))
    except RecursionError:
        raise ValueError("nested too deep to be read") from None


def _number(text: str) -> float:
    return int(text) if len(text) <= MOST_DIGITS else float("inf")


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return value


MOST_BYTES = 4_000_000  # per body: many times the longest reply ever requested
MOST_TOKENS = 100_000_000
MOST_TEXT = 1000  # characters of a raw body to show
LONGEST_NAME = 200  # characters of a model's name


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
    choice = _first(body.get("choices"))
    if choice is None:
        raise _without_choices(body, raw)
    usage = read_usage(body.get("usage"))
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text, finish = _text(message.get("content")), str(choice.get("finish_reason") or "stop")
    if fault := _fault(message, text, finish):
        failed = CallFailed(*fault, raw=raw)
        failed.usage, failed.text = usage or Usage(), text
        raise failed
    return WholeReply(text, finish, str(body.get("model") or "")[:LONGEST_NAME], usage)


def read_text(raw: bytes) -> str:
    """Extract the text of a reply, complete or not; fall back to the start of the body."""
    try:
        choice = _first(read_body(raw).get("choices")) or {}
    except CallFailed:
        choice = {}
    message = choice.get("message")
    text = _text(message.get("content")) if isinstance(message, dict) else ""
    return text or raw[:MOST_TEXT].decode("utf-8", "replace")


def read_usage(usage: Any) -> Usage | None:
    """Parse a ``usage`` object; None if it holds no valid numbers."""
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    cached = _count(details.get("cached_tokens") if isinstance(details, dict) else None)
    cached = cached or _count(usage.get("prompt_cache_hit_tokens")) or 0
    prompt, output = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if prompt is None and output is None:
        return None
    return Usage(prompt or 0, min(cached, prompt or 0), output or 0)


def read_body(raw: bytes, most: int = MOST_BYTES) -> dict[str, Any]:
    """Parse the JSON object in a response body; raises CallFailed if it is a page, broken or oversized."""
    if len(raw) > most:
        raise CallFailed("invalid", f"a body of more than {most:,} bytes", raw=raw)
    start = raw[:200].decode("utf-8", "replace")
    try:
        body = read_json(raw)
    except ValueError as error:
        raise CallFailed("broken", f"not JSON ({error}): {start}; check that base_url ends in /v1", raw=raw) from None
    if not isinstance(body, dict):
        raise CallFailed("broken", f"not a JSON object: {start}", raw=raw)
    return body


def _first(choices: Any) -> dict[str, Any] | None:
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else None


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
        return "cut", finish
    return None if text.strip() else ("empty", finish)


def _text(content: Any) -> str:
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, dict))
        return "".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def _without_choices(body: dict[str, Any], raw: bytes) -> CallFailed:
    error = body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    if isinstance(code, int) and 400 <= code < 600:
        return failure_of_status(code, {}, raw)
    failed = (
        failure_of_status(400, {}, raw)
        if error
        else CallFailed("broken", "no choices: " + raw[:200].decode("utf-8", "replace"))
    )
    if failed.kind == "request":
        failed = CallFailed("broken", failed.message)
    failed.raw, failed.usage = raw, read_usage(body.get("usage")) or Usage()
    return failed
