"""Extraction by a model: the steps ``extract`` and ``key`` of mode ``paper`` (KBE, section 3.2).

A model may list the key in any order, end it with a triplet whose subject is the answer, and write the answer in
another form. A key that does not lead to the answer is rejected.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.noun import ENGLISH, is_noun
from kbe_graph.english.wordnet import wordnet
from kbe_graph.errors import NoCandidate
from kbe_graph.extract.sample_graph import NO_VISUAL, unanswered_drop
from kbe_graph.steps.asker import Asker, ReplyOrigin, Step, triplet_text
from kbe_graph.steps.forms import ExtractForm, GraphForm, KeyForm
from kbe_graph.steps.prompt import Data, Examples, examples, prompt_hash
from kbe_graph.steps.reply_text import TripletWords, is_whole
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Drop, Entity, Graph, Sample, SampleGraph, Triplet

SOURCE = "model"
BAD_ANSWER = "answer contradicted"
RATIONALE = "The reason that a person gave"
OTHERS = "Other answers that people gave:"
MOST_RATIONALES = 5  # rationales shown to a model
Node = tuple[str, ...]


class ExtractedTriplets(NamedTuple):
    """Visual and textual triplets of a sample."""

    visual: tuple[Triplet, ...]
    textual: tuple[Triplet, ...]


def extract_step(sample: Sample, *, language: str = ENGLISH) -> Step[ExtractedTriplets]:
    """Ask for the visual and textual triplets of a sample.

    The entity that is the answer takes the answer's name. Triplets copied from an example are dropped. The reply is
    unusable if most are, if no visual triplet starts at IMAGE, or if none contains the answer.
    """

    def parse(form: ExtractForm) -> ExtractedTriplets:
        own = _own_triplets(_form_triplets(form, language), examples("extract"))
        return _extracted(_answer_named(own, sample))

    values = _values(sample) | {"language": language}
    return Step("extract", ExtractForm, parse, values, 900)


def seen_graph(sample: Sample, form: GraphForm, *, about: str, language: str, shown: Examples) -> SampleGraph | Drop:
    """Build a sample's graph also if no chain of it leads to the answer: its key then ends at what is asked ``about``.

    A contradicted answer is replaced, or drops the sample. Raises ValueError if the reply names
    nothing that is seen.
    """
    by_id, answer = _form_triplets(form, language), _instead(sample, form.instead)
    if answer is None:
        return _contradicted(sample, "" if fold(form.instead) == "none" else form.instead)
    led, own = sample.with_answer(answer), _shown_by_image(_own_triplets(by_id, shown))
    with suppress(ValueError):  # the answer is no thing of the graph, as where it is asked why
        named = _answer_named(own, led)
        outcome = graph_with_key(led, _extracted(named), {**by_id, **named}, form.key)
        if isinstance(outcome, SampleGraph):
            return replace(outcome, answer=answer)
    triplets = _extracted(own)
    way = way_to(triplets.visual, own[about].object if about in own else Entity(led.answer))
    return SampleGraph(sample.id, *triplets, way or triplets.visual[:1], answer)


def _shown_by_image(by_id: Mapping[str, Triplet]) -> dict[str, Triplet]:
    """Add that the image shows each thing from which visual triplets lead, but to which none leads."""
    visual = [triplet for triplet in by_id.values() if triplet.graph == "visual"]
    reached = {IMAGE.key, *(triplet.object.key for triplet in visual)}
    roots = {triplet.subject.key: triplet.subject for triplet in visual if triplet.subject.key not in reached}
    return dict(by_id) | {f"S{key}": Triplet(IMAGE, "shows", root, "visual", SOURCE) for key, root in roots.items()}


def way_to(visual: Sequence[Triplet], thing: Entity) -> tuple[Triplet, ...]:
    """Find the shortest way of visual triplets from IMAGE to a thing, in order; empty if there is none."""
    ways: dict[str, tuple[Triplet, ...]] = {IMAGE.key: ()}
    for _ in visual:
        for triplet in visual:
            if triplet.subject.key in ways and triplet.object.key not in ways:
                ways[triplet.object.key] = (*ways[triplet.subject.key], triplet)
    return ways.get(thing.key, ())


def key_step(sample: Sample, triplets: ExtractedTriplets) -> Step[SampleGraph | Drop]:
    """Ask for the triplets that imply the answer; the outcome is the sample's graph, or the reason to drop it."""
    graphs = (("V", triplets.visual), ("T", triplets.textual))
    by_id = {f"{letter}{number}": triplet for letter, graph in graphs for number, triplet in enumerate(graph, 1)}

    def parse(form: KeyForm) -> SampleGraph | Drop:
        return graph_with_key(sample, triplets, by_id, form.key) if form.key else _contradicted(sample)

    values = _values(sample) | {"triplets": {id_: triplet_text(triplet) for id_, triplet in by_id.items()}}
    return Step("key", KeyForm, parse, values, 120)


