"""Triplets and key from a model: the steps ``extract``, ``key`` and ``graph`` (KBE, section 3.2, extraction)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.steps.border import Data
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import ExtractForm, GraphForm, KeyForm, TripletForm, read_form
from kbe_graph.steps.reply_text import NumberedTriplet, TripletWords, is_whole, read_numbered_triplets
from kbe_graph.steps.step_reply import ECHOES, StepReply
from kbe_graph.steps.step_request import StepRequest, step_request, triplet_text
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Graph, Sample, SampleGraph, Triplet

SECTIONS = (*ECHOES, "Key")
SOURCE = "model"


class ExtractedTriplets(NamedTuple):
    """Visual and textual triplets of a sample."""

    visual: tuple[Triplet, ...]
    textual: tuple[Triplet, ...]


def render_extract(sample: Sample, *, language: str = "English") -> StepRequest:
    """Render the request for the visual and textual triplets of a sample."""
    values = {"question": sample.question, "answer": sample.answer, "language": language}
    return step_request("extract", ExtractForm, sees_image=True, max_tokens=900, **values)


def render_graph(sample: Sample, *, language: str = "English") -> StepRequest:
    """Render the request for the triplets and the key of a sample in one."""
    values = {"question": sample.question, "answer": sample.answer, "language": language}
    return step_request("graph", GraphForm, sees_image=True, max_tokens=1000, **values)


def render_key(sample: Sample, triplets: ExtractedTriplets) -> StepRequest:
    """Render the request for those of the triplets that the answer follows from."""
    texts = {id_: triplet_text(triplet) for id_, triplet in _by_id(triplets).items()}
    values: dict[str, Data] = {"question": sample.question, "answer": sample.answer, "triplets": texts}
    return step_request("key", KeyForm, sees_image=True, max_tokens=120, **values)


def parse_extract(
    reply: StepReply, sample: Sample, *, shown: Examples | None = None, echoes: tuple[str, ...] = SECTIONS
) -> ExtractedTriplets:
    """Return the triplets of the reply, each once; one that is in the visual graph is not repeated in the textual one.

    Raises ReplyError where the reply declines, was cut, repeats an example, or does not lead from IMAGE to the answer.
    """
    form = read_form(ExtractForm, reply) or _form_of_lines(reply, echoes)
    triplets = _extracted(_form_triplets(form), shown or examples("extract"), reply)
    if all(fold(triplet.object.name) != fold(sample.answer) for triplet in (*triplets.visual, *triplets.textual)):
        raise reply.error(f"no triplet leads to the answer {sample.answer!r}")
    return triplets


def parse_graph(reply: StepReply, sample: Sample) -> SampleGraph:
    """Return the sample's graph from a ``graph`` reply; raises ReplyError."""
    form = read_form(GraphForm, reply)
    if form is None:
        raise reply.error("no JSON object in the reply")
    by_id = _form_triplets(form)
    return graph_with_key(sample, _extracted(by_id, examples("graph"), reply), by_id, form.key, reply)


def parse_key(
    reply: StepReply, sample: Sample, triplets: ExtractedTriplets, *, echoes: tuple[str, ...] = SECTIONS
) -> SampleGraph:
    """Return the sample's graph with the key of a ``key`` reply.

    Raises ReplyError, also for an unknown id and for an id with the words of another triplet.
    """
    by_id = _by_id(triplets)
    form = read_form(KeyForm, reply)
    if form is None and reply.is_cut(echoes):
        raise reply.error("the list of key triplets was cut")
    lines = () if form else read_numbered_triplets(reply.plain_text(echoes))
    ids = form.key if form else [_line_id(line, by_id, reply) for line in lines]
    return graph_with_key(sample, triplets, by_id, ids, reply)


