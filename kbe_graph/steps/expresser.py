"""Question wording by a model: the steps ``express``, ``reselect`` and ``paraphrase`` (KBE, section 3.2; MDK12)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from kbe_graph.checks.path import Asks, PathLeak, RelatedToOriginal, decide_end
from kbe_graph.checks.question_text import Instruction, WordedInstruction, refuse_instruction
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.noun import ENGLISH
from kbe_graph.english.reference import Reference, Wording
from kbe_graph.english.seen import Names
from kbe_graph.errors import NoCandidate
from kbe_graph.facts.grounding import ProposedFact
from kbe_graph.steps.asker import Asker, ReplyOrigin, Step, chain_text, refusal_of_reply, triplet_text
from kbe_graph.steps.forms import ExpressForm, ParaphraseForm, ReselectForm
from kbe_graph.steps.prompt import Data, examples
from kbe_graph.steps.reply_text import read_question
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Decision, Fact, Question, Sample, SampleGraph, Triplet

QUESTION_TOKENS = 120
NOT_ASKED = "the model asks for no path"
_ANY_PICTURE = frozenset({"image", "picture", "photo", "show", "see", "depict", "shown", "seen"})


def express_step(
    parent: Question, triplet: Triplet, *, hidden: Collection[str] = (), language: str = ENGLISH
) -> Step[str]:
    """Ask for the question whose answer is the object of the new triplet.

    The reply is unusable if it mentions a ``hidden`` name, or repeats the parent's question or an example's.
    """

    def parse(form: ExpressForm) -> str:
        return _new_question("express", form.question, old=parent.text, hidden=hidden)

    values: dict[str, Data] = {"question": parent.text, "answer": parent.answer, "chain": chain_text(parent.key)}
    values |= {"triplet": triplet_text(triplet), "language": language}
    return Step("express", ExpressForm, parse, values, QUESTION_TOKENS)


def _new_question(step: str, text: str, *, old: str, hidden: Collection[str]) -> str:
    question = read_question(text, hidden=hidden)
    if is_same_question(question, old):
        raise ValueError("the question is the old one")
    if examples(step).holds_question(question):
        raise ValueError("the question is the example's")
    return question


def is_same_question(text: str, old: str) -> bool:
    """Return True if two questions have the same words, or the same lemmas apart from "in this picture" etc."""
    new_lemmas, old_lemmas = (frozenset(lemmas(question)) - _ANY_PICTURE for question in (text, old))
    return fold(text) == fold(old) or (bool(new_lemmas) and new_lemmas == old_lemmas)


def paraphrase_step(text: str, answers: Sequence[str], *, language: str = ENGLISH) -> Step[str]:
    """Ask for a paraphrase of a question with the same answers."""

    def parse(form: ParaphraseForm) -> str:
        return read_question(form.question)

    values = {"question": text, "answers": ", ".join(dict.fromkeys(answers)), "language": language}
    return Step("paraphrase", ParaphraseForm, parse, values, QUESTION_TOKENS, sees_image=False)


@dataclass(frozen=True, slots=True)
class ModelExpresser:
    """Expresser that proposes one wording of a candidate: its draft, or else a model's reply."""

    asker: Asker

    def forms(self, candidate: Candidate) -> Sequence[Callable[[Candidate], Reference]]:
        """List the single form: a model decides for itself how to refer to the first answer."""
        del candidate
        return (lambda _: Reference((), "model"),)

    async def wordings(self, candidate: Candidate, reference: Reference) -> Sequence[Wording]:
        """Produce one wording; raises NoCandidate if the reply is unusable."""
        del reference
        if draft := draft_wording(candidate):
            return (draft,)
        parent, triplet = candidate.question, candidate.fact.triplet(candidate.question.end)
        step = express_step(parent, triplet, hidden=_hidden_names(candidate), language=self.asker.language)
        return (_asked_wording(*await self.asker.ask(step, candidate.sample)),)

    def is_free(self, candidate: Candidate) -> bool:
        """Return True if a draft makes the call unnecessary."""
        return draft_wording(candidate) is not None

    def aliases(self, fact: Fact) -> tuple[str, ...]:
        """Get the aliases that came with the fact."""
        return fact.aliases


def _asked_wording(text: str, origin: ReplyOrigin) -> Wording:
    return Wording(text, "asked", maker=f"model {origin.model}", prompt=origin.prompt, calls=(origin.call,))


def draft_wording(candidate: Candidate) -> Wording | None:
    """Use the draft that came with the fact, if it is good enough to save the call."""
    fact = candidate.fact
    if not isinstance(fact, ProposedFact) or not fact.draft:
        return None
    try:
        text = read_question(fact.draft, hidden=_hidden_names(candidate))
    except ValueError:
        return None
    is_new = not is_same_question(text, candidate.question.text)
    return Wording(text, "drafted", maker=fact.source) if is_new else None


def _hidden_names(candidate: Candidate) -> tuple[str, ...]:
    parent, fact = candidate.question, candidate.fact
    between = (triplet.object.name for triplet in (*parent.root[-1:], *parent.explored))
    return (fact.object, *fact.aliases, parent.answer, *parent.aliases, *between)


def reselect_step(sample: Sample, path: Sequence[Triplet], *, language: str = ENGLISH) -> Step[str]:
    """Ask for the question whose answer is the end of a path; the outcome is empty if the model wrote none.

    The reply is unusable if it is not a question, repeats the old one or an example's, or mentions the old answer or an
    entity of the path after the first.
    """

    def parse(form: ReselectForm) -> str:
        hidden = (sample.answer, *(triplet.object.name for triplet in path[1:]), path[-1].object.name)
        text = form.question.strip()
        return text and _new_question("reselect", text, old=sample.question, hidden=hidden)

    values = {"question": sample.question, "answer": sample.answer, "chain": chain_text(path), "language": language}
    return Step("reselect", ReselectForm, parse, values, QUESTION_TOKENS)


def decide_asked(
    sample: Sample, graph: SampleGraph, path: Sequence[Triplet], asks: Asks, *, language: str = ENGLISH
) -> Decision:
    """Decide whether to ask a model to word a path; ``asks`` tells which end checks are enabled."""
    decision = refuse_instruction(Instruction.name, (sample.question, sample.answer))
    decision = decide_end(Names(graph), path, asks) if decision.keep else decision
    if decision.keep and language == ENGLISH and asks(RelatedToOriginal.name):
        return RelatedToOriginal().decide(sample.question, path)
    return decision


@dataclass(frozen=True, slots=True)
class ModelReselector:
    """Reselector that asks a model to word a graph's paths; ``asks`` tells which end checks are enabled."""

    asker: Asker
    asks: Asks = lambda _: True

    def decide(self, sample: Sample, graph: SampleGraph, path: Sequence[Triplet]) -> Decision:
        """Decide whether the path is worth a call."""
        return decide_asked(sample, graph, path, self.asks, language=self.asker.language)

    async def wording(self, sample: Sample, path: Sequence[Triplet]) -> Wording | Decision:
        """Word the question for the end of a path, or reject the path."""
        step = reselect_step(sample, path, language=self.asker.language)
        try:
            text, origin = await self.asker.ask(step, sample)
        except NoCandidate as none:
            return refusal_of_reply(none)
        if not text:
            return Decision(keep=False, reason=NOT_ASKED)
        decision = refuse_instruction(WordedInstruction.name, (text,))
        decision = PathLeak().decide(path, (text,)) if decision.keep else decision
        return _asked_wording(text, origin) if decision.keep else decision
