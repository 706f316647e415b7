"""What a question can grow into: a deeper question of its sample, its next draft, or a new exploration."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import NamedTuple

from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import evolve_run
from kbe_graph.evolve.shapes.by_rule import RuleDrafts, Sharing
from kbe_graph.evolve.shapes.line import decide, question_of
from kbe_graph.evolve.shapes.rule_line import rule_question
from kbe_graph.export.selection import select
from kbe_graph.facts.pack import kept_verdicts
from kbe_graph.graph_access import GraphAccess
from kbe_graph.options import about_of, plain_type
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.text import fold
from kbe_graph.types import RAW, Draft, Question, RunRecord, Sample, question_id

Pairs = Sequence[tuple[Sample, Question]]
Asked = set[tuple[str, str]]
"""Texts that were asked of pictures: the key of the picture, and the folded text."""
BY_RULES = ("pack", "statements")


class NextQuestion(NamedTuple):
    """A question that can take the place of another: of a run, or of a draft that passed."""

    question: Question
    rank: int = 0
    draft: Draft | None = None

    def how(self, before: Question) -> str:
        """Say in what it differs from the question before."""
        if self.question.difficulty > before.difficulty:
            return "deeper"
        return "next draft" if self.question.shape == before.shape else "another shape"

    def place(self, before: Question) -> tuple[bool, int, int, int]:
        """Return the sort key: none that is shallower comes before one that is not, and few hops before many."""
        question = self.question
        return question.difficulty < before.difficulty, self.rank, question.hop, question.difficulty


def asked_of(sample: Sample, text: str) -> tuple[str, str]:
    """Return what marks a text as asked of a picture."""
    return sample.picture_key, fold(text)


def find(access: GraphAccess, record: RunRecord, pairs: Pairs, asked: Asked) -> dict[str, NextQuestion]:
    """Find what each question (id) can grow into that was not asked of its picture: the next deeper one, or draft."""
    store, samples = access.store, [sample.id for sample, _ in pairs]
    raw = {each.sample: each for each in store.questions(run=RAW, samples=samples)}
    kept: dict[str, list[NextQuestion]] = defaultdict(list)
    for question in select(store, run=record.name).questions:
        if question.run == record.name and question.hop > 0:
            kept[question.sample].append(NextQuestion(question))
    made = rule_question if dict(record.settings).get("wording") == "rule" else question_of
    for run in (record.name, further_run(record)):
        for draft in store.drafts(run, samples):
            question = made(draft, raw[draft.sample], record.seed)
            kept[draft.sample].append(NextQuestion(question, draft.rank or draft.number, draft))
    nexts = {}
    taken = set(asked)
    for sample, before in pairs:
        new = (each for each in kept[sample.id] if asked_of(sample, each.question.text) not in taken)
        if best := min(new, key=lambda each: each.place(before), default=None):
            nexts[before.id] = best
            taken.add(asked_of(sample, best.question.text))
    return nexts


def explore(access: GraphAccess, record: RunRecord, pairs: Pairs, model: ModelOptions) -> tuple[Path, ...]:
    """Explore samples whose questions cannot grow: by rules a hop further and other shapes, or with a model's drafts.

    What is explored is kept, so that repeating it changes nothing and asks nothing twice. Returns the files of calls
    whose replies it waits for.
    """
    settings = dict(record.settings)
    ids = [sample.id for sample, _ in pairs]
    hop = max((each.hop for each in access.store.questions(run=record.name, status=None)), default=0)
    if settings.get("mode") == "merged":
        options = replace(_options_of(record, hop + 1), run=further_run(record))
        return evolve_run(access, options, model, workers=1, only=ids)
    if settings.get("wording") == "rule" and settings.get("knowledge") in BY_RULES:
        if any(each.hop == hop for each in access.store.questions(run=record.name, samples=ids)):
            evolve_run(access, _options_of(record, hop + 1), None, workers=1)
        _draft_by_rules(access, record.name, ids)
    return ()


def further_run(record: RunRecord) -> str:
    """Name the run of the drafts by which a model explores a run's samples once more."""
    return f"{record.name}-further"


def _options_of(record: RunRecord, hops: int) -> RunOptions:
    """Return the options by which a run was made, with this number of hops."""
    settings = dict(record.settings)
    given = {
        each.name: _value_of(plain_type(each.type), settings[about_of(each).setting])
        for each in fields(RunOptions)
        if about_of(each).setting in settings
    }
    makers = {name: settings[name] for name in ("knowledge", "wording")}
    return RunOptions.of({"run": record.name, "seed": record.seed, "hops": hops, **makers, **given})


def _value_of(kind: type, text: str) -> object:
    if text == "None":
        return None
    return text == "on" if kind is bool else kind(text) if kind in {int, float} else text


def _draft_by_rules(access: GraphAccess, run: str, samples: Sequence[str]) -> None:
    store = access.store
    drafted = {draft.sample for draft in store.drafts(run, samples)}
    sharing = Sharing(packaged_knowledge(kept_verdicts(access.folder.review)).pack)
    for graph in store.graphs([each for each in samples if each not in drafted]).values():
        drafts = RuleDrafts(graph, run, sharing).drafts()
        store.save_drafts(drafts)
        store.save_drafts([decide(draft, store.answer_sets(draft)) for draft in drafts])


def carried(question: Question, run: str, parent: str) -> Question:
    """Return a question as one of another run, which came of the question ``parent``."""
    return replace(question, id=question_id(question.sample, run, question.hop), run=run, parent=parent, status="kept")


def carried_drafts(
    access: GraphAccess, run: str, asks: str, stays: Iterable[str], grown: Iterable[NextQuestion]
) -> None:
    """Save the drafts of a new run's questions as its own, so that their answer sets can be queried."""
    own = [each for each in access.store.drafts(asks, [*stays]) if each.status == "chosen"]
    drafts: Iterator[Draft] = (each for each in (*own, *(each.draft for each in grown)) if each)
    access.store.save_drafts([replace(each, run=run, status="chosen", rank=1, reason="") for each in drafts])


def first_of_samples(pairs: Iterable[tuple[Sample, Question]]) -> list[tuple[Sample, Question]]:
    """Select the question of the fewest hops of each sample; a re-selected one only where there is no other."""
    first: Mapping[str, tuple[Sample, Question]] = {
        sample.id: (sample, question)
        for sample, question in sorted(pairs, key=lambda pair: (pair[1].hop > 0, -pair[1].hop))
    }
    return [first[id_] for id_ in sorted(first)]