def graph_with_key(
    sample: Sample, triplets: ExtractedTriplets, by_id: Mapping[str, Triplet], ids: Sequence[str], reply: StepReply
) -> SampleGraph:
    """Return the graph whose key are the triplets with these ids, in that order.

    Raises ReplyError where the ids are none, unknown or double, or where the key does not end at the answer.
    """
    if strangers := [id_ for id_ in ids if id_ not in by_id]:
        raise reply.error(f"key triplet {strangers[0]!r} is not among those given")
    if not ids or len(set(ids)) != len(ids):
        raise reply.error("the key is empty or names a triplet twice")
    key = tuple(by_id[id_] for id_ in ids)
    if fold(key[-1].object.name) != fold(sample.answer):
        raise reply.error(f"the key does not end at the answer {sample.answer!r}")
    try:
        return SampleGraph(sample.id, triplets.visual, triplets.textual, key)
    except InputError as error:
        raise reply.error(str(error)) from None


def _form_of_lines(reply: StepReply, echoes: tuple[str, ...]) -> ExtractForm:
    """Return numbered lines (V1 ..., T1 ...) as a form; raises ReplyError where an id is double or the text was cut."""
    lines = [line for line in read_numbered_triplets(reply.plain_text(echoes)) if line.id and line.words]
    if len({line.id for line in lines}) != len(lines):
        raise reply.error("a triplet's id is there twice")
    if reply.is_cut(echoes):
        raise reply.error("the list of triplets was cut")
    forms = [(line.id[0], TripletForm(**dict(zip("sro", line.words, strict=True)))) for line in lines if line.words]
    return ExtractForm.model_construct(
        visual=[form for letter, form in forms if letter == "V"],
        textual=[form for letter, form in forms if letter == "T"],
    )


def _form_triplets(form: ExtractForm) -> dict[str, Triplet]:
    """Return the triplets of a form by id, as the model numbered them."""
    visual = {f"V{number}": _triplet(triplet.words, "visual") for number, triplet in enumerate(form.visual, 1)}
    textual = {f"T{number}": _triplet(triplet.words, "textual") for number, triplet in enumerate(form.textual, 1)}
    return visual | textual


def _extracted(by_id: Mapping[str, Triplet], shown: Examples, reply: StepReply) -> ExtractedTriplets:
    first: dict[str, Triplet] = {}
    for triplet in by_id.values():
        words = _words(triplet)
        if shown.holds_triplet(words):
            raise reply.error(f"{triplet_text(triplet)} is carried over from the example")
        if is_whole(words):
            first.setdefault(triplet.id, triplet)
    visual = tuple(triplet for triplet in first.values() if triplet.graph == "visual")
    if not any(triplet.subject == IMAGE for triplet in visual):
        raise reply.error("no visual triplet that starts at IMAGE")
    return ExtractedTriplets(visual, tuple(triplet for triplet in first.values() if triplet.graph == "textual"))


def _triplet(words: TripletWords, graph: Graph) -> Triplet:
    return Triplet(_entity(words.subject), words.relation.strip(), _entity(words.object), graph, SOURCE)


def _entity(name: str) -> Entity:
    name = name.strip()
    return IMAGE if fold(name) == fold(IMAGE.name) else Entity(name, noun=name == name.upper())


def _words(triplet: Triplet) -> TripletWords:
    return TripletWords(triplet.subject.name, triplet.relation, triplet.object.name)


def _by_id(triplets: ExtractedTriplets) -> dict[str, Triplet]:
    graphs = (("V", triplets.visual), ("T", triplets.textual))
    return {f"{letter}{number}": triplet for letter, graph in graphs for number, triplet in enumerate(graph, 1)}


def _line_id(line: NumberedTriplet, by_id: Mapping[str, Triplet], reply: StepReply) -> str:
    """Return the id of a line of the key: its own, or that of the given triplet in the same words."""
    words = tuple(map(fold, line.words or ()))
    same = next((id_ for id_, triplet in by_id.items() if words == tuple(map(fold, _words(triplet)))), "")
    if line.words and same != (line.id or same):
        raise reply.error(f"{line.id} stands for another triplet than the one given")
    return line.id or same or "?"
