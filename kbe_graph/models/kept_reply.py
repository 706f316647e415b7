"""Replies taken from the call store again, and checked again."""

from collections.abc import Mapping

from kbe_graph.errors import KbeError, ReplyError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.completion import WholeReply, read_completion
from kbe_graph.models.failures import ENDLESS, FAULTS, CallFailed
from kbe_graph.models.request import Check, Reply, Usage
from kbe_graph.models.wire import BYTES_A_TOKEN, Call


def usage_of(call: Call, whole: WholeReply) -> Usage:
    """Return the tokens of a reply, estimated from the prompt and the text where the endpoint does not give them."""
    return whole.usage or call.worst_usage._replace(output=max(1, round(len(whole.text.encode()) / BYTES_A_TOKEN)))


def reply_of(call: Call, whole: WholeReply, usage: Usage, *, cached: bool = False) -> Reply:
    """Return the reply of a call."""
    return Reply(whole.text, usage, whole.finish, whole.model or call.settings.model, call.key, cached)


async def kept_reply(store: CallStore, call: Call, check: Check | None) -> Reply | None:
    """Return the kept reply of a call, None where there is none; one that the check refuses moves to the failures."""
    kept = store.get(call.key)
    if kept is None or kept.status != "done":
        return None
    reply = reply_of(call, read_completion(kept.raw), kept.usage, cached=True)
    try:
        check_reply(check, reply, kept.raw)
    except CallFailed as failed:
        await store.discard_reply(call.key, failed.message)
        return None
    store.count_hit(call)
    return reply


def kept_error(store: CallStore, call: Call, tries: Mapping[str, int], most: int = ENDLESS) -> KbeError | None:
    """Return the last error of a call whose ``tries`` are all that the table of faults allows, or as ``most`` does.

    None where it may be tried again.
    """
    if not any(count >= min(most, FAULTS[kind].tries) for kind, count in tries.items() if kind in FAULTS):
        return None
    failed, settings = store.last_failure(call.key), call.settings
    failed.alone = store.has_replied(settings.base_url)
    return failed.error(model=settings.model, url=settings.base_url, step=call.request.step)


def check_reply(check: Check | None, reply: Reply, raw: bytes) -> None:
    """Raise CallFailed where the check refuses the reply, or where it stumbles over it in any other way."""
    if check is None:
        return
    try:
        check(reply)
    except ReplyError as error:
        failed = CallFailed("refused" if error.kind == "refused" else "invalid", str(error), raw=raw)
    except KbeError:
        raise
    except Exception as error:  # noqa: BLE001 - the reply was paid for, and is kept whatever it holds
        failed = CallFailed("invalid", f"the reply cannot be read ({type(error).__name__}: {error})", raw=raw)
    else:
        return
    failed.usage, failed.text = reply.usage, reply.text
    raise failed
