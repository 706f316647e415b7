"""References to a question's answer inside another question: "this animal", or the question's own words as a phrase.

spaCy's parse tells the subject of the question, which a relative clause needs in front of its verb. Without spaCy's
model, or where the parse is unclear, there are only phrases that point.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from kbe_graph.english.inflect import form, inflector, is_plural
from kbe_graph.english.parse import Word
from kbe_graph.english.reading import Reading
from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import words
from kbe_graph.errors import NoCandidate

NONE = "no noun phrase"
_MOST_WORDS = 14
_TIED = re.compile(
    r"\b(?:this|these|those|here|image|picture|photo|shown|pictured|he|she|they|it|his|her|their|its)\b"
    r"| the (?!most|best|world|same|first|\w+est\b)"
)
_TORN = re.compile(
    r"\bthat (?:will|does|do|did|can|is|are) (?:the|an?|this|these)\b|ing (?:is|are)$|\bare are\b"
    r"|^(?!.* (?:where|which) ).* (?:is|are)$"  # the animal that the truck is
)
_SORT = re.compile(r"^(?:kinds?|types?|sorts?|breeds?|species|variet(?:y|ies)) of (?:an? |the )?")
_AFTER_HEAD = re.compile(r"(?<=\w) (?:that|which|who|whose|where|when|of|in|on|at|with|for|from|to|by|shown|\w+ing) ")
_NAME = re.compile(r"^(?:the|this|these) (?:name|names) of ")
_PARTICIPLES = ("VBG", "VBN")
_OPINION = {"might", "may", "would", "should", "could", "probably", "likely", "you", "we", "i"}


class Phrase(NamedTuple):
    """A noun phrase with its article, and whether it takes a plural verb."""

    text: str
    plural: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """The phrases for one answer, plainest first, and the ``rule`` that made them."""

    phrases: tuple[Phrase, ...]
    rule: str


def is_many(noun: str) -> bool:
    """Return True if the head of a noun phrase is plural (birds; but not kind of birds, nor the thing he wears)."""
    head = head_word(noun)
    return is_plural(head) if head else False


def head_word(noun: str) -> str:
    """Find the head of a noun phrase, without the words after its noun; empty if there is none.

    >>> head_word("the kind of birds he feeds"), head_word("the bird that the man feeds")
    ('kind', 'bird')
    """
    bare = re.sub(r"^(?:the|this|these|those|that) ", "", noun)
    return next(iter(_AFTER_HEAD.split(f"{bare} ")[0].split()[-1:]), "")


def refer(reading: Reading, noun: str = "") -> Reference:
    """Build the phrases for a question's answer; ``noun`` is its kind, where the question tells none.

    Raises NoCandidate if the question neither asks what is shown nor describes it in a way that the parse makes clear.
    """
    reference = _refer(reading, noun)
    if not reference.phrases:
        raise NoCandidate(NONE, reading.text)
    return reference


@lru_cache(maxsize=4096)
def _refer(reading: Reading, noun: str) -> Reference:
    asking, head = reading.outline.asking, reading.outline.head
    if asking and head:
        first = asking.start + (asking.determiner != "")
        noun = _text(reading.words[first : head.end])
    noun = _SORT.sub("", noun)
    rest = [word.low for word in reading.outline.rest if word.tag != "PUNCT"]
    if noun and rest and words("shown").issuperset(rest):
        many = is_plural(noun)
        return Reference((Phrase(f"{'these' if many else 'this'} {noun}", many),), "shown")
    texts = dict.fromkeys(_described(reading, noun))
    good = [
        text for text in texts if _TIED.search(text) and len(text.split()) <= _MOST_WORDS and not _TORN.search(text)
    ]
    return Reference(tuple(Phrase(text, is_many(text)) for text in good), "described")


def _text(words: Sequence[Word]) -> str:
    return re.sub(r" (?='s?\b|n't\b|,)|(?<=-) | (?=-)", "", " ".join(word.text for word in words))


def _described(reading: Reading, noun: str) -> Iterator[str]:
    """Turn the question round: "What animal is the man riding" describes "the animal the man is riding"."""
    text = [word for word in reading.words if word.tag != "PUNCT" or word.text in "-,"]
    asking, head = reading.outline.asking, reading.outline.head
    start = next((word.at for word in text if word.low in ("what", "which", "where", "who")), None)
    if start not in (0, 1) or not all(word.dep for word in text) or _OPINION & {word.low for word in text}:
        return
    end = head.end if asking and head else start + 1
    rest = [word for word in text if word.at >= end]
    if not rest or any(word.low in ("what", "which", "or", "called", "named") for word in rest):
        return
    link = text[0].low if start == 1 else "where" if text[start].low == "where" else ""
    noun = "place" if link == "where" and not asking else noun
    subject = _subject(rest)
    if not subject:
        if noun and not link and rest[0].tag in ("AUX", "VERB"):
            reduced = rest[0].lemma == "be" and (rest[1].tag == "ADP" or rest[1].fine in _PARTICIPLES)
            yield f"the {noun} {_text(rest[1:])}" if reduced else f"the {noun} that {_text(rest)}"
    elif not asking and not link and len(subject) == len(rest) - 1 and rest[0].lemma == "be":
        whole = _text(subject)
        if whole.startswith(("the ", "this ", "these ")) and subject[-1].noun and not _NAME.match(whole):
            yield whole
    elif noun and subject[0] is rest[1] and (asking or link or len(subject) < len(rest) - 1):
        pronoun = _pronoun(link, noun)
        yield f"the {noun} {pronoun} {_text(subject)} {_predicate(rest[0], rest[1 + len(subject) :])}".rstrip()


def _pronoun(link: str, noun: str) -> str:
    is_place = any(synset.lexname == "noun.location" for synset in wordnet().lookup(noun).synsets[:3])
    if link == "where" or (link in ("in", "at", "on") and is_place):
        return "where"
    return f"{link} which" if link else "that"


def _subject(rest: Sequence[Word]) -> list[Word]:
    """Find the words of the subject after the auxiliary, up to a verb; empty if the question word is the subject."""
    head = next((word for word in rest[1:] if word.dep in ("nsubj", "nsubjpass", "attr") and word.tag != "ADJ"), None)
    if head is None or (rest[0].tag != "AUX" and rest[0].lemma not in ("be", "do", "have")):
        return []
    by_place = {word.at: word for word in rest}
    subject: list[Word] = []
    for word in rest[1:]:
        above = word
        while above is not head and above.head in by_place and above.head != above.at:
            above = by_place[above.head]
        in_clause = any(each.low in ("that", "which", "who") for each in subject)
        if above is not head or (word.tag == "VERB" and word.at > head.at and not in_clause):
            break
        subject.append(word)
    while len(subject) > 1 and (subject[-1].tag == "ADP" or subject[-1].fine in _PARTICIPLES):
        subject.pop()
    return subject


def _predicate(auxiliary: Word, rest: Sequence[Word]) -> str:
    if auxiliary.lemma != "do":
        return f"{auxiliary.low} {_text(rest)}"
    verb = next((place for place, word in enumerate(rest) if word.tag in ("VERB", "AUX")), None)
    if verb is None or auxiliary.low == "do":
        return _text(rest)
    inflected = form(rest[verb].lemma, "VBZ" if auxiliary.low == "does" else "VBD")
    return _text([*rest[:verb], replace(rest[verb], text=inflected), *rest[verb + 1 :]])


_MANY = {"is": "are", "was": "were"}


def fill(form: str, subject: Phrase) -> Phrase:
    """Insert the subject into a relation phrase or question form, with verbs in the subject's number.

    >>> fill("the country where {} is made", Phrase("these shoes", plural=True)).text
    'the country where these shoes are made'
    """
    before, _, after = form.partition("{}")
    if subject.plural:
        first, _, rest = after.strip().partition(" ")
        after = f" {_plural_verb(first)} {rest}".rstrip() if first else after
        before = before.replace("(does)", "do").replace("(is)", "are")
    before, after = (
        before.replace("(does)", "does").replace("(is)", "is"),
        after.replace("(does)", "do" if subject.plural else "does"),
    )
    after = after.replace("(is)", "are" if subject.plural else "is")
    return Phrase(f"{before}{subject.text}{after}", is_many(before))


def _plural_verb(word: str) -> str:
    if word in _MANY:
        return _MANY[word]
    verb = word.endswith("s") and word not in {"this", "as", "its"}
    return str((inflector().getLemma(word, "VERB", lemmatize_oov=False) or (word,))[0]) if verb else word


# After such an ending, a verb reads as a noun (the material this is made of forms).
_OPEN_END = re.compile(r"\b(?:of|in|on|for|with|from|to|at|by|out|up|here|there)$")
_CLAUSE = re.compile(r"\b(?:what|that|which|who|where|when|he|she|they|is|are|can|does|do)\b")
_SHORT = 7


def fits(form: str, subject: Phrase) -> bool:
    """Return True if a form with this subject is easy to read.

    A form that continues after its subject needs a short one without a clause; "group of" needs a plural.
    """
    if "group of {}" in form and not subject.plural:
        return False
    if form.endswith("{}"):
        return True
    text = subject.text
    return len(text.split()) <= _SHORT and not _CLAUSE.search(text) and not _OPEN_END.search(text)


class Wording(NamedTuple):
    """A proposed wording of a question.

    ``pattern`` names its template, and ``off`` is its number of words. ``maker``, ``prompt``
    and ``calls`` belong to the question's provenance.
    """

    text: str
    pattern: str
    off: float = 0.0
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()


def sentence(text: str) -> str:
    """Capitalise a question and add its question mark."""
    return f"{text[:1].upper()}{text[1:].rstrip(' ?.,')}?"
