"""Statistics of questions by hop (KBE, Table 2 and section 3.1), and the variety of a run's questions."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import Question

if TYPE_CHECKING:
    import pandas as pd


def by_hop(questions: Sequence[Question]) -> "pd.DataFrame":
    """Compute the figures of KBE's Table 2 for the questions, one row per benchmark and hop.

    Columns: questions (count), question words, answer words and key edges (means per question), distinct relations
    (number of different relations in the key subgraphs). A re-selected question counts as hop 0 of kind ``reselected``.
    """
    import pandas as pd

    rows = [
        {
            "benchmark": _benchmark(question),
            "hop": question.hop,
            "kind": question.kind,
            "question words": len(question.text.split()),
            "answer words": len(question.answer.split()),
            "key edges": question.difficulty,
            "relations": [fold(triplet.relation) for triplet in question.key],
        }
        for question in questions
    ]
    groups = pd.DataFrame(rows, columns=list(_COLUMNS)).groupby(["benchmark", "hop", "kind"], sort=True)
    table = groups[["question words", "answer words", "key edges"]].mean().round(2)
    table.insert(0, "questions", groups.size())
    table["distinct relations"] = groups["relations"].agg(
        lambda lists: len({name for names in lists for name in names})
    )
    return table.reset_index()


def balanced_set(questions: Sequence[Question]) -> list[Question]:
    """Keep the questions of samples that have one at every hop that any sample has, so that hops are comparable."""
    hops = {question.hop for question in questions if question.hop}
    reached: dict[str, set[int]] = defaultdict(set)
    for question in questions:
        reached[question.sample].add(question.hop)
    return [question for question in questions if reached[question.sample] >= hops]


_COLUMNS = ("benchmark", "hop", "kind", "question words", "answer words", "key edges", "relations")


def variety(questions: Sequence[Question]) -> "pd.DataFrame":
    """Compute the variety of the kept explored questions by benchmark and hop.

    Columns: samples (number that reach the hop) and share (of all samples with a raw question); relations, chains and
    answers (number of distinct last relations, relation sequences over all hops, and final answers), each with its
    effective number (exp of the entropy: as many equally frequent values have the same variety) and the share of the
    largest; unsourced (number of questions that use a fact not confirmed by an opened source).
    """
    import pandas as pd

    raw = Counter(_benchmark(question) for question in questions if question.kind == "raw")
    groups: defaultdict[tuple[str, int], list[Question]] = defaultdict(list)
    for question in questions:
        if question.kind == "explored" and question.status == "kept":
            groups[_benchmark(question), question.hop].append(question)
    rows = []
    for (benchmark, hop), kept in sorted(groups.items()):
        samples = len({question.sample for question in kept})
        row = {"benchmark": benchmark, "hop": hop, "samples": samples}
        row["share"] = samples / raw[benchmark] if raw[benchmark] else 0.0
        row |= _spread("relation", (fold(question.key[-1].relation) for question in kept))
        row |= _spread("chain", (tuple(fold(triplet.relation) for triplet in question.explored) for question in kept))
        row |= _spread("answer", (fold(question.answer) for question in kept))
        row["unsourced"] = sum(any(triplet.unsourced for triplet in question.explored) for question in kept)
        rows.append(row)
    return pd.DataFrame(rows)


def _benchmark(question: Question) -> str:
    return question.sample.split("/")[0]


def _spread(name: str, values: Iterable[object]) -> dict[str, float]:
    counts = Counter(values)
    shares = [count / counts.total() for count in counts.values()]
    effective = math.exp(-sum(share * math.log(share) for share in shares))
    return {f"{name}s": len(counts), f"effective {name}s": effective, f"largest {name}": max(shares)}


OF_QUESTIONS: "Mapping[str, Callable[[Sequence[Question]], pd.DataFrame]]" = {"questions": by_hop, "variety": variety}
"""The statistics of questions by name."""


COLUMNS = ("sample", "graph", "relation", "hop", "subject", "subject_number", "object", "object_number", "type")
BATCH = 1_000  # samples


def edge_frame(store: Store, run: str | None = None) -> "pd.DataFrame":
    """Read the triplets of the extracted samples, and those that a run explored.

    Columns: sample, graph (visual or textual), relation, hop (0: the sample's own), subject and object (folded names),
    each with the number that distinguishes entities of one name in a sample, type (the object's; empty if unknown).
    Raises StoreError.
    """
    import pandas as pd

    ids = store.sample_ids(status="extracted")
    rows = [
        (row["sample"], *edge)
        for start in range(0, len(ids), BATCH)
        for row in store.connection.read("edge_lists", samples=ids[start : start + BATCH], run=run or "")
        for edge in row["edges"]
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).fillna({"type": ""})


def frequency(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Rank the relations by frequency: triplets and samples with each, and the share of all triplets."""
    groups = edges.groupby("relation")
    table = groups.agg(triplets=("relation", "size"), samples=("sample", "nunique")).reset_index()
    table = table.sort_values(["triplets", "relation"], ascending=[False, True], ignore_index=True)
    table.insert(0, "rank", range(1, len(table) + 1))
    table["share"] = table["triplets"] / max(len(edges), 1)
    return table


def object_entropy(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Measure how guessable the object of each relation is.

    Columns: relation, triplets, objects (distinct names), entropy (bits; 0: always the same object), evenness (the
    entropy divided by that of equally frequent objects), commonest (object), share (of the triplets with the commonest
    object: how often the best guess is right).
    """
    counts = edges.groupby(["relation", "object"]).size().rename("triplets").reset_index()
    counts = counts.sort_values(["triplets", "object"], ascending=[False, True])
    totals = counts.groupby("relation")["triplets"].transform("sum")
    part = counts["triplets"] / totals
    counts["bits"] = -part * np.log2(part)
    groups = counts.groupby("relation")
    table = groups.agg(
        triplets=("triplets", "sum"),
        objects=("object", "size"),
        entropy=("bits", "sum"),
        commonest=("object", "first"),
        most=("triplets", "first"),
    ).reset_index()
    most_possible = np.log2(table["objects"])
    table.insert(4, "evenness", (table["entropy"] / most_possible).where(table["objects"] > 1, 0.0))
    table["share"] = table.pop("most") / table["triplets"]
    return table.sort_values(["triplets", "relation"], ascending=[False, True], ignore_index=True)


def chains(edges: "pd.DataFrame") -> "pd.DataFrame":
    """Count pairs of relations in sequence: the second leaves the entity that the first enters.

    Columns: relation, next, pairs (count), share (of the relations that follow). This is the transition matrix in long
    form: ``pivot(index="relation", columns="next", values="pairs")`` makes it square.
    """
    first = edges[["sample", "object", "object_number", "relation"]]
    second = edges[["sample", "subject", "subject_number", "relation"]].rename(columns={"relation": "next"})
    second = second.rename(columns={"subject": "object", "subject_number": "object_number"})
    pairs = first.merge(second, on=["sample", "object", "object_number"])
    table = pairs.groupby(["relation", "next"]).size().rename("pairs").reset_index()
    table["share"] = table["pairs"] / table.groupby("relation")["pairs"].transform("sum")
    return table.sort_values(["pairs", "relation", "next"], ascending=[False, True, True], ignore_index=True)


OF_TRIPLETS: "Mapping[str, Callable[[pd.DataFrame], pd.DataFrame]]" = {
    "relations": frequency,
    "chains": chains,
    "objects": object_entropy,
}
"""The statistics of triplets by name."""
