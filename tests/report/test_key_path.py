"""A key path draws itself: a box an entity, an arrow a relation, each kind of arrow told by its line and in words."""

import re

from specimens import DEPICTS, GIRAFFE, family

from kbe_graph.report.key_path import KeyPath
from kbe_graph.report.sample_story import question_html
from kbe_graph.types import IMAGE, Entity, Triplet

QUESTION = family().question


def words(html: str) -> list[str]:
    """Return the words that a page shows of a piece of HTML."""
    return re.sub(r"<[^>]*>", " ", html).split()


def test_a_path_shows_its_entities_and_relations_in_order() -> None:
    html = KeyPath(QUESTION.key, QUESTION.hop)._repr_html_()
    expected = "IMAGE depicts &rarr; GIRAFFE taxonomic family &rarr; GIRAFFIDAE"
    assert expected.split() == words(html)
    assert 'aria-label="IMAGE -[depicts]-&gt; GIRAFFE -[taxonomic family]-&gt; GIRAFFIDAE"' in html


def test_what_is_seen_implied_and_explored_differ_in_more_than_colour() -> None:
    html = KeyPath(QUESTION.key, QUESTION.hop)._repr_html_()
    assert 'title="visual, detection, giraffe"' in html
    assert 'title="textual, explored, pack, said"' in html
    own = KeyPath(QUESTION.key, 0)._repr_html_()
    assert "textual, from the sample, pack, said" in own
    assert ("solid" in html, "double" in html, "dashed" in html) == (True, True, False)
    assert ("solid" in own, "double" in own, "dashed" in own) == (True, False, True)


def test_a_path_that_breaks_off_begins_anew() -> None:
    bird = Triplet(IMAGE, "depicts", Entity("BIRD"))
    path = KeyPath((DEPICTS, bird))
    assert str(path) == "IMAGE -[depicts]-> GIRAFFE; IMAGE -[depicts]-> BIRD"
    assert path._repr_html_().count("<br>") == 1


def test_names_from_files_and_models_are_no_markup() -> None:
    html = KeyPath((Triplet(GIRAFFE, "<b>", Entity('"><script>')),))._repr_html_()
    assert "<script>" not in html
    assert "<b>" not in html


def test_a_question_shows_text_answer_place_and_path() -> None:
    html = question_html(QUESTION)
    assert "What is the taxonomic family of it?" in html
    assert f"explored at hop 1 ({QUESTION.id})" in html
    assert "GIRAFFIDAE" in html
