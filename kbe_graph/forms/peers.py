"""Peers of a thing: those with the same object of a relation, and similar things with another object."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.checks.chain import first_sense
from kbe_graph.english.inflect import lemmas
from kbe_graph.english.kinds import kinds_of, synset_of
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import frequency
from kbe_graph.facts.walk import Walk
from kbe_graph.forms.form_case import CHECKS, AnswerOption, FormCase
from kbe_graph.text import fold
from kbe_graph.types import Fact

LEAST_KNOWN = 200  # occurrences per thousand million words; rarer names are hardly known
RARER = 60  # factor by which each additional word makes a name rarer than its rarest word
LIVING = frozenset(["noun.animal", "noun.plant"])
EATEN = LIVING | {"noun.food"}
WELL_KNOWN = 3  # facts about a living thing that its name surely means, whatever its other senses: a tiger, a turkey
OF_ANOTHER = frozenset(["young", "male", "female"])  # relations to the same animal: a rooster is a chicken
NEAR = 5  # nearest wrong options per right one
# Reasons why two objects, or two subjects, may be the same thing.
SAME = frozenset(["accepted", "alike", "kind", "linked"])
_KEPT = 1 << 8


class Peers(NamedTuple):
    """Things of one kind, by name: those that share the object, and those that certainly do not, each with its fact.

    Their weight is the squared number of their facts, the best measure of how well known they are.
    """

    right: Sequence[AnswerOption]
    wrong: Sequence[AnswerOption]
    facts: Mapping[str, Fact]


class _Peer(NamedTuple):
    """Thing that is known by its name, with its fact and all objects of things with this name."""

    option: AnswerOption
    fact: Fact
    objects: Sequence[AnswerOption]


class PeerFinder:
    """Finder of peers of the subject of a question's last fact, based on a pack's facts."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._facts: dict[str, list[Fact]] = defaultdict(list)
        for fact in walk.pack.facts:
            if fact.review != "rejected":
                self._facts[fact.relation].append(fact)
        self._fame = Counter(fact.subject_id for fact in walk.pack.facts)

    def __call__(self, case: FormCase) -> Iterator[Peers]:
        """Yield the subject's peers of each of its kinds, nearest kind first."""
        thing = _thing_case(case)
        candidates = [peer for peer in self._peers(case.chain.relations[-1]) if not _is_given(peer.option, thing)]
        shares = [{_shares(end, case) for end in peer.objects} for peer in candidates]
        right = {peer.option.concept: peer for peer, sides in zip(candidates, shares, strict=True) if sides == {True}}
        wrong = {peer.option.concept: peer for peer, sides in zip(candidates, shares, strict=True) if sides == {False}}
        for kind in (*kinds_of(thing.concept), ""):
            if peers := _of_kind(kind, right, wrong):
                yield peers

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as the forms are made
    def _peers(self, relation: str) -> Sequence[_Peer]:
        """List the subjects of a relation that are the primary sense of a well-known name."""
        objects: dict[str, dict[AnswerOption, None]] = defaultdict(dict)
        by_subject = {fact.subject_id: fact for fact in self._facts[relation]}
        for fact in self._facts[relation]:
            for name in self._walk.names(fact.subject_id):
                objects[name][AnswerOption(fact.object, fact.object_id)] = None
        same = {fact.object_id for each in OF_ANOTHER for fact in self._facts[each]}
        peers = []
        for subject, fact in by_subject.items():
            name = self._walk.label(subject)
            if _rate(name, subject) < LEAST_KNOWN or not _is_meant(name, by_subject) or subject in same:
                continue
            if self._fame[subject] >= WELL_KNOWN or _means_one_thing(name, subject):
                names = sorted({fold(name), *self._walk.names(subject)})
                ends = dict.fromkeys(end for each in names for end in objects[each])
                peers.append(_Peer(AnswerOption(name, subject, self._fame[subject] ** 2), fact, tuple(ends)))
        return tuple(peers)


