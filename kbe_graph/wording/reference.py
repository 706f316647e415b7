"""References to a question's answer inside another question: several phrases per reference."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kbe_graph.english.kinds import is_of_kind, kind, kinds_of, synset_of
from kbe_graph.english.number import is_plural, singular
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.facts.relation import Relation
from kbe_graph.types import Entity
from kbe_graph.wording.names import kind_of

_IMAGE = "image|picture|photo|photograph"
# Words that tie a phrase to the image.
_POINTING = re.compile(
    rf"^that \w|\b(?:which|of|in|on|with|by|for|to|at|from) that \w|\b(?:{_IMAGE}"
    r"|pictured|shown|seen|depicted|here|there|this|these|that (?:man|woman|boy|girl|person)|those"
    r"|he|she|they|it|his|her|their|him|them|above|foreground|background)\b",
    re.IGNORECASE,
)
_PICTURE = re.compile(
    rf"^that \w|\b(?:which|of|in|on|with|by|for|to|at|from) that \w|\b(?:{_IMAGE}"
    r"|pictured|shown|seen|depicted|here|foreground|background)\b",
    re.IGNORECASE,
)
_AFTER_HEAD = re.compile(
    r"(?<=\w) (?:that|which|who|whose|where|when|of|in|on|at|with|for|from|to|near|under|over|behind|by|inside"
    r"|next|around|about|used|shown|seen|pictured|depicted|made|called|found|being|is|are|the|this|these|those|a|an"
    r"|he|she|they|it|you|I|we|people|his|her|their"
    r"|\w{2,}(?<!th)(?<!r)(?<!k)(?<!w)(?<!build)ing (?=the|this|a|an|in|on|at|by)) "
)
_DEFINITE = re.compile(r" the (?!most|best|world|united|same|us\b|US\b|fastest|largest|first|\w+est\b)")
_GOES_ON = re.compile(r"(?:is|are|was|were) (?:being \w+|\w+ing|on|in|at|under|over|behind|near)\b")
_KIND = re.compile(
    r"^((?:[\w'-]+ )*?"
    r"(?:kind|type|sort|breed|species|variety|style|class|form|category|genre|brand|model|make)) of (.+)$"
)


class Phrase(NamedTuple):
    """A noun phrase with its article, and whether it takes a plural verb."""

    text: str
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """The phrases for one answer, shortest first, and the ``rule`` that made them."""

    phrases: tuple[Phrase, ...]
    rule: str


def variants(reference: Reference) -> tuple[Phrase, ...]:
    """List the distinct phrases of a reference, with their longer and shorter forms."""
    return tuple(dict.fromkeys(variant for phrase in reference.phrases for variant in varied(phrase)))


def points(text: str) -> bool:
    """Return True if a phrase contains a word that only the image can resolve (this, here, he)."""
    return bool(_POINTING.search(text))


def pictured(text: str) -> bool:
    """Return True if a phrase already mentions the image."""
    return bool(_PICTURE.search(text))


def is_many(noun: str) -> bool:
    """Return True if the head of a noun phrase is plural (birds; but not kind of birds, nor the thing he wears)."""
    head = head_word(noun)
    return is_plural(head) if head else False


def head_word(noun: str) -> str:
    """Find the head of a noun phrase, without the words after its noun; empty if there is none.

    >>> head_word("the kind of birds he feeds"), head_word("the bird that the man feeds")
    ('kind', 'bird')
    """
    first, _, rest = noun.partition(" ")
    inner = _AFTER_HEAD.split(f"{rest} " if first in {"the", "these", "this", "those", "that"} else f"{noun} ")[0]
    return inner.split()[-1] if inner.split() else ""


def definite(text: str) -> bool:
    """Return True if a noun phrase contains another one with "the", which the image must show."""
    return bool(_DEFINITE.search(text))


def phrases(text: str, *, plural: bool) -> tuple[Phrase, ...]:
    """List a noun phrase unchanged, if it points to the image or an object in it, and with "in this image"."""
    if points(text):
        return (Phrase(text, plural),)
    tied = Phrase(f"{text} in this image", plural)
    return (Phrase(text, plural), tied) if definite(text) else (tied, Phrase(f"{text} shown in this image", plural))


def relative(
    head: str, clause: str, pronoun: str = "that", *, drop: bool = True, subject: str = ""
) -> tuple[Phrase, ...]:
    """Build "the animal (that) the man is riding", and "that the man in this image is riding" for a ``subject``.

    ``drop`` means that the pronoun may be omitted. A clause that mentions neither the image nor an object in it gets
    "in this image" if it describes an action (is being sold); otherwise there is no phrase.
    """
    plural = is_many(head)
    pronoun = "which" if clause.startswith(("that ", "those ")) and pronoun == "that" else pronoun
    full = f"the {head} {pronoun} {clause}"
    if points(full):
        texts = [full]
    elif subject.startswith("the ") and clause.startswith(subject):
        texts = [full, f"the {head} {pronoun} {subject} in this image{clause.removeprefix(subject)}"]
    elif definite(full.removeprefix("the ")):
        texts = [full]
    else:
        texts = [f"{full} in this image"] if _GOES_ON.match(clause) else []
    if drop and texts and texts[0] == full and clause.split(maxsplit=1)[0] not in {"that", "those"}:
        texts.insert(0, f"the {head} {clause}")
    return tuple(Phrase(text, plural) for text in texts)


def pointing_reference(noun: str, place: str = "", *, many: bool | None = None) -> Reference:
    """Build the reference to the answer of "What NOUN is this PLACE?"; ``many`` is the question's number.

    >>> [phrase.text for phrase in pointing_reference("kind of birds", many=True).phrases][:2]
    ['these birds', 'the kind of birds in this image']
    """
    plural = is_many(noun)
    tail = f" {place}" if place else ""
    short = _short(noun, plural=plural, many=plural if many is None else many)
    near = [Phrase(f"{short.text}{tail}", short.plural)]
    far = (
        [place] if pictured(place) else [f"{tail} {spot}".strip() for spot in ("in this image", "shown in this image")]
    )
    return Reference((*near, *(Phrase(f"the {noun} {spot}", plural) for spot in far)), "shown")


def _short(noun: str, *, plural: bool, many: bool) -> Phrase:
    match = _KIND.match(noun)
    if not match or plural:
        return Phrase(f"these {noun}", plural=True) if plural else Phrase(f"this {noun}")
    if many and is_many(match[2]):
        return Phrase(f"these {match[2]}", plural=True)
    return Phrase(f"this {match[1]} of {singular(match[2])}")


_THIS_LAST = re.compile(
    r"\b(?:this|these) (?P<noun>(?:(?:kind|type|sort|breed|species|style) of )?[\w'-]+(?: [\w'-]+)?)$"
)
_SHOWN = re.compile(rf" (?:that (?:is|are) )?(?:shown|seen|pictured|depicted|visible) in (?:this|the) (?:{_IMAGE})\b")
_SORT = re.compile(r"^the (?:kind|type|sort) of (?!a |an )")
_REDUCED = re.compile(
    r"^(the [\w' -]+?) (?:that|who) (?:is|are|was|were) "
    r"(?=(?:\w+ly )?(?:\w+(?:ed|en|ing|wn|ung)|made|built|held|kept|worn) )"
)
_SHORTER = ((_REDUCED, r"\1 "), (_SHOWN, ""), (_SORT, "the "))


def varied(phrase: Phrase) -> tuple[Phrase, ...]:
    """List a phrase with the longer and shorter forms of the same meaning.

    A final "this boat" can become "the boat in this image". Removed are "shown in this picture" beside "this boat",
    "that is" before a participle, and "kind of" before a single object.
    """
    forms = dict.fromkeys((phrase, *_longer(phrase)))
    for pattern, put in _SHORTER:
        for text, plural in tuple(forms):
            short = pattern.sub(put, text)
            tied = points(short) or (definite(short) and pattern is not _SHOWN)
            if short != text and tied:
                forms[Phrase(short, plural if pattern is not _SORT else is_many(short.removeprefix("the ")))] = None
    return tuple(forms)


def _longer(phrase: Phrase) -> tuple[Phrase, ...]:
    match = _THIS_LAST.search(phrase.text)
    if not match or pictured(phrase.text) or not _is_noun(match["noun"]):
        return ()
    last = match["noun"].rsplit(maxsplit=1)[-1]
    if match[0].startswith("this ") and last.endswith("s") and wordnet().morphy(last, "v") not in (None, last):
        return ()  # the last word is a verb: the food this animal eats
    before = phrase.text[: match.start()]
    spots = ("in this image", "shown in this image")
    return tuple(Phrase(f"{before}the {match['noun']} {spot}", phrase.plural) for spot in spots)


def _is_noun(text: str) -> bool:
    last = text.rsplit(maxsplit=1)[-1]
    return wordnet().lookup(last).lemma != "" and last not in words("stop") and wordnet().counts(last).get("v", 0) <= 3


KIND = re.compile(r"^(?:the|this) (?:[\w-]+ )?(?:kind|type|sort|breed|species|pattern|style|category)\b")
OF_KIND = re.compile(
    r"^(the|this|these) (?:(?:specific|particular|exact) )?"
    r"(?:kinds?|types?|sorts?|breeds?|species|variety|varieties) of (?:the |this |these )?(.+)$"
)
_LEVELS = ("continent", "country", "state", "city")
_PLACE = re.compile(r"^(the|this) place\b")
# An image does not show a whole country.
_SCENE = re.compile(
    rf"^(?:the|this) ({'|'.join(_LEVELS)})"
    r"(?: (?:that is )?(?:shown |seen |pictured )?in this (?:image|picture|photo))?$"
)
_NOUNS = {"noun.animal": "animal", "noun.plant": "plant", "noun.food": "food"}
_FIRM = re.compile(
    r"^(?:the|this) (?:[\w-]+ )?(?:brand|company|airline|maker|manufacturer|team|restaurant|store)"
    r"(?: (?:of|that|this|the|in|on|shown|seen|pictured)\b|$)"
)
_SHOP = re.compile(r"^(?:the|this) (?:[\w-]+ )?(?:restaurant|store)\b")
_SPORT = re.compile(r"^(?:the|this) (?:[\w-]+ ){0,2}(?:sport|game)\b")
_THING = re.compile(r"^(the|this|these) thing(s?)\b")


def fitting(phrases: Sequence[Phrase], concept: str, relation: Relation) -> tuple[Phrase, ...]:
    """Select or adapt the phrases for an answer to a relation asked about it, such as by a better noun."""
    if relation.asked_of == "kind":
        return tuple(phrase for phrase in phrases if KIND.match(phrase.text)) or tuple(phrases)
    if relation.asked_of == "place":
        level = _level(concept) or "place"
        places = (Phrase(_PLACE.sub(rf"\1 {level}", text), plural) for text, plural in phrases)
        return tuple(Phrase(_SCENE.sub(r"the \1 where this image was taken", text), plural) for text, plural in places)
    if relation.asked_of == "living thing" or relation.family == "taxonomy":
        phrases = tuple(dict.fromkeys(map(_of_itself, phrases)))
    if relation.asked_of in {"firm", "sport"}:
        return _of_names(phrases, relation)
    if relation.asked_of == "one":
        return tuple(phrase for phrase in phrases if not phrase.plural)
    return tuple(phrases)


def call_by_kind(reference: Reference, entity: Entity) -> Reference:
    """Replace "thing" in a reference by the answer's kind: the animal in this image."""
    synset = synset_of(entity.concept)
    noun = "drink" if is_of_kind(entity.concept, "drink") else kind_of(entity)
    noun = noun or (_NOUNS.get(synset.lexname, "") if synset else "")
    if not noun:
        return reference
    phrases = (Phrase(_THING.sub(rf"\1 {noun}\2", text), plural) for text, plural in reference.phrases)
    return replace(reference, phrases=tuple(phrases))


def _of_names(phrases: Sequence[Phrase], relation: Relation) -> tuple[Phrase, ...]:
    pattern = _SPORT if relation.asked_of == "sport" else _FIRM
    called = (phrase for phrase in phrases if pattern.match(phrase.text))
    return tuple(Phrase(_SHOP.sub(r"the company behind \g<0>", text), plural) for text, plural in called)


def _of_itself(phrase: Phrase) -> Phrase:
    match = OF_KIND.match(phrase.text)
    if match is None:
        return phrase
    determiner, noun = match.groups()
    many = is_many(noun)
    pointing = "these" if many else "this"
    return Phrase(f"{determiner if determiner == 'the' else pointing} {noun}", many)


def _level(concept: str) -> str:
    return next((level for above in kinds_of(concept) for level in _LEVELS if above in kind(level)), "")
