"""The schema of the graph: constraints and indexes by version, recorded in the graph itself."""

from functools import partial

from kbe_graph.errors import StoreError
from kbe_graph.resources import statement
from kbe_graph.store.connection import Connection, Transaction

VERSION = 2


def prepare(connection: Connection, *, version: int = VERSION) -> None:
    """Bring the schema of the graph to ``version``: a new graph from nothing, an older one step by step.

    Each step is a file ``schema_<version>``, whose commands may be repeated, so an interrupted step is done again.
    Raises StoreError where the graph was written by a newer program, or holds data that is not ours.
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
        connection.write(partial(_record, version=step))


def _record(transaction: Transaction, version: int) -> None:
    transaction.run("save_schema_version", version=version)


def schema_version(connection: Connection) -> int:
    """Return the version that the graph was written with, 0 for an empty one; raises StoreError for foreign data."""
    rows = connection.read("schema_version")
    if rows:
        return int(rows[0]["version"])
    if foreign := connection.read("any_node"):
        raise StoreError(
            f"the database at {connection.place.uri} holds other data (a node {foreign[0]['labels']!r}); "
            "give kbe a database of its own with NEO4J_DATABASE"
        )
    return 0


def commands(version: int) -> list[str]:
    """Return the commands of one version of the schema."""
    lines = [line for line in statement(f"schema_{version}").splitlines() if not line.startswith("//")]
    return [command.strip() for command in "\n".join(lines).split(";") if command.strip()]
