"""What makes a run's questions: fact source, checks, question wording and opinions, chosen by its plan."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from kbe_graph.checks import Checks, Scheme, build_checks
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.registry import NOT_REPRESENTATIVE
from kbe_graph.english.parse import load_spacy_model
from kbe_graph.english.reference import Reference
from kbe_graph.evolve.blind_test import BlindTest
from kbe_graph.evolve.by_model import ModelExpresser, ModelReselector, ModelSource, judge_representative, name_id
from kbe_graph.evolve.knowledge import Knowledge, packaged_knowledge
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.rule_wording import RuleExpresser
from kbe_graph.facts.grounding import Grounded, Grounding, is_grounded
from kbe_graph.facts.pack import FactVerdict, Key, Pack
from kbe_graph.facts.walk import link
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.tasks import guess_answers, name_alternatives
from kbe_graph.steps.verifier import FactKey, Inspectable, Verifier, inspect_questions
from kbe_graph.store import Store
from kbe_graph.store.address import Place
from kbe_graph.store.connect import reopen
from kbe_graph.types import (
    Candidate,
    Decision,
    Fact,
    Inspection,
    KnowledgeSource,
    Progress,
    Question,
    Sample,
    SampleGraph,
)
from kbe_graph.workers import Workers

_FAR = 2  # hops to look ahead; more would distinguish few chains and take long
_LAST_HOP = 1_000_000

Form = Callable[[Candidate], Reference]
"""Way of referring to the first answer of a candidate's chain; raises NoCandidate if it has no proposal."""

Expresser = RuleExpresser | ModelExpresser
"""Proposes wordings of a candidate's question, without judging them."""

Refuse = Callable[[Question], Decision]
"""Function that returns a second model's decision on a question: a rejection, or KEEP."""

Opinion = Callable[[Sequence[Candidate]], Awaitable[Sequence[Decision]]]
"""Function that decides on candidates with a model call, in order."""

Inspector = Callable[[Sequence[Inspectable]], Awaitable[Sequence[Inspection | Decision]]]
"""Function that gives the seven verdicts on questions with one model call; an unusable reply rejects them."""


class SourcedFacts:
    """Source without its unsourced facts."""

    def __init__(self, source: KnowledgeSource) -> None:
        self._source = source

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Get the source's candidates for the current answer, without unsourced facts."""
        return [fact for fact in await self._source.candidates(sample, question) if not fact.unsourced]


@dataclass(frozen=True, slots=True)
class Evolution:
    """A run's graph and plan, and what makes its questions; each process of a run has one.

    ``facts`` are those that rules draft questions of. ``onward`` estimates how many hops, up to a limit, could
    follow a candidate: the more, the earlier it is drawn. One relation of each ``family`` is drawn before a second
    of any. ``concept_of`` returns the concept of a question's answer. ``opinion`` judges the candidates of one
    question that passed the fact checks; ``second_opinion`` judges those left of many questions. ``reselector``
    words re-selected questions; otherwise rules do. ``blind_test`` tests each candidate question without its image,
    and ``inspector`` sees every question that would be kept. ``workers`` are the processes that explore for this
    one, which decides and saves; None if it works alone.
    """

    store: Store
    plan: Plan
    source: KnowledgeSource
    facts: Pack
    checks: Checks
    expresser: Expresser
    onward: Callable[[Candidate, int], int]
    family: Callable[[str], str]
    concept_of: Callable[[Sample, SampleGraph, Question], str]
    opinion: Opinion | None = None
    second_opinion: Opinion | None = None
    reselector: ModelReselector | None = None
    blind_test: BlindTest | None = None
    inspector: Inspector | None = None
    workers: Workers | None = None
    progress: Progress = lambda *_: None

    @property
    def run(self) -> str:
        """The name of the run."""
        return self.plan.run.name


