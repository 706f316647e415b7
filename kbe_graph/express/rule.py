"""Words the question of a candidate by rule: a noun phrase for the first answer, relation phrases around it.

Q_n = "What is the R_n of the R_n-1 of ... the breed of dog in this image?" (KBE, section 3.2, expression). No intermediate
object is named, and nothing is said beyond the question before but the new relation.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kbe_graph.errors import NoCandidate
from kbe_graph.express.fitting import fitted
from kbe_graph.express.noun_phrase import refer
from kbe_graph.express.phrases import Manner, around, fits, forms_for, manners, nested, opened
from kbe_graph.express.predicate import NONE
from kbe_graph.express.reference import Phrase, Reference, varied
from kbe_graph.express.referring import referring
from kbe_graph.express.reselected import ask
from kbe_graph.express.unfit import NAME, one_of_several, says_nothing, unfit
from kbe_graph.express.wording import Wording, flaw, sentence
from kbe_graph.filters.leak import leak_in
from kbe_graph.knowledge.pack import Pack
from kbe_graph.lexicon.english import english
from kbe_graph.text import fold
from kbe_graph.types import Candidate, Provenance, Question, Sample, SampleGraph, Triplet

if TYPE_CHECKING:
    from spacy.language import Language

# Mean words of the questions at hops 1, 2 and 3 (KBE, table 2, OK-VQA).
WORDS = {1: 15.2, 2: 17.5, 3: 18.8}
# The object of these is a word: nothing that is said of what it means holds of "the collective noun for" something.
_WORDS_ONLY = {"group", "nickname", "chemical symbol", "chemical name", "roman counterpart"}
# The second of these relations goes back on the first: what the maker of a thing makes is that thing.
_BACK = {
    *(
        ("maker", "product"),
        ("craftsman", "product"),
        ("product", "maker"),
        ("user", "tool"),
        ("workplace", "operator"),
    ),
    *(("material", "use"), ("surface", "material"), ("material", "science")),
    *(
        ("material", "craftsman"),
        ("material", "compound"),
        ("product", "main ingredient"),
        ("workplace", "stopping place"),
    ),
    *(
        ("main ingredient", "female"),
        ("main ingredient", "male"),
        ("female", "product"),
        ("power source", "rider's seat"),
        ("right-hand page", "opposite"),
        ("female", "sound"),
        ("male", "sound"),
        ("meal time", "time after"),
        ("workplace", "front"),
    ),
}
# What is told of living things alone reads ill of what is made of them (the young of the wood).
_LIVING = {"young", "male", "female", "sound", "home", "keeper", "group", "leaf", "seed part", "fruit"}
_WORKS = re.compile(r"\bwork(?:s|ing)?\b")
_STUFF = re.compile(r"\b(?:wood|material|flavou?r|meat|fabric|leather)\b")
# Refusals of a noun phrase that say nothing against the question itself.
_REFERRED = {NONE, "wording"}
_STEP = 1.3
_NEAR = 1.5


def words_wanted(hop: int) -> float:
    """Return the number of words that a question of a hop should have; beyond hop 3 each adds as much as the third did."""
    return WORDS.get(hop) or WORDS[3] + _STEP * (hop - 3)


@dataclass(frozen=True)
class RuleExpresser:
    """An Expresser that asks no model; ``run`` names the run that its questions belong to.

    ``parse`` gives spaCy's pipeline, or None to tag by WordNet.
    """

    pack: Pack
    run: str = ""
    parse: "Callable[[], Language | None]" = english

    async def express(self, candidate: Candidate, seed: int) -> Question:
        """Return the kept question of the next hop; raises NoCandidate where no wording is good enough."""
        sample, parent, fact = candidate.sample, candidate.question, candidate.fact
        wording = self.word(candidate, seed)
        hop = parent.hop + 1
        names = {
            fold(name): name for name in reversed((fact.object, *fact.aliases, *self.pack.aliases(fact.object_id)))
        }
        names.pop(fold(fact.object))
        return Question(
            id=f"{sample.id}@{self.run or parent.run}/{hop}",
            sample=sample.id,
            run=self.run or parent.run,
            hop=hop,
            kind="explored",
            text=wording.text,
            answer=fact.object,
            key=(*parent.key, fact.triplet(parent.key[-1].object)),
            aliases=tuple(reversed(names.values())),
            concept=fact.object_id,
            parent=parent.id,
            provenance=Provenance("rule", seed, wording.pattern),
        )

    def word(self, candidate: Candidate, seed: int) -> Wording:
        """Return the wording of a candidate's question; raises NoCandidate with the reason of a refusal.

        Those that leak or are not well formed are left out; of those nearest to the wanted length one is drawn by the seed.
        The referring form is taken where no noun phrase will do.
        """
        _check_pairs(_relations(candidate))
        try:
            return self._drawn(candidate, self._wordings(candidate), seed)
        except NoCandidate as none:
            if none.reason not in _REFERRED and none.detail != NAME:
                raise
            try:
                return self._drawn(candidate, self._referring(candidate), seed)
            except NoCandidate:
                raise none from None

    def _drawn(self, candidate: Candidate, wordings: Iterable[Wording], seed: int) -> Wording:
        wanted = words_wanted(candidate.question.hop + 1)
        near: list[Wording] = []
        best = 0.0
        refusal = NoCandidate(NONE)
        for off, wording in _by_length(wordings, wanted):
            if near and off > best + _NEAR:
                break
            if reason := _refused(candidate, wording.text):
                refusal = NoCandidate(*reason)
                continue
            best = off if not near else best
            near.append(wording)
        if not near:
            raise refusal
        return random.Random(seed).choice(near)

    def word_reselected(self, sample: Sample, graph: SampleGraph, path: Sequence[Triplet], seed: int) -> Wording:
        """Return a question whose answer is the end of a path of the sample's graph; raises NoCandidate."""
        asked = ask(sample, graph, path)
        return Wording(random.Random(seed).choice(asked.texts), f"reselected {asked.pattern}")

    def _wordings(self, candidate: Candidate) -> Iterator[Wording]:
        *relations, last = _relations(candidate)
        reference = self.reference(candidate)
        _check_called((*relations, last), reference.phrases[0].text)
        concept = _root(candidate)[-1].object.concept
        found = dict.fromkeys(long for phrase in reference.phrases for long in varied(phrase))
        subjects = fitted(found, concept, (*relations, last)[0])
        for inner in nested(self.pack, relations, subjects):
            yield from self._asked(inner, last, reference.rule)

    def _referring(self, candidate: Candidate) -> Iterator[Wording]:
        *relations, last = _relations(candidate)
        root = _root(candidate)
        if _is_raw(candidate, root) and not says_nothing(root[-1].object.concept):
            yield from referring(self.pack, relations, last, candidate.sample.question, self.parse())

    def _asked(self, inner: Phrase, relation: str, rule: str) -> Iterator[Wording]:
        for place, form in enumerate(forms_for(self.pack, relation, inner)):
            plain = opened(relation, around(form, inner))
            if plain:
                yield Wording(plain, f"{rule}/phrase {place}")
        for place, form in enumerate(manners().get(relation, Manner()).forms):
            if fits(form, inner):
                yield Wording(around(form, inner).text, f"{rule}/form {place}")

    def reference(self, candidate: Candidate) -> Reference:
        """Return how the first answer of the candidate's chain is spoken of; raises NoCandidate."""
        root = _root(candidate)
        if _is_raw(candidate, root):
            asked = candidate.sample.question
            reference = refer(asked, self.parse)
            if one_of_several(reference, candidate.sample.answer):
                raise NoCandidate("the answer does not fit", "several things are asked for")
        else:
            reference, asked = ask(candidate.sample, candidate.graph, root).reference, ""
        if reason := unfit(reference, root[-1].object.concept, asked):
            raise NoCandidate("the answer does not fit", reason)
        return reference


