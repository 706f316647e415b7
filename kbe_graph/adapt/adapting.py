"""The loop that follows the models: it asks them, and grows what they answer right, round by round.

An answer scores the round that it is given in, and then chooses what grows; no answer scores what it chose. A round is
saved at its end, and repeats its work from kept answers and calls if it was killed before.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kbe_graph.adapt import choosing
from kbe_graph.adapt.growth import (
    Asked,
    NextQuestion,
    Pairs,
    asked_of,
    carried,
    carried_drafts,
    explore,
    find,
    first_of_samples,
)
from kbe_graph.errors import InputError
from kbe_graph.evaluate.evaluation import evaluate_model
from kbe_graph.export.selection import select
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.review.doubt import contradicted
from kbe_graph.review.state import question_states, read_items
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_budget
from kbe_graph.store import Evolved
from kbe_graph.text import fold
from kbe_graph.types import Dispute, Growth, Question, Round, RunRecord, Sample, seed_of

DRAWS = 1_000  # draws kept apart for each round, so that no reply of an earlier one, which chose, is taken again


class Band(NamedTuple):
    """The accuracy that is aimed at."""

    least: float
    most: float

    @property
    def middle(self) -> float:
        """The middle of the band."""
        return (self.least + self.most) / 2


def read_band(text: str) -> Band:
    """Parse a band such as ``0.3-0.6``; raises InputError."""
    try:
        band = Band(*map(float, text.split("-")))
    except (TypeError, ValueError):
        band = Band(1, 0)
    if not 0 <= band.least < band.most <= 1:
        raise InputError(f"target {text!r} must be two shares from 0 to 1, such as 0.3-0.6")
    return band


@dataclass(frozen=True, slots=True)
class Adapted:
    """The outcome of a loop: all rounds of the ``run`` so far, and how many of them this call made.

    ``stopped`` says why it ended, and ``newest`` is the run whose questions are now the benchmark. ``awaits`` lists the
    files of calls that wait for replies.

    >>> work.rounds("demo")
    []
    """

    run: str
    newest: str
    rounds: tuple[Round, ...] = ()
    new: int = 0
    stopped: str = ""
    awaits: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop on a run: the models that are asked, the one that drafts, the band, and the judging of answers."""

    access: GraphAccess
    record: RunRecord
    models: Sequence[ModelOptions]
    maker: ModelOptions
    band: Band
    judging: dict[str, Any]
    budget: Budget

    def go(self, most: int) -> Adapted:
        """Make rounds, at most ``most``; the last one only asks."""
        store, before = self.access.store, self.access.store.rounds(self.record.name)
        for left in reversed(range(most)):
            rounds = store.rounds(self.record.name)
            made = self._round(rounds, grows=left > 0)
            if not isinstance(made, Round):
                return self._outcome(rounds, before, "", made)
            if made.stopped:
                break
        rounds = store.rounds(self.record.name)
        return self._outcome(rounds, before, rounds[-1].stopped)

    def _outcome(
        self, rounds: Sequence[Round], before: Sequence[Round], stopped: str, awaits: tuple[Path, ...] = ()
    ) -> Adapted:
        newest = (rounds[-1].makes or rounds[-1].asks) if rounds else self.record.name
        return Adapted(self.record.name, newest, tuple(rounds), len(rounds) - len(before), stopped, awaits)

    def _begin(self, rounds: Sequence[Round]) -> Round:
        """Return the next round, or the last one, if it made nothing and the same models are asked."""
        names = tuple(model.name or "" for model in self.models)
        new = Round(self.record.name, len(rounds) + 1, names, *self.band, self.record.name)
        if not rounds:
            return new
        last = rounds[-1]
        number = last.number if last.models == names and not last.makes else last.number + 1
        return replace(new, number=number, asks=last.makes or last.asks)

    def _round(self, rounds: Sequence[Round], *, grows: bool) -> Round | tuple[Path, ...]:
        """Make a round and save it, or return the files of calls whose replies it waits for."""
        begun = self._begin(rounds)
        pairs = self.pairs(begun.asks)
        disputed = {each.question: each for each in self._undecided(begun.asks, self.access.store.disputes(begun.asks))}
        if awaits := self._ask(begun, [pair for pair in pairs if pair[1].id not in disputed]):
            return awaits
        given = [
            each
            for each in self.access.store.predictions(run=begun.asks)
            if each.model in begun.models and each.variant == "image"
        ]
        disputed |= {each.question: each for each in self._undecided(begun.asks, contradicted(given))}
        counted = [pair for pair in pairs if pair[1].id not in disputed]
        ids = {question.id: sample.picture_key for sample, question in counted}
        answers = choosing.answers_of((each for each in given if each.question in ids), [*ids], [*ids.values()])
        if np.isnan(answers.right).all():
            raise InputError(
                f"no answer to the questions of run {begun.asks!r} was judged; `kbe doctor` looks for the fault"
            )
        asked = replace(begun, figures=choosing.figures_of(answers), disputes=tuple(disputed.values()))
        stopped = choosing.why_stop(asked.figures[0], *self.band) or ("" if grows else choosing.NO_MORE)
        made = replace(asked, stopped=stopped) if stopped else self._grow(rounds, asked, pairs, counted, answers)
        if isinstance(made, Round):
            self.access.store.save_round(made)
        return made

    def pairs(self, run: str) -> list[tuple[Sample, Question]]:
        """Select the question of each sample in a run, in an order that favours no sample."""
        chosen = [(sample, question) for sample, question in select(self.access.store, run=run) if question.run == run]
        pairs = first_of_samples(chosen)
        if not pairs:
            raise InputError(f"run {run!r} has no question to ask; make some with `evolve`")
        return sorted(pairs, key=lambda pair: seed_of(self.record.seed, "round", pair[0].id))

    def _ask(self, begun: Round, pairs: Pairs) -> tuple[Path, ...]:
        models = ", ".join(begun.models)
        self.access.reporter.warn(f"round {begun.number}: asks {models} {len(pairs)} questions of run {begun.asks!r}")
        for model in self.models:
            more: dict[str, Any] = {"draw": DRAWS * begun.number, "budget": self.budget, **self.judging}
            asked = evaluate_model(self.access, pairs, begun.asks, model, variants=("image",), runs=None, **more)
            if asked.judgement.awaits:
                return asked.judgement.awaits
        return ()

    def _undecided(self, run: str, disputes: Sequence[Dispute]) -> list[Dispute]:
        """Leave out disputes about questions that reviewers approved, under any name in the rounds."""
        approved = set()
        for name in dict.fromkeys([self.record.name, *self._runs(), run]):
            if reviews := self.access.store.reviews(run=name):
                items = read_items(self.access.store, run=name)
                states = question_states(items, reviews)
                approved |= {
                    (item.question.sample, fold(item.question.text))
                    for item in items
                    if states[item.question.id].state == "approved"
                }
        if not approved:
            return list(disputes)
        texts = {each.id: (each.sample, fold(each.text)) for each in self.access.store.questions(run=run)}
        return [each for each in disputes if texts[each.question] not in approved]

    def _runs(self) -> list[str]:
        return [run for each in self.access.store.rounds(self.record.name) for run in (each.asks, each.makes) if run]

    def _grow(
        self, rounds: Sequence[Round], asked: Round, pairs: Pairs, counted: Pairs, answers: choosing.RoundAnswers
    ) -> Round | tuple[Path, ...]:
        shares = answers.by_question
        right = [pair for pair, share in zip(counted, shares, strict=True) if share > 0.5]
        texts = self._texts(rounds, pairs)
        nexts = find(self.access, self.record, right, texts)
        if lacking := [pair for pair in right if pair[1].id not in nexts]:
            if awaits := explore(self.access, self.record, lacking, self._maker()):
                return awaits
            nexts = find(self.access, self.record, right, texts)
        can = np.array([question.id in nexts for _, question in counted])
        chosen = choosing.to_grow(answers.right, can, self.band.middle)
        if not chosen.any():
            return replace(asked, stopped=choosing.NOTHING)
        grown = {question.id: nexts[question.id] for (_, question), grows in zip(counted, chosen, strict=True) if grows}
        why = {
            question.id: f"{share:.0%} of the answers were right"
            for (_, question), share in zip(counted, shares, strict=True)
        }
        figures = choosing.with_bias(asked.figures, answers, can, self.band.middle)
        return self._save(replace(asked, figures=figures), pairs, grown, why)

    def _maker(self) -> ModelOptions:
        """Return the model that drafts, with what is left of the budget."""
        budget = self.budget
        dollars = None if budget.dollars is None else max(0.0, budget.dollars - budget.spent)
        calls = None if budget.calls is None else max(0, budget.calls - budget.calls_made)
        return replace(self.maker, budget=dollars, max_calls=calls)

    def _texts(self, rounds: Sequence[Round], pairs: Pairs) -> Asked:
        """Return all texts that were asked of the pictures in the rounds."""
        before = [pair for each in rounds for pair in self.pairs(each.asks)]
        return {asked_of(sample, question.text) for sample, question in (*before, *pairs)}

    def _save(self, asked: Round, pairs: Pairs, grown: dict[str, NextQuestion], why: dict[str, str]) -> Round:
        """Save the questions after a round as a run: those that grew, and the others as they are."""
        store, base = self.access.store, self.record
        made = replace(asked, makes=f"{base.name}-round-{asked.number}")
        about = (("rounds of", base.name), ("round", str(made.number)))
        record = RunRecord(made.makes, base.seed, (*base.settings, *about), "running")
        samples = sorted(sample.id for sample, _ in pairs)
        store.save_run(record)
        store.forget_outcomes(record.name, samples)
        new = {
            before.id: carried(grown[before.id].question if before.id in grown else before, record.name, before.id)
            for _, before in pairs
        }
        store.save_questions([Evolved(question) for question in new.values()])
        stays = [sample.id for sample, before in pairs if before.id not in grown]
        carried_drafts(self.access, record.name, asked.asks, stays, grown.values())
        store.save_run(replace(record, state="complete"))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = {**self.access.folder.read_manifest(base.name), "run": record.name, "round": made.number}
        self.access.folder.write_manifest(record.name, {**manifest, "settings": dict(record.settings), "ended": now})
        befores = {before.id: before for _, before in pairs}
        grew = tuple(Growth(new[id_].id, id_, new_one.how(befores[id_]), why[id_]) for id_, new_one in grown.items())
        copies = tuple(each._replace(question=new[each.question].id) for each in asked.disputes)
        return replace(made, grew=grew, disputes=(*asked.disputes, *copies))


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
    band, before = read_band(target), access.store.rounds(run)
    names = [model.name for model in models]
    if not names or None in names or len({*names}) < len(names):
        raise InputError(f"models {names!r} must be one name or several, each once, such as A,B")
    base = before[0].run if before else run
    record = next(each for each in access.store.runs() if each.name == base)
    with open_budget(access.folder, models[0]) as budget:
        return Loop(access, record, models, maker, band, judging, budget).go(rounds)
