"""The reviews of a workspace as its other parts see them: the desk, and which questions are given out."""

from dataclasses import replace
from weakref import WeakKeyDictionary

from kbe_graph.evaluate.guess import top_shares
from kbe_graph.export.selection import Selection
from kbe_graph.review.consequences import Reviewed, given_out
from kbe_graph.review.log import FILE, ReviewLog
from kbe_graph.review.review_desk import ReviewDesk
from kbe_graph.review.reviewed_items import read_items
from kbe_graph.review.state import question_states
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question
from kbe_graph.workspace.graph_access import GraphAccess

_desks: WeakKeyDictionary[GraphAccess, ReviewDesk] = WeakKeyDictionary()


def open_desk(access: GraphAccess) -> ReviewDesk:
    """Return the desk of a workspace, open: what the log has stands in the graph."""
    desk, store = _desks.get(access), access.store
    if desk is None or desk.store is not store:
        desk = _desks[access] = ReviewDesk(store, ReviewLog(access.folder.hidden / FILE))
        desk.open()
    return desk


def with_reviews(selection: Selection, access: GraphAccess, reviewed: Reviewed = "not-rejected") -> Selection:
    """Return the selection as people left it: revised questions in their last version, those left out without them.

    Where nothing is reviewed, all go, unless the approved alone are wanted.
    """
    store = open_desk(access).store
    runs = sorted({question.run for question in selection.questions})
    if reviewed != "approved" and not any(store.reviews(run=run) for run in runs):
        return selection
    out: dict[str, Question] = {}
    for run in runs:
        out |= given_out_of(store, run, reviewed)
    questions = [out[question.id] for question in selection.questions if question.id in out]
    return replace(selection, questions=questions, top_shares=top_shares(questions))


def given_out_of(store: Store, run: str, reviewed: Reviewed = "not-rejected") -> dict[str, Question]:
    """Return the questions of a run, or the raw ones, that are given out, by the id of their first version."""
    items = read_items(store, run=None if run == RAW else run)
    return given_out(items, question_states(items, store.reviews(run=run)), reviewed)
