"""Proposes questions by a model: the draft that came with a fact, where it is good enough, else what a call answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kbe_graph.errors import ReplyError
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.express import is_same_question, parse_express, render_express
from kbe_graph.steps.reply_text import read_question
from kbe_graph.types import Candidate, Fact
from kbe_graph.wording.phrases import Wording
from kbe_graph.wording.reference import Reference

_KEPT = 1 << 10  # drafts; each is looked at twice, one soon after the other


@dataclass(frozen=True, slots=True)
class ModelExpresser:
    """Proposes one wording of a candidate, by asking a model where no draft will do."""

    asker: Asker

    def forms(self, candidate: Candidate) -> Sequence[Callable[[Candidate], Reference]]:
        """Return the one form: a model chooses by itself how it speaks of the first answer."""
        del candidate
        return (_free_form,)

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Return one wording; raises NoCandidate where the reply cannot be used."""
        del reference
        return (draft_wording(candidate) or await self._ask_wording(candidate),)

    def is_free(self, candidate: Candidate) -> bool:
        """Return whether a draft spares the call."""
        return draft_wording(candidate) is not None

    def aliases(self, fact: Fact) -> tuple[str, ...]:
        """Return the other right names that came with the fact."""
        return fact.aliases

    async def _ask_wording(self, candidate: Candidate) -> Wording:
        parent, hidden = candidate.question, _hidden_names(candidate)
        step = render_express(parent, candidate.fact.triplet(parent.end), language=self.asker.language)
        shown = self.asker.examples("express")
        text, origin = await self.asker.ask(
            step, lambda reply: parse_express(reply, old=parent.text, hidden=hidden, shown=shown), candidate.sample
        )
        return Wording(text, "asked", maker=f"model {origin.model}", prompt=origin.prompt, calls=(origin.call,))


def _free_form(candidate: Candidate) -> Reference:
    del candidate
    return Reference((), "model")


def draft_wording(candidate: Candidate) -> Wording | None:
    """Return the draft that came with the fact, if it is good enough; None where a call must write the question."""
    fact = candidate.fact
    if not isinstance(fact, ProposedFact) or not fact.draft:
        return None
    text = _drafted_question(fact.draft, candidate.question.text, _hidden_names(candidate))
    return Wording(text, "drafted", maker=fact.source) if text else None


@lru_cache(_KEPT)
def _drafted_question(draft: str, old: str, hidden: tuple[str, ...]) -> str:
    """Return the question of a draft, empty where it is none, names what is hidden, or is the old one."""
    try:
        text = read_question(draft, hidden=hidden)
    except ReplyError:
        return ""
    return "" if is_same_question(text, old) else text


def _hidden_names(candidate: Candidate) -> tuple[str, ...]:
    """Return what the new question must not name: its answer, the old ones, and what lies between them."""
    parent, fact = candidate.question, candidate.fact
    between = (triplet.object.name for triplet in (*parent.root[-1:], *parent.explored))
    return (fact.object, *fact.aliases, parent.answer, *parent.aliases, *between)
