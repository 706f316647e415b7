"""The options of the commands that make a run, or prepare one: the fields of ``RunOptions``."""

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, Literal, get_args, get_origin

import click

from kbe_graph.cli.common import Command, Options
from kbe_graph.cli.option_types import FiniteFloat
from kbe_graph.evolve.run_options import RunOption, RunOptions, option_of, type_of

METAVARS = {"filters": "paper|all|NAME,..."}


def _click_option(field: "Field[Any]") -> Callable[[Command], Command]:
    about, kind = option_of(field), type_of(field)
    settings: dict[str, Any] = {"default": field.default, "show_default": field.default is not None}
    if kind is bool:
        settings |= {"show_default": "on" if field.default else "off", "metavar": "on|off"}
    elif field.name in METAVARS:
        settings["metavar"] = METAVARS[field.name]
    name = f"--{field.name.replace('_', '-')}"
    return click.option(name, field.name, type=_click_type(kind, about), help=about.help, **settings)


def _click_type(kind: Any, about: RunOption) -> Any:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is float:
        return FiniteFloat(min=about.above, min_open=True, max=about.most)
    if kind is int and (about.least is not None or about.most is not None):
        return click.IntRange(about.least, None if about.most is None else int(about.most))
    return kind


scope_options = Options("scope", RunOptions, [_click_option(field) for field in fields(RunOptions)])
