"""Statistics of questions by hop (KBE, Table 2 and section 3.1), and the variety of a run's questions."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

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
        if question.kind == "explored" and question.status == "kept" and question.key:
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
"""The statistics by name."""
