"""Spoiled files of every kind are read, or refused in one line: a few of those that ``bench/fuzz.py`` draws."""

import importlib.util
import random
import tempfile
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    specification = importlib.util.spec_from_file_location("fuzz", Path(__file__).parents[2] / "bench" / "fuzz.py")
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_files_that_once_ended_a_command_with_a_traceback_or_without_a_word(fuzz: ModuleType) -> None:
    for place in ["0 5861", "0 7174", "0 7348", "5 7653"]:
        with tempfile.TemporaryDirectory() as folder:
            kinds = fuzz.kinds(Path(folder))
            kind = kinds[int(place.split()[1]) % len(kinds)]
            assert fuzz.outcome_of(kind, fuzz.spoiled(kind.good, random.Random(place))) in {"read", "refused"}, place


def test_spoiled_files_are_read_or_refused_in_one_line(fuzz: ModuleType) -> None:
    for seed in range(3):
        outcomes, faults = fuzz.run(280, seed)
        assert faults == [], seed
        assert len(outcomes) == 19, seed
        assert all(counts["refused"] for counts in outcomes.values()), seed
        assert sum(counts["read"] for counts in outcomes.values()) > 20, (
            seed
        )  # what is spoiled a little may still be good
