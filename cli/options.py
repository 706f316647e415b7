"""The options that commands share: their types, groups of options, and options generated from ``RunOptions``."""

from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields
from functools import partial, update_wrapper
from inspect import signature
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin
from urllib.parse import unquote

import click

from kbe_graph import RunOptions
from kbe_graph.cli.face import FiniteFloat, OutputFile, open_work  # noqa: F401 - others take them from here
from kbe_graph.options import About, about_of, plain_type

DOLLARS = FiniteFloat(min=0)


Command = Callable[..., None]
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def _complete_run(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    del param
    folder = Path(ctx.find_root().params.get("workspace") or ".") / ".kbe" / "runs"
    names = sorted(unquote(run.name) for run in folder.glob("*"))
    return [name for name in names if name.startswith(incomplete)]


def _run_option(default: str) -> Callable[[Command], Command]:
    help_ = f"Run name (default: {default})."
    return click.option("--run", default=None, shell_complete=_complete_run, help=help_)


run_option = _run_option("all runs")
benchmark_option = click.option("--benchmark", help="Use only the samples of this benchmark.")
chosen_run_option = _run_option("the only run, or the newest")
incomplete_option = click.option("--incomplete", is_flag=True, help="Accept unfinished and failed runs too.")


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """A group of options that a command receives as one argument ``name``: the result of ``make`` on their values."""

    name: str
    make: Callable[..., object]
    options: Sequence[Callable[[Command], Command]]

    def __call__(self, command: Command) -> Command:
        """Add the options to a command."""
        given: Command = update_wrapper(partial(self._passed, command), command)
        for option in reversed(self.options):
            given = option(given)
        return given

    def _passed(self, command: Command, *args: Any, **values: Any) -> None:
        made = self.make(**{name: values.pop(name) for name in signature(self.make).parameters})
        command(*args, **{self.name: made}, **values)


METAVARS = {"filters": "paper|all|NAME,..."}


def click_option(field: "Field[Any]") -> Callable[[Command], Command]:
    """Make the command-line option of a field of a verb's options; a flag for what is off by default."""
    about, kind = about_of(field), plain_type(field.type)
    if kind is bool and not field.default:
        return click.option(f"--{field.name.replace('_', '-')}", field.name, is_flag=True, help=about.help)
    settings: dict[str, Any] = {"default": field.default, "show_default": field.default is not None}
    if kind is bool:
        settings |= {"show_default": "on" if field.default else "off", "metavar": "on|off"}
    elif field.name in METAVARS:
        settings["metavar"] = METAVARS[field.name]
    name = f"--{field.name.replace('_', '-')}"
    return click.option(name, field.name, type=_click_type(kind, about), help=about.help, **settings)


def _click_type(kind: Any, about: About) -> Any:
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is float:
        return FiniteFloat(min=about.above, min_open=True, max=about.most)
    if kind is int and (about.least is not None or about.most is not None):
        return click.IntRange(about.least, None if about.most is None else int(about.most))
    return click.Path(path_type=Path) if kind is Path else kind


scope_options = OptionGroup("scope", RunOptions, [click_option(field) for field in fields(RunOptions)])


class WikidataFlags(NamedTuple):
    """The flags for access to Wikidata; None if a flag was not given."""

    contact: str | None
    endpoint: str | None
    offline: bool


wikidata_options = OptionGroup(
    "wikidata",
    WikidataFlags,
    (
        click.option("--contact", help="Your email or web address, for the server's operators (KBE_CONTACT)."),
        click.option("--endpoint", help="SPARQL endpoint to use instead of Wikidata's (KBE_ENDPOINT)."),
        click.option("--offline", is_flag=True, help="Do not contact Wikidata; use the cached answers."),
    ),
)
