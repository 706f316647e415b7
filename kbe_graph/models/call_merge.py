"""Takes the calls of another call store in: what was paid for elsewhere is not paid for again."""

from contextlib import closing
from pathlib import Path

from kbe_graph.errors import ResourceError
from kbe_graph.models.writer import connect

MERGE = (
    """INSERT OR REPLACE INTO main.calls SELECT * FROM other.calls AS theirs WHERE theirs.status = 'done' AND NOT EXISTS
(SELECT 1 FROM main.calls AS ours WHERE ours.key = theirs.key AND ours.status = 'done')""",
    """INSERT INTO main.failures SELECT * FROM other.failures AS theirs WHERE NOT EXISTS
(SELECT 1 FROM main.failures AS ours WHERE ours.key = theirs.key AND ours.at = theirs.at)""",
    "INSERT OR IGNORE INTO main.given_up SELECT * FROM other.given_up",
    "INSERT OR IGNORE INTO main.probes SELECT * FROM other.probes",
)


def merge_calls(file: Path, other: Path) -> int:
    """Take the calls of the store ``other`` into that of ``file``, and return how many replies are new.

    A reply that is there stays. Both files are call stores. Raises ResourceError.
    """
    with closing(connect(file)) as connection:
        try:
            connection.execute("ATTACH ? AS other", (str(other),))
            connection.execute("BEGIN IMMEDIATE")
            counts = [connection.execute(statement).rowcount for statement in MERGE]
            connection.execute("COMMIT")
        except ResourceError as error:
            raise ResourceError(
                f"cannot take the calls of {str(other)!r} in ({error.__cause__}); let no other command use it"
            ) from None
    return counts[0]
