"""Write ``docs/api.md`` and ``docs/settings.md`` from the package: its public names, its commands, its settings.

``python scripts/build_docs.py`` writes them; with ``--check`` nothing is written, and a stale page is an error. With
``--demo W``, a workspace in which ``kbe -w W demo`` was run, it is ``docs/queries.md`` instead: the named queries, each
with what it finds there.
"""

import argparse
import inspect
import json
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any, Unpack, get_args, get_origin, get_type_hints

import click

import kbe_graph
from kbe_graph.checks import FilterSettings
from kbe_graph.cli.group import variable_of
from kbe_graph.cli.main import kbe
from kbe_graph.config import ADDRESS, FOR_TESTS, SECTIONS, VARIABLES
from kbe_graph.models.settings import PLACES, Capabilities, ModelSettings
from kbe_graph.store.statements import Parameter, Statement, example_values, queries

DOCS = Path(__file__).parents[1] / "docs"
GENERATED = "<!-- Written by scripts/build_docs.py; change the code, then run it again. -->"

GROUPS = {
    "To work with": (
        "Workspace",
        "Run",
        "RunOptions",
        "Guesses",
        "Evaluation",
        "Results",
        "ItemTable",
        "MemoryRow",
        "SampleStory",
        "demo",
        "read",
        "facts_about",
        "review_sheet",
    ),
    "To ask a model, to use a server": ("ModelOptions", "Estimate", "Evaluated", "Judgement", "Address"),
    "Values": (
        *("Sample", "Question", "QuestionForm", "Prediction", "Triplet", "Entity", "SampleGraph", "Fact"),
        *("Candidate", "Decision", "Reading"),
    ),
    "Errors": ("KbeError", "InputError", "BudgetReached"),
}
VARIABLE = {"Workspace": "work", "SampleStory": "story"}
NAMESPACES = ("graph", "models", "answers", "stats", "people")
"""The parts of ``work``, each a class of its own."""
WIDE = 100
EXAMPLE_ROWS = 3


def api() -> Iterator[str]:
    """Give the lines of the page on the public names."""
    yield from ("# API", "", GENERATED, "", "```python", "import kbe_graph as kbe", "```", "")
    yield from ("Each name is loaded when it is first used. [tutorial.ipynb](tutorial.ipynb) shows them at work.", "")
    if strangers := {*kbe_graph.__all__} ^ {"__version__", *(name for names in GROUPS.values() for name in names)}:
        raise SystemExit(f"public names and GROUPS differ: {sorted(strangers)}; mend GROUPS")
    for heading, names in GROUPS.items():
        yield from (f"**{heading}:** {', '.join(f'[{name}](#{name.lower()})' for name in names)}", "")
    for name in (name for names in GROUPS.values() for name in names):
        value = getattr(kbe_graph, name)
        yield from _class(name, value) if inspect.isclass(value) else _callable(f"## {name}", f"kbe.{name}", value)
        if name == "Workspace":
            for part in NAMESPACES:
                yield from _namespace(f"work.{part}", get_type_hints(vars(value)[part].fget)["return"])


def _class(name: str, kind: type) -> Iterator[str]:
    yield from (f"## {name}", "", "```python")
    is_error = issubclass(kind, BaseException)
    yield f"class kbe.{name}({kind.__mro__[1].__name__})" if is_error else f"kbe.{name}{_signature(kind)}"
    yield from ("```", "", *_prose(inspect.getdoc(kind) or ""))
    for member_name, member in _members(kind):
        if isinstance(member, property | cached_property):
            yield from (f"### {name}.{member_name}", "", *_prose(inspect.getdoc(member) or ""))
        elif inspect.isroutine(member):
            call = f"{VARIABLE.get(name, name.lower())}.{member_name}"
            yield from _callable(f"### {name}.{member_name}", call, inspect.unwrap(getattr(kind, member_name)))


def _namespace(name: str, kind: type) -> Iterator[str]:
    yield from (f"## {name}", "", *_prose(inspect.getdoc(kind) or ""))
    for member_name, member in _members(kind):
        heading = f"### {name}.{member_name}"
        if isinstance(member, property):
            yield from (heading, "", *_prose(inspect.getdoc(member) or ""))
        else:
            yield from _callable(heading, f"{name}.{member_name}", inspect.unwrap(getattr(kind, member_name)))


def _members(kind: type) -> Iterator[tuple[str, object]]:
    """Give the public members of a class and of its bases of ours, its own first; fields are in its call."""
    for base in kind.__mro__:
        if base.__module__.startswith("kbe_graph"):
            for name, member in vars(base).items():
                if not name.startswith("_") and name not in getattr(kind, "__match_args__", ()):
                    yield name, member


def _callable(heading: str, call: str, function: Callable[..., Any]) -> Iterator[str]:
    yield from (heading, "", "```python", f"{call}{_signature(function)}", "```", "")
    yield from _prose(inspect.getdoc(function) or "")


