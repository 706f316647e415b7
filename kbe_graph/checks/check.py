"""What every check has: the reason it is counted by, its rule in words, a row that it refuses and one that passes."""

from collections.abc import Iterable
from typing import Literal, Protocol

from kbe_graph.checks.row import Columns, Row
from kbe_graph.types import KEEP, Candidate, Decision, Stage

Reads = Literal["fact", "reference", "text", "question"]
"""What a check must be shown, in the order in which a run has it to show.

``fact``: the question before and the fact. ``reference``: all that the first answer may be called. ``text``: each
wording. ``question``: the wording that was drawn.
"""


class Check(Protocol):
    """One rule that a candidate must pass.

    ``name`` is the reason that its refusals are counted by, and no other check's. ``stage`` says what it is a rule for:
    the fact, or the question that comes of it; ``reads``, when it is asked. A check of the stage ``fact`` reads the
    fact. What reads nothing but the words (``text`` and what comes before it) is asked of every wording before one is
    drawn, so that one that leaks gives way to one that does not. What asks the facts whether the question is sound
    (``question``) costs more and hardly depends on the words, so it is asked of the drawn one alone.
    ``columns`` are those of a table that it can be tried on.
    """

    name: str
    stage: Stage
    reads: Reads
    rule: str
    columns: Columns
    refused: Row
    passed: Row

    def decide(self, candidate: Candidate) -> Decision:
        """Return whether to keep the candidate; a refusal has the check's name as its reason."""


def first_refusal(checks: Iterable[Check], candidate: Candidate) -> Decision:
    """Return the first refusal of a candidate, or KEEP."""
    return next((decision for check in checks if not (decision := check.decide(candidate)).keep), KEEP)
