"""Parallel forms of a release: disjoint in pictures and facts, matched in what makes a question hard."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from kbe_graph.statistics.intervals import Floats

WITHIN = 0.02  # forms whose mean difficulties differ by more must be equated
_PASSES = 4
_AT_ONCE = 100  # of a group that is too large, one question in so many is left out before it is looked at again
_TRIED = 200  # partners that an exchange considers
_BINS = 5  # of difficulty, beside its mean
_MEAN = 8.0  # weight of the mean of difficulty against the number of questions of a kind


class FormRow(NamedTuple):
    """A question as forms see it: its ties (the pictures and facts it uses), and what the forms are matched by."""

    id: str
    ties: frozenset[str]
    shape: str
    depth: int
    family: str
    answer: str
    difficulty: float | None = None
    """The share of models that are wrong, None if no model was asked."""
    category: str = ""


class Forms(NamedTuple):
    """The ids of each form in the given order, and why scores on them must be equated; empty if they need not be.

    In no form are questions whose pictures and facts tie together more questions than a form may hold.
    """

    forms: Sequence[Sequence[str]]
    equate: str


def parallel_forms(rows: Sequence[FormRow], shares: Sequence[float] = (0.5, 0.5), *, seed: int = 0) -> Forms:
    """Split questions into forms of these shares that have no picture and no fact in common.

    Questions with a common picture or fact, directly or through others, stay together. Forms are matched by shape,
    depth, relation family, frequency of the answer, and difficulty.
    """
    most = min(shares) / sum(shares) / 2 * len(rows)  # a larger group could not be matched by others
    groups = _groups(rows, max(1, int(most)), np.random.default_rng(seed))
    vectors = features(rows)
    sums = np.array([vectors[group].sum(axis=0) for group in groups]).reshape(len(groups), -1)
    form_of = matched(sums, shares, seed=seed)
    members = [
        sorted(int(row) for group, own in zip(groups, form_of, strict=True) if own == form for row in group)
        for form in range(len(shares))
    ]
    hard = np.array([row.difficulty for row in rows], dtype=float)
    means = [hard[own].sum() / max(len(own), 1) for own in members]
    return Forms([[rows[row].id for row in own] for own in members], _equate(float(np.ptp(means))))


def _equate(apart: float) -> str:
    if np.isnan(apart):
        return "no model was asked every form's questions, so that their difficulty is unknown"
    return f"mean difficulties differ by {100 * apart:.1f} points" if apart > WITHIN else ""


def _groups(rows: Sequence[FormRow], most: int, draw: np.random.Generator) -> list[list[int]]:
    """Group the rows that have pictures and facts in common; larger groups lose their best-connected questions."""
    ties = [row.ties for row in rows]
    waiting, groups = [list(range(len(rows)))], []
    while waiting:
        for group in _components(waiting.pop(), ties):
            if len(group) <= most:
                groups.append(group)
                continue
            uses = Counter(tie for row in group for tie in ties[row])
            order = draw.permutation(group).tolist()
            order.sort(key=lambda row: sum(uses[tie] - 1 for tie in ties[row]))
            waiting.append(order[: -1 - len(group) // _AT_ONCE])
    return sorted(groups)


def _components(rows: Sequence[int], ties: Sequence[Collection[object]]) -> list[list[int]]:
    users = defaultdict(list)
    for row in rows:
        for tie in ties[row]:
            users[tie].append(row)
    left, groups = {*rows}, []
    for row in sorted(rows):
        group, new = set[int](), {row} & left
        while new:
            left -= new
            group |= new
            new = {other for each in new for tie in ties[each] for other in users.pop(tie, ())} & left
        groups += [sorted(group)] if group else []
    return groups


def features(rows: Sequence[FormRow]) -> Floats:
    """Return what forms are matched by: a column for each value of each property, and the difficulty."""
    table = pd.DataFrame(rows, columns=FormRow._fields)
    hard = table["difficulty"].astype(float)
    kinds = table[["shape", "depth", "family"]].assign(
        whole=0,
        frequency=np.log2(table.groupby("answer")["id"].transform("size")).astype(int),
        difficulty=np.ceil(_BINS * hard.rank(pct=True)),
    )
    columns = pd.get_dummies(kinds.astype(str)).to_numpy(dtype=float)
    apart = (hard - hard.mean()).fillna(0).to_numpy(dtype=float)[:, None]
    spread = np.sqrt(np.sum(np.square(apart))) or 1.0
    return np.hstack([columns / np.sqrt(columns.sum(axis=0)), _MEAN * apart / spread])


def matched(
    vectors: Floats, shares: Sequence[float], *, seed: int = 0, fixed: Mapping[int, int] | None = None
) -> NDArray[np.int64]:
    """Assign each vector to a form so that each form's sum comes near its share of the total.

    ``fixed`` are assignments that are given. Vectors are placed one by one, the largest first, and then exchanged
    between forms while that brings the sums nearer.
    """
    draw, parts = np.random.default_rng(seed), np.asarray(shares, dtype=float) / sum(shares)
    form_of = np.full(len(vectors), -1)
    gaps = -parts[:, None] * vectors.sum(axis=0)  # the sum of each form, minus what it should be
    for row, form in (fixed or {}).items():
        form_of[row] = form
        gaps[form] += vectors[row]
    order = draw.permutation(np.flatnonzero(form_of < 0))
    for row in sorted(order, key=lambda row: -float(vectors[row] @ vectors[row])):
        form_of[row] = np.argmin((2 * gaps @ vectors[row] + vectors[row] @ vectors[row]) / parts)
        gaps[form_of[row]] += vectors[row]
    for _ in range(_PASSES):
        if not sum(_exchange(row, vectors, form_of, gaps, parts, order) for row in order):
            break
    return form_of


def _exchange(
    row: int, vectors: Floats, form_of: NDArray[np.int64], gaps: Floats, parts: Floats, free: NDArray[np.int64]
) -> bool:
    """Exchange a vector with the one of another form that brings the sums nearest, if any does."""
    own = form_of[row]
    others = free[form_of[free] != own]
    others = others[:: 1 + len(others) // _TRIED]
    if not len(others):
        return False
    change, theirs = vectors[others] - vectors[row], form_of[others]
    squares = np.einsum("ij,ij->i", change, change)
    gain = (2 * change @ gaps[own] + squares) / parts[own]
    gain += (squares - 2 * np.einsum("ij,ij->i", change, gaps[theirs])) / parts[theirs]
    best = int(np.argmin(gain))
    if gain[best] > -1e-9:
        return False
    gaps[own] += change[best]
    gaps[theirs[best]] -= change[best]
    form_of[row], form_of[others[best]] = theirs[best], own
    return True
