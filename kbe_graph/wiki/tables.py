"""The tables of WikiVQABench for any benchmark: questions and models' accuracy by class, as data frames."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.english.number import is_proper, names, singular
from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind
from kbe_graph.errors import InputError
from kbe_graph.figures.item_table import failure_histogram
from kbe_graph.figures.outcomes import answers_frame, groups, one_judge, outcomes, with_rows
from kbe_graph.statistics import wilson
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.store import Store
from kbe_graph.types import Prediction, Question, Sample
from kbe_graph.types.wiki import WikiItem, WikiStatement

if TYPE_CHECKING:
    import pandas as pd

FIRST_WORDS = ("Which", "What", "Who", "When", "Where", "Other")
CLASSES: Mapping[str, Sequence[str]] = {
    "first word": FIRST_WORDS,
    "answer type": ("Descriptive", "Numeric", "Alphanumeric"),
    "category": ("Object/Thing", "Location", "Knowledge Identifier", "Person", "Date/Time", "Other"),
}
"""The classifications of questions, with their classes in the paper's order; ``predicate`` has no fixed classes."""

_FIRST = re.compile(r"[\W_]*([^\W\d_]+)")
_NUMBER = re.compile(r"[$€£¥]?\s*[+\-−±~]?\s*[$€£¥]?\d[\d.,:/\s'’+\-−–—]*")
_NO_NUMBER = re.compile(r"\d{2,3}0s$|\d+(?:st|nd|rd|th)\b")  # a decade, not seconds; an ordinal
_UNITS = {*"%‰°′″'$€£¥", "°c", "°f", "mph", "kph", "khz", "mhz", "ghz", "kwh", "mwh", "ppm", "celsius", "fahrenheit"}
_BESIDE_UNITS = {"per", "square", "cubic", "hundred", "thousand", "million", "billion", "trillion"}
_POWERS = str.maketrans("", "", "²³")
_SENSES = 3  # commonest senses of a noun; rarer ones mislead (work: a place where one works)


def first_word(question: str) -> str:
    """Return the first word of a question by the classes of Table 2; "At which ..." is Other.

    >>> first_word("Which river is this?"), first_word("What's this?"), first_word("At which sea is it?")
    ('Which', 'What', 'Other')
    """
    match = _FIRST.match(question)
    word = match[1].capitalize() if match else ""
    return word if word in FIRST_WORDS else "Other"


def answer_type(text: str) -> str:
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


_DATATYPES: dict[str, str] = {
    "time": "Date/Time",
    "globe-coordinate": "Location",
    "geo-shape": "Location",
    "external-id": "Knowledge Identifier",
    "string": "Knowledge Identifier",
    "quantity": "Other",
    "monolingualtext": "Other",
    "url": "Other",
}
_KINDS: dict[str, str] = {"Q5": "Person", "Q16521": "Knowledge Identifier", "Q56061": "Location"}
"""The categories of humans, taxa and administrative territorial entities."""
_ASKS_TIME = re.compile(r"\b(?:when|(?:which|what) (?:year|decade|century|date|day|month))\b", re.IGNORECASE)
_THINGS = {
    *("noun.animal", "noun.artifact", "noun.body", "noun.communication", "noun.food", "noun.group", "noun.object"),
    *("noun.plant", "noun.possession", "noun.substance"),
}


def answer_category(
    question: str, answer: str, statement: WikiStatement | None = None, item: WikiItem | None = None
) -> str:
    """Classify an answer by the categories of Table 3.

    The evidence is the kinds of the answer's ``item``, otherwise the datatype of its ``statement``; if neither decides,
    the words of question and answer, looked up in WordNet.

    >>> answer_category("Where is it?", "Rome"), answer_category("What is it?", "Xyzzy")
    ('Location', 'Other')
    """
    category = _of_item(item) if item else _DATATYPES.get(statement.datatype) if statement else None
    return category or _of_words(question, answer)


def _of_item(item: WikiItem) -> str | None:
    if kind := next((_KINDS[kind] for kind in _KINDS if kind in item.kinds), None):
        return kind
    by_label = set(map(_of_kind, item.kind_labels))
    named = (name for name in ("Person", "Location", "Date/Time") if name in by_label)
    return next(named, "Object/Thing" if any(item.kind_labels) else None)


def _of_kind(label: str) -> str | None:
    senses = [sense for sense in wordnet().lookup(label.lower()).synsets if not sense.instance][:_SENSES]
    first = _of_sense(senses[0]) if senses else None
    return first or ("Location" if any(is_of_kind(sense.id, "place") for sense in senses) else None)


