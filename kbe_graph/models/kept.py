"""Replies as they are kept: from the store again, checked again."""

from kbe_graph.errors import ReplyError
from kbe_graph.models.calls import CallStore
from kbe_graph.models.faults import CallFailed
from kbe_graph.models.reply import Whole, read_completion
from kbe_graph.models.request import Check, Reply, Usage
from kbe_graph.models.wire import BYTES_A_TOKEN, Call


def usage_of(call: Call, whole: Whole) -> Usage:
    """Return the tokens of a reply; estimated from the prompt and the text where the endpoint does not tell."""
    return whole.usage or call.worst._replace(output=max(1, round(len(whole.text.encode()) / BYTES_A_TOKEN)))


def reply_of(call: Call, whole: Whole, usage: Usage, *, cached: bool = False) -> Reply:
    """Return the reply of a call."""
    return Reply(whole.text, usage, whole.finish, whole.model or call.settings.model, call.key, cached)


async def kept_reply(store: CallStore, call: Call, check: Check | None) -> Reply | None:
    """Return the reply that is kept of a call; one that the check now refuses is put apart, and None returned."""
    kept = store.get(call.key)
    if kept is None or kept.status != "done":
        return None
    reply = reply_of(call, read_completion(kept.raw), kept.usage, cached=True)
    try:
        check_reply(check, reply, kept.raw)
    except CallFailed as failed:
        await store.spoil(call.key, failed.said)
        return None
    store.hit(call)
    return reply


def check_reply(check: Check | None, reply: Reply, raw: bytes) -> None:
    """Raise CallFailed where the check refuses the reply."""
    if check is None:
        return
    try:
        check(reply)
    except ReplyError as error:
        failed = CallFailed("refused" if error.kind == "refused" else "invalid", str(error), raw=raw)
        failed.usage, failed.text = reply.usage, reply.text
        raise failed from None
