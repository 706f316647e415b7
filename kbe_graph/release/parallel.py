"""Parallel forms of a release: disjoint in pictures and facts, matched in what makes a question hard."""

from typing import NamedTuple


class FormRow(NamedTuple):
    """A question as forms see it: the pictures and facts it uses, and what the forms are matched by."""

    id: str
    images: frozenset[str]
    facts: frozenset[str]
    shape: str
    depth: int
    family: str
    answer: str
    difficulty: float | None
    """The share of models that are wrong, None if no model was asked."""
