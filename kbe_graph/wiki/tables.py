"""The tables of WikiVQABench for any benchmark: questions and models' accuracy by class, as data frames."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.english.wordnet import Synset, wordnet
from kbe_graph.english.words import is_of_kind
from kbe_graph.figures.results import failure_histogram
from kbe_graph.graph_access import GraphAccess
from kbe_graph.statistics import wilson
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.types import Question, WikiItem, WikiStatement

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
_NUMBER = re.compile(r"[$€£¥]?\s*[+\-−±~]?\s*[$€£¥]?\d[\d.,:/\s'’+\-−–—]*(?P<unit>\D*)")
_NO_NUMBER = re.compile(r"\d{2,3}0s$|\d+(?:st|nd|rd|th)\b")  # a decade, not seconds; an ordinal
_NO_UNIT = re.compile(r"\b(?!Celsius|Fahrenheit|Hz|Pa|C\b|F\b)[A-Z][a-z]+")
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
    """Classify an answer as Numeric (a number with its unit), Alphanumeric (A-18) or Descriptive (the rest).

    >>> answer_type("1,300 kilometres"), answer_type("A-18"), answer_type("Boeing 747"), answer_type("4 March 1890")
    ('Numeric', 'Alphanumeric', 'Descriptive', 'Descriptive')
    """
    number = None if _NO_NUMBER.match(text.strip()) else _NUMBER.fullmatch(text.strip())
    if number and not _NO_UNIT.search(number["unit"]):
        return "Numeric"
    mixed = (any(map(str.isalpha, token)) and any(map(str.isdecimal, token)) for token in text.split())
    return "Alphanumeric" if any(mixed) else "Descriptive"


_KINDS = {"Q5": "Person", "Q16521": "Knowledge Identifier", "Q56061": "Location"}
"""The categories of humans, taxa and administrative territorial entities."""
_ASKS_TIME = re.compile(r"\b(?:when|(?:which|what) (?:year|decade|century|date|day|month))\b", re.IGNORECASE)
_DATE = re.compile(
    r"\d{4}-\d\d(?:-\d\d)?|\d{2,3}0s|\d+(?:st|nd|rd|th) century|\d+ (?:AD|BC|BCE|CE)"
    r"|(?:\d+ )?(?:January|February|March|April|May|June|July|August|September|October|November|December) \d+"
)
_THINGS = {
    *("noun.animal", "noun.artifact", "noun.body", "noun.communication", "noun.food", "noun.group", "noun.object"),
    *("noun.plant", "noun.possession", "noun.substance"),
}


class AnswerSource(NamedTuple):
    """The statement that a question was made from, and the item that is its answer, if known."""

    statement: WikiStatement | None = None
    item: WikiItem | None = None


def answer_category(question: str, answer: str, source: AnswerSource | None = None) -> str:
    """Classify an answer by the categories of Table 3.

    The evidence is the kinds of the answer's item, otherwise the datatype of its statement; if neither decides, the
    words of question and answer, looked up in WordNet.

    >>> answer_category("Where is it?", "Rome"), answer_category("What is it?", "Xyzzy")
    ('Location', 'Other')
    """
    statement, item = source or AnswerSource()
    if item and any((*item.kinds, *item.kind_labels)):
        return _of_item(item)
    if statement and statement.datatype in {"time", "quantity"}:
        return "Date/Time" if statement.datatype == "time" else "Other"
    kind = answer_type(answer)
    if _DATE.fullmatch(answer) or (_ASKS_TIME.search(question) and any(map(str.isdecimal, answer))):
        return "Date/Time"
    if kind != "Descriptive":
        return "Knowledge Identifier" if kind == "Alphanumeric" else "Other"
    senses = wordnet().lookup(answer.lower()).synsets
    named = [sense for sense in senses if sense.instance] if answer[:1].isupper() else []
    if not senses:
        return "Other"
    first = (named or senses)[0]
    return _of_sense(first) or ("Object/Thing" if first.lexname in _THINGS else "Other")


def _of_item(item: WikiItem) -> str:
    if kind := next((_KINDS[kind] for kind in _KINDS if kind in item.kinds), None):
        return kind
    by_label = set(map(_of_kind, item.kind_labels))
    return next((name for name in ("Person", "Location", "Date/Time") if name in by_label), "Object/Thing")


def _of_kind(label: str) -> str:
    senses = [sense for sense in wordnet().lookup(label.lower()).synsets if not sense.instance][:_SENSES]
    first = _of_sense(senses[0]) if senses else ""
    return first or ("Location" if any(is_of_kind(sense.id, "place") for sense in senses) else "")


def _of_sense(sense: Synset) -> str:
    if is_of_kind(sense.id, "place"):
        return "Location"
    if sense.lexname == "noun.person" or "human" in sense.lemmas:
        return "Person"
    return "Date/Time" if sense.lexname == "noun.time" else ""


def answer_sources(access: GraphAccess, samples: Iterable[str]) -> Mapping[str, AnswerSource]:
    """Read the statement and the answer's item of each sample that was made from statements."""
    store = access.store
    origins = store.origins(sorted(samples))
    statements = store.statements([id_ for origin in origins.values() for id_ in origin.statements])
    items = store.items([statement.target for statement in statements.values() if statement.target])
    of_samples = {id_: statements.get(origin.statements[0]) for id_, origin in origins.items() if origin.statements}
    return {id_: AnswerSource(each, items.get(each.target)) for id_, each in of_samples.items() if each}


