from filter_cases import case

from kbe_graph.checks.path import PATH_CHECKS, PathLeak, decide_path
from kbe_graph.english.seen import Names, ask
from kbe_graph.types import IMAGE, Entity, SampleGraph, Triplet

# What these refuse, a path alone does not show.
OF_MORE = {"names are not unique", "several things answer"}
ALONE = [check for check in PATH_CHECKS if check.name not in OF_MORE]
MAN, HORSE, DOG = (Entity(name) for name in ("MAN", "HORSE", "DOG"))


def seen(row):
    """The names of a picture that shows one path, and the path."""
    key = case(row._replace(relation="")).question.key
    return Names(SampleGraph("s", key, (), key)), key


def test_each_example_of_a_path_is_refused_by_its_own_check() -> None:
    for check in ALONE:
        assert check.detail(*seen(check.refused)) is not None


def test_each_good_example_of_a_path_passes_its_check() -> None:
    for check in PATH_CHECKS:
        assert check.detail(*seen(check.passed)) is None


def test_a_question_must_not_name_the_end_of_its_path() -> None:
    for row, keep in [(PathLeak.refused, False), (PathLeak.passed, True)]:
        names, path = seen(row)
        assert PathLeak().decide(path, ask(names, path).texts).keep is keep


def shown(source, *entities, evidence=""):
    """What an annotation shows."""
    return tuple(Triplet(IMAGE, "depicts", entity, source=source, evidence=evidence) for entity in entities)


def refusal(path, *more):
    """The first refusal of a path in a picture that shows more."""
    return decide_path(Names(SampleGraph("s", (*path, *more), (), path[:1])), path).reason


def test_places_furniture_and_words_for_anything_are_no_end() -> None:
    for place in ["FIELD", "KITCHEN", "STREET", "GAME", "WAVE", "COUCH"]:
        assert refusal((*shown("", DOG), Triplet(DOG, "sniffing", Entity(place)))) == "the answer says too little"
