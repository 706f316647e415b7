from kbe_graph.checks.path import decide_path
from kbe_graph.english.seen import Names, ask, kind_of
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
ON = Triplet(CUP, "on", TABLE)


def test_a_gerund_asks_what_is_done_to():
    assert texts((*shown(MAN), RIDES)) == ("What animal is the man in this image riding?",)


def test_a_preposition_stands_at_the_end():
    assert texts((*shown(CUP), Triplet(CUP, "on", HORSE))) == ("What animal is the cup in this image on?",)


def test_nobody_is_laying_on_a_table():
    assert texts((*shown(MAN), Triplet(MAN, "laying on", HORSE))) == ("What animal is the man in this image lying on?",)


def test_a_relation_that_ties_a_thing_loosely_is_refused() -> None:
    for relation, thing in [("towing down", "ROPE"), ("parked in", "WINDOW"), ("grazing with", "LIGHTHOUSE")]:
        assert reason((*shown(HORSE), Triplet(HORSE, relation, Entity(thing)))) == "relation says too little"


def test_a_longer_path_names_its_middle_by_its_beginning():
    path = (*shown(MAN), RIDES, Triplet(HORSE, "eating", APPLE))
    assert texts(path) == ("In this image, what fruit is the horse that the man is riding eating?",)


def test_a_material_is_asked_for():
    wood = Triplet(TABLE, "material", Entity("wood"))
    assert texts((*shown(TABLE), wood))[0] == "What material is the table in this image made of?"


def test_several_of_one_name_are_told_apart_by_an_attribute():
    other, red, blue = Entity("CUP", 2), Entity("red", noun=False), Entity("blue", noun=False)
    path = (*shown(CUP), Triplet(CUP, "on", HORSE))
    assert reason(path, *shown(other)) == "names are not unique"
    colours = (Triplet(CUP, "color", red), Triplet(other, "color", blue))
    assert texts(path, *shown(other), *colours) == ("What animal is the red cup in this image on?",)
    assert reason(path, *shown(other), colours[0], Triplet(other, "color", red)) == "names are not unique"


def test_a_number_makes_a_plural():
    two = Triplet(CUP, "count", Entity("two", noun=False))
    assert texts((*shown(CUP), Triplet(CUP, "on", HORSE)), two) == ("What animal are the cups in this image on?",)


def test_another_answer_is_a_refusal_unless_the_kind_rules_it_out():
    near = Triplet(MAN, "next to", HORSE)
    assert texts((*shown(MAN), near), Triplet(MAN, "next to", FENCE)) == (
        "What animal is the man in this image next to?",
    )
    assert reason((*shown(MAN), near), Triplet(MAN, "next to", Entity("DOG"))) == "several things answer"


def test_an_empty_relation_and_a_lone_thing_are_refused():
    assert reason((*shown(MAN), Triplet(MAN, "has", HORSE))) == "relation says too little"
    assert reason((*shown(MAN), Triplet(MAN, "standing next to", FENCE))) == "relation says too little"
    assert reason((*shown(TABLE), Triplet(TABLE, "holding", CUP))) == "relation says too little"
    assert reason((*shown(MAN), Triplet(MAN, "sitting on", FENCE))) == "relation says too little"
    assert reason((*shown(MAN), Triplet(MAN, "next to", Entity("BUS")))) == "relation says too little"
    assert ask(Names(graph(*shown(HORSE))), shown(HORSE)).texts[0] == "What animal is in this image?"


def test_a_person_is_not_asked_for_and_the_relation_must_not_name_the_end():
    assert reason((*shown(HORSE), Triplet(HORSE, "next to", MAN))) == "asks for a person"
    assert reason((*shown(MAN), Triplet(MAN, "riding on a horse or", HORSE))) == "question names the end"


def test_a_path_of_four_edges_is_too_long_to_say():
    path = (*shown(MAN), RIDES, Triplet(HORSE, "standing on", FENCE), Triplet(FENCE, "next to", CUP))
    assert reason(path) == "path too long"


def test_the_reference_for_the_next_hop_names_no_end():
    phrases = ask(Names(graph(*shown(MAN), RIDES)), (*shown(MAN), RIDES)).reference.phrases
    assert phrases[0].text == "the animal that the man is riding"


def test_a_kind_is_named_only_for_a_clear_sense():
    assert kind_of(HORSE) == "animal"
    assert kind_of(Entity("PLATE")) == ""
    assert kind_of(Entity("GRILL")) == ""


def test_one_animal_has_one_back():
    assert texts((*shown(MAN), Triplet(MAN, "riding on the backs of", HORSE))) == (
        "What animal is the man in this image riding on the back of?",
    )


def test_what_is_on_the_wall_of_a_room_is_not_what_the_room_is_on():
    kitchen = Entity("KITCHEN")
    assert reason((*shown(kitchen), Triplet(kitchen, "on", FENCE))) == "relation says too little"


def test_a_mouse_beside_a_keyboard_is_no_animal():
    assert kind_of(Entity("MOUSE")) != "animal"
