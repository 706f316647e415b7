"""Replies to calls: read from a response or the store, and checked by their step."""

from collections.abc import Mapping

from kbe_graph.errors import KbeError, ReplyError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.completion import WholeReply
from kbe_graph.models.failures import TRIES, CallFailed
from kbe_graph.models.request import BYTES_A_TOKEN, Call, Check, Reply


def read_reply(call: Call, raw: bytes, check: Check | None) -> Reply:
    """Read a response body and check it; raises CallFailed."""
    whole = call.read(raw)
    reply = _reply(call, whole, whole.usage or _estimated_usage(call, whole))
    check_reply(check, reply, raw)
    return reply


async def kept_reply(store: CallStore, call: Call, check: Check | None) -> Reply | None:
    """Return the stored reply to a call, if any; a reply that ``check`` rejects is moved to the failures."""
    kept = store.get(call.key)
    if kept is None or kept.status != "done":
        return None
    reply = _reply(call, call.read(kept.raw), kept.usage, cached=True)
    try:
        check_reply(check, reply, kept.raw)
    except CallFailed as failed:
        await store.discard_reply(call.key, failed.message)
        return None
    store.count_hit(call)
    return reply


def error_if_tried_out(store: CallStore, call: Call, tries: Mapping[str, int], most: int) -> KbeError | None:
    """Return the last error of a call that has used up its tries, at most ``most`` of each kind; None otherwise."""
    if not any(count >= min(most, TRIES.get(kind, 1)) for kind, count in tries.items()):
        return None
    settings = call.settings
    return store.last_failure(call.key).error(model=settings.model, url=settings.base_url, step=call.request.step)


def check_reply(check: Check | None, reply: Reply, raw: bytes) -> None:
    """Raise CallFailed if ``check`` rejects the reply or fails on it in any other way."""
    if check is None:
        return
    try:
        check(reply)
    except ReplyError as error:
        failed = CallFailed("refused" if error.kind == "refused" else "invalid", str(error), raw=raw)
    except KbeError:
        raise
    except Exception as error:  # noqa: BLE001 - the reply was paid for, so it is stored whatever it contains
        failed = CallFailed("invalid", f"the reply cannot be parsed ({type(error).__name__}: {error})", raw=raw)
    else:
        return
    failed.usage, failed.text = reply.usage, reply.text
    raise failed


def _reply(call: Call, whole: WholeReply, usage: Usage, *, cached: bool = False) -> Reply:
    return Reply(whole.text, usage, whole.finish, whole.model or call.settings.model, call.key, cached)


def _estimated_usage(call: Call, whole: WholeReply) -> Usage:
    if call.request.edit:
        return call.worst_usage
    return call.worst_usage._replace(output=max(1, round(len(whole.text.encode()) / BYTES_A_TOKEN)))
