"""A reviewer's decision as a form sends it: read, checked, and nothing taken for granted."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from kbe_graph.errors import InputError
from kbe_graph.review.state import ReviewedItem
from kbe_graph.text import fold
from kbe_graph.types import CRITERIA, Opinion, OptionFlag, ReviewVerdict

OPINIONS: tuple[Opinion, ...] = get_args(Opinion)
FLAGS: tuple[OptionFlag, ...] = get_args(OptionFlag)
VERDICTS: tuple[ReviewVerdict, ...] = get_args(ReviewVerdict)
LONGEST = 86_400.0  # seconds
MOST_TEXT = 4_000


class GivenVerdict(NamedTuple):
    """A decision as it was given; ``revision`` holds the fields written anew, ``insist`` repeats it after a warning."""

    verdict: ReviewVerdict
    version: str
    seconds: float = 0.0
    criteria: tuple[tuple[str, Opinion], ...] = ()
    reason: str = ""
    flags: tuple[tuple[str, OptionFlag], ...] = ()
    wrong_facts: tuple[str, ...] = ()
    revision: Mapping[str, Any] | None = None
    insist: bool = False


def read_verdict(pairs: Sequence[tuple[str, str]], item: ReviewedItem) -> GivenVerdict:
    """Return the decision on a question in the fields of a form; raises InputError for what no page of ours sends."""
    given = dict(pairs)
    verdict = _word(given, "verdict", VERDICTS)
    criteria = tuple(
        (name, _word(given, f"criterion-{name}", OPINIONS)) for name in CRITERIA if given.get(f"criterion-{name}")
    )
    return GivenVerdict(
        verdict,
        given.get("version", ""),
        _seconds(given.get("seconds", "")),
        criteria,
        given.get("reason", "").strip()[:MOST_TEXT],
        _flags(given, item.options),
        _wrong_facts([value for name, value in pairs if name == "wrong"], item),
        _revision(given, item) if verdict == "revise" else None,
        given.get("insist") == "yes",
    )


def _word(given: Mapping[str, str], field: str, words: Sequence[Any]) -> Any:
    word = given.get(field, "")
    if word not in words:
        raise InputError(f"{field!r} is {word[:60]!r}; give {' or '.join(words)}")
    return word


def _seconds(text: str) -> float:
    try:
        seconds = float(text or 0)
    except ValueError:
        return 0.0
    return round(min(max(seconds, 0.0), LONGEST), 1) if math.isfinite(seconds) else 0.0


def _flags(given: Mapping[str, str], options: Sequence[str]) -> tuple[tuple[str, OptionFlag], ...]:
    places = [place for place in range(len(options)) if given.get(f"flag-{place}")]
    return tuple((options[place], _word(given, f"flag-{place}", FLAGS)) for place in places)


def _wrong_facts(ids: Sequence[str], item: ReviewedItem) -> tuple[str, ...]:
    own = [triplet.id for triplet in item.question.key]
    if strangers := [id_ for id_ in ids if id_ not in own]:
        raise InputError(f"{strangers[0][:60]!r} is no triplet of the key of {item.question.id!r}; load the page again")
    return tuple(id_ for id_ in own if id_ in ids)


def _revision(given: Mapping[str, str], item: ReviewedItem) -> Mapping[str, Any]:
    question = item.question
    answer = given.get("answer", question.answer)
    aliases = given.get("aliases", "\n".join(question.aliases)).splitlines()
    fields: dict[str, Any] = {"text": given.get("text", question.text), "answer": answer, "aliases": aliases}
    if item.options:
        fields["options"] = [
            answer if fold(option) == fold(question.answer) else given.get(f"option-{place}", option)
            for place, option in enumerate(item.options)
        ]
    return fields
