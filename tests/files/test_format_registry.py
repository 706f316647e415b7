"""One registry for formats of all kinds: by name or by content, and one way to refuse what is unknown."""

from pathlib import Path
from typing import NamedTuple

import pytest

from kbe_graph.datasets.annotations import READERS
from kbe_graph.datasets.benchmark import FORMATS
from kbe_graph.errors import DatasetError, InputError
from kbe_graph.evolve.knowledge import SOURCES
from kbe_graph.export.formats import EXPORTS
from kbe_graph.plugins import Registry
from kbe_graph.scoring.prediction_files import PREDICTION_FORMATS
from kbe_graph.scoring.score_rules import SCORE_RULES


class Beginning(NamedTuple):
    looks_for: str
    sign: str

    def matches(self, text: str) -> bool:
        return text.startswith(self.sign)


TABLES = Registry("table format", "kbe_graph.no_such_group", {"a": Beginning("'+'", "+"), "b": Beginning("'+-'", "+-")})


def test_an_unknown_name_is_refused_in_the_same_words_everywhere() -> None:
    for registry in [FORMATS, READERS, PREDICTION_FORMATS, EXPORTS, SCORE_RULES, SOURCES]:
        with pytest.raises(InputError) as refused:
            registry.require("x")
        assert str(refused.value) == f"unknown {registry.kind} 'x'; use {', '.join(registry)}", registry


def test_the_first_format_that_matches_is_recognised() -> None:
    assert TABLES.recognise("+-1", file=Path("t"), fields=()) == "a"


def test_an_unknown_content_is_told_with_what_was_looked_for() -> None:
    with pytest.raises(DatasetError, match=r"no known table format: found 'x'; looked for '\+'; '\+-'"):
        TABLES.recognise("x", file=Path("t"), fields=["x"])


def test_it_is_read_as_a_mapping() -> None:
    assert (list(TABLES), len(TABLES), TABLES["b"].sign, "c" in TABLES) == (["a", "b"], 2, "+-", False)
