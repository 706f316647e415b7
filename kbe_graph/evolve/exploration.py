"""One hop for one question: candidates, filters, draws and wordings (KBE, section 3.2, exploration and expression)."""

import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.seeds import seed_of
from kbe_graph.types import KEEP, Candidate, Decision, Expresser, Fact, Filter, KnowledgeSource, Question

Check = Callable[[Candidate, Question], Decision]
Opinion = Callable[[Sequence[Candidate]], Awaitable[Sequence[Decision]]]


@dataclass(frozen=True, slots=True)
class Steps:
    """What a run explores with: where facts come from, the filters of both stages, the wording, and the checks on it.

    ``opinion`` is asked about the candidates of one question that passed the filters, because it costs a model call;
    ``verify`` about all those of many questions that are left. ``worded`` tells whether wording a candidate costs no call:
    such candidates are worded first, and others only until one is good.
    ``onward`` tells how many more hops a fact's object leads to: the further, the earlier drawn, so that chains go on.
    ``faulty`` tells whether a candidate would make a faulty question, whatever the filters say of it.
    """

    knowledge: KnowledgeSource
    filters: tuple[Filter, ...]
    expresser: Expresser
    checks: tuple[Check, ...] = ()
    opinion: Opinion | None = None
    verify: Opinion | None = None
    worded: Callable[[Candidate], bool] = lambda _: True
    onward: Callable[[Fact], int] = lambda _: 0
    faulty: Callable[[Candidate], bool] = lambda _: False


@dataclass(frozen=True, slots=True)
class Option:
    """A question that could be the next hop, and the place of its candidate among those considered."""

    question: Question
    place: int


@dataclass(frozen=True, slots=True)
class Exploration:
    """What one question could become: the candidates with what was decided of each, and the options in drawn order."""

    parent: Question
    facts: tuple[Fact, ...]
    decisions: tuple[Decision, ...]
    faulty: tuple[bool, ...]
    options: tuple[Option, ...] = ()
    none: str = ""

    @property
    def reason(self) -> str:
        """Why there is no option: that of the knowledge source, else the one met last, on the way through the filters."""
        reasons = [decision.reason for decision in self.decisions if not decision.keep]
        return self.none or (reasons[-1] if reasons else "no fact")


def judge(candidates: Sequence[Candidate], filters: Sequence[Filter], *, stage: str) -> list[Decision]:
    """Return the first refusal of the stage's filters for each candidate, or KEEP."""
    chosen = [one for one in filters if one.stage == stage]
    return [
        next((decision for one in chosen if not (decision := one.decide(candidate)).keep), KEEP)
        for candidate in candidates
    ]


def drawn_order(facts: Sequence[tuple[int, Fact]], seed: int, onward: Callable[[Fact], int]) -> list[int]:
    """Return the places of the facts in drawn order: the relation first, the object second.

    So a relation with many objects is drawn no more often than one with few. Facts that lead further ``onward`` come first.
    """
    by_relation: dict[str, list[int]] = defaultdict(list)
    for place, fact in facts:
        by_relation[fact.relation].append(place)
    draw = random.Random(seed)
    relations = sorted(by_relation)
    draw.shuffle(relations)
    for relation in relations:
        draw.shuffle(by_relation[relation])
    ahead = {place: onward(fact) for place, fact in facts}
    return sorted((place for relation in relations for place in by_relation[relation]), key=lambda one: -ahead[one])


async def options(
    candidates: Sequence[Candidate], decisions: list[Decision], steps: Steps, *, run_seed: int, most: int
) -> tuple[Option, ...]:
    """Word the survivors in drawn order until ``most`` are good; ``decisions`` takes the reasons of those refused here."""
    if not candidates:
        return ()
    question = candidates[0].question
    seed = seed_of(run_seed, question.sample, question.hop + 1)
    survivors = [(place, one.fact) for place, one in enumerate(candidates) if decisions[place].keep]
    found: list[Option] = []
    order = drawn_order(survivors, seed, steps.onward)
    for place in sorted(order, key=lambda one: not steps.worded(candidates[one])):
        if len(found) == most or (found and not steps.worded(candidates[place])):
            break
        worded = await _worded(candidates[place], steps, seed)
        if isinstance(worded, Decision):
            decisions[place] = worded
        else:
            found.append(Option(worded, place))
    return tuple(found)


async def asked(candidates: Sequence[Candidate], decisions: list[Decision], opinion: Opinion | None) -> None:
    """Ask an opinion of the candidates that are left, if there is one to ask; ``decisions`` takes what it says."""
    left = [place for place, decision in enumerate(decisions) if decision.keep]
    if opinion is not None and left:
        said = await opinion([candidates[place] for place in left])
        for place, decision in zip(left, said, strict=True):
            decisions[place] = decision


async def _worded(candidate: Candidate, steps: Steps, seed: int) -> Question | Decision:
    try:
        question = await steps.expresser.express(candidate, seed)
    except NoCandidate as none:
        return Decision(keep=False, reason=none.reason, detail=none.detail)
    (decision,) = judge([replace(candidate, text=question.text)], steps.filters, stage="question")
    for check in steps.checks:
        if decision.keep:
            decision = check(candidate, question)
    return question if decision.keep else decision
