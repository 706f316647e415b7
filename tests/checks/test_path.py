import pytest
from filter_cases import case

from kbe_graph.checks.path import PATH_CHECKS, PathLeak
from kbe_graph.types import SampleGraph
from kbe_graph.wording.names import Names
from kbe_graph.wording.reselected import ask

ALONE = [check for check in PATH_CHECKS if check.name not in {"names are not unique", "several things answer"}]


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
