"""Question and answer classes of WikiVQABench: first word, answer type, and answer category."""

import re
from functools import lru_cache
from typing import Literal, get_args

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import is_proper, names, singular
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.types.wiki import WikiItem, WikiStatement

FirstWord = Literal["Which", "What", "Who", "When", "Where", "Other"]
AnswerType = Literal["Descriptive", "Numeric", "Alphanumeric"]
Category = Literal["Object/Thing", "Location", "Knowledge Identifier", "Person", "Date/Time", "Other"]

FIRST_WORDS: tuple[FirstWord, ...] = get_args(FirstWord)
ANSWER_TYPES: tuple[AnswerType, ...] = get_args(AnswerType)
CATEGORIES: tuple[Category, ...] = get_args(Category)

_FIRST = re.compile(r"[\W_]*([^\W\d_]+)")
_NUMBER = re.compile(r"[$€£¥]?\s*[+\-−±~]?\s*[$€£¥]?\d[\d.,:/\s'’+\-−–—]*")
_NO_NUMBER = re.compile(r"\d{2,3}0s$|\d+(?:st|nd|rd|th)\b")  # a decade, not seconds; an ordinal
_UNITS = {*"%‰°′″'$€£¥", "°c", "°f", "mph", "kph", "khz", "mhz", "ghz", "kwh", "mwh", "ppm", "celsius", "fahrenheit"}
_BESIDE_UNITS = {"per", "square", "cubic", "hundred", "thousand", "million", "billion", "trillion"}
_POWERS = str.maketrans("", "", "²³")
_SENSES = 3  # commonest senses of a noun; rarer ones mislead (work: a place where one works)


def first_word(question: str) -> FirstWord:
    """Return the first word of a question by the classes of Table 2; "At which ..." is Other.

    >>> first_word("Which river is this?"), first_word("What's this?"), first_word("At which sea is it?")
    ('Which', 'What', 'Other')
    """
    match = _FIRST.match(question)
    word = match[1].capitalize() if match else ""
    return next((name for name in FIRST_WORDS if name == word), "Other")


def answer_type(text: str) -> AnswerType:
    """Classify an answer or option as Numeric, Alphanumeric or Descriptive by its characters.

    Numeric: digits with sign, separators and unit. Alphanumeric: letters and digits within one token. Descriptive: the
    rest.

    >>> answer_type("1,300 kilometres"), answer_type("A-18"), answer_type("Boeing 747"), answer_type("4 March 1890")
    ('Numeric', 'Alphanumeric', 'Descriptive', 'Descriptive')
    """
    number = None if _NO_NUMBER.match(text.strip()) else _NUMBER.match(text.strip())
    if number and all(map(_is_unit, re.split(r"[\s/·]+", text.strip()[number.end() :].strip(" .")))):
        return "Numeric"
    return "Alphanumeric" if any(map(_mixes, text.split())) else "Descriptive"


def _mixes(token: str) -> bool:
    return any(map(str.isalpha, token)) and any(map(str.isdecimal, token))


@lru_cache(1 << 14)
def _is_unit(text: str) -> bool:
    word = text.translate(_POWERS)
    if not word or word.lower() in _UNITS | _BESIDE_UNITS:
        return True
    senses = [sense for name in (word, singular(word)) for sense in wordnet().synsets(name.lower())]
    is_title = len(word) > 3 and word.istitle()
    return not is_title and any(is_of_kind(sense.id, "unit") and not _is_name(sense, word) for sense in senses)


def _is_name(sense: Synset, name: str) -> bool:
    return any(lemma[:1].isupper() and lemma == name for lemma in sense.lemmas)


_DATATYPES: dict[str, Category] = {
    "time": "Date/Time",
    "globe-coordinate": "Location",
    "geo-shape": "Location",
    "external-id": "Knowledge Identifier",
    "string": "Knowledge Identifier",
    "quantity": "Other",
    "monolingualtext": "Other",
    "url": "Other",
}
_KINDS: dict[str, Category] = {"Q5": "Person", "Q16521": "Knowledge Identifier", "Q56061": "Location"}
"""The categories of humans, taxa and administrative territorial entities."""
_ASKS_TIME = re.compile(r"\b(?:when|(?:which|what) (?:year|decade|century|date|day|month))\b", re.IGNORECASE)
_THINGS = {
    *("noun.animal", "noun.artifact", "noun.body", "noun.communication", "noun.food", "noun.group", "noun.object"),
    *("noun.plant", "noun.possession", "noun.substance"),
}


def answer_category(
    question: str, answer: str, statement: WikiStatement | None = None, item: WikiItem | None = None
) -> Category:
    """Classify an answer by the categories of Table 3.

    The evidence is the kinds of the answer's ``item``, otherwise the datatype of its ``statement``; if neither decides,
    the words of question and answer, looked up in WordNet.

    >>> answer_category("Where is it?", "Rome"), answer_category("What is it?", "Xyzzy")
    ('Location', 'Other')
    """
    category = _of_item(item) if item else _DATATYPES.get(statement.datatype) if statement else None
    return category or _of_words(question, answer)


def _of_item(item: WikiItem) -> Category | None:
    if kind := next((_KINDS[kind] for kind in _KINDS if kind in item.kinds), None):
        return kind
    by_label = set(map(_of_kind, item.kind_labels))
    order: tuple[Category, ...] = ("Person", "Location", "Date/Time")
    return next((name for name in order if name in by_label), "Object/Thing" if any(item.kind_labels) else None)


def _of_kind(label: str) -> Category | None:
    senses = [sense for sense in wordnet().lookup(label.lower()).synsets if not sense.instance][:_SENSES]
    first = _of_sense(senses[0]) if senses else None
    return first or ("Location" if any(is_of_kind(sense.id, "place") for sense in senses) else None)


def _of_sense(sense: Synset) -> Category | None:
    if is_of_kind(sense.id, "place"):
        return "Location"
    if sense.lexname == "noun.person" or "human" in sense.lemmas:
        return "Person"
    return "Date/Time" if sense.lexname == "noun.time" else None


def _of_words(question: str, answer: str) -> Category:
    kind = answer_type(answer)
    if _is_date(answer) or (_ASKS_TIME.search(question) and any(map(str.isdecimal, answer))):
        return "Date/Time"
    if kind != "Descriptive":
        return "Knowledge Identifier" if kind == "Alphanumeric" else "Other"
    senses = (names(answer) if is_proper(answer) else ()) or wordnet().lookup(answer.lower()).synsets
    if not senses:
        return "Other"
    return _of_sense(senses[0]) or ("Object/Thing" if senses[0].lexname in _THINGS else "Other")


_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?|\d{2,3}0s")
_DATE_WORDS = {"st", "nd", "rd", "th", "century", "millennium", "ad", "bc", "bce", "ce"}


def _is_date(answer: str) -> bool:
    words = re.findall(r"[^\W\d_]+", answer)
    is_dated = any(map(str.isdecimal, answer)) and bool(words) and all(map(_is_date_word, words))
    return is_dated or bool(_DATE.fullmatch(answer))


def _is_date_word(word: str) -> bool:
    if word.lower() in _DATE_WORDS:
        return True
    return any(_is_name(sense, word) and sense.lexname == "noun.time" for sense in wordnet().synsets(word.lower()))
