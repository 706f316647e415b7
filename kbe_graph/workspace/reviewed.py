"""The desk of a workspace: it takes the decisions of reviewers, and what a killed process left in their log."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from kbe_graph.review.log import FILE, ReviewLog
from kbe_graph.review.review_desk import ReviewDesk

if TYPE_CHECKING:
    from kbe_graph.workspace.graph_access import GraphAccess, OpenGraph

_desks: "WeakKeyDictionary[OpenGraph, ReviewDesk]" = WeakKeyDictionary()


def open_desk(access: "GraphAccess") -> ReviewDesk:
    """Return the desk of a workspace, open: what the log has stands in the graph."""
    desk, store = _desks.get(access.graph), access.store
    if desk is None or desk.store is not store:
        desk = _desks[access.graph] = ReviewDesk(store, ReviewLog(access.folder.hidden / FILE))
        desk.open()
    return desk


def take_in(access: "GraphAccess") -> None:
    """Take the decisions into the graph that a process which was killed wrote to the log alone.

    The graph lacks the last one then.
    """
    last = ReviewLog(access.folder.hidden / FILE).last()
    if last and not access.graph.store.review_ids([last]):
        open_desk(access)
