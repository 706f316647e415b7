"""What the explored questions of a run are like as a set, hop by hop: verdicts of single questions do not show it."""

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

MASK = "_"


@dataclass(frozen=True, slots=True)
class HopVariety:
    """The kept questions of a hop as a set.

    ``samples``: how many reach the hop; ``share``: that, of all samples with a raw question.
    ``relations``, ``chains``, ``answers``: how many differ: last relations, relations of all hops in their order, final
    answers. ``effective_...``: exp of their entropy: so many values of one frequency are as varied.
    ``largest_...``: the share of the commonest.
    ``texts``: how many texts differ once the names on the path are masked.
    ``from_raw``, ``from_reselected``: how many chains grew from the benchmark's own question, and how many from a
    re-selected one that was kept; ``rooted``: the share of both together.
    ``unsourced``: how many go through a fact that was told without opening a source.
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
    """Return the variety of each hop of a run, from the questions that it kept and the number of the raw ones."""
    by_id = {question.id: question for question in questions if question.status == "kept"}
    hops = sorted({question.hop for question in by_id.values() if question.kind == "explored"})
    return [_of_hop(hop, by_id, raw) for hop in hops]


def variety(questions: Sequence[Question]) -> "pd.DataFrame":
    """Return the variety of the explored questions: a row a benchmark and hop, the columns of ``HopVariety``."""
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
    """Return how many values differ, their effective number, and the share of the commonest."""
    total = counts.total()
    entropy = -sum(count / total * math.log(count / total) for count in counts.values())
    return len(counts), math.exp(entropy), max(counts.values()) / total


def _root_kind(question: Question, by_id: Mapping[str, Question]) -> str:
    """Return the kind of the question that a chain grew from, empty where that one was not kept."""
    root = question
    while root.kind == "explored":
        if root.parent == question_id(root.sample, RAW, 0):
            return RAW
        if root.parent not in by_id:
            return ""
        root = by_id[root.parent]
    return root.kind


def _masked(question: Question) -> str:
    """Return the words of a question with each name on its path masked, also where it has an ending of two letters."""
    text = fold(question.text)
    for name in sorted(_names(question), key=lambda name: (-len(name), name)):
        text = re.sub(rf"\b{re.escape(name)}\w{{0,2}}\b", MASK, text)
    return text


def _names(question: Question) -> set[str]:
    return set(_filled(end.name for triplet in question.key for end in (triplet.subject, triplet.object)))


def _filled(names: Iterable[str]) -> Iterator[str]:
    return (name for name in map(fold, names) if name)
