"""The variety of a set of questions, on cases small enough to count by hand."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commands import kbe_here
from specimens import family

from kbe_graph import Workspace
from kbe_graph.errors import InputError
from kbe_graph.statistics import STATISTICS
from kbe_graph.statistics.question_statistics import variety
from kbe_graph.types import Entity, Question, question_id


def explored(number: int, relation: str, answer: str) -> Question:
    """A kept question of hop 1 of a sample of its own."""
    question, sample = family().question, f"own/val/{number}"
    *root, last = question.key
    key = (*root, replace(last, relation=relation, object=Entity(answer)))
    return replace(
        question,
        id=question_id(sample, "r", 1),
        sample=sample,
        run="r",
        key=key,
        answer=answer,
    )


def test_a_set_of_one_kind_of_question_is_told_from_a_varied_one() -> None:
    raw = [replace(family().question, sample=f"own/val/{number}", hop=0, kind="raw") for number in range(10)]
    alike = [explored(number, "family", "bears") for number in range(4)]
    varied = [explored(number, f"relation {number}", f"answer {number}") for number in range(4)]
    (one,), (four,) = (variety([*raw, *questions]).to_dict("records") for questions in (alike, varied))
    assert (one["relations"], one["effective relations"], one["largest relation"]) == (1, 1.0, 1.0)
    assert (one["chains"], one["answers"]) == (1, 1)
    assert (four["relations"], four["largest chain"]) == (4, 0.25)
    assert four["effective answers"] == pytest.approx(4)
    assert (four["benchmark"], four["hop"], four["samples"], four["share"]) == ("own", 1, 4, 0.4)
    mixed = [explored(number, "family" if number < 3 else "origin", str(number)) for number in range(4)]
    unsourced = replace(mixed[0], key=(*mixed[0].key[:-1], replace(mixed[0].key[-1], source="unsourced")))
    (row,) = variety([unsourced, *mixed[1:]]).to_dict("records")
    assert row["effective relations"] == pytest.approx(np.exp(-0.75 * np.log(0.75) - 0.25 * np.log(0.25)))
    assert row["unsourced"] == 1
    assert variety([replace(unsourced, status="dropped", reason="leak")]).empty


def test_each_statistic_is_printed_and_as_json(demo_looked_at: Path) -> None:
    for what in STATISTICS:
        assert 2 <= len(kbe_here("-w", demo_looked_at, "stats", what, "--limit", 3).splitlines()) <= 4, what
    assert json.loads(kbe_here("-w", demo_looked_at, "stats", "variety", "--json"))[0]["relations"] > 1
    with Workspace(demo_looked_at, progress=False) as work, pytest.raises(InputError, match="no statistic 'chain'"):
        work.stats.table(what="chain")
