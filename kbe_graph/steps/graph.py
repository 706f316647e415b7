"""Triplets and key from a model: the steps ``extract``, ``key`` and ``graph`` (KBE, section 3.2, extraction)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.steps.answered import ECHOES, Answered
from kbe_graph.steps.ask import Ask, ask, triplet_text
from kbe_graph.steps.examples import Examples, examples
from kbe_graph.steps.forms import Extracted, Graphed, Keyed, Spo, read_form
from kbe_graph.steps.reply import Numbered, Words, numbered, whole
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Graph, Sample, SampleGraph, Triplet

SECTIONS = (*ECHOES, "Key")
SOURCE = "model"


class Extract(NamedTuple):
    """Visual and textual triplets of a sample."""

    visual: tuple[Triplet, ...]
    textual: tuple[Triplet, ...]


def render_extract(sample: Sample, *, language: str = "English") -> Ask:
    """Return what asks for the visual and textual triplets of a sample."""
    values = {"question": sample.question, "answer": sample.answer, "language": language}
    return ask("extract", Extracted, sees_image=True, max_tokens=900, **values)


def render_graph(sample: Sample, *, language: str = "English") -> Ask:
    """Return what asks for triplets and key in one."""
    values = {"question": sample.question, "answer": sample.answer, "language": language}
    return ask("graph", Graphed, sees_image=True, max_tokens=1000, **values)


def render_key(sample: Sample, extract: Extract) -> Ask:
    """Return what asks which of the triplets the answer follows from."""
    texts = [f"{id_} {triplet_text(triplet)}" for id_, triplet in _by_id(extract).items()]
    values = {"question": sample.question, "answer": sample.answer, "triplets": "\n".join(texts)}
    return ask("key", Keyed, sees_image=True, max_tokens=120, **values)


def parse_extract(
    answered: Answered, sample: Sample, *, shown: Examples | None = None, echoes: tuple[str, ...] = SECTIONS
) -> Extract:
    """Return the triplets of the reply, each once; what is in the visual graph is not repeated in the textual one.

    Raises ReplyError where the reply declines, was cut, carries an example over, or does not lead from IMAGE to the answer.
    """
    form = read_form(Extracted, answered) or _listed(answered, echoes)
    extract = _extract(_given(form), shown or examples("extract"), answered)
    if all(fold(triplet.object.name) != fold(sample.answer) for triplet in (*extract.visual, *extract.textual)):
        raise answered.fault(f"no triplet leads to the answer {sample.answer!r}")
    return extract


def parse_graph(answered: Answered, sample: Sample) -> SampleGraph:
    """Return the sample's graph of a ``graph`` reply; raises ReplyError."""
    form = read_form(Graphed, answered)
    if form is None:
        raise answered.fault("no JSON object in the reply")
    given = _given(form)
    return keyed(sample, _extract(given, examples("graph"), answered), given, form.key, answered)


def parse_key(
    answered: Answered, sample: Sample, extract: Extract, *, echoes: tuple[str, ...] = SECTIONS
) -> SampleGraph:
    """Return the sample's graph with the key of a ``key`` reply; an unknown id, or other words for one, is an error."""
    given = _by_id(extract)
    form = read_form(Keyed, answered)
    if form is None and answered.cut(echoes):
        raise answered.fault("the list of key triplets was cut")
    ids = form.key if form else [_id(one, given, answered) for one in numbered(answered.lines(echoes))]
    return keyed(sample, extract, given, ids, answered)


def keyed(
    sample: Sample, extract: Extract, given: Mapping[str, Triplet], ids: Sequence[str], answered: Answered
) -> SampleGraph:
    """Return the graph whose key are the given triplets with these ids, in that order; raises ReplyError."""
    if strangers := [one for one in ids if one not in given]:
        raise answered.fault(f"key triplet {strangers[0]!r} is not among those given")
    if not ids or len(set(ids)) != len(ids):
        raise answered.fault("the key is empty or names a triplet twice")
    key = tuple(given[one] for one in ids)
    if fold(key[-1].object.name) != fold(sample.answer):
        raise answered.fault(f"the key does not end at the answer {sample.answer!r}")
    try:
        return SampleGraph(sample.id, extract.visual, extract.textual, key)
    except InputError as error:
        raise answered.fault(str(error)) from None


def _listed(answered: Answered, echoes: tuple[str, ...]) -> Extracted:
    """Return the numbered lines (V1 ..., T1 ...) as a form; raises ReplyError where an id is there twice or the text was cut."""
    lines = [one for one in numbered(answered.lines(echoes)) if one.id and one.words]
    if len({one.id for one in lines}) != len(lines):
        raise answered.fault("a triplet's id is there twice")
    if answered.cut(echoes):
        raise answered.fault("the list of triplets was cut")
    spoken = [(one.id[0], Spo(**dict(zip("sro", one.words, strict=True)))) for one in lines if one.words]
    return Extracted.model_construct(
        visual=[spo for letter, spo in spoken if letter == "V"],
        textual=[spo for letter, spo in spoken if letter == "T"],
    )


def _given(form: Extracted) -> dict[str, Triplet]:
    """Return the triplets of a form by id, as the model numbered them."""
    visual = {f"V{number}": _triplet(one.words, "visual") for number, one in enumerate(form.visual, 1)}
    return visual | {f"T{number}": _triplet(one.words, "textual") for number, one in enumerate(form.textual, 1)}


def _extract(given: Mapping[str, Triplet], shown: Examples, answered: Answered) -> Extract:
    first: dict[str, Triplet] = {}
    for triplet in given.values():
        words = _words(triplet)
        if shown.leaked(words):
            raise answered.fault(f"{triplet_text(triplet)} is carried over from the example")
        if whole(words):
            first.setdefault(triplet.id, triplet)
    visual = tuple(one for one in first.values() if one.graph == "visual")
    if not any(triplet.subject == IMAGE for triplet in visual):
        raise answered.fault("no visual triplet that starts at IMAGE")
    return Extract(visual, tuple(one for one in first.values() if one.graph == "textual"))


def _triplet(words: Words, graph: Graph) -> Triplet:
    return Triplet(_entity(words.subject), words.relation.strip(), _entity(words.object), graph, SOURCE)


def _entity(name: str) -> Entity:
    name = name.strip()
    return IMAGE if fold(name) == fold(IMAGE.name) else Entity(name, noun=name == name.upper())


def _words(triplet: Triplet) -> Words:
    return Words(triplet.subject.name, triplet.relation, triplet.object.name)


def _by_id(extract: Extract) -> dict[str, Triplet]:
    both = (("V", extract.visual), ("T", extract.textual))
    return {f"{letter}{number}": one for letter, triplets in both for number, one in enumerate(triplets, 1)}


def _id(line: Numbered, given: Mapping[str, Triplet], answered: Answered) -> str:
    """Return the id of a line of the key: its own, or that of the given triplet in the same words."""
    said = tuple(map(fold, line.words or ()))
    found = next((id_ for id_, triplet in given.items() if said == tuple(map(fold, _words(triplet)))), "")
    if line.words and found != (line.id or found):
        raise answered.fault(f"{line.id} stands for another triplet than the one given")
    return line.id or found or "?"
