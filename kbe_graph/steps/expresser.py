"""Writes questions by a model: the draft that came with a fact, where it is good enough, else a call of its own."""

from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.steps.asking import Asker
from kbe_graph.steps.exploration import of_source
from kbe_graph.steps.proposed import ProposedFact
from kbe_graph.steps.reply import question as one_question
from kbe_graph.steps.wording import parse_express, render_express, same_question
from kbe_graph.types import Candidate, Expresser, Provenance, Question, Triplet


class _Worded(NamedTuple):
    text: str
    maker: str
    pattern: str
    prompt: str = ""
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelExpresser:
    """An Expresser that asks a model; ``run`` names the run that its questions belong to."""

    asker: Asker
    run: str

    async def express(self, candidate: Candidate, seed: int) -> Question:
        """Return the kept question of the next hop; raises NoCandidate where there is no good wording."""
        parent, fact = candidate.question, candidate.fact
        triplet = fact.triplet(parent.key[-1].object)
        worded = drafted(candidate) or await self._asked(candidate, triplet)
        made = Question(
            id=f"{parent.sample}@{self.run}/{parent.hop + 1}",
            sample=parent.sample,
            run=self.run,
            hop=parent.hop + 1,
            kind="explored",
            text=worded.text,
            answer=fact.object,
            key=(*parent.key, triplet),
            aliases=fact.aliases,
            concept=fact.object_id,
            parent=parent.id,
            provenance=Provenance(worded.maker, seed, worded.pattern, worded.prompt, worded.calls),
        )
        return of_source(candidate, made)

    async def _asked(self, candidate: Candidate, triplet: Triplet) -> _Worded:
        parent, hidden = candidate.question, _hidden(candidate)
        ask = render_express(parent, triplet, language=self.asker.language)
        text, told = await self.asker.ask(
            ask, lambda one: parse_express(one, old=parent.text, hidden=hidden), candidate.sample
        )
        return _Worded(text, f"model {told.model}", "asked", ask.prompt, (told.call,))


@dataclass(frozen=True, slots=True)
class WithSource:
    """An Expresser whose questions also tell the prompt and call that their fact came from."""

    expresser: Expresser

    async def express(self, candidate: Candidate, seed: int) -> Question:
        """Return the kept question of the next hop; raises NoCandidate where there is no good wording."""
        return of_source(candidate, await self.expresser.express(candidate, seed))


def drafted(candidate: Candidate) -> _Worded | None:
    """Return the draft that came with the fact, if it is good enough; None where a call must write the question."""
    fact = candidate.fact
    if not isinstance(fact, ProposedFact) or not fact.draft:
        return None
    try:
        text = one_question(fact.draft, hidden=_hidden(candidate))
    except ReplyError:
        return None
    return None if same_question(text, candidate.question.text) else _Worded(text, fact.source, "drafted")


def _hidden(candidate: Candidate) -> tuple[str, ...]:
    """Return what the new question must not name: its answer, the old ones, and what lies between them."""
    parent, fact = candidate.question, candidate.fact
    between = (triplet.object.name for triplet in parent.key[len(parent.key) - parent.hop - 1 :])
    return (fact.object, *fact.aliases, parent.answer, *parent.aliases, *between)