def _signature(function: Callable[..., Any]) -> str:
    signature = inspect.signature(function)
    parts, named_only = [], False
    for each in signature.parameters.values():
        if each.kind is each.KEYWORD_ONLY and not named_only:
            parts.append("*")
        named_only |= each.kind in {each.KEYWORD_ONLY, each.VAR_POSITIONAL}
        if each.kind is each.VAR_KEYWORD and get_origin(each.annotation) is Unpack:
            parts += [*["*"][named_only:], *_taken_options(*get_args(each.annotation))]
        elif each.name != "self":
            parts.append(_parameter(each))
    returned = signature.return_annotation
    end = "" if returned in (None, signature.empty) else f" -> {_annotation(returned)}"
    line = f"({', '.join(parts)}){end}"
    return line if len(line) < WIDE else "(\n" + "".join(f"    {part},\n" for part in parts) + f"){end}"


def _taken_options(options: type) -> Iterator[str]:
    """Give the options that a function takes as one value of a TypedDict, each of which may be left out."""
    for name, kind in inspect.get_annotations(options).items():
        yield f"{name}: {_annotation(kind)} = ..."


def _parameter(parameter: inspect.Parameter) -> str:
    stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    kind = "" if parameter.annotation is parameter.empty else f": {_annotation(parameter.annotation)}"
    default = "" if parameter.default is parameter.empty else f" = {_default_of(parameter.default)}"
    return f"{stars}{parameter.name}{kind}{default}".replace("<factory>", "...")


def _default_of(value: object) -> str:
    kind = type(value)
    return f"{kind.__name__}(...)" if kind.__module__.startswith("kbe_graph") else repr(value)


def _annotation(annotation: object) -> str:
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", text)


def _prose(docstring: str) -> Iterator[str]:
    """Give a docstring as Markdown: names between backticks, examples as blocks of code."""
    in_example = False
    for line in docstring.splitlines():
        if in_example and not line.strip():
            yield "```"
            in_example = False
        if line.startswith(">>> ") and not in_example:
            yield "```python"
            in_example = True
        yield line if in_example else line.replace("``", "`")
    if in_example:
        yield "```"
    yield ""


def settings() -> Iterator[str]:
    """Give the lines of the page on settings."""
    yield from ("# Settings", "", GENERATED, "")
    yield (
        "A flag wins over the environment, the environment over the workspace's `kbe.toml`, that over the default. "
        "`kbe doctor` prints"
    )
    yield from ("what is set and where it came from.", "")
    yield from (
        "```toml",
        "[evolve]      # a section carries the name of a command, a key that of an option",
        "hops = 3",
    )
    yield from ("max_length = 8", "```", "")
    yield (
        "A key is the last part of the option's name in the environment, in lower case: "
        "`KBE_EVOLVE_MAX_LENGTH` is `max_length`. The"
    )
    yield from (f"sections are {', '.join(f'`{name}`' for name in sorted(SECTIONS))}.", "")
    yield from ("## The graph's address", "", "Without `uri` the embedded engine is used.", "")
    yield from _table(
        ("environment", "kbe.toml, `[graph]`"), [(f"`{value}`", f"`{key}`") for key, value in ADDRESS.items()]
    )
    yield from ("## Environment", "", "Beside those of the options below:", "")
    yield from _table(("variable", "what it sets"), [(f"`{name}`", words) for name, words in VARIABLES.items()])
    yield from ("The tests read:", "")
    yield from _table(("variable", "what it sets"), [(f"`{name}`", words) for name, words in FOR_TESTS.items()])
    yield from _filters()
    yield from _models()
    yield from ("## Commands", "", "Before the command: `-w FOLDER` (the workspace), `--debug`, `--version`.", "")
    yield from _commands(kbe, "kbe", "KBE", "")


def _filters() -> Iterator[str]:
    yield from (
        "## Checks",
        "",
        "`[filters]` of `kbe.toml` holds the thresholds of the checks ([filters.md](filters.md)).",
        "",
    )
    meanings = dict(re.findall(r"^``(\w+)``: (.*)$", inspect.getdoc(FilterSettings) or "", re.MULTILINE))
    rows = [
        (f"`{each.name}`", _value(each.default), meanings[each.name].replace("``", "`"))
        for each in fields(FilterSettings)
    ]
    yield from _table(("key", "default", "meaning"), rows)


def _models() -> Iterator[str]:
    yield from ("## Models", "", "Where a model is:", "")
    rows = [
        (f"`{key}`", f"`{flag}`", *(f"`{name}`" for name in variables)) for key, (flag, variables) in PLACES.items()
    ]
    yield from _table(("key", "flag", "environment", "environment, shared with other programs"), rows)
    yield (
        "`[models]` of `kbe.toml` holds for all steps, `[models.STEP]` for one. "
        "A step that names a `base_url` of its own takes key and"
    )
    yield from ('model from its own table alone. A key `"$NAME"` stands for that variable.', "")
    yield from _table(("key", "default", "unit", "meaning"), _documented(ModelSettings))
    yield from ("`[models.capabilities]`: what is false is not sent.", "")
    yield from _table(("key", "default", "unit", "meaning"), _documented(Capabilities))
    own = "[a folder of your own prompts](models.md#prompts-of-your-own), from the workspace on"
    yield from ("## Prompts", "", f"`folder` in `[prompts]` of `kbe.toml`: {own}.", "")


