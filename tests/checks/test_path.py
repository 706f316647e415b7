import pytest
from filter_cases import case

from kbe_graph.checks.path import PATH_CHECKS, PathLeak, decide_path
from kbe_graph.types import IMAGE, Entity, SampleGraph, Triplet
from kbe_graph.wording.names import Names
from kbe_graph.wording.reselected import ask

# What these refuse, a path alone does not show.
OF_MORE = {"names are not unique", "several things answer", "annotations do not agree"}
ALONE = [check for check in PATH_CHECKS if check.name not in OF_MORE]
MAN, HORSE, DOG, PIZZA = (Entity(name) for name in ("MAN", "HORSE", "DOG", "PIZZA"))


def seen(row):
    """The names of a picture that shows one path, and the path."""
    key = case(row._replace(relation="")).question.key
    return Names(SampleGraph("s", key, (), key)), key


@pytest.mark.parametrize("check", ALONE, ids=lambda check: check.name)
def test_each_example_of_a_path_is_refused_by_its_own_check(check):
    assert check.detail(*seen(check.refused)) is not None


@pytest.mark.parametrize("check", PATH_CHECKS, ids=lambda check: check.name)
def test_each_good_example_of_a_path_passes_its_check(check):
    assert check.detail(*seen(check.passed)) is None


@pytest.mark.parametrize(("row", "keep"), [(PathLeak.refused, False), (PathLeak.passed, True)])
def test_a_question_must_not_name_the_end_of_its_path(row, keep):
    names, path = seen(row)
    assert PathLeak().decide(path, ask(names, path).texts).keep is keep


def shown(source, *entities, evidence=""):
    """What an annotation shows."""
    return tuple(Triplet(IMAGE, "depicts", entity, source=source, evidence=evidence) for entity in entities)


def refusal(path, *more):
    """The first refusal of a path in a picture that shows more."""
    return decide_path(Names(SampleGraph("s", (*path, *more), (), path[:1])), path).reason


LEADING = Triplet(MAN, "leading", HORSE, source="caption")


def test_a_thing_that_caption_or_detections_alone_show_is_not_believed():
    path = (*shown("caption, detection", MAN), LEADING)
    assert refusal(path, *shown("caption", HORSE), *shown("detection", DOG)) == "annotations do not agree"
    assert refusal(path, *shown("caption, detection", HORSE)) == ""


def test_synonyms_and_kinds_agree_but_not_by_the_widest_kinds():
    path = (*shown("caption", MAN), LEADING)
    seen = (*shown("caption", HORSE), *shown("detection", Entity("PERSON")))
    assert refusal(path, *seen, *shown("detection", Entity("RACEHORSE"))) == ""
    assert refusal(path, *seen, *shown("detection", Entity("ANIMAL"))) == "annotations do not agree"


def test_one_sort_of_annotation_is_believed():
    path = (*shown("caption", MAN), LEADING)
    assert refusal(path, *shown("caption", HORSE)) == ""
    assert refusal((*shown("detection", HORSE),)) == ""


def test_a_lone_thing_is_asked_for_where_no_other_is_of_its_kind():
    assert refusal(shown("", HORSE), *shown("", PIZZA)) == ""
    assert refusal(shown("", HORSE), *shown("", DOG)) == "not alone of its kind"
    assert refusal(shown("detection", HORSE), *shown("detection", DOG)) == "not alone of its kind"
    assert refusal(shown("detection", HORSE), *shown("detection", Entity("IMPALA"))) == ""
    assert refusal(shown("", PIZZA)) == "not alone of its kind"
    near = (*shown("", MAN), Triplet(MAN, "next to", HORSE))
    assert refusal(near, *shown("", HORSE, DOG)) == "not alone of its kind"


def test_a_thing_is_asked_for_by_the_name_that_people_call_it():
    check = next(check for check in PATH_CHECKS if check.name == "not alone of its kind")
    ends = {name: Entity(name) for name in ("CANOE", "BOAT", "KING PENGUIN", "ZEBRA")}
    seen = {name: shown("detection", end) for name, end in ends.items()}
    told = {name: check.detail(Names(SampleGraph("s", path, (), path)), path) for name, path in seen.items()}
    assert told == {"CANOE": "rather called boat", "BOAT": None, "KING PENGUIN": "rather called penguin", "ZEBRA": None}


@pytest.mark.parametrize("place", ["FIELD", "KITCHEN", "STREET", "GAME", "WAVE", "COUCH"])
def test_places_furniture_and_words_for_anything_are_no_end(place):
    assert refusal((*shown("", DOG), Triplet(DOG, "sniffing", Entity(place)))) == "the answer says too little"


@pytest.mark.parametrize(
    ("subject", "relation", "end"),
    [("MAN", "riding", "SKATEBOARD"), ("BASEBALL PLAYER", "holding", "BAT"), ("DOG", "playing with", "FRISBEE")],
)
def test_an_end_that_most_pictures_have_is_given_away(subject, relation, end):
    subject = Entity(subject)
    assert refusal((*shown("", subject), Triplet(subject, relation, Entity(end)))) == "the words give it away"


@pytest.mark.parametrize(
    ("name", "source", "kept"),
    [
        ("SUBMARINE", "detection", False),
        ("MARACA", "detection", False),
        ("ZEBRA", "detection", True),
        ("SUBMARINE", "scene graph", True),
    ],
)
def test_a_rare_thing_is_not_believed_on_the_word_of_a_detector_alone(name: str, source: str, kept: bool):
    shown = Triplet(IMAGE, "depicts", Entity(name), source=source)
    asked = Triplet(IMAGE, "depicts", Entity("SURFER"), source="presupposed")
    decision = decide_path(Names(SampleGraph("s", (shown, asked), (), (shown,))), (shown,))
    assert decision.keep is kept


def test_names_that_run_together_are_no_end() -> None:
    woman, both = Entity("WOMAN"), Entity("BENCH FEEDING PIGEON")
    path = (Triplet(IMAGE, "depicts", woman), Triplet(woman, "sitting on", both))
    names = Names(SampleGraph("s", path, (), path))
    decision = decide_path(names, path)
    assert not decision.keep
    assert "several things" in decision.detail


def test_a_dog_may_be_asked_on_from_but_not_where_a_run_judges_answers_alone():
    path = (Triplet(IMAGE, "depicts", DOG, source="people"),)
    names = Names(SampleGraph("s", path, (), path))
    assert decide_path(names, path).keep
    assert decide_path(names, path, {"the words give it away"}.__contains__).reason == "the words give it away"