def _is_meant(name: str, subjects: Collection[str]) -> bool:
    """Return True if the first sense of a name is among ``subjects``, or WordNet does not know the name.

    A first sense that is a person is skipped, as for "tiger" (a fierce person).
    """
    senses = wordnet().lookup(name).synsets
    first = [synset for synset in senses if synset.lexname != "noun.person"] or senses
    return not first or first[0].id in subjects


def _means_one_thing(name: str, concept: str) -> bool:
    synset = synset_of(concept)
    senses = wordnet().lookup(name).synsets
    return not synset or synset.lexname not in LIVING or all(sense.lexname in EATEN for sense in senses)


def _rate(name: str, concept: str) -> int:
    """Estimate the frequency of a name: that of its rarest word, lowered for each additional word.

    Living things with names of several words count as unknown, because few but experts know them.
    """
    more, synset = len(re.findall(r"[ -]", name)), synset_of(concept)
    return 0 if more and synset and synset.lexname in LIVING else frequency(name) // RARER**more


def _of_kind(kind: str, right: Mapping[str, _Peer], wrong: Mapping[str, _Peer]) -> Peers | None:
    """Select the peers of one kind that share the object and those that do not; None unless both exist.

    Of a thing and its subkinds only the thing is used: a jay, but not a blue jay.
    """
    of_kind = {id_: peer for id_, peer in {**right, **wrong}.items() if not kind or kind in kinds_of(id_)}
    general = [peer for id_, peer in of_kind.items() if not of_kind.keys() & set(kinds_of(id_)[1:])]
    shared = _unlike(peer.option for peer in general if peer.option.concept in right)
    others = _unlike(peer.option for peer in general if peer.option.concept in wrong)
    return Peers(shared, others, {peer.option.name: peer.fact for peer in general}) if shared and others else None


def _unlike(options: Iterable[AnswerOption]) -> list[AnswerOption]:
    kept: dict[str, AnswerOption] = {}
    for option in sorted(options, key=lambda option: (-option.weight, option.name)):
        words = lemmas(option.name)
        if not any(word in kept for word in words):
            kept |= dict.fromkeys(words, option)
    return list(dict.fromkeys(kept.values()))


def nearest(right: Sequence[AnswerOption], wrong: Sequence[AnswerOption]) -> list[AnswerOption]:
    """Select the wrong options nearest in kind to each right one, so that none stands out by its kind."""
    near: dict[AnswerOption, None] = {}
    for answer in right:
        ranked = sorted((-_shared_kinds(answer, option), -option.weight, option.name, option) for option in wrong)
        near |= {option: None for *_, option in ranked[:NEAR]}
    return list(near)


def _shared_kinds(option: AnswerOption, other: AnswerOption) -> int:
    return len({*kinds_of(option.concept)} & {*kinds_of(other.concept)})


def _shares(end: AnswerOption, case: FormCase) -> bool | None:
    if end.concept == case.chain.concepts[-1]:
        return True
    checks = SAME if synset_of(end.concept) else SAME - {"kind"}  # not in WordNet, though words of its name may be
    return None if any(CHECKS[name](end, case) for name in checks) else False


def _is_given(option: AnswerOption, thing: FormCase) -> bool:
    shown = {fold(name) for name in thing.seen}
    return fold(option.name) in shown or any(CHECKS[name](option, thing) for name in SAME | {"named"})


def _thing_case(case: FormCase) -> FormCase:
    last = case.question.key[-1].subject
    people = (name for name in case.sample.answers if first_sense(name) not in kinds_of(last.concept)[1:])
    names = (*sorted(case.walk.names(last.concept)), *people)
    before = replace(
        case.question, key=case.question.key[:-1], hop=case.question.hop - 1, answer=last.name.lower(),
        aliases=names, concept=last.concept,
    )  # fmt: skip
    return replace(case, question=before)
