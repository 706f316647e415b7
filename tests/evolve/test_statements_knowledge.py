"""Hops by the statements that a workspace has of Wikidata's items."""

from pathlib import Path

import pytest
from wiki_specimens import ADAMS

import kbe_graph as kbe
from kbe_graph.types import WikiStatement


@pytest.fixture
def work(tmp_path: Path, empty_graph: kbe.Address) -> kbe.Workspace:
    return kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)


def says(property_id: str, relation: str, target: str, text: str, **more: object) -> WikiStatement:
    id_ = f"{ADAMS.id}${property_id}-{target}"
    return WikiStatement(
        id_, ADAMS.id, property_id, relation, "wikibase-item", "item", target=target, text=text, **more
    )  # type: ignore[arg-type]


def test_facts_are_statements_of_properties_worth_a_question_that_have_one_value(work: kbe.Workspace) -> None:
    from kbe_graph.evolve.knowledge import statements_knowledge

    made = says("P57", "director", "Q350", "Cambridge")
    twinned = says("P190", "twinned administrative body", "Q64", "Berlin")
    several = [
        says("P36", "capital", "Q1", "One"),
        says("P36", "capital", "Q2", "Two", reasons=("ended or of a part",)),
    ]
    work.store.save_items([ADAMS], [made, twinned, *several])
    facts = statements_knowledge(work.folder, work.store).own.facts
    stated = [(fact.relation, fact.object_id, fact.source_ref) for fact in facts]
    assert stated == [("director", "wd:Q350", made.id)]
