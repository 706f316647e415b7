"""Parallel forms and the mini set of a release."""

import numpy as np

from kbe_graph.release.mini import agreement, mini
from kbe_graph.release.parallel import FormRow, parallel_forms

DRAW = np.random.default_rng(3)
ROWS = [
    FormRow(
        f"q{number}",
        frozenset({f"picture {DRAW.integers(300)}", f"fact {DRAW.integers(600)}"}),
        shape=str(DRAW.choice(["fact", "join", "select"])),
        depth=int(DRAW.integers(1, 4)),
        family=f"family {int(12 * DRAW.random() ** 2)}",
        answer=f"answer {int(99 * DRAW.random() ** 2)}",
        difficulty=round(float(DRAW.beta(2, 2)), 1),
        category="rare" if number == 77 else f"category {number % 9}",
    )
    for number in range(600)
]


def test_forms_share_no_picture_and_no_fact_and_are_equally_hard() -> None:
    split = parallel_forms(ROWS, (0.5, 0.5))
    forms = [[row for row in ROWS if row.id in form] for form in split.forms]
    ties = [{tie for row in form for tie in row.ties} for form in forms]
    assert not ties[0] & ties[1]
    assert sum(map(len, split.forms)) > 540
    assert split.equate == ""
    for kind in ("shape", "depth", "family"):
        for value in {getattr(row, kind) for row in ROWS}:
            counts = [sum(getattr(row, kind) == value for row in form) for form in forms]
            assert abs(counts[0] - counts[1]) <= 12
    unasked = [*ROWS[:-1], ROWS[-1]._replace(difficulty=None)]
    assert "no model was asked" in parallel_forms(unasked, (0.7, 0.3)).equate


def test_the_mini_set_is_a_tenth_with_each_family_and_agrees_with_the_whole() -> None:
    chosen = [row.id in set(mini(ROWS)) for row in ROWS]
    hard = np.array([row.difficulty for row in ROWS], dtype=float)
    answers = DRAW.random((8, 600)) < np.linspace(0.5, 1.2, 8)[:, None] * (1 - hard)
    agreed = agreement(answers, chosen)
    assert abs(sum(chosen) - 60) <= 6
    inside = [row for row, own in zip(ROWS, chosen, strict=True) if own]
    assert {row.family for row in inside} == {row.family for row in ROWS}
    assert {row.category for row in inside} == {row.category for row in ROWS}
    assert abs(hard[chosen].mean() - hard.mean()) < 0.02
    assert agreed.rank.low <= agreed.rank.value <= agreed.rank.high
    assert sum(row.low <= 0 <= row.high for row in agreed.differences) >= 6
