"""Extraction by a model: the steps ``extract`` and ``key`` (mode ``paper``), or ``graph`` (KBE, section 3.2)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from kbe_graph.checks.reasons import BAD_ANSWER
from kbe_graph.errors import NoCandidate
from kbe_graph.extract.sample_graph import NO_VISUAL, unanswered_drop
from kbe_graph.senses.noun import ENGLISH, is_noun
from kbe_graph.steps.asker import Asker, ReplyOrigin, StepRequest, step_request, triplet_text
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import ExtractForm, GraphForm, KeyForm, TripletForm, find_form, read_form
from kbe_graph.steps.key_graph import ordered_key, with_answer_named
from kbe_graph.steps.prompt import Data, prompt_hash
from kbe_graph.steps.reply_text import (
    ECHOES,
    RATIONALE,
    NumberedTriplet,
    StepReply,
    TripletWords,
    is_whole,
    read_numbered_triplets,
)
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Drop, Entity, Graph, Sample, SampleGraph, Triplet

KEY_HEADINGS = ("Key", "Rationale", "Answer Rationale", "Multimodal Answer Rationale")
SECTIONS = (*ECHOES, *KEY_HEADINGS)
SOURCE = "model"
OTHERS = "Other answers that people gave:"
MOST_RATIONALES = 5  # rationales shown to a model


class ExtractedTriplets(NamedTuple):
    """Visual and textual triplets of a sample."""

    visual: tuple[Triplet, ...]
    textual: tuple[Triplet, ...]


def render_extract(sample: Sample, *, language: str = ENGLISH) -> StepRequest:
    """Render the request for the visual and textual triplets of a sample."""
    values = _values(sample) | {"language": language}
    return step_request("extract", ExtractForm, sees_image=True, max_tokens=900, **values)


def render_graph(sample: Sample, *, language: str = ENGLISH) -> StepRequest:
    """Render the request for the triplets and the key of a sample in one call."""
    others = other_answers(sample)
    values = _values(sample) | {"others": {OTHERS: "; ".join(others)} if others else "", "language": language}
    return step_request("graph", GraphForm, sees_image=True, max_tokens=1000, **values)


def other_answers(sample: Sample) -> tuple[str, ...]:
    """List the accepted answers other than the sample's own, most frequent first.

    >>> other_answers(kbe.Sample("own/val/1", "own", "val", "What?", "tractor", ("tractor", "crane", "truck", "crane")))
    ('crane', 'truck')
    """
    given = tuple(filter(None, (*sample.answers, sample.choice)))
    first = {fold(answer): answer for answer in reversed(given)}
    return tuple(first[name] for name, _ in Counter(map(fold, given)).most_common() if name != fold(sample.answer))


def render_key(sample: Sample, triplets: ExtractedTriplets) -> StepRequest:
    """Render the request for the triplets that imply the answer."""
    texts = {id_: triplet_text(triplet) for id_, triplet in _by_id(triplets).items()}
    values = _values(sample) | {"triplets": texts}
    return step_request("key", KeyForm, sees_image=True, max_tokens=120, **values)


def _values(sample: Sample) -> dict[str, Data]:
    rationales = {
        f"{RATIONALE} ({number}):": text for number, text in enumerate(sample.rationales[:MOST_RATIONALES], 1)
    }
    return {"question": sample.question, "answer": sample.answer, "rationales": rationales}


def parse_extract(
    reply: StepReply,
    sample: Sample,
    *,
    language: str = ENGLISH,
    shown: Examples | None = None,
    echoes: tuple[str, ...] = SECTIONS,
) -> ExtractedTriplets:
    """Parse the triplets without duplicates; those of the visual graph are not repeated in the textual one.

    The entity that is the answer takes the answer's name, and triplets copied from an example are dropped. Raises
    ReplyError if the model declines, the reply is truncated or mostly copied from an example, no visual triplet starts
    at IMAGE, or no triplet contains the answer.
    """
    form = find_form(ExtractForm, reply) or _form_of_lines(reply, echoes)
    own = _own_triplets(_form_triplets(form, language), shown or examples("extract"), reply)
    return _extracted(_answer_named(own, sample, reply), reply)


def parse_graph(
    reply: StepReply, sample: Sample, *, language: str = ENGLISH, shown: Examples | None = None
) -> SampleGraph | Drop:
    """Parse the sample's graph from a ``graph`` reply, or the reason to drop it; raises ReplyError.

    A reply that considers the answer contradicted may name another accepted one, to which the graph then leads.
    """
    form = read_form(GraphForm, reply)
    by_id = _form_triplets(form, language)
    answer = _instead(sample, form.instead)
    if not form.key or answer is None:
        return _contradicted(sample, form.instead if answer is None else "")
    sample = sample.with_answer(answer)
    named = _answer_named(_own_triplets(by_id, shown or examples("graph"), reply), sample, reply)
    outcome = graph_with_key(sample, _extracted(named, reply), {**by_id, **named}, form.key, reply)
    return replace(outcome, answer=answer) if isinstance(outcome, SampleGraph) else outcome


def _contradicted(sample: Sample, stranger: str = "") -> Drop:
    named = f"; {stranger!r}, which it names instead, is no accepted answer" if stranger else ""
    return Drop(sample.id, BAD_ANSWER, f"the model finds {sample.answer!r} contradicted{named}")


def _instead(sample: Sample, name: str) -> str | None:
    if fold(name) in {"", fold(sample.answer)}:
        return ""
    return next((answer for answer in other_answers(sample) if fold(answer) == fold(name)), None)


def parse_key(
    reply: StepReply, sample: Sample, triplets: ExtractedTriplets, *, echoes: tuple[str, ...] = ECHOES
) -> SampleGraph | Drop:
    """Parse the key from a ``key`` reply, and return the sample's graph or the reason to drop it.

    Raises ReplyError, also for an unknown ID and for an ID with the words of another triplet.
    """
    by_id = _by_id(triplets)
    form = find_form(KeyForm, reply)
    if form is None and reply.is_cut(echoes):
        raise reply.error("the list of key triplets was cut")
    if form and not form.key:
        return _contradicted(sample)
    lines = () if form else read_numbered_triplets(reply.plain_text(echoes))
    ids = form.key if form else [_line_id(line, by_id, reply) for line in lines]
    return graph_with_key(sample, triplets, by_id, ids, reply)


def graph_with_key(
    sample: Sample, triplets: ExtractedTriplets, by_id: Mapping[str, Triplet], ids: Sequence[str], reply: StepReply
) -> SampleGraph | Drop:
    """Build the graph whose key consists of the triplets ``ids``, ordered from IMAGE to the answer.

    A sample whose key has no visual triplet is dropped (KBE, section 3.2, extract). Raises ReplyError if the IDs are
    missing or unknown, or do not lead to the answer.
    """
    if strangers := [id_ for id_ in ids if id_ not in by_id]:
        raise reply.error(f"key triplet {strangers[0]!r} is not among those given")
    own = {triplet.id: triplet for triplet in (*triplets.visual, *triplets.textual)}
    key = list(dict.fromkeys(own[by_id[id_].id] for id_ in ids if by_id[id_].id in own))
    if not key:
        raise reply.error("the key is empty")
    if all(triplet.graph != "visual" for triplet in key):
        return Drop(sample.id, NO_VISUAL, "none in the key")
    if not (ordered := ordered_key(key, triplets.visual, sample.answer)):
        raise reply.error(f"the key does not lead from IMAGE to the answer {sample.answer!r}")
    return SampleGraph(sample.id, triplets.visual, triplets.textual, ordered)


def _form_of_lines(reply: StepReply, echoes: tuple[str, ...]) -> ExtractForm:
    first: dict[str, NumberedTriplet] = {}
    for line in read_numbered_triplets(reply.plain_text(echoes)):
        if line.id and line.words:
            first.setdefault(line.id, line)
    lines = list(first.values())
    if reply.is_cut(echoes):
        raise reply.error("the list of triplets was cut")
    forms = [(line.id[0], TripletForm(**dict(zip("sro", line.words, strict=True)))) for line in lines if line.words]
    return ExtractForm.model_construct(
        visual=[form for letter, form in forms if letter == "V"],
        textual=[form for letter, form in forms if letter == "T"],
    )


def _form_triplets(form: ExtractForm, language: str) -> dict[str, Triplet]:
    graphs: tuple[tuple[str, Graph, Sequence[TripletForm]], ...] = (
        ("V", "visual", form.visual),
        ("T", "textual", form.textual),
    )
    return {
        f"{letter}{number}": _triplet(triplet.words, graph, language)
        for letter, graph, triplets in graphs
        for number, triplet in enumerate(triplets, 1)
    }


def _own_triplets(by_id: Mapping[str, Triplet], shown: Examples, reply: StepReply) -> dict[str, Triplet]:
    own = {id_: triplet for id_, triplet in by_id.items() if not shown.holds_triplet(_words(triplet))}
    if 2 * len(own) < len(by_id):
        raise reply.error("most triplets are carried over from the example")
    return own


def _answer_named(by_id: Mapping[str, Triplet], sample: Sample, reply: StepReply) -> dict[str, Triplet]:
    named = with_answer_named(by_id, sample)
    if named is None:
        raise reply.error(f"no triplet leads to the answer {sample.answer!r}")
    return named


def _extracted(by_id: Mapping[str, Triplet], reply: StepReply) -> ExtractedTriplets:
    first: dict[str, Triplet] = {}
    for triplet in by_id.values():
        if is_whole(_words(triplet)):
            first.setdefault(triplet.id, triplet)
    visual = tuple(triplet for triplet in first.values() if triplet.graph == "visual")
    if not any(triplet.subject == IMAGE for triplet in visual):
        raise reply.error("no visual triplet that starts at IMAGE")
    return ExtractedTriplets(visual, tuple(triplet for triplet in first.values() if triplet.graph == "textual"))


def _triplet(words: TripletWords, graph: Graph, language: str) -> Triplet:
    subject, object_ = _entity(words.subject, language), _entity(words.object, language)
    return Triplet(subject, words.relation.strip(), object_, graph, SOURCE)


def _entity(name: str, language: str) -> Entity:
    name = name.strip()
    if fold(name) == fold(IMAGE.name):
        return IMAGE
    return Entity(name, noun=name == name.upper() and is_noun("", name, language=language).keep)


def _words(triplet: Triplet) -> TripletWords:
    return TripletWords(triplet.subject.name, triplet.relation, triplet.object.name)


def _by_id(triplets: ExtractedTriplets) -> dict[str, Triplet]:
    graphs = (("V", triplets.visual), ("T", triplets.textual))
    return {f"{letter}{number}": triplet for letter, graph in graphs for number, triplet in enumerate(graph, 1)}


def _line_id(line: NumberedTriplet, by_id: Mapping[str, Triplet], reply: StepReply) -> str:
    words = tuple(map(fold, line.words or ()))
    same = next((id_ for id_, triplet in by_id.items() if words == tuple(map(fold, _words(triplet)))), "")
    if line.words and same != (line.id or same):
        raise reply.error(f"{line.id} stands for another triplet than the one given")
    return line.id or same or "?"


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Extractor that asks a model for the graph of a sample.

    With ``two_calls`` it asks for triplets and key separately, as in the paper.
    """

    asker: Asker
    two_calls: bool = False

    async def extract(self, sample: Sample) -> SampleGraph | Drop:
        """Extract the graph, or drop the sample; a sample without an answer is dropped without a call."""
        if unanswered := unanswered_drop(sample):
            return unanswered
        try:
            graph, origin = await (self._ask_twice(sample) if self.two_calls else self._ask_once(sample))
        except NoCandidate as none:
            return Drop(sample.id, none.reason, none.detail)
        return graph if isinstance(graph, Drop) else _with_sources(sample.with_answer(graph.answer), graph, origin)

    def prompt(self, sample: Sample) -> str:
        """Identify the prompts of a sample's graph by their hashes, and note whether they include rationales."""
        steps = ("extract", "key") if self.two_calls else ("graph",)
        hashes = (prompt_hash(step, self.asker.prompts) for step in steps)
        return "+".join((*hashes, *(("rationales",) if sample.rationales else ())))

    async def _ask_once(self, sample: Sample) -> tuple[SampleGraph | Drop, ReplyOrigin]:
        language = self.asker.language
        step, shown = render_graph(sample, language=language), self.asker.examples("graph")
        return await self.asker.ask(
            step, lambda reply: parse_graph(reply, sample, language=language, shown=shown), sample
        )

    async def _ask_twice(self, sample: Sample) -> tuple[SampleGraph | Drop, ReplyOrigin]:
        language = self.asker.language
        step, shown = render_extract(sample, language=language), self.asker.examples("extract")
        triplets, _ = await self.asker.ask(
            step, lambda reply: parse_extract(reply, sample, language=language, shown=shown), sample
        )
        step = render_key(sample, triplets)
        return await self.asker.ask(step, lambda reply: parse_key(reply, sample, triplets), sample)


def _with_sources(sample: Sample, graph: SampleGraph, origin: ReplyOrigin) -> SampleGraph:
    noun = is_noun(sample.question, sample.answer).keep
    add_source = partial(_with_source, fold(sample.answer), noun, f"{SOURCE} {origin.model}", origin.call)
    visual, textual, key = (tuple(map(add_source, each)) for each in (graph.visual, graph.textual, graph.key))
    return SampleGraph(graph.sample, visual, textual, key, graph.answer)


def _with_source(answer: str, noun: bool, source: str, call: str, triplet: Triplet) -> Triplet:
    subject, object_ = (
        replace(entity, noun=noun) if entity.key == answer else entity for entity in (triplet.subject, triplet.object)
    )
    return replace(triplet, subject=subject, object=object_, source=source, source_ref=call)
