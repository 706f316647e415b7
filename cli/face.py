"""The face of a command: its options are the fields of the options that it takes, its arguments its own parameters.

And what commands that may ask a model share: which of its options they take, and how costs are told.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields
from functools import partial
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

import click

from kbe_graph import Estimate, ModelOptions, Workspace
from kbe_graph.cli.command_settings import Group, epilog, with_flags
from kbe_graph.cli.printing import JSON, STANDARD_OUTPUT, reporter
from kbe_graph.errors import KbeError, ModelError
from kbe_graph.options import About, about_of, is_options, plain_type

Function = Callable[..., None]
NAMED = "name base_url"
LIMITED = f"{NAMED} budget max_calls"
SENT = f"{LIMITED} runner"
PARTS = {
    "Model": "model base_url budget max_calls runner",
    "Questions by a model": "mode gates ground verify independent blind language",
    "Facts and checks": "knowledge wording filters unsourced reselect max_length contact endpoint offline ray",
}
"""The parts of a command's help after its first, with the options in each."""


class OutputFile(click.Path):
    """A file or a folder to write; ``-`` is standard output."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, allow_dash=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the value to a path; raises UsageError."""
        return STANDARD_OUTPUT if str(value) == "-" else super().convert(value, param, ctx)


Output = Annotated[Path, OutputFile()]


class Command(click.Command):
    """A command that prints JSON on request."""

    has_json = True

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Add ``--json``, as click adds ``--help``."""
        own = super().get_params(ctx)
        json = click.Option(["--json"], is_flag=True, expose_value=False, help="Print JSON.", callback=_remember_json)
        return [*own[:-1], json, own[-1]] if self.has_json else own

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in parts, and first who does the work."""
        part_of = {name: title for title, names in PARTS.items() for name in names.split()}
        parts: dict[str, list[tuple[str, str]]] = {title: [] for title in ("Options", *PARTS)}
        for param in sorted(self.get_params(ctx), key=lambda param: param.name != "by"):
            if record := param.get_help_record(ctx):
                parts[part_of.get(str(param.name), "Options")].append(record)
        for title, records in parts.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; its errors name options as the command line does."""
        try:
            return super().invoke(ctx)
        except KbeError as error:
            error.args = (with_flags(str(error), ctx), *error.args[1:])
            raise


def command(
    *examples: str, of: click.Group | None = None, name: str = "", about: str | None = None, json: bool = True
) -> Callable[[Function], click.Command]:
    """Make a command of a function: ``examples`` end its help, ``of`` is its group, ``json`` whether it prints JSON.

    A parameter that is a ``Workspace`` gets the open workspace, and ``folder`` its path. One annotated with a class of
    ``Options`` gets these, made of an option for each field, or only for those that a text beside the class names; one
    annotated with ``About`` is an option itself. All others are arguments. The help is the function's docstring, or
    ``about``.
    """

    def make(function: Function) -> click.Command:
        made = Command(
            name or function.__name__.strip("_"),
            params=params_of(function),
            callback=click.pass_context(partial(call, function)),
            help=about or function.__doc__,
            epilog=epilog(*examples),
        )
        made.has_json = json
        if of is not None:
            of.add_command(made)
        return made

    return make


def group(*examples: str) -> Callable[[Function], Group]:
    """Make a group of commands; ``examples`` end its help."""
    return lambda function: Group(function.__name__, callback=function, help=function.__doc__, epilog=epilog(*examples))


def open_work(folder: Path) -> Workspace:
    """Open a folder's workspace with progress reporting for commands; raises ConfigError if there is none."""
    return Workspace(folder, create=False, progress=reporter())


def make_option(name: str, kind: Any, default: Any, about: About) -> click.Option:
    """Make an option from the type and default of a keyword."""
    plain = plain_type(kind)
    flag = about.flag or name.replace("_", "-")
    settings: dict[str, Any] = {"show_default": default not in (None, "", ()), "metavar": about.metavar}
    if plain is bool and not default and NoneType not in get_args(kind):
        settings = {"is_flag": True}
    else:
        many = default == () or get_origin(plain) is tuple
        plain = get_args(plain)[0] if get_origin(plain) is tuple else plain
        settings |= {"type": _type(plain, about), "default": None if default == "" else default, "multiple": many}
        if plain is bool:
            settings |= {"show_default": "on" if default else "off", "metavar": "on|off"}
    return click.Option(flag.split("/") if flag.startswith("-") else [f"--{flag}"], help=about.help, **settings)


def params_of(function: Function) -> list[click.Parameter]:
    """Make the options and arguments of a command's function."""
    return [param for each in signature(function).parameters.values() for param in _made_of(each).values()]


