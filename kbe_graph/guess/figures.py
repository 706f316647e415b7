"""How many of a benchmark's questions each guesser gets right, row by row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from kbe_graph.guess.groups import AnswerGroup, guessable_groups
from kbe_graph.guess.guessers import LEARNERS, PARTS, commonest_other, cross_fitted
from kbe_graph.guess.option_guessers import OptionRow
from kbe_graph.guess.riddle import Riddle, by_row
from kbe_graph.statistics.intervals import wilson
from kbe_graph.text import fold

GUESSERS = ("majority", *PARTS, "nearest", "linear")
MODEL = "model"
LISTED = 10  # groups that are named


class Figure(NamedTuple):
    """How many guesses at so many questions are right, which share that is, and its 95 % interval."""

    right: int
    questions: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class GuessRow:
    """The raw questions, the re-selected ones, or those of a hop, and how well each guesser does at them."""

    row: str
    questions: int
    answers: int
    guessers: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class Guesses:
    """What guessing is worth: row by row, and the most guessable last relations and chains.

    ``awaits`` names the files of calls whose replies the model's figures wait for; ``options`` is what guessing at the
    options is worth where questions were made multiple choice.

    >>> guesses = work.stats.guess("demo")
    >>> [row.row for row in guesses.rows][:1], sorted(guesses.rows[0].guessers)
    (['raw'], ['linear', 'majority', 'nearest'])
    """

    rows: tuple[GuessRow, ...]
    relations: tuple[AnswerGroup, ...]
    chains: tuple[AnswerGroup, ...]
    awaits: tuple[Path, ...] = ()
    options: tuple[OptionRow, ...] = ()

    def as_mapping(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON.

        >>> sorted(work.stats.guess("demo").as_mapping())
        ['awaits', 'chains', 'options', 'relations', 'rows']
        """
        rows = [
            asdict(row) | {"guessers": {name: figure._asdict() for name, figure in row.guessers.items()}}
            for row in self.rows
        ]
        groups = {name: [group._asdict() for group in getattr(self, name)] for name in ("relations", "chains")}
        options = [
            row._asdict() | {"guessers": {name: figure._asdict() for name, figure in row.guessers.items()}}
            for row in self.options
        ]
        return {"rows": rows, **groups, "awaits": [str(file) for file in self.awaits], "options": options}


def guess(
    riddles: Iterable[Riddle],
    train: Iterable[Riddle] | None = None,
    *,
    replies: Mapping[str, str] = MappingProxyType({}),
    guessers: Sequence[str] = GUESSERS,
) -> Guesses:
    """Return the accuracy of each of the ``guessers`` at questions without their pictures.

    They learn from the other riddles of the same row, or from that row of ``train``; where it has none, they do not
    guess. ``replies`` are what a model said to questions without their pictures, by text; others are left out of its
    figures.
    """
    rows = by_row(riddles)
    learnt = None if train is None else by_row(train)

    def figures(row: str, asked: Sequence[Riddle]) -> dict[str, Figure]:
        """Return the figure of each guesser, by its name, for the questions of a row."""
        ours = _figures(asked, None if learnt is None else learnt.get(row, ()), guessers)
        return ours | _model_figure(asked, replies)

    return Guesses(
        tuple(_row(row, asked, figures(row, asked)) for row, asked in rows.items()),
        relations=tuple(guessable_groups(rows, "relation", LISTED)),
        chains=tuple(guessable_groups(rows, "chain", LISTED, least=2)),
    )


def _row(row: str, asked: Sequence[Riddle], figures: Mapping[str, Figure]) -> GuessRow:
    return GuessRow(row, len(asked), len({riddle.answer for riddle in asked}), figures)


def _figures(asked: Sequence[Riddle], train: Sequence[Riddle] | None, guessers: Sequence[str]) -> dict[str, Figure]:
    if train is not None and not train:
        return {}
    has_chain = any(riddle.chain for riddle in asked)
    names = [name for name in guessers if has_chain or name not in PARTS]
    return {name: _figure(asked, _guesses(name, asked, train)) for name in names}


def _guesses(name: str, asked: Sequence[Riddle], train: Sequence[Riddle] | None) -> list[str]:
    if name in PARTS:
        return commonest_other(PARTS[name], asked, train)
    return cross_fitted(LEARNERS[name], asked, train)


def _model_figure(asked: Sequence[Riddle], replies: Mapping[str, str]) -> dict[str, Figure]:
    heard = [riddle for riddle in asked if riddle.text in replies]
    return {MODEL: _figure(heard, [replies[riddle.text] for riddle in heard])} if heard else {}


def _figure(asked: Sequence[Riddle], guesses: Sequence[str]) -> Figure:
    right = sum(fold(guess) in riddle.right for riddle, guess in zip(asked, guesses, strict=True))
    low, high = wilson(right, len(asked))
    return Figure(right, len(asked), round(right / len(asked), 4), round(low, 4), round(high, 4))