def _of_sense(sense: Synset) -> str | None:
    if is_of_kind(sense.id, "place"):
        return "Location"
    if sense.lexname == "noun.person" or "human" in sense.lemmas:
        return "Person"
    return "Date/Time" if sense.lexname == "noun.time" else None


def _of_words(question: str, answer: str) -> str:
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


_FIGURES = ("questions", "share", "low", "high")


class AnswerSource(NamedTuple):
    """The statement that a question was made from, and the item that is its answer, if known."""

    statement: WikiStatement | None = None
    item: WikiItem | None = None


def answer_sources(store: Store, samples: Iterable[str]) -> Mapping[str, AnswerSource]:
    """Read the statement and the answer's item of each sample that was made from statements."""
    origins = store.origins(sorted(samples))
    statements = store.statements([id_ for origin in origins.values() for id_ in origin.statements])
    items = store.items([statement.target for statement in statements.values() if statement.target])
    of_samples = {id_: statements.get(origin.statements[0]) for id_, origin in origins.items() if origin.statements}
    return {id_: AnswerSource(each, items.get(each.target)) for id_, each in of_samples.items() if each}


def wiki_tables(
    samples: Mapping[str, Sample],
    questions: Iterable[Question],
    predictions: Iterable[Prediction] = (),
    *,
    sources: Mapping[str, AnswerSource] | None = None,
    variant: str | None = None,
    judge: str | None = None,
) -> "dict[str, pd.DataFrame]":
    """Compute the tables of all questions that were not dropped, and of models' answers to them, by name.

    ``samples`` is keyed by id, ``sources`` of raw questions by sample. Answers are those of one ``variant`` by one
    ``judge``, by default the ones with most verdicts. Raises InputError for a judge without verdicts, a variant without
    judged answers, and answers to questions of several runs.
    """
    kept = {question.id: question for question in questions if question.status != "dropped"}
    classes = _classes(kept.values(), sources or {})
    tables = {name: _counts(classes, name, values) for name, values in CLASSES.items()} if kept else {}
    answers = one_judge(answers_frame(predictions, kept, samples), judge)
    judged = answers[answers["right"].notna()]
    if judged.empty:
        return tables
    variants = [str(name) for name in judged["variant"].value_counts().index]
    chosen = variant or variants[0]
    if chosen not in variants:
        raise InputError(f"no judged answer has the variant {chosen!r}; choose from {', '.join(map(repr, variants))}")
    outcome = outcomes(with_rows(judged[judged["variant"] == chosen]))
    return tables | {"accuracy": _accuracy(outcome, classes), "difficulty": _difficulty(outcome)}


def _classes(questions: Iterable[Question], sources: Mapping[str, AnswerSource]) -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for question in questions:
        source = sources.get(question.sample, AnswerSource()) if question.kind == "raw" else AnswerSource()
        relation = source.statement.relation if source.statement else question.key[-1].relation if question.key else ""
        category = answer_category(question.text, question.answer, *source)
        rows.append((question.id, "all", first_word(question.text), answer_type(question.answer), category, relation))
    return pd.DataFrame(rows, columns=["question", "overall", *CLASSES, "predicate"])


def _counts(classes: "pd.DataFrame", name: str, values: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    counts = classes[name].value_counts()
    rows = [(value, n := int(counts.get(value, 0)), n / len(classes), *wilson(n, len(classes))) for value in values]
    return pd.DataFrame(rows, columns=[name, *_FIGURES])


def _accuracy(outcome: "pd.DataFrame", classes: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    rows = []
    frame = outcome.merge(classes, on="question")
    for by in ("overall", *CLASSES, "predicate"):
        for (model, name), group in groups(frame[frame[by] != ""].sort_values(["model", by]), ["model", by]):
            interval = clustered_wilson(group["right"], group["image"])
            rows.append((model, by, name, len(group), float(group["right"].mean()), *interval))
    return pd.DataFrame(rows, columns=["model", "by", "class", "questions", "accuracy", "low", "high"])


def _difficulty(outcome: "pd.DataFrame") -> "pd.DataFrame":
    """Count the questions that none, one, ... or all models fail, of those on which all were judged."""
    import pandas as pd

    responses = outcome.pivot_table(index="model", columns="question", values="right")
    failing = failure_histogram(responses.ge(0.5).astype(float).where(responses.notna()).to_numpy())
    return pd.DataFrame(list(enumerate(failing)), columns=["models that fail", "questions"])
