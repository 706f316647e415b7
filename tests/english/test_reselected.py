from kbe_graph.checks.path import decide_path
from kbe_graph.english.seen import Names, ask
from kbe_graph.evolve.reselection import word_path
from kbe_graph.types import IMAGE, Decision, Entity, SampleGraph, Triplet

MAN, HORSE, FENCE, CUP, TABLE, APPLE = map(Entity, ("MAN", "HORSE", "FENCE", "CUP", "TABLE", "APPLE"))


def shown(*entities: Entity) -> tuple[Triplet, ...]:
    return tuple(Triplet(IMAGE, "depicts", entity) for entity in entities)


def graph(*visual: Triplet) -> SampleGraph:
    return SampleGraph("s", visual, (), visual[:1])


def texts(path: tuple[Triplet, ...], *more: Triplet) -> tuple[str, ...]:
    names = Names(graph(*dict.fromkeys((*path, *more))))
    decision = decide_path(names, path)
    assert decision.keep, decision
    return ask(names, path).texts


def reason(path: tuple[Triplet, ...], *more: Triplet) -> str:
    decision = word_path(graph(*dict.fromkeys((*path, *more))), path, 1)
    assert isinstance(decision, Decision)
    return decision.reason


RIDES = Triplet(MAN, "riding", HORSE)


def test_a_longer_path_names_its_middle_by_its_beginning():
    path = (*shown(MAN), RIDES, Triplet(HORSE, "eating", APPLE))
    assert texts(path) == ("In this image, what fruit is the horse that the man is riding eating?",)


def test_a_material_is_asked_for():
    wood = Triplet(TABLE, "material", Entity("wood"))
    assert texts((*shown(TABLE), wood))[0] == "What material is the table in this image made of?"


def test_another_answer_is_a_refusal_unless_the_kind_rules_it_out():
    near = Triplet(MAN, "next to", HORSE)
    assert texts((*shown(MAN), near), Triplet(MAN, "next to", FENCE)) == (
        "What animal is the man in this image next to?",
    )
    assert reason((*shown(MAN), near), Triplet(MAN, "next to", Entity("DOG"))) == "several things answer"


def test_a_person_is_not_asked_for_and_the_relation_must_not_name_the_end():
    assert reason((*shown(HORSE), Triplet(HORSE, "next to", MAN))) == "asks for a person"
    assert reason((*shown(MAN), Triplet(MAN, "riding on a horse or", HORSE))) == "question names the end"
