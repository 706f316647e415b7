"""Parallel forms and the mini set of a release."""

from collections import Counter

import numpy as np
import pytest

from kbe_graph.release.mini import agreement, mini
from kbe_graph.release.parallel import FormRow, parallel_forms


@pytest.fixture(scope="module")
def rows() -> list[FormRow]:
    """600 questions, two or so to a picture, of which some share facts."""
    draw = np.random.default_rng(3)
    return [
        FormRow(
            f"q{number}",
            frozenset({f"picture {draw.integers(300)}"}),
            frozenset({f"fact {draw.integers(600)}"}),
            shape=str(draw.choice(["fact", "join", "select"])),
            depth=int(draw.integers(1, 4)),
            family=f"family {int(12 * draw.random() ** 2)}",
            answer=f"answer {int(99 * draw.random() ** 2)}",
            difficulty=round(float(draw.beta(2, 2)), 1),
        )
        for number in range(600)
    ]


def test_forms_share_no_picture_and_no_fact_and_are_equally_hard(rows: list[FormRow]) -> None:
    split = parallel_forms(rows, (0.5, 0.5))

    by_id = {row.id: row for row in rows}
    first, second = ([by_id[id_] for id_ in form] for form in split.forms)
    ties = [{tie for row in form for tie in row.images | row.facts} for form in (first, second)]
    assert not ties[0] & ties[1]
    assert len(first) + len(second) + len(split.left_out) == 600
    assert len(split.left_out) < 60
    assert split.equate == ""
    for kind in ("shape", "depth", "family"):
        counts = [Counter(getattr(row, kind) for row in form) for form in (first, second)]
        assert max(abs(counts[0][value] - counts[1][value]) for value in counts[0]) <= 12

    unasked = [row._replace(difficulty=None) for row in rows]
    assert "no model was asked" in parallel_forms(unasked, (0.7, 0.3)).equate


def test_a_group_too_large_for_a_form_loses_the_questions_that_tie_it_together() -> None:
    chain = [
        FormRow(str(n), frozenset({f"p{n}", f"p{n + 1}"}), frozenset(), "fact", 1, "f", "a", 0.5) for n in range(60)
    ]
    split = parallel_forms(chain)
    assert 1 <= len(split.left_out) <= 20
    assert min(map(len, split.forms)) >= 18


def test_the_mini_set_is_a_tenth_with_each_family_and_agrees_with_the_whole(rows: list[FormRow]) -> None:
    chosen = set(mini(rows))
    draw = np.random.default_rng(0)
    hard = np.array([row.difficulty for row in rows], dtype=float)
    answers = (draw.random((8, 600)) < np.linspace(0.5, 1.2, 8)[:, None] * (1 - hard)).astype(float)

    agreed = agreement(answers, [row.id in chosen for row in rows])

    assert abs(len(chosen) - 60) <= 6
    assert {row.family for row in rows if row.id in chosen} == {row.family for row in rows}
    assert abs(np.mean([row.difficulty for row in rows if row.id in chosen]) - hard.mean()) < 0.02
    assert agreed.rank.low <= agreed.rank.value <= agreed.rank.high
    assert sum(row.low <= 0 <= row.high for row in agreed.differences) >= 6
