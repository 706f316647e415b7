"""What the graph keeps of an exploration: the question that was chosen or why there is none, and what became of each candidate."""

from kbe_graph.evolve.exploration import Exploration
from kbe_graph.evolve.plan import Plan
from kbe_graph.evolve.seeds import seed_of
from kbe_graph.steps.proposed import ProposedFact
from kbe_graph.store import Evolved
from kbe_graph.store.rows import CandidateRow
from kbe_graph.types import Decision, Fact, Provenance, Question

CONCENTRATION = "concentration"


def evolved(exploration: Exploration, plan: Plan, hop: int, choice: int | None) -> Evolved:
    """Return the option of this place, or a dropped question; ``choice`` is None where no option was there or left."""
    if choice is not None:
        option = exploration.options[choice]
        return Evolved(option.question, _rows(exploration, option.place))
    reason = CONCENTRATION if exploration.options else exploration.reason
    return Evolved(_dropped(exploration.parent, plan, hop, reason), _rows(exploration, None))


def _dropped(parent: Question, plan: Plan, hop: int, reason: str) -> Question:
    return Question(
        id=f"{parent.sample}@{plan.run.name}/{hop}",
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
    return tuple(
        _row(fact, decision, drawn=place == taken, faulty=faulty)
        for place, (fact, decision, faulty) in enumerate(
            zip(exploration.facts, exploration.decisions, exploration.faulty, strict=True)
        )
    )


def _row(fact: Fact, decision: Decision, *, drawn: bool, faulty: bool) -> CandidateRow:
    status = "kept" if drawn else "dropped" if not decision.keep else "not drawn"
    return CandidateRow(
        relation=fact.relation,
        object=fact.object,
        object_id=fact.object_id,
        status=status,
        reason=decision.reason,
        detail=decision.detail,
        source=fact.source,
        source_ref=fact.source_ref,
        faulty=faulty,
        subject=fact.subject,
        type=fact.type if isinstance(fact, ProposedFact) else "",
        grounding=fact.grounding if isinstance(fact, ProposedFact) else "",
    )
