"""Statements of ``cypher/`` with their headers: kind, group, meaning, parameters and columns."""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from kbe_graph.errors import InputError, StoreError
from kbe_graph.files.resources import statement
from kbe_graph.store.connection import Connection, DuplicateKey, damaged

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
    parameters = tuple(_parameter(match) for line in header if (match := _PARAMETER.fullmatch(line)))
    columns = tuple((match[1], match[2]) for line in header if (match := _COLUMN.fullmatch(line)))
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


def _parameter(match: "re.Match[str]") -> Parameter:
    name, kind, text, meaning = match.groups()
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


VERSION = 12


def prepare(connection: Connection) -> None:
    """Bring the schema of the graph to this version, from any older version or an empty graph.

    Lost indexes are recreated. Raises StoreError if the graph was written by a newer program, contains foreign data,
    half a backup, or duplicates.
    """
    current = schema_version(connection)
    if current > VERSION:
        raise StoreError(
            f"{connection.place.graph} has schema version {current}, this program knows {VERSION}; "
            "use a newer kbe-graph, or another database"
        )
    make_indexes(connection, is_new=current < VERSION)
    if current < VERSION:
        try:
            record_version(connection, VERSION)
        except DuplicateKey:
            if schema_version(connection) < VERSION:  # otherwise another process created the graph at the same time
                raise


def make_indexes(connection: Connection, *, is_new: bool = True) -> None:
    """Create missing indexes; one that is not ``is_new`` is looked at first. Raises StoreError."""
    wanted = commands()
    if not is_new and len(connection.read("indexes")) >= len(wanted):
        return
    for command in wanted:
        _make(connection, command)
    if len(connection.read("indexes")) < len(wanted):
        for command in wanted:  # one whose files are lost is still listed by its constraint
            _, kind, name, *_ = command.split()
            connection.alone(f"DROP {kind} {name} IF EXISTS")
            _make(connection, command)


def _make(connection: Connection, command: str) -> None:
    try:
        connection.alone(command)
    except DuplicateKey as error:
        raise StoreError(
            f"{connection.place.graph} contains duplicates, because an index was lost ({error}); "
            "restore a backup with `restore` and `replace`, or load into a new workspace"
        ) from None


def schema_version(connection: Connection) -> int:
    """Return the schema version of the graph, 0 if it is empty; raises StoreError as ``prepare`` does."""
    place = connection.place
    if rows := connection.read("schema_version"):
        version = rows[0]["version"]
        if rows[0]["restoring"]:
            raise StoreError(f"{place.graph} contains an incomplete backup; restore it again (`restore` and `replace`)")
        if not isinstance(version, int) or version < 1:
            raise damaged(place, f"the record of its schema has version {version!r}")
        return version
    if foreign := connection.read("any_data"):
        if place.workspace is not None:
            raise damaged(place, "the record of its schema is gone")
        raise StoreError(
            f"the database of {place.graph} contains other data (a node {foreign[0]['labels']!r}); "
            "give kbe a separate database with NEO4J_DATABASE"
        )
    return 0


def record_version(connection: Connection, version: int, *, restoring: bool = False) -> None:
    """Record the schema version in the graph."""
    connection.run("save_schema_version", version=version, restoring=restoring)


def commands() -> list[str]:
    """Return the commands that create constraints and indexes."""
    lines = [line for line in statement("schema").splitlines() if not line.startswith("//")]
    return [command.strip() for command in "\n".join(lines).split(";") if command.strip()]
