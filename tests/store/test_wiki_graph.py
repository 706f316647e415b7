"""Pictures of pages, items and statements, and what samples were made of, on every engine."""

from dataclasses import replace

import pytest
from specimens import COLOUR, SAMPLE, dump
from wiki_specimens import (
    ADAMS,
    DEATH,
    HEIGHT,
    HUMAN,
    LOST,
    OTHER_HUMAN,
    PICTURE,
    TOLSTOY,
    origin_for,
    save_wiki,
)

from kbe_graph.store import Store
from kbe_graph.types import SampleOrigin


@pytest.fixture
def full(full: Store) -> Store:
    """A graph with samples, a run, pictures, items, statements and an origin."""
    save_wiki(full)
    full.save_origins([origin_for(SAMPLE.id)])
    return full


def test_items_and_statements_come_back_as_they_were_in_order(full: Store) -> None:
    assert full.items(["Q42", "Q7243", "Q1"]) == {"Q42": ADAMS, "Q7243": TOLSTOY}
    assert full.item_statements(["Q42", "Q7243"], kept=None) == {"Q42": (HUMAN, HEIGHT, DEATH), "Q7243": (OTHER_HUMAN,)}
    assert full.statements([DEATH.id, OTHER_HUMAN.id, "Q1$1"]) == {DEATH.id: DEATH, OTHER_HUMAN.id: OTHER_HUMAN}


def test_what_is_saved_again_is_replaced_whole(full: Store) -> None:
    once = dump(full)
    save_wiki(full)
    full.save_origins([origin_for(SAMPLE.id)])
    assert dump(full) == once
    full.save_items([replace(ADAMS, label="Adams", kinds=())], [replace(HEIGHT, text="6 feet")])
    assert full.item_statements(["Q42"], kept=None) == {"Q42": (replace(HEIGHT, text="6 feet"),)}
    assert full.items(["Q42"])["Q42"].kinds == ()
    assert [row[0] for row in full.query_text("MATCH (l:Literal) RETURN l.id").rows] == ["quantity|6 feet"]
    full.save_items([TOLSTOY], [])
    assert full.items(["Q5"]) == {}


def test_an_origin_goes_with_its_sample_and_the_picture_stays(full: Store) -> None:
    assert full.origins([SAMPLE.id, COLOUR.id]) == {SAMPLE.id: origin_for(SAMPLE.id)}
    other = SampleOrigin(SAMPLE.id, LOST.id, "", ())
    full.save_origins([other])
    assert full.origins([SAMPLE.id]) == {SAMPLE.id: other}
    full.forget_samples([SAMPLE.id])
    assert full.origins([SAMPLE.id]) == {}
    assert full.pictures() == [PICTURE, LOST]
    assert full.fetched_items() == {"Q42", "Q7243"}
