"""Schema of the graph: constraints and indexes by version, recorded in the graph itself."""

from typing import TypeGuard

from kbe_graph.errors import StoreError
from kbe_graph.files.resources import statement
from kbe_graph.store.connection import Connection
from kbe_graph.store.faults import DuplicateKey, damaged

VERSION = 11


def prepare(connection: Connection, *, version: int = VERSION) -> None:
    """Migrate the schema of the graph to ``version``, from any older version or an empty graph.

    Each step is a file ``schema_<version>`` whose commands can be repeated, so an interrupted step is safe. Lost
    indexes are recreated. Raises StoreError if the graph was written by a newer program, contains foreign data, half a
    backup, or duplicates.
    """
    current = schema_version(connection)
    if current > version:
        raise StoreError(
            f"{connection.place.graph} has schema version {current}, this program knows {version}; "
            "use a newer kbe-graph, or another database"
        )
    make_indexes(connection, version, current=current)
    if current < version:
        try:
            record_version(connection, version)
        except DuplicateKey:
            if schema_version(connection) < version:  # otherwise another process created the graph at the same time
                raise


def make_indexes(connection: Connection, version: int = VERSION, *, current: int = 0) -> None:
    """Create missing indexes, unless a graph of this version (``current``) has enough; raises StoreError."""
    wanted = [command for step in range(1, version + 1) for command in commands(step)]
    if current == version and len(connection.read("indexes")) >= len(wanted):
        return
    for command in wanted:
        _make(connection, command)
    if len(connection.read("indexes")) >= len(wanted):
        return
    for command in wanted:  # one whose files are lost is still listed by its constraint
        _, kind, name, *_ = command.split()
        connection.alone(f"DROP {kind} {name} IF EXISTS")
        _make(connection, command)
    if len(connection.read("indexes")) < len(wanted):
        raise StoreError(
            f"{connection.place.graph} did not create its indexes; stop its engine, then run the same command again; "
            "if that does not help, restore a backup into a new workspace"
        )


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
    rows = connection.read("schema_version")
    if rows and rows[0]["restoring"]:
        raise StoreError(
            f"{connection.place.graph} contains an incomplete backup; restore it again (`restore` and `replace`)"
        )
    if rows:
        return _checked(connection, rows[0]["version"])
    if foreign := connection.read("any_data"):
        if connection.place.workspace is not None:
            raise damaged(connection.place, "the record of its schema is gone")
        raise StoreError(
            f"the database of {connection.place.graph} contains other data (a node "
            f"{foreign[0]['labels']!r}); give kbe a separate database with NEO4J_DATABASE"
        )
    return 0


def _checked(connection: Connection, version: object) -> int:
    if not is_version(version):
        raise damaged(connection.place, f"the record of its schema has version {version!r}")
    return version


def is_version(value: object) -> TypeGuard[int]:
    """Return True if a value is a valid schema version."""
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def record_version(connection: Connection, version: int, *, restoring: bool = False) -> None:
    """Record the schema version in the graph."""
    connection.write(lambda transaction: transaction.run("save_schema_version", version=version, restoring=restoring))


def commands(version: int) -> list[str]:
    """Return the commands of one schema version."""
    lines = [line for line in statement(f"schema_{version}").splitlines() if not line.startswith("//")]
    return [command.strip() for command in "\n".join(lines).split(";") if command.strip()]
