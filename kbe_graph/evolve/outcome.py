"""What the graph keeps of an exploration: the chosen question or why there is none, what became of each candidate."""

from kbe_graph.checks.guessable import Choice
from kbe_graph.evolve.exploration import Exploration, Fate
from kbe_graph.evolve.inspections import Inspections
from kbe_graph.evolve.plan import Plan
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.seeds import seed_of
from kbe_graph.store import Evolved
from kbe_graph.store.rows import CandidateRow
from kbe_graph.types import Provenance, Question, question_id


def outcome(exploration: Exploration, plan: Plan, hop: int, choice: Choice | None, inspections: Inspections) -> Evolved:
    """Return the option of the place that was chosen, or a dropped question; None where there was no option."""
    if not isinstance(choice, int):
        reason = choice.reason if choice else exploration.reason
        question, place = _dropped(exploration.parent, plan, hop, reason), None
    else:
        option = exploration.options[choice]
        question, place = option.question, option.place
    return Evolved(question, _rows(exploration, place), inspections.of(question.id))


def _dropped(parent: Question, plan: Plan, hop: int, reason: str) -> Question:
    return Question(
        id=question_id(parent.sample, plan.run.name, hop),
        sample=parent.sample,
        run=plan.run.name,
        hop=hop,
        kind="explored",
        text="",
        answer="",
        key=(),
        parent=parent.id,
        provenance=Provenance("rule", seed_of(plan.run.seed, parent.sample, hop)),
        status="dropped",
        reason=reason,
    )


def _rows(exploration: Exploration, taken: int | None) -> tuple[CandidateRow, ...]:
    return tuple(_row(fate, drawn=place == taken) for place, fate in enumerate(exploration.fates))


def _row(fate: Fate, *, drawn: bool) -> CandidateRow:
    fact, decision = fate.fact, fate.decision
    return CandidateRow(
        relation=fact.relation,
        object=fact.object,
        object_id=fact.object_id,
        status="kept" if drawn else "not drawn" if decision.keep else "dropped",
        reason=decision.reason,
        detail=decision.detail,
        source=fact.source,
        source_ref=fact.source_ref,
        faulty=fate.faulty,
        subject=fact.subject,
        type=fact.type if isinstance(fact, ProposedFact) else "",
        grounding=fact.grounding if isinstance(fact, ProposedFact) else "",
    )
