"""The status of each question in a new version: what reviewers and errata say of it, and whether it changed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.export.selection import Selection, select, with_origins
from kbe_graph.release.contents import hash_of
from kbe_graph.review.consequences import reasons_out
from kbe_graph.review.state import current_items, first_version, question_states, read_items, state_in_words
from kbe_graph.store import Store
from kbe_graph.types import RAW, ItemStatus, ReleasedQuestion, Review

Before = Mapping[str, ReleasedQuestion]
"""The questions of the version before, by id."""


class ReviewedRun(NamedTuple):
    """The questions of a run that a version may hold, and what reviewers and errata say, by the id of a question.

    ``marks`` are those revised or uncertain, ``gone`` those withdrawn, each with the reason. ``undone`` says why an
    erratum was taken back, by the head of the reasons that it gave.
    """

    selection: Selection
    marks: Mapping[str, tuple[ItemStatus, str]]
    gone: Mapping[str, str]
    undone: Mapping[str, str]


def read_reviewed_run(store: Store, run: str) -> ReviewedRun:
    """Read the kept questions of a run in their last version, mended where errata say how."""
    selection = with_origins(select(store, run=run), store)
    items = read_items(store, run=run)
    states = question_states(items, store.reviews(run=run))
    marks: dict[str, tuple[ItemStatus, str]] = {}
    for item in current_items(items, states):
        state, id_ = state_in_words(item, states), item.question.id
        if state == "disputed":
            marks[first_version(id_)] = "uncertain", _reasons(states[id_].counted) or "reviewers disagree"
        elif state == "revised":
            marks[first_version(id_)] = "revised", _reasons(selection.reviews.get(id_, ())) or "revised in review"
    gone = reasons_out(items, states)
    gone |= {
        id_: f"{why}: {said}" for id_, why in gone.items() if id_ in states and (said := _reasons(states[id_].counted))
    }
    marks |= {id_: ("revised", reason) for id_, (mended, reason) in selection.errata.items() if mended}
    gone |= {id_: reason for id_, (mended, reason) in selection.errata.items() if not mended}
    selection = replace(selection, questions=[each for each in selection.questions if each.run != RAW])
    errata = store.errata()
    for erratum in (each for each in errata if not each.undone):  # linked to the questions made since, too
        store.save_erratum(erratum, store.questions_to_correct(erratum))
    undone = {f"erratum {each.id}": f"taken back: {each.undone}" for each in errata if each.undone}
    return ReviewedRun(selection, marks, gone, undone)


def _reasons(reviews: Iterable[Review]) -> str:
    return "; ".join(dict.fromkeys(review.reason for review in reviews if review.reason))


def released(id_: str, content: str, reviewed: ReviewedRun, before: Before) -> ReleasedQuestion:
    """Give a question of a new version its status, compared with the version before if that has it.

    An unchanged question keeps the reason of its last change.
    """
    hash_, earlier = hash_of(content), before.get(id_)
    status, reason = reviewed.marks.get(id_, ("unchanged", ""))
    if before and not earlier and status == "unchanged":
        reason = "not in the version before"
    elif earlier and status != "uncertain":
        head = earlier.reason.partition(":")[0]
        undone = f"{head} was {reviewed.undone[head]}" if head in reviewed.undone else ""
        if earlier.status == "withdrawn":
            status, reason = "revised", undone or f"no longer withdrawn ({earlier.reason})"
        elif earlier.hash == hash_:
            status, reason = "unchanged", "" if earlier.status == "uncertain" else earlier.reason
        elif status == "unchanged":
            status, reason = "revised", undone or "the run, its key or its picture reads differently now"
    return ReleasedQuestion(id_, status, hash_, content, reason)


def withdrawn(before: Before, kept: Iterable[str], reviewed: ReviewedRun) -> list[ReleasedQuestion]:
    """List the questions of the version before that a new version no longer holds, each with the reason."""
    names = set(kept)
    missing = [each for id_, each in before.items() if id_ not in names]
    reasons = {each.question: each.reason for each in missing if each.status == "withdrawn"} | {**reviewed.gone}
    unknown = "not kept in the run of this version, or without a readable picture"
    return [replace(each, status="withdrawn", reason=reasons.get(each.question, unknown)) for each in missing]