def other_answers(sample: Sample) -> tuple[str, ...]:
    """List the accepted answers other than the sample's own, most frequent first.

    >>> other_answers(kbe.Sample("own/val/1", "own", "val", "What?", "tractor", ("tractor", "crane", "truck", "crane")))
    ('crane', 'truck')
    """
    given = tuple(filter(None, (*sample.answers, sample.choice)))
    first = {fold(answer): answer for answer in reversed(given)}
    return tuple(first[name] for name, _ in Counter(map(fold, given)).most_common() if name != fold(sample.answer))


def _values(sample: Sample) -> dict[str, Data]:
    rationales = {
        f"{RATIONALE} ({number}):": text for number, text in enumerate(sample.rationales[:MOST_RATIONALES], 1)
    }
    return {"question": sample.question, "answer": sample.answer, "rationales": rationales}


def _contradicted(sample: Sample, stranger: str = "") -> Drop:
    named = f"; {stranger!r}, which it names instead, is no accepted answer" if stranger else ""
    return Drop(sample.id, BAD_ANSWER, f"the model finds {sample.answer!r} contradicted{named}")


def _instead(sample: Sample, name: str) -> str | None:
    if fold(name) in {"", fold(sample.answer)}:
        return ""
    return next((answer for answer in other_answers(sample) if fold(answer) == fold(name)), None)


def graph_with_key(
    sample: Sample, triplets: ExtractedTriplets, by_id: Mapping[str, Triplet], ids: Sequence[str]
) -> SampleGraph | Drop:
    """Build the graph whose key consists of the triplets ``ids``, ordered from IMAGE to the answer.

    A sample whose key has no visual triplet is dropped (KBE, section 3.2, extract). Raises ValueError if the IDs are
    missing or unknown, or do not lead to the answer.
    """
    if strangers := [id_ for id_ in ids if id_ not in by_id]:
        raise ValueError(f"key triplet {strangers[0]!r} is not among those given")
    own = {triplet.id: triplet for triplet in (*triplets.visual, *triplets.textual)}
    key = list(dict.fromkeys(own[by_id[id_].id] for id_ in ids if by_id[id_].id in own))
    if not key:
        raise ValueError("the key is empty")
    if all(triplet.graph != "visual" for triplet in key):
        return Drop(sample.id, NO_VISUAL, "none in the key")
    if not (ordered := _ordered_key(key, triplets.visual, sample.answer)):
        raise ValueError(f"the key does not lead from IMAGE to the answer {sample.answer!r}")
    return SampleGraph(sample.id, triplets.visual, triplets.textual, ordered)


def _form_triplets(form: ExtractForm, language: str) -> dict[str, Triplet]:
    visual, textual = ([each.words for each in triplets] for triplets in (form.visual, form.textual))
    by_id = {f"V{number}": _triplet(words, "visual", language) for number, words in enumerate(visual, 1)}
    return by_id | {f"T{number}": _triplet(words, "textual", language) for number, words in enumerate(textual, 1)}


def _own_triplets(by_id: Mapping[str, Triplet], shown: Examples) -> dict[str, Triplet]:
    own = {id_: triplet for id_, triplet in by_id.items() if not shown.holds_triplet(_words(triplet))}
    if 2 * len(own) < len(by_id):
        raise ValueError("most triplets are carried over from the example")
    return own


def _extracted(by_id: Mapping[str, Triplet]) -> ExtractedTriplets:
    whole = [triplet for triplet in by_id.values() if is_whole(_words(triplet))]
    first = {triplet.id: triplet for triplet in reversed(whole)}
    own = [triplet for triplet in whole if first[triplet.id] is triplet]
    visual, textual = (tuple(each for each in own if each.graph == graph) for graph in ("visual", "textual"))
    if not any(triplet.subject == IMAGE for triplet in visual):
        raise ValueError("no visual triplet that starts at IMAGE")
    return ExtractedTriplets(visual, textual)


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


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """Extractor that asks a model for the graph of a sample in two calls, as in the paper: triplets, then the key."""

    asker: Asker

    async def extract(self, sample: Sample) -> SampleGraph | Drop:
        """Extract the graph, or drop the sample; a sample without an answer is dropped without a call."""
        if unanswered := unanswered_drop(sample):
            return unanswered
        try:
            graph, origin = await self._ask(sample)
        except NoCandidate as none:
            return Drop(sample.id, none.reason, none.detail)
        return graph if isinstance(graph, Drop) else with_sources(sample.with_answer(graph.answer), graph, origin)

    def prompt(self, sample: Sample) -> str:
        """Identify the prompts of a sample's graph by their hashes, and note whether they include rationales."""
        hashes = (prompt_hash(step, self.asker.prompts) for step in ("extract", "key"))
        return "+".join((*hashes, *(("rationales",) if sample.rationales else ())))

    async def _ask(self, sample: Sample) -> tuple[SampleGraph | Drop, ReplyOrigin]:
        triplets, _ = await self.asker.ask(extract_step(sample, language=self.asker.language), sample)
        return await self.asker.ask(key_step(sample, triplets), sample)


