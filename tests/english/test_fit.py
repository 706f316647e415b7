"""No pattern is made for a single question: each fits at least five questions of the training sets."""

import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import pytest

from kbe_graph.english.patterns import TABLES, Pattern, Rewrite, Texts, rewrites, table

FIVE = 5
INSIDE = {"kind of", "name it", "name of", "man-made"}
"""Steps that rewrite a part of a question that was read already."""


@pytest.fixture(scope="module")
def asked(data: Path) -> Sequence[Texts]:
    questions: dict[str, None] = {}
    for name in ("okvqa", "aokvqa"):
        with gzip.open(data / name / "train.jsonl.gz", "rt", encoding="utf-8") as lines:
            questions.update((json.loads(line)["question"], None) for line in lines)
    return [Texts(question) for question in questions]


def fits(asked: Iterable[Texts], finds: Callable[[Texts], object]) -> bool:
    return len(list(islice(filter(finds, asked), FIVE))) == FIVE


def changes(row: Rewrite, asked: Texts) -> bool:
    text = asked.lowered.rstrip("?. ")
    return row.apply(text) != text


@pytest.mark.parametrize("name", TABLES)
def test_each_pattern_fits_five_training_questions_unless_it_protects_people(asked: Sequence[Texts], name: str) -> None:
    rows: Iterable[Pattern] = (row for row in table(name) if row.meaning != "protected")
    assert [row.example for row in rows if not fits(asked, row.find)] == []


@pytest.mark.parametrize("step", sorted(set(rewrites()) - INSIDE))
def test_each_rewrite_fits_five_training_questions(asked: Sequence[Texts], step: str) -> None:
    assert [row.example for row in rewrites()[step] if not fits(asked, partial(changes, row))] == []
