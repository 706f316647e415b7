"""The shapes that rules make of annotated things and sourced facts."""

from kbe_graph.evolve.shapes.by_rule import RuleDrafts, Sharing
from kbe_graph.facts.pack import pack
from kbe_graph.types import IMAGE, Draft, Entity, SampleGraph, Triplet

DOG, HORSE, GRASS = Entity("DOG"), Entity("HORSE"), Entity("GRASS")
SHOWN = tuple(Triplet(IMAGE, "depicts", thing, source="scene graph") for thing in (DOG, HORSE, GRASS))


def drafts_of(*seen: Triplet, key: Triplet = SHOWN[0]) -> list[Draft]:
    said = Triplet(key.object, "is", Entity("wet", noun=False), "textual")
    graph = SampleGraph("s", (*SHOWN, *seen), (said,), (key, said))
    return RuleDrafts(graph, "r", Sharing(pack().sourced)).drafts()


def test_a_thing_is_selected_by_a_fact_that_others_of_its_kind_are_known_not_to_have() -> None:
    zebra, other = (Triplet(IMAGE, "depicts", Entity(name), source="scene graph") for name in ("ZEBRA", "KOALA"))
    said = Triplet(zebra.object, "is", Entity("wet", noun=False), "textual")
    graph = SampleGraph("s", (zebra, other), (said,), (zebra, said))
    (draft,) = RuleDrafts(graph, "r", Sharing(pack().sourced)).drafts()
    assert draft.text == "Which animal in this picture has Africa as its native continent?"
    assert (draft.answer, draft.hop, draft.depth) == ("zebra", 1, 2)
    assert any(edge.rival for edge in draft.edges)


def test_a_fact_is_asked_of_the_thing_that_alone_meets_a_condition() -> None:
    joined = {draft.text: draft for draft in drafts_of(Triplet(DOG, "on", GRASS)) if draft.shape == "join"}
    draft = joined["What is the sound of the animal on the grass?"]
    assert (draft.answer, draft.depth) == ("bark", 3)
    both = drafts_of(Triplet(DOG, "on", GRASS), Triplet(HORSE, "on", GRASS))
    assert all(draft.shape != "join" for draft in both)


def test_nothing_is_asked_of_what_the_raw_question_is_not_about() -> None:
    assert drafts_of(key=SHOWN[2]) == []


def test_every_fact_of_a_draft_has_a_source() -> None:
    facts = [fact for draft in drafts_of(Triplet(DOG, "on", GRASS)) for fact in draft.facts]
    assert facts
    assert all(not fact.unsourced and fact.source_ref for fact in facts)
