"""The candidates in the graph: what was considered for questions, and what was decided of it."""

from dataclasses import dataclass, fields

from kbe_graph.store.connection import Connection
from kbe_graph.store.row_check import CANDIDATE, check_row
from kbe_graph.store.rows import CandidateRow


@dataclass(frozen=True, slots=True)
class StoredCandidate(CandidateRow):
    """A candidate with the question it was considered for, its sample, run and hop, and its place among all."""

    question: str = ""
    sample: str = ""
    run: str = ""
    hop: int = 0
    position: int = 0


def read_candidates(
    connection: Connection, *, run: str | None = None, hop: int | None = None, status: str | None = None
) -> list[StoredCandidate]:
    """Return the candidates by question and place; each condition narrows them."""
    names = {field.name for field in fields(StoredCandidate)}
    found = connection.read("candidates", run=run, hop=hop, status=status)
    rows = [check_row("candidate", row["candidate"], CANDIDATE) for row in found]
    candidates = [StoredCandidate(**{name: row[name] for name in names & row.keys()}) for row in rows]
    return sorted(candidates, key=lambda candidate: (candidate.question, candidate.position))
