"""Triplets and key from a model: the steps ``extract``, ``key`` and ``graph`` (KBE, section 3.2, extraction)."""

from collections.abc import Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError, ReplyError
from kbe_graph.steps.ask import Answered, Ask, ask, triplet_text, whole
from kbe_graph.steps.forms import Extracted, Graphed, Keyed, read_form
from kbe_graph.steps.reply import Words, numbered, plain
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Graph, Sample, SampleGraph, Triplet

SECTIONS = ("Key information", "Multimodal Answer Rationale", "## ", "Question:")


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
    texts = [
        f"{letter}{number} {triplet_text(triplet)}"
        for letter, triplets in (("V", extract.visual), ("T", extract.textual))
        for number, triplet in enumerate(triplets, 1)
    ]
    values = {"question": sample.question, "answer": sample.answer, "triplets": "\n".join(texts)}
    return ask("key", Keyed, sees_image=True, max_tokens=120, **values)


def parse_extract(answered: Answered, source: str) -> Extract:
    """Return the triplets of the reply, each once; those of one graph are not repeated in the other.

    ``source`` is the model's name. Raises ReplyError where the reply is cut, declined, or lacks a visual triplet.
    """
    form = read_form(Extracted, whole(answered))
    if form is not None:
        return _extract([one.words for one in form.visual], [one.words for one in form.textual], source, answered)
    lines = [one for one in numbered(plain(answered.text, echoes=SECTIONS)) if one.words]
    if len({one.id for one in lines}) != len(lines):
        raise ReplyError("a triplet's id is there twice", reply=answered.text)
    visual = [one.words for one in lines if one.words and one.id.startswith("V")]
    return _extract(visual, [one.words for one in lines if one.words and one.id.startswith("T")], source, answered)


def parse_graph(answered: Answered, sample: Sample, source: str) -> SampleGraph:
    """Return the sample's graph of a ``graph`` reply; raises ReplyError."""
    form = read_form(Graphed, whole(answered))
    if form is None:
        raise ReplyError("no JSON object in the reply", reply=answered.text)
    visual = [one.words for one in form.visual]
    extract = _extract(visual, [one.words for one in form.textual], source, answered, whole=True)
    return keyed(sample, extract, form.key, reply=answered.text)


def parse_key(answered: Answered, sample: Sample, extract: Extract) -> SampleGraph:
    """Return the sample's graph with the key of a ``key`` reply; an unknown id, or other words for one, is an error."""
    form = read_form(Keyed, whole(answered))
    if form is not None:
        return keyed(sample, extract, form.key, reply=answered.text)
    lines = list(numbered(plain(answered.text, echoes=SECTIONS)))
    known = _by_id(extract)
    for line in lines:
        if line.words and line.id in known and _same(line.words, known[line.id]) is False:
            raise ReplyError(f"{line.id} stands for another triplet than the one given", reply=answered.text)
    return keyed(sample, extract, [line.id for line in lines], reply=answered.text)


def keyed(sample: Sample, extract: Extract, ids: Sequence[str], *, reply: str) -> SampleGraph:
    """Return the graph whose key are the triplets with these ids, in that order; raises ReplyError."""
    known = _by_id(extract)
    if strangers := [one for one in ids if one not in known]:
        raise ReplyError(f"key triplet {strangers[0]!r} is not among those given", reply=reply)
    if not ids or len(set(ids)) != len(ids):
        raise ReplyError("the key is empty or names a triplet twice", reply=reply)
    key = tuple(known[one] for one in ids)
    if fold(key[-1].object.name) != fold(sample.answer):
        raise ReplyError(f"the key does not end at the answer {sample.answer!r}", reply=reply)
    try:
        return SampleGraph(sample.id, extract.visual, extract.textual, key)
    except InputError as error:
        raise ReplyError(str(error), reply=reply) from None


def _extract(
    visual: Sequence[Words], textual: Sequence[Words], source: str, answered: Answered, *, whole: bool = False
) -> Extract:
    seen = tuple(_triplet(words, "visual", source) for words in visual)
    known = tuple(_triplet(words, "textual", source) for words in textual)
    ids = [triplet.id for triplet in (*seen, *known)]
    if not seen or not any(triplet.subject == IMAGE for triplet in seen):
        raise ReplyError("no visual triplet that starts at IMAGE", reply=answered.text)
    if len(set(ids)) != len(ids) and whole:
        raise ReplyError("a triplet is there twice", reply=answered.text)
    first = {triplet.id: triplet for triplet in (*known[::-1], *seen[::-1])}.values()
    return Extract(
        tuple(one for one in seen if any(one is other for other in first)),
        tuple(one for one in known if any(one is other for other in first)),
    )


def _triplet(words: Words, graph: Graph, source: str) -> Triplet:
    return Triplet(_entity(words.subject), words.relation, _entity(words.object), graph, source)


def _entity(name: str) -> Entity:
    return IMAGE if fold(name) == "image" else Entity(name, noun=not name.islower())


def _by_id(extract: Extract) -> dict[str, Triplet]:
    both = (("V", extract.visual), ("T", extract.textual))
    return {f"{letter}{number}": one for letter, triplets in both for number, one in enumerate(triplets, 1)}


def _same(words: Words, triplet: Triplet) -> bool:
    other = (triplet.subject.name, triplet.relation, triplet.object.name)
    return tuple(map(fold, words)) == tuple(map(fold, other))
