"""Makes the twins of a run's questions, and counts why the others have none."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from kbe_graph.brief import brief
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.knowledge import Knowledge, packaged_knowledge
from kbe_graph.evolve.shapes.line import SEVERAL
from kbe_graph.export.selection import Selection, select
from kbe_graph.facts.pack import kept_verdicts
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.models.loop import batches, gather_all
from kbe_graph.review.state import first_version
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_session
from kbe_graph.store import Evolved, Store
from kbe_graph.twins.model_twins import ModelTwins, names_told
from kbe_graph.twins.rule_twins import MORE_WORDS, NO_FIT, NOT_TOLD, SAME, Pictured, RuleTwins, may_answer
from kbe_graph.types import RAW, TWIN, WHOLE_KEY, Draft, Identity, Progress, Provenance, Question, seed_of

NO_CANDIDATE, ASKED = "no candidate", "asked of these pictures already"
ORDER = (NO_CANDIDATE, MORE_WORDS, ASKED, NO_FIT, NOT_TOLD, SAME, SEVERAL)
"""The reasons in the order in which a picture is refused: the one that came furthest is counted, a check's last."""
MOST_TRIED, BY_MODEL = 200, 3  # pictures that are tried for a question, the nearest first
WAVE = 20  # questions whose requests are sent together


@brief()
@dataclass(frozen=True, slots=True)
class Twins:
    """The outcome of making twins for the questions of a run.

    ``questions`` counts those that could have one, ``had`` those that had one before, ``linked`` those that are a pair
    now with another kept question of the run, and ``made`` the new ones by shape. ``refused`` counts the others by
    reason. ``awaits`` are files of calls whose replies are awaited.

    >>> twins = work.twins(run="demo")
    >>> twins.questions == twins.had + twins.linked + sum(twins.made.values()) + sum(twins.refused.values())
    True
    """

    run: str
    questions: int
    had: int
    linked: int = 0
    made: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    awaits: tuple[Path, ...] = ()


def make_twins(
    access: GraphAccess,
    run: str,
    *,
    questions: Collection[str] | None = None,
    limit: int | None = None,
    model: ModelOptions | str | None = None,
    budget: Budget | None = None,
) -> Twins:
    """Make a twin for each question of a run that has none, by rules or with a model, or for some of them.

    Two kept questions that could be each other's twin are made a pair first, unless some questions (ids) are given.
    ``limit`` takes the first by id. ``budget`` is that of the whole command, if this is a part of it. Raises
    InputError, StoreError, ConfigError, BudgetReached.
    """
    selection = select(access.store, run=run)
    asked = selection.questions
    own = [each for each in asked if each.run == run and each.kind != TWIN and each.key]
    own = [each for each in own if questions is None or each.id in questions][:limit]
    by_id = {first_version(each.id): each for each in asked}
    pairs = [(each, other) for each in asked if (other := by_id.get(first_version(each.twin_of)))]
    new = [] if questions is not None else list(_pairs_of(own, {each.id for pair in pairs for each in pair}, selection))
    access.store.link_twins(new)
    ids = {each.id for each in own}
    had = {own.id: other for pair in (*pairs, *new) for own, other in (pair, pair[::-1]) if own.id in ids}
    paired = {first_version(each.id) for each in had.values()}
    every = (*asked, *access.store.questions(run=run))  # twins that were rejected in review too
    words = {(each.sample, each.text) for each in every if first_version(each.id) not in paired}
    awaits: tuple[Path, ...] = ()
    with access.reporter as progress:
        if access.store.complete_kinds([each.sample for each in own]):
            access.store.complete_kinds([*access.store.sample_status()])
        making = _Making(access.store, own, had, words, progress)
        if model is None:
            making.by_rule(packaged_knowledge(kept_verdicts(access.folder.review)))
        elif len(had) < len(own):
            with open_session(model, access, budget) as session:
                awaits = session.do(
                    partial(making.by_model, crops=access.folder.hidden / "crops"), "twin", "look", "confirm", "solve"
                )
    linked = sum(each.id in ids for pair in new for each in pair)
    return Twins(
        run, len(own), len(had) - linked, linked, dict(making.made), dict(making.refused.most_common()), awaits
    )


def _pairs_of(
    questions: Iterable[Question], paired: Collection[str], selection: Selection
) -> Iterator[tuple[Question, Question]]:
    """Find, of questions that are in no pair, two that ask the same words about two pictures with other answers."""
    waiting: dict[str, list[Question]] = defaultdict(list)
    pictures = {id_: sample.picture_key for id_, sample in selection.samples.items()}
    for question in questions:
        if question.id in paired:
            continue
        for other in waiting[question.text]:
            is_there = pictures[other.sample] != pictures[question.sample]
            if is_there and not may_answer(other, question.answer, *question.aliases):
                waiting[question.text].remove(other)
                yield question, other
                break
        else:
            waiting[question.text].append(question)


