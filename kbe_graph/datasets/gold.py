"""Options of a question, and its gold answer, given as an option's text, letter or number."""

import re
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from string import ascii_uppercase
from typing import NamedTuple

from kbe_graph.files.record import Record
from kbe_graph.text import quoted
from kbe_graph.types import seed_of

_LETTER = re.compile(r"\(?([A-Za-z])[.):]?\)?")
_LABEL = re.compile(r"^\(?([A-Z](?=[.):])|[a-z](?=[.):]\s|\))|\d{1,2}(?=[.):]\s))[.):]\s*(?=\S)")
_NUMBER = re.compile(r"\d{1,5}")
_MARK = re.compile(r"(?:^|(?<=[\s,;(]))\(?([A-Z](?=[.):])|[a-z](?=\)))[.):]\s*")
_INTRODUCTIONS = ("answer options", "answer choices", "options", "choices")
_INSTRUCTION = re.compile(
    r"(?:(?<=[.!?])\s+|\s(?=please\b))(?:please|answer|select|choose|reply|respond)\b[^.]{0,100}\b(?:letter|option)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_LABELS = ("label", "key", "letter", "id")
_NO_OPTION = "nan"  # an empty option cell, where a data frame was written as text
_FEW = 20  # with fewer numeric answers than this, they count from 0 unless they show otherwise
_SURE = 10  # with this many clear keys per unclear one, the unclear ones are read as keys


class OptionList(NamedTuple):
    """The options of a question in order, including blank ones, each with its label (A, B ... or 1, 2 ...).

    ``labelled`` means that the file itself writes the labels, so an answer that is a label is never read as text.
    """

    texts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    labelled: bool = False

    @property
    def choices(self) -> tuple[str, ...]:
        """The options that are not blank."""
        return tuple(text for text in self.texts if text)

    def is_key(self, answer: str) -> bool:
        """Return True if an answer could be the letter or number of one of the options."""
        return bool(self.by_label(answer) or self.by_number(answer, 0) or self.by_number(answer, 1))

    def has(self, answer: str) -> bool:
        """Return True if an answer could be one of the options, by text or key."""
        return bool(self.by_text(answer)) or self.is_key(answer)

    def by_text(self, answer: str) -> str:
        """Return the option that an answer spells out, or ``""``; case matters only if it distinguishes two options."""
        if (mark := _LABEL.match(answer)) and answer not in self.choices:
            text, labelled = answer[mark.end() :], self.by_label(mark[1])
            answer = text if text.casefold() == labelled.casefold() or (self.labelled and not labelled) else answer
        if answer in self.choices:
            return answer
        alike = [text for text in self.choices if text.casefold() == answer.casefold()]
        return alike[0] if len(alike) == 1 else ""

    def by_label(self, answer: str) -> str:
        """Return the option with a label, written as ``B``, ``(B)``, ``B.`` or ``b``, or ``""``."""
        match = _LETTER.fullmatch(answer)
        label = match[1].upper() if match else answer
        return dict(zip(self.labels, self.texts, strict=True)).get(label, "")

    def by_number(self, answer: str, first: int) -> str:
        """Return the option with a number, if the first option has the number ``first``, or ``""``."""
        place = int(answer) - first if _NUMBER.fullmatch(answer) else -1
        return self.texts[place] if 0 <= place < len(self.texts) else ""


def lettered(texts: Sequence[str], *, labelled: bool = False) -> OptionList:
    """Label options A, B, C ..., without the labels that all of them carry themselves."""
    labels = (*ascii_uppercase, *map(str, range(len(ascii_uppercase), len(texts))))[: len(texts)]
    own = tuple(mark[1].upper() if (mark := _LABEL.match(text)) else "" for text in texts)
    numbers = tuple(map(str, range(len(texts) + 1)))
    if len(texts) > 1 and own in {labels, numbers[1:], numbers[:-1]}:
        texts, labels, labelled = [_LABEL.sub("", text) for text in texts], own, True
    return OptionList(tuple(texts), labels, labelled)


def options_of_list(record: Record, column: str) -> OptionList:
    """Read options from one column: a list, a list in a cell, ``{A: .., B: ..}``, or ``{text: [..], label: [..]}``.

    Raises DatasetError.
    """
    value = record.fields.get(column)
    if isinstance(value, Mapping):
        return _of_mapping(record, value, column)
    parts = value if isinstance(value, list) and all(isinstance(part, Mapping) for part in value) else []
    if label := next((name for name in _LABELS if parts and all(name in part for part in parts)), ""):
        return OptionList(record.texts(column, blanks=True), tuple(str(part[label]) for part in parts), labelled=True)
    if isinstance(value, str) and (options := split_options(value)[1]).texts:
        return options
    return lettered(record.texts(column, blanks=True))


def _of_mapping(record: Record, value: Mapping[str, object], column: str) -> OptionList:
    inner = Record(record.file, value, record.line, record.item)
    if isinstance(value.get("text"), list):
        texts, labels = inner.texts("text", blanks=True), inner.texts("label", blanks=True)
        return OptionList(texts, labels, labelled=True) if len(labels) == len(texts) else lettered(texts)
    if any(isinstance(text, list | Mapping) for text in value.values()):
        raise record.error(f"{column!r} must be a list of options, or an object of texts by letter; found {value!r}")
    return OptionList(tuple(map(inner.optional, value)), tuple(map(str, value)), labelled=True)


def options_of_columns(record: Record, columns: Mapping[str, str]) -> OptionList:
    """Read options from one column each; ``columns`` are by label. Raises DatasetError."""
    texts = {label: record.optional(column) for label, column in columns.items()}
    texts = {label: "" if text == _NO_OPTION else text for label, text in texts.items()}
    own = lettered(tuple(texts.values()))
    if own.labelled:
        return own
    return OptionList(tuple(texts.values()), tuple(texts), labelled=not set(texts) <= set("0123456789"))


def options_of_wrongs(record: Record, right: str, column: str) -> OptionList:
    """Combine the right answer with the wrong ones of a column, in a reproducible random order. Raises DatasetError."""
    texts = [right, *record.texts(column)]
    Random(seed_of("choices", *texts)).shuffle(texts)
    return lettered(texts)


def split_options(question: str) -> tuple[str, OptionList]:
    """Split the options off a question that contains them (``... OptionList: A: a cat, B: a dog``), if any.

    >>> split_options("Which is it? OptionList: A: a cat, B: a dog")[1].texts
    ('a cat', 'a dog')
    """
    marks = list(_MARK.finditer(question))
    starts = [number for number, mark in enumerate(marks) if mark[1].upper() == "A"]
    marks = marks[starts[-1] :] if starts else []
    if len(marks) < 2 or [mark[1].upper() for mark in marks] != list(ascii_uppercase[: len(marks)]):
        return question, OptionList()
    ends = [mark.start() for mark in marks[1:]] + [len(question)]
    if all("\n" in question[mark.start() : end] for mark, end in zip(marks[:-1], ends, strict=False)):
        ends[-1] = marks[-1].end() + len(question[marks[-1].end() :].partition("\n")[0])  # an instruction may follow
    if instruction := _INSTRUCTION.search(question, marks[-1].end(), ends[-1]):
        ends[-1] = instruction.start()
    texts = [question[mark.end() : end].strip(" \t\r\n,;(") for mark, end in zip(marks, ends, strict=True)]
    return _without_introduction(question[: marks[0].start()]), lettered(texts, labelled=True)


def _without_introduction(question: str) -> str:
    text = question.rstrip(" \t\r\n:(")
    word = next((word for word in _INTRODUCTIONS if text.lower().endswith(word)), "")
    return text.removesuffix(text[len(text) - len(word) :]).strip() if word else question.strip()


def check_options(record: Record, options: OptionList) -> None:
    """Raise DatasetError for a single option, and for duplicates."""
    choices = options.choices
    if len(choices) == 1:
        raise record.error(f"only one option, {choices[0]!r}; a choice needs at least two")
    twice = [text for number, text in enumerate(choices) if text in choices[:number]]
    if twice:
        raise record.error(f"two options are the same, {twice[0]!r}; change one of them, or leave the question out")


class Answered(NamedTuple):
    """A record with its options and its answer as written."""

    record: Record
    options: OptionList
    answer: str


class Gold(NamedTuple):
    """The text of a gold answer, and how the file gives it: as ``text``, ``letter`` or ``number, counted from 0``.

    If a small file does not show whether numbers start at 0 or 1, the kind says so.
    """

    text: str
    kind: str


class AnswerKeys(NamedTuple):
    """How the answers of a file refer to options: the number of the first option, and counts of the possible readings.

    ``texts`` and ``keys`` count the rows with only that reading, ``unclear`` those with both.
    ``sure`` means that the file shows the number of the first option.
    """

    first: int = 0
    sure: bool = True
    texts: int = 0
    keys: int = 0
    unclear: int = 0

    def gold(self, row: Answered) -> Gold:
        """Return the option that an answer refers to.

        Raises DatasetError for an answer that is neither an option nor a key, and for one that could be both.
        """
        record, options, answer = row
        text, key = options.by_text(answer), self._key(row)
        if not (text or key.text):
            labels = quoted(label for label, option in zip(options.labels, options.texts, strict=True) if option)
            problem = f"answer {answer!r} is neither an option nor the key of one ({labels})"
            raise record.error(f"{problem}; {_listed(options)}; write one of these or its key")
        is_key = bool(key.text) and (options.labelled or not text)
        if is_key and key.kind != "letter" and self.texts > self.keys:
            raise record.error(
                f"answer {answer!r} is not one of the options, although other answers are; {_listed(options)}"
            )
        if text and key.text not in {"", text} and not options.labelled:
            is_key = self._is_unclear_key(row, key)
            if not (is_key or self.texts or self.keys):
                return Gold(text, "text (a guess: it is the key of another option too; check the samples below)")
        return key if is_key else Gold(text, "text")

    def _key(self, row: Answered) -> Gold:
        if option := row.options.by_label(row.answer):
            return Gold(option, "letter")
        if row.options.labelled:
            return Gold("", "")
        doubt = "" if self.sure else ", which is a guess: check the samples below"
        return Gold(row.options.by_number(row.answer, self.first), f"number, counted from {self.first}{doubt}")

    def _is_unclear_key(self, row: Answered, key: Gold) -> bool:
        if not self.texts and (key.kind == "letter" or self.keys >= _SURE * max(1, self.unclear)):
            return True
        if not self.keys:
            return False
        raise row.record.error(
            f"answer {row.answer!r} is an option, but as a key it means {key.text!r}; write the options' "
            "texts as answers"
        )


def _listed(options: OptionList) -> str:
    return f"the options are {quoted(options.choices, 8)}"


def read_keys(rows: Iterable[Answered]) -> AnswerKeys:
    """Determine how the answers of a file refer to options.

    Numbers count from 0, unless the last option's number occurs but 0 does not, or the option columns are numbered from
    1. Raises DatasetError if many rows have numbers and neither 0 nor the last number occurs.
    """
    numbers: list[tuple[int, int]] = []
    counted: dict[str, int] = {"texts": 0, "keys": 0, "unclear": 0}
    last: Record | None = None
    counts_from_one = False
    for row in rows:
        kind, number = _readings(row)
        counted[kind] += 1
        if number:
            numbers.append((int(row.answer), len(row.options.texts)))
            last, counts_from_one = row.record, row.options.labels[0] == "1"
    first = _first(numbers, counts_from_one=counts_from_one)
    if first is None and last is not None:
        raise last.error(
            f"the {len(numbers)} numeric answers never name the first or the last option, so it is unclear "
            "whether they count from 0 or 1; write the options' texts or letters as answers"
        )
    shown = counts_from_one or any(number in {0, count} for number, count in numbers) or not numbers
    return AnswerKeys(first or 0, shown, **counted)


def _readings(row: Answered) -> tuple[str, bool]:
    options, answer = row.options, row.answer
    text = options.by_text(answer)
    number = bool(_NUMBER.fullmatch(answer)) and not options.labelled and int(answer) <= len(options.texts)
    if not (text or number or options.by_label(answer)):
        return "texts", False  # neither: gold() raises an error
    if not text:
        return "keys", number
    unclear = not options.labelled and (number or options.by_label(answer) not in {"", text})
    return ("unclear" if unclear else "texts"), False


def _first(numbers: Sequence[tuple[int, int]], *, counts_from_one: bool) -> int | None:
    has_zero, has_last = any(not number for number, _ in numbers), any(number == count for number, count in numbers)
    if has_zero or not numbers:
        return 0
    if has_last or counts_from_one:
        return 1
    return 0 if len(numbers) < _FEW else None
