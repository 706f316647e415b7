"""Statements of ``cypher/`` with their headers: kind, group, meaning, parameters and columns."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.resources import statement

_PARAMETER = re.compile(r"parameter (\w+)(?: \((text|number)\))?(?: = (.+?))?: (.+)")
_COLUMN = re.compile(r"column (\w+): (.+)")
_WORDS = ("kind", "about", "reads", "example")
_WORD = re.compile(rf"({'|'.join(_WORDS)}): (.+)")
_EXAMPLE = re.compile(r"(\w+)=(.*?)(?= \w+=|$)")
REQUIRED = object()
GROUPS = ("the benchmark", "entities", "relations", "paths", "duplicates", "sources", "runs", "models", "Wikipedia")
"""The subjects of the users' queries."""


class Parameter(NamedTuple):
    """A parameter of a statement, of kind ``text`` or ``number``; ``default`` is REQUIRED if it must be given."""

    name: str
    meaning: str
    default: Any = REQUIRED
    kind: str = "text"

    @property
    def required(self) -> bool:
        """Whether the parameter must be given."""
        return self.default is REQUIRED


class Statement(NamedTuple):
    """A statement file: ``kind`` is query (for users), read, write or schema; ``columns`` are (name, meaning) pairs.

    A query is ``about`` one of ``GROUPS``. ``reads`` names the data that it scans in full, such as every edge; it is
    empty if the query starts at an index. ``example`` has values for the required parameters, as ``a=b c=d``.
    """

    name: str
    kind: str
    meaning: str
    parameters: tuple[Parameter, ...]
    columns: tuple[tuple[str, str], ...]
    text: str
    about: str = ""
    reads: str = ""
    example: str = ""


@cache
def read_statement(name: str) -> Statement:
    """Read the statement ``name`` and parse its header; raises ResourceError."""
    text = statement(name)
    header = [line.removeprefix("//").strip() for line in text.splitlines() if line.startswith("//")]
    parameters = tuple(_parameter(found) for line in header if (found := _PARAMETER.fullmatch(line)))
    columns = tuple((found[1], found[2]) for line in header if (found := _COLUMN.fullmatch(line)))
    words = dict.fromkeys(_WORDS, "") | {word[1]: word[2] for line in header if (word := _WORD.fullmatch(line))}
    lines = (line for line in header if not (_WORD.fullmatch(line) or line.startswith(("parameter ", "column "))))
    return Statement(name, meaning=" ".join(lines), parameters=parameters, columns=columns, text=text, **words)


def pasted(statement: Statement) -> str:
    """Format a statement for Neo4j Browser or cypher-shell, preceded by commands that set its parameters."""
    values = example_values(statement)
    given = {each.name: values[each.name] if each.required else each.default for each in statement.parameters}
    lines = [f":param {name} => {json.dumps(value)};" for name, value in given.items()]
    return "\n".join((*lines, statement.text.rstrip() + ";"))


def example_values(statement: Statement) -> dict[str, str]:
    """Return the parameter values of a statement's example."""
    return dict(_EXAMPLE.findall(statement.example))


def _parameter(found: "re.Match[str]") -> Parameter:
    name, kind, text, meaning = found.groups()
    default = REQUIRED if text is None else json.loads(text)
    return Parameter(name, meaning, default, kind or ("number" if isinstance(default, int) else "text"))


def statement_names() -> list[str]:
    """Return the names of all statements."""
    return sorted(
        file.name.removesuffix(".cypher")
        for file in files("kbe_graph.cypher").iterdir()
        if file.name.endswith(".cypher")
    )


def queries() -> list[Statement]:
    """Return the users' queries in the order of ``GROUPS``, then by name."""
    made = [each for each in map(read_statement, statement_names()) if each.kind == "query"]
    return sorted(made, key=lambda statement: (GROUPS.index(statement.about), statement.name))


def query_statement(name: str) -> Statement:
    """Return the users' query ``name``; raises InputError."""
    by_name = {query.name: query for query in queries()}
    if name not in by_name:
        raise InputError(f"no query {name!r}; choose from {', '.join(sorted(by_name))}")
    return by_name[name]


def bind(query: Statement, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a query, with defaults filled in and text converted to numbers where the header says so.

    Raises InputError for a parameter that is unknown, missing, or not a number.
    """
    names = [parameter.name for parameter in query.parameters]
    if strangers := [name for name in given if name not in names]:
        raise InputError(
            f"query {query.name!r} has no parameter {strangers[0]!r}; it takes {', '.join(names) or 'none'}"
        )
    return {parameter.name: _value(query, parameter, given) for parameter in query.parameters}


def _value(query: Statement, parameter: Parameter, given: dict[str, Any]) -> Any:
    if parameter.name not in given:
        if parameter.required:
            raise InputError(
                f"query {query.name!r} needs {parameter.name!r} ({parameter.meaning}); "
                f"give it with -p {parameter.name}=..."
            )
        return parameter.default
    value = given[parameter.name]
    if parameter.kind == "number" and value is not None and not isinstance(value, int):
        if not str(value).isdecimal():
            raise InputError(
                f"query {query.name!r}: {parameter.name!r} must be a whole number of 0 or more; found {value!r}"
            )
        return int(value)
    return value