def call(function: Function, ctx: click.Context, /, **values: Any) -> None:
    """Call a command's function with the values of its options and arguments."""
    given: dict[str, Any] = {}
    work: Any = nullcontext()
    for each in signature(function).parameters.values():
        kind, _ = _annotation(each)
        if kind is Workspace:
            work = given[each.name] = open_work(ctx.obj)
        elif each.name == "folder":
            given[each.name] = ctx.obj
        else:
            made = {name: values[str(param.name)] for name, param in _made_of(each).items()}
            if is_options(kind):
                made = {each.name: kind(**_without_none({part.name: part.default for part in fields(kind)}, made))}
            given |= _without_none({each.name: each.default}, made)
    with work:
        function(**given)
    if isinstance(work, Workspace) and work.reporter.lost:
        raise ModelError("not complete: an endpoint was gone for some calls; run the same command again")


def _without_none(defaults: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: defaults[name] if value is None else value for name, value in values.items()}


def _remember_json(ctx: click.Context, param: click.Parameter, value: object) -> None:
    del param
    ctx.meta[JSON] = value


def _annotation(each: Parameter) -> tuple[Any, list[Any]]:
    if get_origin(each.annotation) is not Annotated:
        return each.annotation, []
    kind, *notes = get_args(each.annotation)
    return kind, notes


def _made_of(each: Parameter) -> dict[str, click.Parameter]:
    kind, notes = _annotation(each)
    if kind is Workspace or each.name == "folder":
        return {}
    if is_options(kind):
        names = notes[0].split() if notes else ()
        return dict(_field_options(kind, names))
    if notes and isinstance(notes[0], About):
        return {each.name: make_option(each.name, kind, each.default, notes[0])}
    return {each.name: _argument(each, kind, notes)}


def _field_options(kind: Any, names: Collection[str]) -> Iterator[tuple[str, click.Parameter]]:
    for field in fields(kind):
        if "option" in field.metadata and (not names or field.name in names):
            yield field.name, make_option(field.name, field.type, field.default, about_of(field))


def _argument(each: Parameter, kind: Any, notes: list[Any]) -> click.Argument:
    many = get_origin(kind) is tuple
    settings: dict[str, Any] = {"nargs": -1} if many else {}
    if each.default is not Parameter.empty and not many:
        settings["default"] = each.default
    settings["metavar"] = next((note for note in notes if isinstance(note, str)), None)
    type_ = next((note for note in notes if isinstance(note, click.ParamType)), None)
    type_ = type_ or _type(get_args(kind)[0] if many else plain_type(kind), About(""))
    return click.Argument([each.name], type=type_, required=each.default is Parameter.empty, **settings)


def _type(kind: Any, about: About) -> Any:
    choices = about.allowed() or (get_args(kind) if get_origin(kind) is Literal else ())
    if choices:
        return click.Choice([choice for choice in choices if choice])
    if kind is float and (about.least, about.most, about.above) != (None, None, None):
        least = about.least if about.above is None else about.above
        return click.FloatRange(min=least, min_open=about.above is not None, max=about.most)
    if kind is int and (about.least is not None or about.most is not None):
        return click.IntRange(about.least, None if about.most is None else int(about.most))
    return click.Path(path_type=Path) if kind is Path else kind if kind in {int, float, str, bool} else str


def names_model(model: ModelOptions) -> bool:
    """Whether the command line names a model or its address, which makes the model do the command's work."""
    return bool(model.name or model.base_url)


def unpriced_words(estimate: Estimate) -> str:
    """Name the models without a known price; empty if all have one."""
    return f"no price known for {', '.join(estimate.unpriced)}" if estimate.unpriced else ""


def dollar_line(dollars: float, each: float | None, of_what: str, unpriced: str, bound: str = "") -> str:
    """Format dollars, those of each question, and the models without a price; with no price, dollars are unknown."""
    total = "unknown" if unpriced and not dollars else f"{bound}{dollars:.4f}"
    part = "" if each is None else f", {each:.5f} {of_what}"
    return f"dollars: {total}{part}" + (f" ({unpriced}; set it in [models.price] of kbe.toml)" if unpriced else "")


def awaited_lines(files: Sequence[Path]) -> list[str]:
    """State the next step for each file of requests that waits for replies, with request counts by step."""
    if not files:
        return []
    waiting = open_work(click.get_current_context().obj).models.waiting_calls()
    counts = {name: ", ".join(f"{step} {count}" for step, count in by.items()) for name, by in waiting.items()}
    return [
        f"wrote {file} (requests: {counts.get(file.name, '')}); import the replies with 'kbe calls take FILE', then "
        "re-run this command"
        for file in files
    ]
