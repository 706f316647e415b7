"""Whole runs against endpoints that are bad in many ways (bench/bad_endpoints.py acts them, here with few samples)."""

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parents[2] / "bench"


def bench(name: str) -> ModuleType:
    """Import a script of the benches, whose folder is not on the path: it would hide packages of the same names."""
    spec = spec_from_file_location(name, BENCH / f"{name}.py")
    assert spec
    assert spec.loader
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


bench("scripted")
bad_endpoints = bench("bad_endpoints")
SLOW = {"a page at 200 for ever", "500 for ever", "500 for some requests for ever", "no answer in time, 5 %"}


@pytest.fixture(scope="module")
def field() -> Iterator["bad_endpoints.Field"]:
    with bad_endpoints.fields(4, 1) as place:
        row = place.row(bad_endpoints.GOOD, lambda _: None)
        assert (row.extract, row.is_good) == ("4 of 4", True)
        yield place


@pytest.mark.parametrize("kind", [kind for kind in bad_endpoints.KINDS if kind not in SLOW])
def test_a_run_ends_well_or_with_a_true_sentence_and_the_same_commands_heal_it(
    field: "bad_endpoints.Field", kind: str
) -> None:
    row = field.row(kind, bad_endpoints.KINDS[kind])
    assert row.is_good, row