def _check_pairs(relations: Sequence[str]) -> None:
    """Raise NoCandidate where the last relation does not go with those before, however the first answer is spoken of."""
    *before, last = relations
    if _WORDS_ONLY & set(before) or (before and (before[-1], last) in _BACK):
        raise NoCandidate("relations do not go together", f"{before[-1]}, {last}")


def _check_called(relations: Sequence[str], called: str) -> None:
    """Raise NoCandidate where a relation does not go with what the first answer is called."""
    if "workplace" in relations and _WORKS.search(called):
        raise NoCandidate("relations do not go together", f"{called}, workplace")
    if relations[0] in _LIVING and _STUFF.search(called):
        raise NoCandidate("relations do not go together", f"{called}, {relations[0]}")


def _root(candidate: Candidate) -> Sequence[Triplet]:
    """Return the key path of the question that the chain starts from: the raw or the re-selected one."""
    return candidate.question.key[: len(candidate.question.key) - candidate.question.hop]


def _is_raw(candidate: Candidate, root: Sequence[Triplet]) -> bool:
    return [triplet.id for triplet in root] == [triplet.id for triplet in candidate.graph.key]


def _relations(candidate: Candidate) -> list[str]:
    key = candidate.question.key
    return [*(triplet.relation for triplet in key[len(key) - candidate.question.hop :]), candidate.fact.relation]


def _refused(candidate: Candidate, text: str) -> tuple[str, str] | None:
    if word := flaw(text):
        return ("wording", word)
    word = leak_in(candidate, text)
    return ("leak", word) if word else None


def _by_length(wordings: Iterable[Wording], wanted: float) -> list[tuple[float, Wording]]:
    """Return each text once, with how far it is from the wanted number of words, the nearest first."""
    texts: dict[str, str] = {}
    for form, pattern in wordings:
        texts.setdefault(sentence(form), pattern)
    return sorted((abs(len(text.split()) - wanted), Wording(text, pattern)) for text, pattern in texts.items())
