"""The questions of a run with one last relation, or one chain of relations, and the answer that holds most of them."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from kbe_graph.guess.guessers import PARTS
from kbe_graph.guess.riddle import Rows
from kbe_graph.statistics.intervals import wilson
from kbe_graph.text import fold
from kbe_graph.types import Question

Key = TypeVar("Key")


class AnswerGroup(NamedTuple):
    """So many questions of a row with one relation or chain, with so many answers; ``top`` is the commonest."""

    row: str
    relations: tuple[str, ...]
    questions: int
    answers: int
    top: str
    share: float


class TopShare(NamedTuple):
    """Which share the commonest answer of a question's last relation, and of its chain, has in the hop of its run."""

    relation: float
    chain: float


def guessable_groups(rows: Rows, part: str, most: int, *, least: int = 1) -> list[AnswerGroup]:
    """Return the groups by a part of the chain, those first whose top answer surely holds much of them.

    Groups of fewer relations than ``least`` are left out.
    """
    groups = [
        AnswerGroup(row, relations, counts.total(), len(counts), *_top(counts))
        for row, riddles in rows.items()
        for relations, counts in _counts((PARTS[part](riddle), riddle.answer) for riddle in riddles).items()
        if len(relations) >= least
    ]
    return sorted(groups, key=lambda group: (-_surely(group), group.row, group.relations))[:most]


def top_shares(questions: Iterable[Question]) -> dict[str, TopShare]:
    """Return the shares of the questions among these that were explored and kept, by question id."""
    asked = [question for question in questions if question.kind == "explored" and question.status == "kept"]
    groups = {question.id: _groups(question) for question in asked}
    counts = _counts((group, fold(question.answer)) for question in asked for group in set(groups[question.id]))
    shares = {group: _top(answers)[1] for group, answers in counts.items()}
    return {id_: TopShare(*(shares[group] for group in own)) for id_, own in groups.items()}


def _groups(question: Question) -> tuple[object, ...]:
    """Return the groups that count a question: its last relation and its chain; at hop 1 they are one."""
    chain = tuple(triplet.relation for triplet in question.explored)
    return tuple((question.run, question.hop, relations) for relations in (chain[-1:], chain))


def _counts(pairs: Iterable[tuple[Key, str]]) -> dict[Key, Counter[str]]:
    counts: dict[Key, Counter[str]] = defaultdict(Counter)
    for key, answer in pairs:
        counts[key][answer] += 1
    return counts


def _top(counts: Counter[str]) -> tuple[str, float]:
    answer = min(counts, key=lambda answer: (-counts[answer], answer))
    return answer, round(counts[answer] / counts.total(), 4)


def _surely(group: AnswerGroup) -> float:
    return wilson(round(group.share * group.questions), group.questions)[0]