def evolution_of(
    store: Store,
    plan: Plan,
    knowledge: Knowledge,
    asker: Asker | None = None,
    *,
    progress: Progress = lambda *_: None,
) -> Evolution:
    """Build what makes a run's questions: rules, or a model that is asked through ``asker``."""
    model, asks = plan.model, plan.choice.asks
    scheme = Scheme(
        facts_known=not plan.proposes,
        by_rule=not plan.words,
        demand=model.ground if plan.proposes else "report",
        language=model.language,
        choice=plan.choice,
    )
    checks = build_checks(knowledge.pack, plan.filters, scheme)
    source, pack = knowledge.source, knowledge.pack
    if not plan.options.unsourced:  # checks still know such facts: a question with two answers has them regardless
        source = SourcedFacts(source)
        pack = pack.sourced
    evolution = Evolution(
        store,
        plan,
        source,
        pack,
        checks,
        ModelExpresser(asker) if asker and plan.words else RuleExpresser(knowledge.pack),
        partial(hops_onward, checks, pack),
        pack.family,
        knowledge.link,
        progress=progress,
    )
    if asker is None:
        return evolution
    blind_test = None
    if plan.guessing:
        others = partial(name_alternatives, asker) if asks(ImageNotNeeded.name) else None
        guesser = partial(guess_answers, asker, tries=plan.filters.guess_tries)
        blind_test = BlindTest(guesser, others, skips=model.blind == "skip")
    evolution = replace(
        evolution,
        reselector=ModelReselector(asker, asks) if plan.words else None,
        inspector=partial(inspect_questions, asker) if model.verify else None,
        blind_test=blind_test,
    )
    return _proposing(evolution, knowledge, asker) if plan.proposes else evolution


def _proposing(evolution: Evolution, knowledge: Knowledge, asker: Asker) -> Evolution:
    store, plan = evolution.store, evolution.plan

    def earlier_verdicts(hop: int) -> dict[FactKey, bool]:
        others = [other.name for other in store.runs() if other.name != evolution.run]
        return store.verdicts(others, hop=_LAST_HOP) | store.verdicts([evolution.run], hop=hop - 1)

    def concept_of(sample: Sample, graph: SampleGraph, question: Question) -> str:
        return knowledge.link(sample, graph, question) or name_id(question.answer)

    def concept(question: str, name: str) -> str:
        return link(question, name).concept or name_id(name)

    proposals = ModelSource(asker, concept=concept)
    return replace(
        evolution,
        source=Grounded(proposals, Grounding(knowledge.pack), rename=not plan.words),
        onward=lambda candidate, _: int(plan.model.ground == "prefer" and is_grounded(candidate.fact)),
        opinion=partial(judge_representative, asker) if plan.choice.asks(NOT_REPRESENTATIVE) else None,
        second_opinion=Verifier(asker, earlier_verdicts) if plan.model.verify else None,
        concept_of=concept_of,
    )


def worker_evolution(place: Place, plan: Plan, verdicts: Mapping[Key, FactVerdict]) -> Evolution:
    """Build the evolution of a worker process, with all its resources loaded."""
    load_spacy_model()
    return evolution_of(reopen(place), plan, packaged_knowledge(verdicts))


def hops_onward(checks: Checks, pack: Pack, candidate: Candidate, hops: int) -> int:
    """Count the hops that could follow a candidate, at most ``hops``, by a pack and the checks of facts.

    The wording of future hops is not known yet, so the previous question stands in for it.
    """
    hops = min(hops, _FAR)
    if hops <= 0:
        return 0
    fact, parent = candidate.fact, candidate.question
    key = (*parent.key, fact.triplet(parent.end))
    question = replace(parent, hop=parent.hop + 1, answer=fact.object, concept=fact.object_id, key=key)
    following = (replace(candidate, question=question, fact=fact) for fact in pack.facts_about(fact.object_id))
    kept = (each for each in following if checks.decide("fact", each).keep)
    return max((1 + hops_onward(checks, pack, each, hops - 1) for each in kept), default=0)
