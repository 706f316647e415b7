"""Question and answer classes of WikiVQABench: first word, answer type, and answer category."""

import re
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.number import is_proper, names, singular
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.types.wiki import WikiItem, WikiStatement

FirstWord = Literal["Which", "What", "Who", "When", "Where", "Other"]
AnswerType = Literal["Descriptive", "Numeric", "Alphanumeric"]
Category = Literal["Object/Thing", "Location", "Knowledge Identifier", "Person", "Date/Time", "Other"]
CategorySource = Literal["statement", "words", ""]

FIRST_WORDS: tuple[FirstWord, ...] = get_args(FirstWord)
ANSWER_TYPES: tuple[AnswerType, ...] = get_args(AnswerType)
CATEGORIES: tuple[Category, ...] = get_args(Category)
CATEGORY_SOURCES: tuple[CategorySource, ...] = get_args(CategorySource)
OTHER: Category = "Other"

_FIRST = re.compile(r"[\W_]*([^\W\d_]+)")
_NUMBER = re.compile(r"[$€£¥]?\s*[+\-−±~]?\s*[$€£¥]?\d[\d.,:/\s'’+\-−–—]*")
_DECADE = re.compile(r"\d{2,3}0s")  # not seconds
_SYMBOLS = {*"%‰°′″'$€£¥", "°c", "°f", "mph", "kph", "khz", "mhz", "ghz", "kwh", "mwh", "ppm"}
_SCALES = {"hundred", "thousand", "million", "billion", "trillion"}
_POWERS = str.maketrans("", "", "²³")
_PARTS = re.compile(r"\s+per\s+|/|·")
_SHAPES = ("square ", "cubic ")
_SYMBOL = 3  # maximum letters in a unit symbol
_SENSES = 3  # commonest senses of a noun; rarer ones mislead (work: a place where one works)
_KEPT = 1 << 14


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
    number = None if _DECADE.fullmatch(text.strip()) else _NUMBER.match(text.strip())
    if number and _is_unit(text.strip()[number.end() :]):
        return "Numeric"
    return "Alphanumeric" if any(map(_mixes, text.split())) else "Descriptive"


def _mixes(token: str) -> bool:
    return any(map(str.isalpha, token)) and any(map(str.isdecimal, token))


def _is_unit(text: str) -> bool:
    words = text.strip(" .").split()
    if words and words[0].lower() in _SCALES:
        words = words[1:]
    return all(map(_is_simple_unit, _PARTS.split(" ".join(words)))) if words else True


@lru_cache(_KEPT)
def _is_simple_unit(text: str) -> bool:
    name = text.strip()
    for shape in _SHAPES:
        name = name.removeprefix(shape)
    name = name.translate(_POWERS)
    if name.lower() in _SYMBOLS:
        return True
    first, _, rest = name.partition(" ")
    written = (name, f"{singular(first)} {rest}") if rest else (name,)  # degrees Celsius
    return not _is_title(name) and any(_has_unit(spelling) for spelling in written)


def _is_title(name: str) -> bool:
    return len(name) > _SYMBOL and name.istitle()


def _has_unit(name: str) -> bool:
    lookup = wordnet().lookup(name.lower())
    senses = () if lookup.head else lookup.synsets
    return any(is_of_kind(sense.id, "unit") and not _is_name(sense, name) for sense in senses)


def _is_name(sense: Synset, name: str) -> bool:
    return any(lemma[:1].isupper() and lemma == name for lemma in sense.lemmas)


class AnswerCategory(NamedTuple):
    """The category of an answer and its evidence: the statement, the words, or none (then it is Other)."""

    name: Category
    source: CategorySource


def answer_category(
    question: str, answer: str, statement: WikiStatement | None = None, item: WikiItem | None = None
) -> AnswerCategory:
    """Classify an answer by the categories of Table 3.

    The evidence is the kinds of the answer's ``item``, otherwise the datatype of its ``statement``; if neither decides,
    the words of question and answer, looked up in WordNet.

    >>> answer_category("Where is it?", "Rome"), answer_category("What is it?", "Xyzzy")
    (AnswerCategory(name='Location', source='words'), AnswerCategory(name='Other', source=''))
    """
    category = _of_item(item) if item else _of_datatype(statement) if statement else None
    return AnswerCategory(category, "statement") if category else _of_words(question, answer)


