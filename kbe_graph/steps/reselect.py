"""A question about the end of a path of the sample's own graph: the step ``reselect`` (KBE, section 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass

from kbe_graph.checks.instruction import Instruction, WordedInstruction, refuse_instruction
from kbe_graph.checks.path import Asks, PathLeak, RelatedToOriginal, decide_end
from kbe_graph.errors import NoCandidate
from kbe_graph.senses.noun import ENGLISH
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.express import new_question
from kbe_graph.steps.forms import ReselectForm, read_form
from kbe_graph.steps.step_reply import ECHOES, StepReply
from kbe_graph.steps.step_request import StepRequest, chain_text, step_request
from kbe_graph.types import Decision, Sample, SampleGraph, Triplet
from kbe_graph.wording.names import Names
from kbe_graph.wording.phrases import Wording

NOT_ASKED = "the model asks for no path"


def render_reselect(sample: Sample, path: Sequence[Triplet], *, language: str = ENGLISH) -> StepRequest:
    """Render the request for the question whose answer is the end of a path."""
    values = {"question": sample.question, "answer": sample.answer, "chain": chain_text(tuple(path))}
    return step_request("reselect", ReselectForm, sees_image=True, max_tokens=120, **values, language=language)


def parse_reselect(reply: StepReply, sample: Sample, path: Sequence[Triplet], *, shown: Examples | None = None) -> str:
    """Return the question of a reply, the empty string where the model asks none.

    Raises ReplyError where it is no question, is the old one or the example's, or names the old answer or a thing of
    the path after the first.
    """
    form = read_form(ReselectForm, reply)
    text = form.question if form else reply.plain_text(ECHOES)
    if not text.strip():
        return ""
    hidden = (sample.answer, *(triplet.object.name for triplet in path[1:]), path[-1].object.name)
    return new_question(reply, text, old=sample.question, hidden=hidden, shown=shown or examples("reselect"))


def decide_asked(
    sample: Sample, graph: SampleGraph, path: Sequence[Triplet], asks: Asks, *, language: str = ENGLISH
) -> Decision:
    """Return why a model is not asked to word a path, or KEEP; ``asks`` says which checks of the end were chosen."""
    decision = refuse_instruction(Instruction.name, (sample.question, sample.answer))
    decision = decide_end(Names(graph), path, asks) if decision.keep else decision
    if decision.keep and language == ENGLISH and asks(RelatedToOriginal.name):
        return RelatedToOriginal().decide(sample.question, path)
    return decision


@dataclass(frozen=True, slots=True)
class ModelReselector:
    """Words the paths of a sample's own graph by asking a model; ``asks`` says which checks of the end were chosen."""

    asker: Asker
    asks: Asks = lambda _: True

    async def wording(self, sample: Sample, graph: SampleGraph, path: Sequence[Triplet]) -> Wording | Decision:
        """Return the question for the end of a path, or why there is none."""
        decision = decide_asked(sample, graph, path, self.asks, language=self.asker.language)
        if not decision.keep:
            return decision
        shown = self.asker.examples("reselect")
        step = render_reselect(sample, path, language=self.asker.language)
        try:
            text, origin = await self.asker.ask(
                step, lambda reply: parse_reselect(reply, sample, path, shown=shown), sample
            )
        except NoCandidate as none:
            return Decision(keep=False, reason=none.reason, detail=none.detail)
        if not text:
            return Decision(keep=False, reason=NOT_ASKED)
        decision = refuse_instruction(WordedInstruction.name, (text,))
        decision = PathLeak().decide(path, (text,)) if decision.keep else decision
        wording = Wording(text, "asked", maker=f"model {origin.model}", prompt=origin.prompt, calls=(origin.call,))
        return wording if decision.keep else decision
