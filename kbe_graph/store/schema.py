"""The schema of the graph: constraints and indexes by version, recorded in the graph itself."""

from kbe_graph.errors import StoreError
from kbe_graph.files.resources import statement
from kbe_graph.store.connection import Connection

VERSION = 2


def prepare(connection: Connection, *, version: int = VERSION) -> None:
    """Bring the schema of the graph to ``version``: a new graph from nothing, an older one step by step.

    Each step is a file ``schema_<version>``, whose commands may be repeated, so an interrupted step is done again.
    Raises StoreError where the graph was written by a newer program, or holds data that is not ours, or half a backup.
    """
    current = schema_version(connection)
    if current > version:
        raise StoreError(
            f"the graph at {connection.place.uri} has schema version {current}, this program knows {version}; "
            "use a newer kbe-graph, or another database"
        )
    for step in range(current + 1, version + 1):
        for command in commands(step):
            connection.alone(command)
        record_version(connection, step)


def schema_version(connection: Connection) -> int:
    """Return the version that the graph was written with, 0 for an empty one; raises StoreError as ``prepare``."""
    rows = connection.read("schema_version")
    if rows and rows[0]["restoring"]:
        raise StoreError(
            f"the graph at {connection.place.uri} holds half of a backup; run 'kbe db restore FILE --replace' again"
        )
    if rows:
        return int(rows[0]["version"])
    if foreign := connection.read("any_data"):
        raise StoreError(
            f"the database at {connection.place.uri} holds other data (a node {foreign[0]['labels']!r}); "
            "give kbe a database of its own with NEO4J_DATABASE"
        )
    return 0


def record_version(connection: Connection, version: int, *, restoring: bool = False) -> None:
    """Record the version of the schema in the graph."""
    connection.write(lambda transaction: transaction.run("save_schema_version", version=version, restoring=restoring))


def begin_restore(connection: Connection) -> None:
    """Give the graph the schema, and mark it as half restored until ``record_version``."""
    for step in range(1, VERSION + 1):
        for command in commands(step):
            connection.alone(command)
    record_version(connection, VERSION, restoring=True)


def commands(version: int) -> list[str]:
    """Return the commands of one version of the schema."""
    lines = [line for line in statement(f"schema_{version}").splitlines() if not line.startswith("//")]
    return [command.strip() for command in "\n".join(lines).split(";") if command.strip()]