def with_sources(sample: Sample, graph: SampleGraph, origin: ReplyOrigin) -> SampleGraph:
    """Record the reply as the source of each triplet, and whether the answer is a noun."""
    noun = is_noun(sample.question, sample.answer).keep
    add_source = partial(_with_source, fold(sample.answer), noun, f"{SOURCE} {origin.model}", origin.call)
    visual, textual, key = (tuple(map(add_source, each)) for each in (graph.visual, graph.textual, graph.key))
    return replace(graph, visual=visual, textual=textual, key=key)


def _with_source(answer: str, noun: bool, source: str, call: str, triplet: Triplet) -> Triplet:
    subject, object_ = (
        replace(entity, noun=noun) if entity.key == answer else entity for entity in (triplet.subject, triplet.object)
    )
    return replace(triplet, subject=subject, object=object_, source=source, source_ref=call)


def _answer_named(by_id: Mapping[str, Triplet], sample: Sample) -> dict[str, Triplet]:
    """Rename the entity that stands for the answer to the answer; raises ValueError if there is none.

    An entity stands for the answer by its name, its lemma (DOGS for dog), another accepted answer, a number with its
    noun (26 TEETH for 26), or a narrower phrase (BROWN DOG for dog).
    """
    names = list(dict.fromkeys(end.name for triplet in by_id.values() for end in (triplet.object, triplet.subject)))
    named = next((name for fits in _FITS for name in names if fits(name, sample)), None)
    if named is None:
        raise ValueError(f"no triplet leads to the answer {sample.answer!r}")
    return {id_: _renamed(triplet, named, sample.answer) for id_, triplet in by_id.items()}


def _ordered_key(key: Sequence[Triplet], visual: Iterable[Triplet], answer: str) -> tuple[Triplet, ...]:
    """Order the key's triplets that are connected to IMAGE, from there to the answer; empty if it is not reached.

    Directions and number (BIRDS, BIRD) do not matter. If no triplet starts at IMAGE, the visual triplet that shows an
    entity of the key is added. A triplet whose object is the answer comes last, preceded by any whose subject is the
    answer.
    """
    if not any(triplet.subject == IMAGE for triplet in key):
        nodes = {_node(end) for triplet in key for end in (triplet.subject, triplet.object)}
        shown = (triplet for triplet in visual if triplet.subject == IMAGE and _node(triplet.object) in nodes)
        key = [*list(shown)[:1], *key]
    distance = _distances(key)
    connected = [triplet for triplet in key if _node(triplet.subject) in distance]
    if not any(fold(answer) in {triplet.subject.key, triplet.object.key} for triplet in connected):
        return ()

    def place(triplet: Triplet) -> tuple[bool, bool, int]:
        ends = fold(answer)
        near = min(distance[_node(triplet.subject)], distance[_node(triplet.object)])
        return triplet.object.key == ends, triplet.subject.key == ends, near

    return tuple(sorted(connected, key=place))


def _distances(key: Sequence[Triplet]) -> dict[Node, int]:
    distance = {_node(IMAGE): 0}
    queue = [_node(IMAGE)]
    pairs = [(_node(triplet.subject), _node(triplet.object)) for triplet in key]
    for node in queue:
        for near, other in (*pairs, *((end, start) for start, end in pairs)):
            if near == node and other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


def _node(entity: Entity) -> Node:
    return (*(lemmas(entity.name) or (fold(entity.name),)), str(entity.number))


def _renamed(triplet: Triplet, name: str, answer: str) -> Triplet:
    subject, object_ = (
        replace(end, name=answer.upper() if name == name.upper() else answer) if end.name == name else end
        for end in (triplet.subject, triplet.object)
    )
    return replace(triplet, subject=subject, object=object_)


def _same_lemmas(name: str, sample: Sample) -> bool:
    return bool(lemmas(name)) and lemmas(name) == lemmas(sample.answer)


def _accepted(name: str, sample: Sample) -> bool:
    others = [answer for answer in sample.answers if fold(answer) != fold(sample.replaced)]
    return fold(name) in set(map(fold, others)) or any(
        _same_lemmas(name, replace(sample, answer=other)) for other in others
    )


def _number_with_noun(name: str, sample: Sample) -> bool:
    first, _, rest = fold(name).partition(" ")
    return bool(rest) and first == fold(sample.answer) and first[0].isdigit()


def _narrower(name: str, sample: Sample) -> bool:
    *front, last = fold(name).split() or [""]
    return bool(front) and _same_lemmas(last, sample) and not wordnet().morphy(fold(name))


_FITS: tuple[Callable[[str, Sample], bool], ...] = (
    lambda name, sample: fold(name) == fold(sample.answer),
    _same_lemmas,
    _accepted,
    _number_with_noun,
    _narrower,
)