@dataclass(frozen=True)
class _Making:
    """Makes twins for questions; ``had`` are those that they have, and ``asked`` all other words of the run, by sample.

    A twin that is there counts when its question's turn comes, so that a command that was killed goes on as it began.
    """

    store: Store
    questions: Sequence[Question]
    had: Mapping[str, Question]
    asked: set[tuple[str, str]]
    progress: Progress
    made: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    pictures: dict[str, Pictured] = field(default_factory=dict)
    chosen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def by_rule(self, knowledge: Knowledge) -> None:
        """Give each question the nearest picture whose graph, with the facts, gives one other answer."""
        for question in self.questions:
            if twin := self.had.get(question.id):
                self._take(question, twin)
                continue
            (own,) = self._pictured([question.sample])
            twins = RuleTwins(question, own, knowledge)
            reasons = [MORE_WORDS if twins.unexplained() else NO_CANDIDATE]
            for other in [] if MORE_WORDS in reasons else self._candidates(question):
                try:
                    draft = twins.draft(other)
                except NoCandidate as none:
                    reasons.append(none.reason)
                    continue
                if reason := self._keep(question, draft):
                    reasons.append(reason)
                else:
                    break
            else:
                self._count(self.refused, _furthest(reasons))

    async def by_model(self, asker: Asker, crops: Path) -> None:
        """Have a model look at each question's nearest pictures until one gives a twin; a wave is saved at once."""
        twins = ModelTwins(asker, crops)

        async def first(question: Question, others: Sequence[Pictured], reason: str) -> tuple[Draft | None, str]:
            (own,) = self._pictured([question.sample])
            reasons = [reason]
            for other in others[:BY_MODEL]:
                try:
                    return await twins.draft(question, own, other), ""
                except NoCandidate as none:
                    reasons.append(none.reason)
            return None, _furthest(reasons)

        for _, wave in batches(self.questions, WAVE):
            waiting = [each for each in wave if each.id not in self.had]
            drafts = await gather_all([first(each, *self._unlike(each)) for each in waiting])
            for question in wave:
                if twin := self.had.get(question.id):
                    self._take(question, twin)
            for question, (draft, reason) in zip(waiting, drafts, strict=True):
                if reason := self._keep(question, draft) if draft else reason:
                    self._count(self.refused, reason)

    def _unlike(self, question: Question) -> tuple[list[Pictured], str]:
        """List candidates, first those listed with another name of what is asked; none with the same name only."""
        (own,), others = self._pictured([question.sample]), self._candidates(question)
        pairs = [(names_told(question, own, each), each) for each in others]
        first = sorted(pairs, key=lambda pair: not pair[0] or any(pair[0]))
        unlike = [each for same, each in first if not (same and all(same))]
        return unlike, SAME if pairs and not unlike else NO_CANDIDATE

    def _candidates(self, question: Question) -> list[Pictured]:
        """List pictures of which the words are not asked, those that the sample's other twins are on first."""
        ids = self.store.twin_candidates(question.id, limit=MOST_TRIED)
        new = [id_ for id_ in ids if (id_, question.text) not in self.asked]
        return self._pictured(sorted(new, key=lambda id_: id_ not in self.chosen[question.sample]))

    def _pictured(self, ids: Sequence[str]) -> list[Pictured]:
        missing = [id_ for id_ in ids if id_ not in self.pictures]
        graphs, samples = self.store.graphs(missing), self.store.samples(ids=missing)
        raw = {each.sample: each for each in self.store.questions(run=RAW, samples=missing)}
        shown = [each for each in samples if each.id in graphs and each.id in raw]
        sure: dict[str, list[Identity]] = defaultdict(list)
        for each in self.store.identities(missing):
            if not each.reason and each.run in ("", self.questions[0].run):
                sure[each.sample].append(each)
        self.pictures.update({each.id: Pictured(each, graphs[each.id], raw[each.id], sure[each.id]) for each in shown})
        return [self.pictures[id_] for id_ in ids if id_ in self.pictures]

    def _keep(self, question: Question, draft: Draft) -> str:
        """Save a draft as the twin of a question, or return why it is none: its answer set tells."""
        if (draft.sample, draft.text) in self.asked:
            return ASKED
        self.store.save_drafts([draft])
        fits = {id_.rpartition("|")[2].partition("#")[0] for id_ in self.store.answer_sets(draft)[WHOLE_KEY]}
        is_alone = fits == {replace(draft.end, number=1).key}
        judged = replace(draft, status="chosen", rank=1) if is_alone else replace(draft, status="refused")
        self.store.save_drafts([judged])
        if not is_alone:
            return SEVERAL
        self.store.save_questions([Evolved(_twin(question, draft))])
        self._take(question, draft)
        self._count(self.made, draft.shape)
        return ""

    def _take(self, question: Question, twin: Question | Draft) -> None:
        """Note that the words of a question are asked of another picture too."""
        self.asked.add((twin.sample, question.text))
        self.chosen[question.sample].add(twin.sample)

    def _count(self, counts: Counter[str], name: str) -> None:
        counts[name] += 1
        self.progress("twins", self.made.total() + self.refused.total(), len(self.questions) - len(self.had))


def _furthest(reasons: Sequence[str]) -> str:
    return max(reasons, key=lambda reason: ORDER.index(reason) if reason in ORDER else len(ORDER))


def _twin(question: Question, draft: Draft) -> Question:
    maker = "model" if draft.calls else "rule"
    seed = seed_of("twin", question.id)
    return replace(
        question,
        id=draft.twin,
        sample=draft.sample,
        kind=TWIN,
        answer=draft.answer,
        key=draft.key,
        aliases=draft.aliases,
        concept=draft.end.concept,
        parent=question.id,
        provenance=Provenance(maker, seed, draft.shape, draft.prompt, draft.calls),
    )
