"""Key path of a model's graph: the triplets that lead from IMAGE to the answer (KBE, sections 3.1, 3.2).

A model may list the key in any order, end it with a triplet whose subject is the answer, and write the answer in
another form. A key that does not lead to the answer is rejected.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from kbe_graph.english.inflect import lemmas
from kbe_graph.english.wordnet import wordnet
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Entity, Sample, Triplet

Node = tuple[str, ...]


def with_answer_named(by_id: Mapping[str, Triplet], sample: Sample) -> dict[str, Triplet] | None:
    """Rename the entity that stands for the answer to the answer; None if there is none.

    An entity stands for the answer by its name, its lemma (DOGS for dog), another accepted answer, a number with its
    noun (26 TEETH for 26), or a narrower phrase (BROWN DOG for dog).
    """
    names = list(dict.fromkeys(end.name for triplet in by_id.values() for end in (triplet.object, triplet.subject)))
    named = next((name for fits in _FITS for name in names if fits(name, sample)), None)
    if named is None:
        return None
    return {id_: _renamed(triplet, named, sample.answer) for id_, triplet in by_id.items()}


def ordered_key(key: Sequence[Triplet], visual: Iterable[Triplet], answer: str) -> tuple[Triplet, ...]:
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


def _same(name: str, sample: Sample) -> bool:
    return fold(name) == fold(sample.answer)


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


_FITS: tuple[Callable[[str, Sample], bool], ...] = (_same, _same_lemmas, _accepted, _number_with_noun, _narrower)