def _documented(kind: type[Any]) -> list[tuple[str, str, str, str]]:
    """Return a row for each setting of a class, its unit and meaning by the lines of the class's docstring."""
    text = re.sub(r"\n(?!``|\n)", " ", inspect.getdoc(kind) or "")
    lines = re.finditer(r"^``(\w+)``(?: \(([^)]*)\))?: (.*)$", text, re.MULTILINE)
    meanings = {line[1]: (line[2] or "", line[3].replace("``", "`")) for line in lines}
    settings = [each for each in fields(kind) if each.name != "step"]
    return [(f"`{each.name}`", _value(each.default), *meanings[each.name]) for each in settings]


def _commands(group: click.Group, path: str, variable: str, section: str) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        own = f"{variable}_{name}".upper().replace("-", "_")
        inner = f"{section}.{name}" if section else name
        yield from (f"### {path} {name}", "", " ".join((command.help or "").split()), "")
        yield from _options(command, own)
        if isinstance(command, click.Group):
            yield from _commands(command, f"{path} {name}", own, inner)


def _options(command: click.Command, variable: str) -> Iterator[str]:
    options = [each for each in command.params if isinstance(each, click.Option)]
    if options:
        rows = [
            (f"`{each.opts[-1]}`", _default(each), f"`{variable_of(each, variable)}`", _cell(each.help or ""))
            for each in options
        ]
        yield from _table(("option", "default", "environment", "meaning"), rows)


def _default(option: click.Option) -> str:
    choices = f" ({', '.join(option.type.choices)})" if isinstance(option.type, click.Choice) else ""
    default = _value(None if option.is_flag and not option.default else option.to_info_dict()["default"])
    return f"{default}{choices}".strip()


def _value(value: object) -> str:
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value}`" if isinstance(value, str | int | float) and value != "" else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("``", "`")


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(columns)} |"
    yield f"|{' --- |' * len(columns)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def queries_page(work: kbe_graph.Workspace) -> Iterator[str]:
    """Give the lines of the page on the named queries, each with what it finds in a workspace."""
    yield from ("# Queries", "", GENERATED, "")
    yield from (
        "Each query is a file in `cypher/`. `kbe -w W query NAME -p PARAMETER=VALUE` runs it, on the embedded engine",
        "and on Neo4j; `kbe query NAME --text` prints it, with its parameters set, to paste into Neo4j Browser or for",
        "`cypher-shell`. The examples are the first rows on the demo (`kbe -w W demo`). A query that reads the whole",
        "of something says so; the others begin at an index, however large the graph is.",
        "",
    )
    for about, group in groupby(queries(), key=lambda statement: statement.about):
        yield from (f"## {about.capitalize()}", "")
        for statement in group:
            yield from _query(work, statement)


def _query(work: kbe_graph.Workspace, statement: Statement) -> Iterator[str]:
    reads = f" Reads {statement.reads}." if statement.reads else ""
    yield from (f"### {statement.name}", "", statement.meaning + reads, "")
    rows = [(f"`{each.name}`", _must(each), each.meaning) for each in statement.parameters]
    if rows:
        yield from _table(("parameter", "default", "meaning"), rows)
    yield from _table(("column", "meaning"), [(f"`{name}`", meaning) for name, meaning in statement.columns])
    values = example_values(statement)
    given = "".join(f" -p {name}={shlex.quote(value)}" for name, value in values.items())
    table = work.store.query(statement.name, values, limit=EXAMPLE_ROWS)
    yield from ("```", f"kbe -w W query {statement.name}{given} --limit {EXAMPLE_ROWS}", "```", "")
    if table.rows:
        cells = [[_cell(_shown(value)) for value in row] for row in table.rows]
        yield from _table(table.columns, cells)
    else:
        yield from ("No rows on the demo.", "")


def _must(parameter: Parameter) -> str:
    return "must be given" if parameter.required else f"`{json.dumps(parameter.default)}`"


def _shown(value: object) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


PAGES = {"api.md": api, "settings.md": settings}


def main() -> None:
    """Write the pages, or say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is stale")
    parser.add_argument("--demo", type=Path, metavar="W", help="make docs/queries.md, from the workspace of the demo")
    arguments = parser.parse_args()
    check = arguments.check
    if arguments.demo:
        with kbe_graph.Workspace(arguments.demo, create=False, progress=False) as work:
            texts = {DOCS / "queries.md": "\n".join(queries_page(work)).rstrip() + "\n"}
    else:
        texts = {DOCS / name: "\n".join(page()).rstrip() + "\n" for name, page in PAGES.items()}
    stale = [file for file, text in texts.items() if not file.exists() or file.read_text(encoding="utf-8") != text]
    if check and stale:
        raise SystemExit(f"stale: {', '.join(file.name for file in stale)}; run scripts/build_docs.py")
    for file in stale:
        file.write_text(texts[file], encoding="utf-8")


if __name__ == "__main__":
    main()
