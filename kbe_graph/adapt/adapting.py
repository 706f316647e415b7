"""The loop that follows the models: it asks them, and grows what they answer right, round by round.

An answer scores the round that it is given in, and then chooses what grows; no answer scores what it chose. A round is
saved at its end, and repeats its work from kept answers and calls if it was killed before.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from kbe_graph.adapt import choosing
from kbe_graph.adapt.choosing import RoundAnswers
from kbe_graph.adapt.growth import (
    Pairs,
    RoundSet,
    asked_of,
    carried,
    explore,
    explore_hops,
    how_grown,
    last_hop,
    next_questions,
    round_set,
)
from kbe_graph.brief import brief
from kbe_graph.errors import InputError
from kbe_graph.evaluate.evaluation import evaluate_model
from kbe_graph.export.selection import select
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.review.doubt import contradicted
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_budget
from kbe_graph.store import Evolved, Store
from kbe_graph.text import fold
from kbe_graph.twins.making import make_twins
from kbe_graph.types import EXPLORING, RAW, TWIN, Growth, Question, Round, RunRecord

LEAST_FALL = 0.3  # of the accuracy where a question grows: with less, chance would let too many grow
DRAWS = 1_000  # draws kept apart for each round, so that no reply of an earlier one, which chose, is taken again


@brief("run newest stopped", table="rounds: number asks makes stopped")
@dataclass(frozen=True, slots=True)
class Adapted:
    """The outcome of a loop: all rounds of the ``run`` so far.

    ``stopped`` says why it ended, and ``newest`` is the run whose questions are now the benchmark. ``awaits`` lists the
    files of calls that wait for replies.

    >>> work.rounds("demo")
    []
    """

    run: str
    newest: str
    rounds: tuple[Round, ...] = ()
    stopped: str = ""
    awaits: tuple[Path, ...] = ()


def adapt_run(
    access: GraphAccess,
    run: str,
    models: Sequence[ModelOptions],
    *,
    target: str,
    rounds: int,
    maker: ModelOptions,
    **judging: Any,
) -> Adapted:
    """Let a run follow the models; raises InputError, ConfigError, ResourceError and BudgetReached."""
    band, before = _read_band(target), access.store.rounds(run)
    names = [model.name for model in models]
    if not all(names) or len({*names}) < max(1, len(names)):
        raise InputError(f"`models` is {names!r}; name one or several, each once, such as A,B")
    base = before[0].run if before else run
    record = next(each for each in access.store.runs() if each.name == base)
    if record.state == EXPLORING:  # a command that was killed
        explore_hops(access, record, last_hop(access.store, record))
    with open_budget(access.folder, models[0]) as budget:
        return Loop(access, record, models, maker, band, judging, budget).go(rounds)


def _read_band(text: str) -> tuple[float, float]:
    try:
        least, most = map(float, text.split("-"))
    except ValueError:
        least = most = 0
    if not 0 <= least < most <= 1:
        raise InputError(f"target {text!r} must be two shares from 0 to 1, such as 0.3-0.6")
    return least, most


class _Awaiting(Exception):
    """A round cannot go on until the replies to the calls in files are there."""


def _wait_for(files: Sequence[Path]) -> None:
    if files:
        raise _Awaiting(*files)


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop on a run: the models that are asked, the one that drafts, the band, and the judging of answers."""

    access: GraphAccess
    record: RunRecord
    models: Sequence[ModelOptions]
    maker: ModelOptions
    band: tuple[float, float]
    judging: Mapping[str, Any]
    budget: Budget

    @property
    def store(self) -> Store:
        """The open graph."""
        return self.access.store

    @property
    def rounds(self) -> list[Round]:
        """The rounds so far."""
        return self.store.rounds(self.record.name)

    def go(self, most: int) -> Adapted:
        """Make rounds, at most ``most``; the last one only asks."""
        stopped, awaits, after = "", tuple[Path, ...](), most
        while not (stopped or awaits):
            after -= 1
            try:
                made = self._round(self._begin(), grows=after > 0)
            except _Awaiting as awaiting:
                awaits = awaiting.args
            else:
                self.store.save_round(made)
                stopped = made.stopped
        rounds = self.rounds
        newest = (rounds[-1].makes or rounds[-1].asks) if rounds else self.record.name
        return Adapted(self.record.name, newest, tuple(rounds), stopped, awaits)

    def _begin(self) -> Round:
        """Return the next round, or the last one, if it made nothing and the same models are asked."""
        names = tuple(model.name or "" for model in self.models)
        new, rounds = Round(self.record.name, 1, names, *self.band, self.record.name), self.rounds
        if not rounds:
            return new
        last = rounds[-1]
        number = last.number if last.models == names and not last.makes else last.number + 1
        return replace(new, number=number, asks=last.makes or last.asks)

    def _round(self, begun: Round, *, grows: bool) -> Round:
        own, before = round_set(self.access, self.record, begun.asks), self.rounds[: begun.number - 1]
        approved = self._approved({self.record.name, begun.asks, *(each.makes for each in before)} - {""})
        open_ = {question.id for sample, question in own.all if (sample.id, fold(question.text)) not in approved}
        disputed = {each.question: each for past in before for each in past.disputes if each.question in open_}
        self._ask(begun, [pair for pair in own.all if pair[1].id not in disputed])
        answers = self.store.predictions(run=begun.asks)
        given = [each for each in answers if each.model in begun.models and each.variant == "image"]
        out = {own.parents.get(id_, id_) for id_ in disputed}
        counted = [pair for pair in own.pairs if pair[1].id not in out]
        arranged = choosing.answers_of(given, counted, own.parents)
        if np.isnan(arranged.right).all():
            fault = f"no answer to a question of run {begun.asks!r} was judged"
            raise InputError(f"{fault}; `kbe doctor` looks for the reason")
        disputes = disputed | {each.question: each for each in contradicted(given) if each.question in open_}
        begun = replace(begun, disputes=tuple(disputes.values()), figures=choosing.figures_of(arranged))
        stopped = choosing.why_stop(begun.figures[0], *self.band) or ("" if grows else choosing.NO_MORE)
        return replace(begun, stopped=stopped) if stopped else self._grow(begun, own, arranged)

    def _ask(self, begun: Round, pairs: Pairs) -> None:
        models = ", ".join(begun.models)
        what = f"{len(pairs)} questions of run {begun.asks!r}, only those not answered yet"
        self.access.reporter.warn(f"round {begun.number}: asks {models} {what}")
        for model in self.models:
            more: dict[str, Any] = {"draw": DRAWS * begun.number, "budget": self.budget, **self.judging}
            asked = evaluate_model(self.access, pairs, begun.asks, model, variants=("image",), runs=None, **more)
            _wait_for(asked.judgement.awaits)

    def _approved(self, runs: Collection[str]) -> set[tuple[str, str]]:
        """Return the samples and texts of questions that reviewers approved, under any name in the rounds."""
        reviewed = [run for run in (RAW, *runs) if self.store.reviews(run=run)]
        approved = [
            select(self.store, run=None if run == RAW else run, reviewed="approved").questions for run in reviewed
        ]
        return {(each.sample, fold(each.text)) for questions in approved for each in questions}

    def _grow(self, begun: Round, own: RoundSet, answers: RoundAnswers) -> Round:
        ids = [question.id for _, question in answers.pairs]
        shares = dict(zip(ids, answers.shares, strict=True))
        right = [pair for pair in answers.pairs if shares[pair[1].id] > 0.5]
        others = {each.asks for each in self.rounds} - {begun.asks}
        sets = [own, *(round_set(self.access, self.record, run) for run in sorted(others))]
        asked = {asked_of(*pair) for each in sets for pair in each.pairs}
        nexts = next_questions(self.access, self.record, right, asked)
        if lacking := [pair for pair in right if pair[1].id not in nexts]:
            _wait_for(explore(self.access, self.record, lacking, self.maker, self.budget))
            nexts = next_questions(self.access, self.record, right, asked, shallower=True)
        gap = self._gap(begun, shares)
        can = np.isin(ids, [*nexts])
        chosen = choosing.to_grow(answers.right, can, gap)
        made = self._save(begun, own, {ids[place]: nexts[ids[place]] for place in np.flatnonzero(chosen)})
        if choosing.to_grow(answers.right, can | True, gap).sum() > chosen.sum():
            twins = self._twins(made, own, {question.id for _, question in right} - nexts.keys())
            made = replace(made, grew=(*made.grew, *twins))
        if not made.grew:
            self.store.forget_run(made.makes)
            return replace(begun, stopped=choosing.NOTHING)
        grew = tuple(each._replace(why=f"{shares[each.before]:.0%} of the answers were right") for each in made.grew)
        can |= np.isin(ids, [each.before for each in grew])
        return replace(made, grew=grew, figures=choosing.with_bias(made.figures, answers, can, gap))

    def _gap(self, begun: Round, shares: Mapping[str, float]) -> float:
        """Return the share of the questions that must grow to bring the accuracy to the middle of the band.

        New questions are expected to be answered as those of the round before were, or by no model without any.
        """
        last = [each.question for past in self.rounds if past.makes == begun.asks for each in past.grew]
        earlier = [shares[id_] for id_ in last if shares.get(id_, np.nan) >= 0]
        falls = max(LEAST_FALL, 1 - fmean(earlier)) if earlier else 1.0
        return (begun.figures[0].accuracy - sum(self.band) / 2) / falls

    def _save(self, begun: Round, own: RoundSet, grown: Mapping[str, Question]) -> Round:
        """Save the questions after a round as a run, unfinished until its round is saved; others stay as they are."""
        base, name = self.record, f"{self.record.name}-round-{begun.number}"
        settings = (*base.settings, ("rounds of", base.name), ("round", str(begun.number)))
        self.store.forget_run(name)  # of a round that was killed
        self.store.save_run(RunRecord(name, base.seed, settings, state="running"))
        new: dict[str, Question] = {}
        for _, question in own.all:
            if question.kind != TWIN or question.parent not in grown:
                new[question.id] = carried(grown.get(question.id, question), name, new.get(question.parent, question))
        self.store.save_questions([Evolved(question) for question in new.values()])
        ended = {"ended": datetime.now(UTC).isoformat(timespec="seconds"), "settings": dict(settings)}
        self.access.folder.write_manifest(name, {**self.access.folder.read_manifest(base.name), "run": name, **ended})
        before = [question for _, question in own.pairs if question.id in grown]
        grew = tuple(Growth(new[each.id].id, each.id, how_grown(each, grown[each.id]), "") for each in before)
        copies = (each._replace(question=new[each.question].id) for each in begun.disputes if each.question in new)
        return replace(begun, makes=name, grew=grew, disputes=(*begun.disputes, *copies))

    def _twins(self, made: Round, own: RoundSet, lacking: set[str]) -> list[Growth]:
        """Give twins to questions that can grow into nothing else."""
        lacking -= {*own.parents.values()}
        stays = [question for _, question in own.pairs if question.id in lacking]
        before = {carried(question, made.makes, question).id: question.id for question in stays}
        model = None if dict(self.record.settings)["wording"] == "rule" else self.maker
        _wait_for(make_twins(self.access, made.makes, questions=before, model=model, budget=self.budget).awaits)
        twins = [each for each in self.store.questions(run=made.makes) if each.kind == TWIN and each.parent in before]
        return [Growth(each.id, before[each.parent], "twin", "") for each in twins]
