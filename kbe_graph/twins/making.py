"""Makes the twins of a run's questions, and counts why the others have none."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.export.selection import select
from kbe_graph.facts.pack import kept_verdicts
from kbe_graph.graph_access import GraphAccess
from kbe_graph.store import Evolved, Store
from kbe_graph.twins.rule_twins import MORE_WORDS, NO_FIT, NOT_TOLD, SAME, SEVERAL, Pictured, Refusal, RuleTwins
from kbe_graph.types import RAW, TWIN, WHOLE_KEY, Draft, Provenance, Question, seed_of

NO_CANDIDATE, ASKED = "no candidate", "asked of these pictures already"
CANDIDATES = 200  # pictures that rules look at for a question, the nearest first
ORDER = (NO_CANDIDATE, MORE_WORDS, ASKED, NO_FIT, NOT_TOLD, SAME, SEVERAL)
"""The reasons in the order in which a picture is refused: the one that came furthest is counted."""


@dataclass(frozen=True, slots=True)
class Twins:
    """The outcome of making twins for the questions of a run.

    ``questions`` counts those that could have one, ``had`` those that had one before, and ``made`` the new ones by
    shape. ``refused`` counts the others by reason. ``awaits`` are files of calls whose replies are awaited.

    >>> twins = work.twins(run="demo")
    >>> twins.questions == twins.had + sum(twins.made.values()) + sum(twins.refused.values())
    True
    """

    run: str
    questions: int
    had: int
    made: dict[str, int] = field(default_factory=dict)
    refused: dict[str, int] = field(default_factory=dict)
    awaits: tuple[Path, ...] = ()


def make_twins(
    access: GraphAccess, run: str, *, questions: Collection[str] | None = None, limit: int | None = None
) -> Twins:
    """Make a twin for each question of a run that has none, or for some of them (ids); at most ``limit``.

    Raises InputError and StoreError.
    """
    asked = select(access.store, run=run).questions
    twinned = {each.parent for each in asked if each.kind == TWIN}
    own = [each for each in asked if each.run == run and each.kind != TWIN and each.key]
    own = [each for each in own if questions is None or each.id in questions][:limit]
    waiting = [each for each in own if each.id not in twinned]
    made, refused = Counter[str](), Counter[str]()
    with access.reporter as progress:
        words = {(each.sample, each.text) for each in asked}
        for number, (question, outcome) in enumerate(_by_rule(access, waiting, words), 1):
            progress("twins", number, len(waiting))
            if isinstance(outcome, Draft):
                save_twin(access.store, question, outcome)
                made[outcome.shape] += 1
            else:
                refused[outcome] += 1
    return Twins(run, len(own), len(own) - len(waiting), dict(made), dict(refused.most_common()))


def _by_rule(
    access: GraphAccess, questions: Sequence[Question], asked: set[tuple[str, str]]
) -> Iterator[tuple[Question, Draft | str]]:
    """Give each question with the draft of its twin, or why it has none; ``asked`` grows by what is drafted."""
    knowledge, pictured = packaged_knowledge(kept_verdicts(access.folder.review)), _Pictures(access.store)
    chosen: dict[str, set[str]] = {}  # the samples that the twins of a sample's questions are on
    for question in questions:
        twins = RuleTwins(question, *pictured.of([question.sample]), knowledge)
        outcome: Draft | str = MORE_WORDS if twins.unexplained() else NO_CANDIDATE
        if outcome == NO_CANDIDATE:
            ids = access.store.twin_candidates(question.id, limit=CANDIDATES)
            new = [id_ for id_ in ids if (id_, question.text) not in asked]
            new.sort(key=lambda id_: id_ not in chosen.get(question.sample, ()))
            outcome = _first(access.store, twins, pictured.of(new), ASKED if ids and not new else NO_CANDIDATE)
        if isinstance(outcome, Draft):
            asked.add((outcome.sample, outcome.text))
            chosen.setdefault(question.sample, set()).add(outcome.sample)
        yield question, outcome


def _first(store: Store, twins: RuleTwins, others: Iterable[Pictured], none: str) -> Draft | str:
    """Return the draft of the first picture that fits, or why none does: ``none`` if there is no picture."""
    reasons = [none]
    for other in others:
        try:
            draft = twins.draft(other)
        except Refusal as refusal:
            reasons.append(str(refusal))
            continue
        store.save_drafts([draft])
        fits = {id_.rpartition("|")[2].partition("#")[0] for id_ in store.answer_sets(draft)[WHOLE_KEY]}
        if fits == {replace(draft.end, number=1).key}:
            return draft
        store.save_drafts([replace(draft, status="refused", reason=SEVERAL)])
        reasons.append(SEVERAL)
    return max(reasons, key=ORDER.index)


class _Pictures:
    """What pictures show, each read once."""

    def __init__(self, store: Store) -> None:
        self._store, self._known = store, dict[str, Pictured]()

    def of(self, ids: Sequence[str]) -> list[Pictured]:
        """Return the pictured samples of ids that have a graph, in order."""
        missing = [id_ for id_ in ids if id_ not in self._known]
        graphs = self._store.graphs(missing)
        raw = {each.sample: each for each in self._store.questions(run=RAW, samples=missing)} if missing else {}
        samples = self._store.samples(ids=missing) if missing else []
        for sample in samples:
            if sample.id in graphs and sample.id in raw:
                self._known[sample.id] = Pictured(sample, graphs[sample.id], raw[sample.id])
        return [self._known[id_] for id_ in ids if id_ in self._known]


def save_twin(store: Store, question: Question, draft: Draft) -> None:
    """Save a draft as the twin of a question."""
    twin = Question(
        id=draft.twin,
        sample=draft.sample,
        run=question.run,
        hop=question.hop,
        kind=TWIN,
        text=question.text,
        answer=draft.answer,
        key=draft.key,
        aliases=draft.aliases,
        concept=draft.end.concept,
        parent=question.id,
        provenance=Provenance(
            "model" if draft.calls else "rule", seed_of("twin", question.id), draft.shape, draft.prompt, draft.calls
        ),
        shape=question.shape,
    )
    store.save_drafts([replace(draft, status="chosen", rank=1)])
    store.save_questions([Evolved(twin)])
