"""Statistics of questions by hop (KBE, Table 2 and section 3.1), and the variety of a run's questions."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from kbe_graph.text import fold
from kbe_graph.types import RAW, Question, question_id

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
            "benchmark": question.sample.split("/")[0],
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


MASK = "_"


@dataclass(frozen=True, slots=True)
class HopVariety:
    """Variety of the kept questions of a hop.

    - ``samples``: number that reach the hop; ``share``: its share of all samples with a raw question.
    - ``relations``, ``chains``, ``answers``: number of distinct last relations, relation sequences over all hops, and
      final answers.
    - ``effective_...``: exp of their entropy, the number of equally frequent values with the same variety.
    - ``largest_...``: the share of the commonest.
    - ``texts``: number of distinct texts after masking the names on the path.
    - ``from_raw``, ``from_reselected``: number of chains that grew from the benchmark's own question, and from a
      re-selected one that was kept; ``rooted``: the share of both together.
    - ``unsourced``: number of questions that use a fact not confirmed by an opened source.
    """

    hop: int
    samples: int
    share: float
    relations: int
    effective_relations: float
    largest_relation: float
    chains: int
    effective_chains: float
    largest_chain: float
    answers: int
    effective_answers: float
    largest_answer: float
    texts: int
    from_raw: int
    from_reselected: int
    rooted: float
    unsourced: int


def hop_varieties(questions: Iterable[Question], *, raw: int) -> list[HopVariety]:
    """Compute the variety of each hop of a run from its kept questions and the number of raw ones."""
    by_id = {question.id: question for question in questions if question.status == "kept"}
    hops = sorted({question.hop for question in by_id.values() if question.kind == "explored"})
    return [_of_hop(hop, by_id, raw) for hop in hops]


def variety(questions: Sequence[Question]) -> "pd.DataFrame":
    """Compute the variety of the explored questions by benchmark and hop, with the columns of ``HopVariety``."""
    import pandas as pd

    benchmarks: defaultdict[str, list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda question: question.sample):
        benchmarks[question.sample.split("/")[0]].append(question)
    rows = [
        {"benchmark": name, **asdict(row)}
        for name, of_benchmark in benchmarks.items()
        for row in hop_varieties(of_benchmark, raw=sum(question.kind == "raw" for question in of_benchmark))
    ]
    return pd.DataFrame(rows).rename(columns=lambda name: name.replace("_", " "))


def _of_hop(hop: int, by_id: Mapping[str, Question], raw: int) -> HopVariety:
    kept = [question for question in by_id.values() if question.kind == "explored" and question.hop == hop]
    samples = len({question.sample for question in kept})
    relations = Counter(fold(question.key[-1].relation) for question in kept)
    chains = Counter(tuple(fold(triplet.relation) for triplet in question.explored) for question in kept)
    answers = Counter(fold(question.answer) for question in kept)
    roots = Counter(_root_kind(question, by_id) for question in kept)
    return HopVariety(
        hop,
        samples,
        samples / raw if raw else 0.0,
        *_spread(relations),
        *_spread(chains),
        *_spread(answers),
        len({_masked(question) for question in kept}),
        roots["raw"],
        roots["reselected"],
        (roots["raw"] + roots["reselected"]) / len(kept),
        sum(any(triplet.unsourced for triplet in question.explored) for question in kept),
    )


def _spread(counts: Counter[str] | Counter[tuple[str, ...]]) -> tuple[int, float, float]:
    total = counts.total()
    entropy = -sum(count / total * math.log(count / total) for count in counts.values())
    return len(counts), math.exp(entropy), max(counts.values()) / total


def _root_kind(question: Question, by_id: Mapping[str, Question]) -> str:
    root = question
    while root.kind == "explored":
        if root.parent == question_id(root.sample, RAW, 0):
            return RAW
        if root.parent not in by_id:
            return ""
        root = by_id[root.parent]
    return root.kind


def _masked(question: Question) -> str:
    text = fold(question.text)
    for name in sorted(_names(question), key=lambda name: (-len(name), name)):
        text = re.sub(rf"\b{re.escape(name)}\w{{0,2}}\b", MASK, text)
    return text


def _names(question: Question) -> set[str]:
    return set(_filled(end.name for triplet in question.key for end in (triplet.subject, triplet.object)))


def _filled(names: Iterable[str]) -> Iterator[str]:
    return (name for name in map(fold, names) if name)
