"""The data that most pages need, loaded from the graph once: triplets, questions, samples, counts."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import pandas as pd

from kbe_graph.evaluate.guessers import RAW_ROW, row_of
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import RAW, Progress
from kbe_graph.workspace.workspace import Workspace

READ = 1_000  # samples per query
TRIPLETS = ("sample", "graph", "hop", "run", "relation", "subject", "object", "start", "end")
QUESTIONS = ("id", "sample", "run", "hop", "kind", "text", "answer", "status", "reason")
SAMPLES = ("id", "question", "answer", "status", "reason")
_NAMES = ["sample", "graph", "run", "relation", "subject", "object"]


class Hit(NamedTuple):
    """A folded text of the search index, with its entity or relation."""

    folded: str
    name: str


class QuestionHit(NamedTuple):
    """A searchable question: its folded text and answer, and where it belongs."""

    folded: str
    sample: str
    row: str
    run: str | None
    text: str
    answer: str


class Snapshot(NamedTuple):
    """The graph as of ``read_at``.

    ``triplets`` has folded names, and in ``start`` and ``end`` the numbers of the two nodes, which are unique to a
    sample. ``questions`` are those of runs and of the benchmark, including dropped ones, with the folded answer as
    ``name``; ``counts`` are those of ``Workspace.status``. ``texts`` are the searchable questions with their answers.
    """

    read_at: datetime
    triplets: pd.DataFrame
    questions: pd.DataFrame
    samples: pd.DataFrame
    counts: dict[str, Any]
    texts: Sequence[QuestionHit]
    entities: Sequence[Hit]
    relations: Sequence[Hit]

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self.counts["runs"])


def read_snapshot(work: Workspace, *, progress: Progress = lambda *_: None) -> Snapshot:
    """Load the current graph of a workspace. Raises StoreError."""
    store, now = work.store, datetime.now(UTC)
    rows = store.connection.read("samples_in_brief")
    samples = pd.DataFrame([row["sample"] for row in rows], columns=list(SAMPLES)).sort_values("id", ignore_index=True)
    rows = store.connection.read("questions_in_brief")
    questions = pd.DataFrame([row["question"] for row in rows], columns=list(QUESTIONS))
    questions["name"] = pd.Categorical([fold(answer or "") for answer in questions.answer])
    triplets = _triplets(store, samples.loc[samples.status == "extracted", "id"].tolist(), progress)
    entities = sorted({*triplets.subject.cat.categories, *triplets.object.cat.categories} - {"image"})
    return Snapshot(
        now,
        triplets,
        questions.sort_values(["sample", "run", "hop"], ignore_index=True),
        samples,
        work.status(),
        list(_texts(samples, questions)),
        [Hit(name, name) for name in entities],
        [Hit(name, name) for name in triplets.relation.cat.categories],
    )


def _triplets(store: Store, ids: Sequence[str], progress: Progress) -> pd.DataFrame:
    rows: list[tuple[Any, ...]] = []
    for start in range(0, len(ids), READ):
        batch = store.connection.read("triplets_in_brief", samples=list(ids[start : start + READ]))
        nodes: dict[tuple[str, str, int], int] = {}
        first = 2 * len(rows)  # exceeds the node numbers of all earlier batches
        for row in sorted(batch, key=lambda row: str(row["sample"])):
            rows.extend(_flat(row["sample"], row["edges"], nodes, first))
        progress("read", min(start + READ, len(ids)), len(ids))
    frame = pd.DataFrame(rows, columns=list(TRIPLETS))
    return frame.astype(dict.fromkeys(_NAMES, "category"))


def _flat(
    sample: str, edges: Iterable[Sequence[Any]], nodes: dict[tuple[str, str, int], int], first: int
) -> Iterator[tuple[Any, ...]]:
    for graph, hop, run, relation, subject, subject_number, object_, object_number in edges:
        start = nodes.setdefault((sample, subject, subject_number), first + len(nodes))
        end = nodes.setdefault((sample, object_, object_number), first + len(nodes))
        yield sample, graph, hop, run or "", fold(relation), fold(subject), fold(object_), start, end


def _texts(samples: pd.DataFrame, questions: pd.DataFrame) -> Iterator[QuestionHit]:
    for id_, question, answer in samples[["id", "question", "answer"]].itertuples(index=False):
        yield QuestionHit(f"{id_}\n{question}\n{answer}".casefold(), id_, RAW_ROW, None, question or "", answer or "")
    kept = questions[(questions.status == "kept") & (questions.run != RAW)]
    columns = ["sample", "kind", "hop", "run", "text", "answer"]
    for sample, kind, hop, run, text, answer in kept[columns].itertuples(index=False):
        yield QuestionHit(f"{text}\n{answer}".casefold(), sample, row_of(kind, hop), run, text or "", answer or "")
