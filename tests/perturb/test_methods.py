"""Names of operations, joined or of a method of the papers, are read as what is done."""

import pytest

from kbe_graph.errors import InputError
from kbe_graph.perturb.picture_edits import edit_operations
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.perturb.variant import BY_MODEL, METHODS, operation_names, read_compositions


def parts(name: str) -> tuple[list[str], list[str]]:
    (composition,) = read_compositions([name], PICTURE_OPERATIONS, TEXT_OPERATIONS)
    assert composition.name == name
    return [each.name for each in composition.pictures], [each.name for each in composition.texts]


def test_operations_are_done_in_the_order_named_pictures_first() -> None:
    assert parts("lead-in+noise+pad") == (["noise", "pad"], ["lead-in"])
    edits = edit_operations(lambda *_: ({}, _[0]))
    (composition,) = read_compositions(["pad+remove+add"], {**PICTURE_OPERATIONS, **edits}, {})
    assert [each.name for each in composition.pictures] == ["add", "remove", "pad"]


def test_a_method_is_the_operations_it_is_made_of() -> None:
    for name in METHODS:
        assert operation_names([name]) <= {*PICTURE_OPERATIONS, *TEXT_OPERATIONS, *BY_MODEL}, name
        if operation_names([name]).isdisjoint(BY_MODEL):
            pictures, texts = parts(name)
            assert [*pictures, *texts] == METHODS[name].split("+"), name


def test_a_name_that_is_none_is_refused_by_name() -> None:
    for name, said in [
        ("blur", r"no operation 'blur'; choose from re-encode, pad, .*mdk12.*; join several with '\+'"),
        ("", "no operation ''"),
        ("pad+", "no operation ''"),
        ("pad+pad", "'pad\\+pad' repeats an operation"),
        ("mdk12+pad", "'mdk12\\+pad' repeats an operation"),
        ("add", "operation 'add' needs a model"),
        ("vlb-v3", "operation 'expand' needs a model"),
    ]:
        with pytest.raises(InputError, match=said):
            read_compositions([name], PICTURE_OPERATIONS, TEXT_OPERATIONS)


def test_what_draws_nothing_is_told_from_what_does() -> None:
    names = ["invert", "invert+pad", "lead-in"]
    compositions = read_compositions(names, PICTURE_OPERATIONS, TEXT_OPERATIONS)
    assert [each.is_drawn for each in compositions] == [False, True, True]