def wiki_tables(
    questions: Iterable[Question], outcomes: "pd.DataFrame", sources: Mapping[str, AnswerSource]
) -> "dict[str, pd.DataFrame]":
    """Compute the tables of questions, and of models' ``outcomes`` on them, by name.

    ``outcomes`` has the columns model, question, image and right; ``sources`` of raw questions are by sample.
    """
    import pandas as pd

    rows = []
    for question in questions:
        source = sources.get(question.sample, AnswerSource()) if question.kind == "raw" else AnswerSource()
        relation = source.statement.relation if source.statement else question.key[-1].relation if question.key else ""
        category = answer_category(question.text, question.answer, source)
        rows.append((question.id, "all", first_word(question.text), answer_type(question.answer), category, relation))
    classes = pd.DataFrame(rows, columns=["question", "overall", *CLASSES, "predicate"])
    tables = {name: _counts(classes[name], values) for name, values in CLASSES.items()} if rows else {}
    if outcomes.empty:
        return tables
    return tables | {"accuracy": _accuracy(outcomes.merge(classes, on="question")), "difficulty": _difficulty(outcomes)}


def _counts(column: "pd.Series[str]", values: Sequence[str]) -> "pd.DataFrame":
    import pandas as pd

    counts, total = column.value_counts(), len(column)
    rows = [(value, n := int(counts.get(value, 0)), n / total, *wilson(n, total)) for value in values]
    return pd.DataFrame(rows, columns=[column.name, "questions", "share", "low", "high"])


def _accuracy(frame: "pd.DataFrame") -> "pd.DataFrame":
    import pandas as pd

    rows = []
    for by in ("overall", *CLASSES, "predicate"):
        for (model, name), group in frame[frame[by] != ""].groupby(["model", by]):
            interval = clustered_wilson(group["right"], group["image"])
            rows.append((model, by, name, len(group), float(group["right"].mean()), *interval))
    return pd.DataFrame(rows, columns=["model", "by", "class", "questions", "accuracy", "low", "high"])


def _difficulty(outcomes: "pd.DataFrame") -> "pd.DataFrame":
    """Count the questions that none, one, ... or all models fail, of those on which all were judged."""
    import pandas as pd

    responses = outcomes.pivot_table(index="model", columns="question", values="right")
    failing = failure_histogram(responses.ge(0.5).astype(float).where(responses.notna()).to_numpy())
    return pd.DataFrame(list(enumerate(failing)), columns=["models that fail", "questions"])
