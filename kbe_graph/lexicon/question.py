"""What a benchmark's question asks for, read from its words alone: no model, no parse."""

import re
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.lexicon.wordnet import Synset, wordnet
from kbe_graph.text import fold

_KIND = "kinds?|types?|sorts?|breeds?|species|styles?|varieties|variety|brands?|makes?|models?|forms?|genres?|class|family|names?|example|flavou?rs?|pieces?|items?|articles?|pairs?"
_END = (
    "is|are|was|were|be|am|do|does|did|has|have|had|can|could|may|might|must|shall|should|will|would|in|on|at|of|from|with"
    "|for|to|by|as|and|or|that|which|who|this|these|those|the|a|an|you|we|they|he|she|it|i|not|being|there|here|if|when"
    "|where|about|like|into|under|over|near|behind|inside|most|more|best|drives?|operates?|ride|rides|wear|wears|live|belong|belongs|carry|carries|produce|produces|get|gets|go|goes|come|comes|made|make|makes|used"
    "|use|uses|shown|seen|pictured|depicted|displayed|called|featured|known|appears?|seems?|looks?|needs?|wants?|requires?"
    "|gives?|takes?|eats?|lives?|helps?|causes?|goes|going|generally|normally|mainly|sometimes|currently|really|actually|likely|probably|typically|usually|often|commonly|also|else"
)
_PHRASE = rf"(?P<noun>(?:(?!(?:{_END}|hanging|covering|sitting|standing|shown|being|wearing|holding)\b)[\w'&+.-]+\s?)+)"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!this )(?<!these )(?<!that )(?<!those )(?<!such )\b(?:{_KIND}) (?:of|for) (?:(?:a|an|the|this|these|that|those|his|her|their) )?(?:(?:{_KIND}) of )*{_PHRASE}",
        rf"\b(?:what|which|whose|whst|wht|waht)(?: (?:other|else|famous|popular|main|common|specific|particular|us|u\.s))* {_PHRASE}",
        rf"^name (?:(?:a|an|the|one|some|any|this|these|that) )*{_PHRASE}",
        rf"\b(?:guess|identify|tell) (?:the|this|that|these|those) {_PHRASE}",
        rf"\bwhat (?:is|are|was|were) (?:the|this|that|these|those) {_PHRASE}(?:called|made|named)?",
    )
)
_ACTION = re.compile(
    r"\bdoing\b|\bdo (?:with|for)\b|\bdoin\b|\bto do\b|\bdo(?:es)?\b.*\bdo\b|\btelling\b.*\bto\b|\bhappen|\bact(?:ion)?\b|\btrying to\b|\babout to\b$"
)
_REASON = re.compile(
    r"\bwhy\b|^how(?! (?:can you tell|do you know|do we know|could you tell|many|much|long|old|far|tall|big|heavy|fast|often|high|hot|wide|deep)\b)|\bpurpose\b|\bused for\b|\breason\b"
    r"|\buses? (?:this|these|it|them|that) for\b|^what (?:is|are|was|were) .* for$|\bfunction\b"
)
_EITHER = re.compile(r"^(?:is|are|was|were|do|does|did|would|will|can|could|should|has|have|am)\b|\bor\b")
# What follows where the noun after "what is the" does something to the answer: looking at, in the suit on, made of.
_DOES = re.compile(
    r"(?!that\b|which\b|who\b|being\b|called\b).*(?:\b\w+ing\b|\b(?:on|in|of|to|at|with|by|from|for|near|under|past|through)$)"
)
_SPORT = re.compile(
    r"\b(?:sports?|games?|hobby|hobbies|activity|activities|events?|exercise|pastime|competition|olympic|contest|race)\b"
)
_LANGUAGE = re.compile(r"\b(?:languages?|speak|spoken|tongue)\b")
_COLOUR = re.compile(r"\bcolou?r(?:s|ed)?\b")

_MATERIAL = re.compile(r"\bmade (?:out |up )?(?:of|from)\b|\bmaterial\b")


class Asked(NamedTuple):
    """What a question asks for: ``noun`` is the noun phrase after "what", "kind of" and the like, empty where there is none.

    ``kind`` says that it asks for a kind of that noun, ``firm`` that the answer must be such a thing: "what animal", but not
    "what is the animal on".
    """

    noun: str
    kind: bool
    action: bool
    reason: bool
    either: bool
    sport: bool
    language: bool
    colour: bool
    material: bool
    firm: bool


def asked(question: str) -> Asked:
    """Return what a question asks for."""
    text = fold(question).replace("man made", "artificial")

    def has(pattern: re.Pattern[str]) -> bool:
        return bool(pattern.search(text))

    return Asked(
        _noun(text),
        kind=has(_PATTERNS[0]),
        action=has(_ACTION),
        reason=has(_REASON),
        either=has(_EITHER),
        sport=has(_SPORT),
        language=has(_LANGUAGE),
        colour=has(_COLOUR),
        material=has(_MATERIAL),
        firm=_is_firm(text),
    )


def _is_firm(text: str) -> bool:
    if re.match(r"(?:who|whom|where|when)\b", text):
        return True
    return any(match.group("noun").strip() for pattern in _PATTERNS[:-1] if (match := pattern.search(text)))


def _noun(text: str) -> str:
    if re.match(r"(?:who|whom)\b", text):
        return "person"
    if re.match(r"where\b", text):
        return "location"
    if re.match(r"when\b", text):
        return "time"
    found = (
        match.group("noun").strip()
        for pattern in _PATTERNS
        if (match := pattern.search(text)) and not (pattern is _PATTERNS[-1] and _DOES.match(text, match.end("noun")))
    )
    noun = next((noun for noun in found if noun), "")
    return "person" if noun.endswith(("people", "persons")) else noun


_CONVEYANCE = "wn30:03100490-n"
_VAGUE = {*_KIND.replace("s?", "").split("|"), "thing", "item", "object", "word", "color", "colour", "term", "flavor"}


@lru_cache(1 << 12)
def category(noun: str) -> tuple[Synset, ...]:
    """Return the main senses of the noun that a question asks for: "animal", "breed of dog", "type of vehicle".

    Those that make up a tenth of its tagged uses, the first one in any case; words that ask for nothing by themselves
    (kind, thing, name) have none.
    """
    name = re.sub(rf"^(?:{_KIND}) of ", "", fold(noun))
    found = wordnet().lookup(name)
    if found.lemma in _VAGUE or not found.synsets:
        return ()
    if found.lemma == "vehicle":  # buses and trains are, though WordNet has them beside vehicles
        return (*found.synsets[:1], wordnet().synset(_CONVEYANCE))
    counts = dict(wordnet().senses(found.lemma))
    least = sum(counts.values()) / 10 if sum(counts.values()) > 9 else -1
    return tuple(synset for at, synset in enumerate(found.synsets) if at == 0 or counts.get(synset.id, 0) > least)


def implies(noun: str, concept: str) -> bool:
    """Return whether the noun that a question asks for already says that the answer is the concept, or lies below it."""
    return any(wordnet().is_a(synset.id, concept) for synset in category(noun))


def is_kind(concept: str, noun: str) -> bool:
    """Return whether a concept is one of the things that a noun asks for: giraffe for "animal"."""
    return any(wordnet().is_a(concept, synset.id) for synset in category(noun))