_DATATYPES: dict[str, Category] = {
    "time": "Date/Time",
    "globe-coordinate": "Location",
    "geo-shape": "Location",
    "external-id": "Knowledge Identifier",
    "string": "Knowledge Identifier",
    "quantity": OTHER,
    "monolingualtext": OTHER,
    "url": OTHER,
}
_HUMAN = "human"  # an animal in WordNet
_TAXON = "Q16521"
_TERRITORY = "Q56061"  # administrative territorial entity, a label without a word for a place


_BY_LABEL: tuple[Category, ...] = ("Person", "Location", "Date/Time")


def _of_datatype(statement: WikiStatement) -> Category | None:
    return _DATATYPES.get(statement.datatype)


def _of_item(item: WikiItem) -> Category | None:
    if item.human:
        return "Person"
    if _TAXON in item.kinds:
        return "Knowledge Identifier"
    if _TERRITORY in item.kinds:
        return "Location"
    by_label = set(map(_of_kind, item.kind_labels))
    return next((name for name in _BY_LABEL if name in by_label), "Object/Thing" if any(item.kind_labels) else None)


def _of_kind(label: str) -> Category | None:
    senses = [sense for sense in wordnet().lookup(label.lower()).synsets if not sense.instance][:_SENSES]
    is_place = any(is_of_kind(sense.id, "place") for sense in senses)
    first = _of_sense(senses[0]) if senses else None
    return "Location" if is_place and first is None else first


def _of_sense(sense: Synset) -> Category | None:
    if is_of_kind(sense.id, "place"):
        return "Location"
    if sense.lexname == "noun.person" or _HUMAN in sense.lemmas:
        return "Person"
    return "Date/Time" if sense.lexname == "noun.time" else None


_ASKS_TIME = re.compile(r"\b(?:when|(?:which|what) (?:year|decade|century|date|day|month))\b", re.IGNORECASE)
_THINGS = {
    *("noun.animal", "noun.artifact", "noun.body", "noun.communication", "noun.food", "noun.group", "noun.object"),
    *("noun.plant", "noun.possession", "noun.substance"),
}


def _of_words(question: str, answer: str) -> AnswerCategory:
    kind = answer_type(answer)
    if _is_date(answer) or (_ASKS_TIME.search(question) and any(map(str.isdecimal, answer))):
        return AnswerCategory("Date/Time", "words")
    if kind != "Descriptive":
        return AnswerCategory("Knowledge Identifier" if kind == "Alphanumeric" else OTHER, "words")
    senses = _senses_of(answer)
    if not senses:
        return AnswerCategory(OTHER, "")
    category = _of_sense(senses[0])
    return AnswerCategory(category or ("Object/Thing" if senses[0].lexname in _THINGS else OTHER), "words")


def _senses_of(answer: str) -> tuple[Synset, ...]:
    proper = names(answer) if is_proper(answer) else ()
    return proper or wordnet().lookup(answer.lower()).synsets


_DATE = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")
_WORDS = re.compile(r"[^\W\d_]+")
_ORDINALS = {"st", "nd", "rd", "th"}
_DATE_WORDS = {"century", "millennium", "ad", "bc", "bce", "ce"}


def _is_date(answer: str) -> bool:
    words = [word for word in _WORDS.findall(answer) if word.lower() not in _ORDINALS]
    is_dated = any(map(str.isdecimal, answer)) and bool(words) and all(map(_is_date_word, words))
    return is_dated or bool(_DATE.fullmatch(answer) or _DECADE.fullmatch(answer))


def _is_date_word(word: str) -> bool:
    if word.lower() in _DATE_WORDS:
        return True
    return any(_is_name(sense, word) and sense.lexname == "noun.time" for sense in wordnet().synsets(word.lower()))
