"""Wrong options (distractors) from alternatives, facts, other images and the dictionary (MDK12, question types)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from kbe_graph.checks.chain import first_sense
from kbe_graph.english.inflect import plural
from kbe_graph.english.kinds import kinds_of, synset_of
from kbe_graph.english.letter_case import as_written
from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.walk import Walk
from kbe_graph.forms.form_case import AnswerOption, FormCase, why_unsound
from kbe_graph.question import read
from kbe_graph.question.property import is_kind
from kbe_graph.senses.sense import fits_question
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Triplet

NOT_ASKED = ("linked", "seen")  # checks skipped for answers known to be right for another thing


def alternative_options(case: FormCase) -> list[AnswerOption]:
    """List the sound answers that a question would have if the image showed something else.

    Each is right for another thing. Alternatives that are the first answer itself, and answers that mean the same as
    the question's, are skipped.
    """
    if not case.alternatives:
        return []
    own = fold(case.question.start.name)
    others = (other.answer for other in case.alternatives if other.answer and fold(other.root) != own)
    options = (AnswerOption(as_written(answer), first_sense(answer)) for answer in others)
    return [option for option in options if not why_unsound(option, case, but=NOT_ASKED)]


MANY = 12  # minimum size of a kind to draw options from, if any kind is as large
_KEPT = 1 << 8


class FactOptions:
    """Options from the facts of a pack."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._objects: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for fact in walk.pack.facts:
            if fact.review != "rejected" and not walk.pack.relations[fact.relation].protected:
                self._objects[fact.relation][fact.subject_id].append(fact.object_id)

    def __call__(self, case: FormCase) -> Sequence[Sequence[AnswerOption]]:
        """Collect the ends of the question's relations from other things of its first answer's kinds, nearest first."""
        pools = self._pools(case.chain.relations)
        start = case.chain.concepts[0]
        kinds = (*kinds_of(start), "") if kinds_of(start) else ("",)
        return tuple(self._options(pools[kind]) for kind in kinds if len(pools.get(kind, ())) >= MANY) or tuple(
            self._options(pools[kind]) for kind in kinds[-1:] if kind in pools
        )

    def _options(self, counts: Counter[str]) -> Sequence[AnswerOption]:
        return tuple(AnswerOption(self._walk.label(end), end, count) for end, count in sorted(counts.items()))

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as the forms are made
    def _pools(self, relations: Sequence[str]) -> Mapping[str, Counter[str]]:
        """Count the ends of a chain of relations, by the kind of the thing it starts from; "" means all kinds."""
        pools: dict[str, Counter[str]] = defaultdict(Counter)
        for start in self._objects[relations[0]]:
            for end in self._ends((start,), relations):
                for kind in (*kinds_of(start), ""):
                    pools[kind][end] += 1
        return dict(pools)

    def _ends(self, starts: Iterable[str], relations: Sequence[str]) -> tuple[str, ...]:
        for relation in relations:
            starts = [end for start in starts for end in self._objects[relation].get(start, ())]
        return tuple(dict.fromkeys(starts))


ENOUGH = 6  # minimum number of options of a kind
WIDEST = 4  # steps up the hierarchy within which things share a kind
SHOWS = "depicts"  # relation from IMAGE to what is seen
_Pools = Mapping[tuple[str, str], Counter[str]]


class PictureOptions:
    """Options from the graphs of a benchmark's samples."""

    def __init__(self, cases: Iterable[FormCase]) -> None:
        pools: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        graphs = {case.sample.id: case.graph for case in cases}
        for graph in graphs.values():
            edges = {triplet.id: triplet for triplet in (*graph.visual, *graph.key)}
            for key in {key for triplet in edges.values() for key in _groups(triplet)}:
                pools[key[:2]][key[2]] += 1
        self._pools: _Pools = dict(pools)

    def __call__(self, case: FormCase) -> Sequence[Sequence[AnswerOption]]:
        """Collect the same relation's objects for things of the subject's kinds, or things seen, nearest first."""
        last = case.question.key[-1]
        relation = SHOWS if last.subject == IMAGE else last.relation
        about = case.concept if last.subject == IMAGE else first_sense(last.subject.name)
        pools = (self._pools.get((relation, kind), Counter[str]()) for kind in kinds_of(about)[: WIDEST + 1])
        fit = ([*_fitting(pool, case)] for pool in pools)
        return tuple(options for options in fit if len(options) >= ENOUGH)


def _groups(triplet: Triplet) -> Iterator[tuple[str, str, str]]:
    name = fold(singular(triplet.object.name))
    if name and triplet.object.noun and not wordnet().lookup(name).head:
        about = first_sense(name if triplet.subject == IMAGE else triplet.subject.name)
        relation = SHOWS if triplet.subject == IMAGE else triplet.relation
        for kind in kinds_of(about)[: WIDEST + 1]:
            yield relation, kind, name


def _fitting(pool: Counter[str], case: FormCase) -> Iterator[AnswerOption]:
    reading, many, answer = read(case.question.text), is_plural(case.question.answer), synset_of(case.concept)
    for name, count in sorted(pool.items()):
        synset = synset_of(first_sense(name))
        if synset is None or answer is None or synset.lexname != answer.lexname:
            continue
        asked = is_kind(answer.id, reading.asks_for)
        if fits_question(reading, name, synset) and (not asked or is_kind(synset.id, reading.asks_for)):
            yield AnswerOption(plural(name) if many else name, synset.id, count)


LIKE = 30  # maximum ratio of word frequencies


class SisterOptions:
    """Options from the things that a pack has facts about, by kind."""

    def __init__(self, pack: Pack) -> None:
        self._kinds: dict[str, list[AnswerOption]] = defaultdict(list)
        for concept in sorted({fact.subject_id for fact in pack.facts if synset_of(fact.subject_id)}):
            for kind in kinds_of(concept)[1 : WIDEST + 1]:
                self._kinds[kind].append(AnswerOption(pack.label(concept), concept, 1))

    def __call__(self, case: FormCase) -> Sequence[Sequence[AnswerOption]]:
        """Collect the sister terms of an answer that match the noun the question asks for, nearest kind first."""
        asked_for, many = read(case.question.text).asks_for, is_plural(case.question.answer)
        common = frequency(case.question.answer)
        pools = []
        for kind in kinds_of(case.concept)[1 : WIDEST + 1]:
            fit = [
                option._replace(name=plural(option.name)) if many else option
                for option in self._kinds[kind]
                if is_kind(option.concept, asked_for) and _is_like(frequency(option.name), common)
            ]
            if len(fit) >= ENOUGH:
                pools.append(fit)
        return tuple(pools)


def _is_like(rate: int, other: int) -> bool:
    return max(rate, other) <= LIKE * max(1, min(rate, other))
