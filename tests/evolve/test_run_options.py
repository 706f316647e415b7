"""A run's options are listed once: the command line and Python take the same ones, and refuse the same values."""

from dataclasses import fields
from inspect import signature
from pathlib import Path

import click
import pytest
from commands import kbe_here

import kbe_graph as kbe
from kbe_graph.checks import FilterSettings
from kbe_graph.cli.evolve import evolve
from kbe_graph.evolve.plan import plan_run
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.workspace.models import Models

NAMES = [field.name for field in fields(RunOptions)]
REFUSED = {
    "hops": (-1, "hops is -1; it must be a whole number of 0 or more"),
    "limit": (0, "limit is 0; it must be a whole number of 1 or more"),
    "sample": (0, "sample is 0; it must be a whole number of 1 or more"),
    "max_length": (13, "max_length is 13; it must be a whole number from 1 to 12"),
    "timeout": (0, "timeout is 0; it must be a number of more than 0 to 1e+08"),
    "reselect": ("some", "reselect is 'some'; it must be one of 'needed', 'all'"),
    "seed": ("one", "seed is 'one'; it must be a whole number"),
}


def test_the_methods_that_take_the_options_show_them() -> None:
    for method in (kbe.Workspace.evolve, Models.estimate):
        assert set(NAMES) <= set(signature(method).parameters)


def test_the_command_has_an_option_a_field_with_its_default() -> None:
    options = {option.name: option for option in evolve.params if isinstance(option, click.Option)}
    defaults = {
        field.name: field.default for field in fields(RunOptions) if field.type is not bool and field.name != "timeout"
    }
    assert {name: options[name].default for name in defaults} == defaults


def test_python_and_the_command_line_refuse_the_same_in_their_own_words(tmp_path: Path) -> None:
    work = kbe.Workspace(tmp_path, progress=False)
    for name, (value, message) in REFUSED.items():
        with pytest.raises(kbe.InputError) as refused:
            work.evolve(**{name: value})
        assert str(refused.value) == message
        option = f"--{name.replace('_', '-')}"
        assert f"'{option}'" in kbe_here("-w", tmp_path, "evolve", option, str(value), code=2), name


def test_the_settings_of_a_run_are_the_options_that_its_outcome_depends_on() -> None:
    usual = dict(plan_run(RunOptions("r"), FilterSettings()).run.settings)
    assert (usual["limit"], usual["max length"]) == ("None", "10")
    other = RunOptions("r", sample=7, filters="paper", reselect="all", unsourced=True)
    chosen = dict(plan_run(other, FilterSettings()).run.settings)
    assert chosen == usual | {"sample": "7", "checks": "paper", "reselect": "all", "unsourced": "on"}
