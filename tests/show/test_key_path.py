"""A key path draws itself: a box an entity, an arrow a relation, each kind of arrow told by its line and in words."""

import re

from specimens import DEPICTS, family

from kbe_graph.show.question_story import KeyPath
from kbe_graph.types import IMAGE, Entity, Triplet

QUESTION = family().question


def test_a_path_shows_its_entities_and_relations_in_order() -> None:
    html = KeyPath(QUESTION.key, QUESTION.hop)._repr_html_()
    steps = re.findall(r"<li[^>]*>(.*?)</li>", html)
    assert steps == ["IMAGE", "depicts", "GIRAFFE", "taxonomic family", "GIRAFFIDAE"]
    assert 'aria-label="IMAGE -[depicts]-&gt; GIRAFFE -[taxonomic family]-&gt; GIRAFFIDAE"' in html
    assert 'title="visual, detection, giraffe"' in html
    assert 'title="textual, explored, pack, said"' in html
    assert 'class="edge textual explored"' in html
    assert "explored," not in KeyPath(QUESTION.key, 0)._repr_html_()


def test_a_path_that_breaks_off_begins_anew() -> None:
    path = KeyPath((DEPICTS, Triplet(IMAGE, "depicts", Entity("BIRD"))))
    assert str(path) == "IMAGE -[depicts]-> GIRAFFE; IMAGE -[depicts]-> BIRD"
    assert path._repr_html_().count('class="gap"') == 1
