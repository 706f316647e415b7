"""Export of the whole graph as CSV files for ``neo4j-admin database import``: one file per label or edge type."""

import json
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError, StoreError
from kbe_graph.files.whole import replacing
from kbe_graph.store.backup import BATCH, EDGES, NODES, SortedLines, add_everything
from kbe_graph.store.connection import Connection
from kbe_graph.store.row_check import Row
from kbe_graph.store.schema import schema_version
from kbe_graph.types import Progress

Columns = Mapping[str, str]  # property to type, in the importer's terms
SEPARATOR = "\x1f"  # separates the values of a list: no keyboard has it
README = "README.md"
_SCHEMA = "Schema"
_KEYS = {label: kind.key for label, kind in NODES.items()} | {_SCHEMA: "id"}
_TYPES: Mapping[type, str] = {str: "string", bool: "boolean", int: "long", float: "double"}
_HOW = """\
# Import this graph into Neo4j

Stop the server, then run this command in this folder on the machine of the server. It replaces the database `neo4j`:

```
{command}
```

Then start the server. To open the graph, set `NEO4J_URI`, `NEO4J_USERNAME` and `NEO4J_PASSWORD`. The first command of
kbe creates the indexes.

The files contain every text unchanged and are meant only for the importer. Do not open them in a spreadsheet: Excel and
others run a text that begins with `=`, `+`, `-` or `@` as a formula, which may access files and the network. For tables
that are safe in a spreadsheet, use `kbe stats` and `kbe report --csv`.
"""


class BulkImport(NamedTuple):
    """The size of a bulk import, and the command that imports it, to be run in the folder of the files."""

    nodes: int
    edges: int
    command: str


def write_bulk_import(connection: Connection, folder: Path, *, progress: Progress) -> BulkImport:
    """Write the whole graph and the import command into ``folder``, replacing existing files.

    Lines are in the order of a backup, so that equal graphs give identical files. Raises InputError if a file cannot be
    written, and StoreError.
    """
    version = schema_version(connection)
    total = sum(row["count"] for row in connection.read("count_all"))
    # Without the schema record, kbe would not recognise the graph as its own.
    schema = {"label": _SCHEMA, "properties": {"id": "kbe", "version": version, "restoring": False}}
    columns: dict[str, dict[str, str]] = {}
    _note(columns, schema)
    counts = {"node": 0, "edge": 0}
    with replacing(_made(folder) / README) as readme, SortedLines(folder) as lines, ExitStack() as stack:
        for kind, row in add_everything(connection, lines):
            _note(columns, row)
            counts[kind] += 1
            if not (done := sum(counts.values())) % BATCH:
                progress("csv", done, total)
        files = _in_order(columns)
        streams = {name: stack.enter_context(replacing(folder / _file(name))) for name in files}
        for name, stream in streams.items():
            stream.write(_header(name, files[name]))
        for row in chain([schema], map(_row, lines)):
            name = _name(row)
            streams[name].write(_line(row, name, files[name]))
        command = _command(list(files))
        readme.write(_HOW.format(command=command))
    progress("csv", total, total)
    return BulkImport(counts["node"], counts["edge"], command)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}; choose another place") from None
    return folder


def _row(line: bytes) -> Row:
    row: Row = next(iter(json.loads(line).values()))
    return row


def _note(columns: dict[str, dict[str, str]], row: Row) -> None:
    own = columns.setdefault(_name(row), {})
    for name, value in row["properties"].items():
        kind = _type(value)
        if own.setdefault(name, kind) != kind:
            raise StoreError(
                f"{_name(row)}.{name} is a {own[name]} and a {kind}; restore a backup, or load the data again"
            )


def _in_order(columns: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {
        name: dict(sorted(columns[name].items())) for name in sorted(columns, key=lambda name: (name in EDGES, name))
    }


def _type(value: object) -> str:
    if isinstance(value, list):
        return f"{_type(value[0]) if value else 'string'}[]"
    return _TYPES[type(value)]


def _name(row: Row) -> str:
    name: str = row["type"] if "type" in row else row["label"]
    return name


def _file(name: str) -> str:
    return f"{'edges' if name in EDGES else 'nodes'}-{name.replace(' ', '-')}.csv"


def _header(name: str, columns: Columns) -> str:
    if name in EDGES:
        ends = [f":START_ID({EDGES[name].subject})", f":END_ID({EDGES[name].object})"]
        return ",".join([*ends, *(f"{column}:{kind}" for column, kind in columns.items())]) + "\n"
    key = _KEYS[name]
    kinds = {column: f"ID({name})" if column == key else kind for column, kind in columns.items()}
    return ",".join(f"{column}:{kind}" for column, kind in kinds.items()) + "\n"


def _line(row: Row, name: str, columns: Columns) -> str:
    ends = [row["subject"], row["object"]] if name in EDGES else []
    return ",".join(map(_cell, [*ends, *(row["properties"].get(column) for column in columns)])) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        if strays := [item for item in value if SEPARATOR in str(item)]:
            raise InputError(f"{strays[0]!r} holds {SEPARATOR!r}, which separates the values of a list here; remove it")
        return _cell(SEPARATOR.join(str(item) for item in value))
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else json.dumps(value)


def _command(names: list[str]) -> str:
    options = [f"--{'relationships' if name in EDGES else 'nodes'}={name.split()[0]}=./{_file(name)}" for name in names]
    how = ["--overwrite-destination", "--id-type=string", "--array-delimiter=U+001F", "--multiline-fields=true"]
    return " \\\n  ".join(["neo4j-admin database import full neo4j", *how, *options])
