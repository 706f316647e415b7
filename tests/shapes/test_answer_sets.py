"""Answer sets: which questions have one answer and need every edge of their key, on each engine."""

import random
from dataclasses import replace

import pytest

from kbe_graph.store import Store
from kbe_graph.types import (
    IMAGE,
    RAW,
    WHOLE_KEY,
    Draft,
    DraftEdge,
    Entity,
    Question,
    Sample,
    SampleGraph,
    Triplet,
    question_id,
)

SAMPLE = "own/val/1"


def seen(subject: str, relation: str, thing: str, number: int = 1) -> Triplet:
    return Triplet(_entity(subject), relation, Entity(thing, number))


def fact(subject: str, relation: str, thing: str) -> Triplet:
    return Triplet(_entity(subject), relation, Entity(thing), "textual")


def _entity(name: str) -> Entity:
    return IMAGE if name == "IMAGE" else Entity(name)


PLANE = seen("IMAGE", "depicts", "AIRCRAFT")
AIRLINE, TYPE = seen("AIRCRAFT", "is flown by", "AIR FRANCE"), seen("AIRCRAFT", "is of type", "AIRBUS A380")
FRUIT = [seen("IMAGE", "shows", name) for name in ("APPLE", "ORANGE", "BANANA")]
CUTLERY = [seen("IMAGE", "shows", name) for name in ("FORK", "KNIFE", "SPOON")]
VISUAL = (
    PLANE,
    AIRLINE,
    TYPE,
    *FRUIT,
    *CUTLERY,
    seen("KNIFE", "has a handle of", "horn"),
    seen("AIRCRAFT", "is", "white"),
)


def graph(store: Store, visual: tuple[Triplet, ...] = VISUAL) -> None:
    sample = Sample(SAMPLE, "own", "val", "Where does it fly?", "france")
    store.save_samples([sample])
    raw = Question(question_id(SAMPLE, RAW, 0), SAMPLE, RAW, 0, "raw", sample.question, "france", visual[:1])
    store.save_graphs([SampleGraph(SAMPLE, visual, (), visual[:1])], [raw])


def draft(answer: str, key: list[DraftEdge], *rivals: Triplet, number: int = 1, compares: str = "") -> Draft:
    edges = (*key, *(DraftEdge(rival, rival=True) for rival in rivals))
    return Draft(SAMPLE, "one", number, "shape", "?", answer, edges, Entity(answer), compares=compares)  # type: ignore[arg-type]


FLIES = DraftEdge(fact("AIR FRANCE", "retired a type in", "2020"))
ENDED = DraftEdge(fact("AIRBUS A380", "left a fleet in", "2020"))
START = [DraftEdge(PLANE, "aircraft", is_seen=True), DraftEdge(AIRLINE), DraftEdge(TYPE)]
OTHERS = (fact("AIR FRANCE", "retired a type in", "2014"), fact("AIRBUS A380", "left a fleet in", "2021"))
IDENTIFY = draft("AIRBUS A380", [START[0], START[2]])
ALONG = draft("TOULOUSE", [START[0], START[2], DraftEdge(fact("AIRBUS A380", "is assembled in", "TOULOUSE"))])
JOIN = draft("2020", [*START, FLIES, ENDED], *OTHERS)
SELECT = draft(
    "BANANA",
    [DraftEdge(FRUIT[2], is_seen=True), DraftEdge(fact("BANANA", "grows on", "HERB"), "herb")],
    fact("APPLE", "grows on", "TREE"),
    fact("ORANGE", "grows on", "TREE"),
)
COMPARE = draft(
    "APPLE",
    [
        *(DraftEdge(FRUIT[at], is_seen=True) for at in (0, 1)),
        DraftEdge(fact("APPLE", "has chromosomes", "34 CHROMOSOMES"), number=34),
        DraftEdge(fact("ORANGE", "has chromosomes", "18 CHROMOSOMES"), number=18),
    ],
    compares="most",
)
BACK = draft(
    "SPOON",
    [
        START[0],
        START[2],
        DraftEdge(fact("AIRBUS A380", "is nicknamed after", "SPOON")),
        DraftEdge(CUTLERY[2], is_seen=True),
    ],
    fact("AIRBUS A380", "is nicknamed after", "WHALE"),
)


@pytest.mark.parametrize("asked", [IDENTIFY, ALONG, JOIN, SELECT, COMPARE, BACK])
def test_a_question_has_one_answer_and_needs_every_edge(store: Store, asked: Draft) -> None:
    graph(store)
    store.save_drafts([asked])
    answers = store.answer_sets(asked)
    own = frozenset({f"{SAMPLE}|{asked.end.key}"})
    assert answers[WHOLE_KEY] == own
    assert sorted(answers) == [WHOLE_KEY, *range(asked.depth)]
    assert [place for place in range(asked.depth) if answers[place] == own] == []


def test_several_answers_are_told(store: Store) -> None:
    graph(store)
    facts = [DraftEdge(fact("AIR FRANCE", "serves", "PARIS"))]
    many = draft("PARIS", [*START[:2], *facts], fact("AIR FRANCE", "serves", "LYON"))
    tie = replace(COMPARE, number=2, edges=(*COMPARE.edges[:3], replace(COMPARE.edges[3], number=33)))
    store.save_drafts([many, tie])
    assert {each.rsplit("|", 1)[1] for each in store.answer_sets(many)[WHOLE_KEY]} == {"paris", "lyon"}
    assert store.answer_sets(tie)[WHOLE_KEY] == frozenset()


def test_planted_edges_that_are_not_needed_are_found(store: Store) -> None:
    """Half of forty questions have a condition that holds of every other thing of the kind, too."""
    wrong = []
    for number in range(40):
        is_needed = number % 2 == 0
        random_ = random.Random(number)
        kind, colour, other = random_.sample(["HORSE", "CAR", "CUP", "BIRD", "KITE", "BUS"], 1)[0], "red", "blue"
        count = random_.randint(2, 5)
        things = [Triplet(IMAGE, "shows", Entity(kind, at)) for at in range(1, count + 1)]
        marks = [
            Triplet(Entity(kind, at), "is", Entity(colour if at == 1 or not is_needed else other, noun=False))
            for at in range(1, count + 1)
        ]
        makers = [
            Triplet(Entity(kind, at), "is made by", Entity(f"MAKER {at if is_needed else 1}"))
            for at in range(1, count + 1)
        ]
        graph(store, (*things, *marks, *makers))
        word = kind.lower()
        key = [DraftEdge(things[0], word, is_seen=True), DraftEdge(marks[0], colour), DraftEdge(makers[0])]
        planted = draft("MAKER 1", key, number=number)
        store.save_drafts([planted])
        answers = store.answer_sets(planted)
        own = frozenset({f"{SAMPLE}|maker 1"})
        needless = [place for place in range(3) if answers[place] == own]
        if answers[WHOLE_KEY] != own or needless != ([] if is_needed else [1]):
            wrong.append((number, answers))
        store.forget_samples([SAMPLE])
    assert wrong == []
