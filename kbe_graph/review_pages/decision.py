"""Decisions of reviewers: saved before the next question is shown, or refused with a message."""

from collections.abc import Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.review.given_verdict import GivenVerdict, read_verdict
from kbe_graph.review.revision import refusal_in_words
from kbe_graph.review.wrong_fact import refute, resting_on
from kbe_graph.review_pages.listing import Listing
from kbe_graph.review_pages.review_queue import ReviewQueue

SAID = {"approve": "approved", "reject": "rejected", "revise": "revised"}
CHANGED = "This question changed in the meantime, so nothing was saved. Review it again."


class Outcome(NamedTuple):
    """The response to a decision: the question to show (None if none is waiting) and a message.

    With a ``warning`` the decision was not saved.
    """

    shown: str | None
    line: str = ""
    warning: str = ""


def decide(queue: ReviewQueue, reviewer: str, pairs: Sequence[tuple[str, str]], listing: Listing) -> Outcome:
    """Save the decision in a form and choose the next question; raises InputError for an invalid decision."""
    id_ = dict(pairs).get("id", "")
    if (last := queue.newest(id_)) not in {None, id_}:
        return Outcome(last, CHANGED)
    item = queue.item(id_)
    given = read_verdict(pairs)
    if not given.insist and (warning := _warning(queue, id_, given)):
        return Outcome(id_, warning=warning)
    following = queue.next_of(listing, reviewer, after=id_)
    try:
        _keep(queue, id_, reviewer, given)
    except InputError:
        queue.renew_all([id_])
        newest = queue.newest(id_)
        if newest is None or queue.item(newest).version == given.version:
            raise
        return Outcome(newest, CHANGED)
    queue.renew_all([id_])
    if following is None or not queue.waits_for(following, reviewer):
        following = queue.next_of(listing, reviewer, after=id_)
    return Outcome(following, f"{SAID[given.verdict]}: {item.question.text}")


def _keep(queue: ReviewQueue, id_: str, reviewer: str, given: GivenVerdict) -> None:
    queue.desk.decide(
        id_,
        given.verdict,
        reviewer=reviewer,
        opinions=given.opinions._replace(pick=queue.pick(id_, reviewer) or ""),
        revision=given.revision,
        version=given.version,
        insist=given.insist,
    )
    for triplet in given.opinions.wrong_facts:
        refuted = refute(queue.desk, id_, triplet, reviewer=reviewer, verdicts=queue.fact_verdicts)
        queue.renew_all(refuted.questions)


def _warning(queue: ReviewQueue, id_: str, given: GivenVerdict) -> str:
    if given.revision is not None:
        refusals = queue.desk.check(id_, given.revision)
        words = "; ".join(map(refusal_in_words, refusals))
        return f"A check refuses the new wording: {words}." if words else ""
    if not given.opinions.wrong_facts:
        return ""
    others = {each for triplet in given.opinions.wrong_facts for each in resting_on(queue.desk, id_, triplet)} - {id_}
    rest = "1 other question that rests" if len(others) == 1 else f"{len(others)} other questions that rest"
    more = f" This also rejects {rest} on it." if others else ""
    return f"Later runs will treat the fact as wrong.{more}"


def undo(queue: ReviewQueue, reviewer: str) -> Outcome:
    """Undo a reviewer's last decision, and show its question; raises InputError if there is no decision."""
    id_ = queue.last_of(reviewer)
    if id_ is None:
        raise InputError("you have no decision to undo")
    queue.desk.decide(id_, "undo", reviewer=reviewer)
    queue.renew_all([id_])
    return Outcome(queue.newest(id_), "Decision undone.")
