"""Schema of the graph: constraints and indexes, and the version that is recorded in the graph itself."""

from kbe_graph.errors import StoreError
from kbe_graph.files.resources import statement
from kbe_graph.store.connection import Connection, DuplicateKey, damaged

VERSION = 11


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
