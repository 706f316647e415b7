"""What the statements of ``cypher/`` say of themselves in their headers: kind, meaning, parameters, columns."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.files.resources import statement

_PARAMETER = re.compile(r"parameter (\w+)(?: \((text|number)\))?(?: = (.+?))?: (.+)")
_COLUMN = re.compile(r"column (\w+): (.+)")
REQUIRED = object()


class Parameter(NamedTuple):
    """A parameter of a statement, a ``text`` or a ``number``; ``default`` is REQUIRED where it must be given."""

    name: str
    meaning: str
    default: Any = REQUIRED
    kind: str = "text"

    @property
    def required(self) -> bool:
        """Whether the parameter must be given."""
        return self.default is REQUIRED


class Statement(NamedTuple):
    """A statement file: ``kind`` is query (for users), read, write or schema; ``columns`` are name and meaning."""

    name: str
    kind: str
    meaning: str
    parameters: tuple[Parameter, ...]
    columns: tuple[tuple[str, str], ...]
    text: str


@cache
def read_statement(name: str) -> Statement:
    """Return the statement ``name`` with what its header says; raises ResourceError."""
    text = statement(name)
    header = [line.removeprefix("//").strip() for line in text.splitlines() if line.startswith("//")]
    kind = next(line.removeprefix("kind:").strip() for line in header if line.startswith("kind:"))
    parameters = tuple(_parameter(found) for line in header if (found := _PARAMETER.fullmatch(line)))
    columns = tuple((found[1], found[2]) for line in header if (found := _COLUMN.fullmatch(line)))
    meaning = " ".join(line for line in header if not line.startswith(("kind:", "parameter ", "column ")))
    return Statement(name, kind, meaning, parameters, columns, text)


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
    """Return the statements that are made for users, by name."""
    return [each for each in map(read_statement, statement_names()) if each.kind == "query"]


def query_statement(name: str) -> Statement:
    """Return the users' statement ``name``; raises InputError."""
    found = {query.name: query for query in queries()}
    if name not in found:
        raise InputError(f"no query {name!r}; there are {', '.join(found)}")
    return found[name]


def bind(query: Statement, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of a statement, defaults filled in; text becomes a number where the header says so.

    Raises InputError for one that is unknown, missing, or no number.
    """
    known = [parameter.name for parameter in query.parameters]
    if strangers := [name for name in given if name not in known]:
        raise InputError(
            f"query {query.name!r} has no parameter {strangers[0]!r}; it takes {', '.join(known) or 'none'}"
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
            raise InputError(f"query {query.name!r}: {parameter.name!r} is a whole number from 0 on, found {value!r}")
        return int(value)
    return value
