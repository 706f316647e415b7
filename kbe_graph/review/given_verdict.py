"""A reviewer's decision as submitted by a form, on a page or in a file: parsed and fully validated."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.review.review_desk import Opinions
from kbe_graph.review.review_record import FLAGS, OPINIONS, VERDICTS
from kbe_graph.review.revision import Revision
from kbe_graph.study.item_form import seconds_of
from kbe_graph.text import fold
from kbe_graph.types.review import CRITERIA, OptionFlag, ReviewVerdict

MOST_TEXT = 4_000


class GivenVerdict(NamedTuple):
    """A submitted decision; ``insist`` repeats it after a warning."""

    verdict: ReviewVerdict
    version: str
    opinions: Opinions = Opinions()
    revision: Revision | None = None
    insist: bool = False


def read_verdict(pairs: Sequence[tuple[str, str]]) -> GivenVerdict:
    """Parse the decision in the fields of a form. Raises InputError for anything that the form cannot submit."""
    given = dict(pairs)
    verdict = _word(given, "verdict", VERDICTS)
    wrong = _values(pairs, "wrong")
    if wrong and verdict != "reject":
        raise InputError("a question that rests on a wrong fact can only be rejected; reject it, or unmark the fact")
    flags: list[tuple[str, OptionFlag]] = [(option, flag) for flag in FLAGS for option in _values(pairs, flag)]
    opinions = Opinions(
        tuple((name, _word(given, name, OPINIONS)) for name in CRITERIA if given.get(name)),
        given.get("reason", "").strip()[:MOST_TEXT],
        tuple(flags),
        given.get("pick", "").strip()[:MOST_TEXT],
        wrong,
        seconds_of(given.get("seconds", "")),
    )
    revision = _revision(given, _values(pairs, "option")) if verdict == "revise" else None
    return GivenVerdict(verdict, given.get("version", ""), opinions, revision, given.get("insist") == "yes")


def _values(pairs: Sequence[tuple[str, str]], field: str) -> tuple[str, ...]:
    return tuple(value for name, value in pairs if name == field)


def _word(given: Mapping[str, str], field: str, words: Sequence[Any]) -> Any:
    word = given.get(field, "")
    if word not in words:
        raise InputError(f"{field!r} is {word[:60]!r}; give {' or '.join(words)}")
    return word


def _revision(given: Mapping[str, str], options: Sequence[str]) -> Revision:
    answer, right = given.get("answer"), given.get("right", "")
    aliases = tuple(given["aliases"].splitlines()) if "aliases" in given else None
    own = tuple(answer if answer and fold(option) == fold(right) else option for option in options)
    return Revision(given.get("text"), answer, aliases, own or None)
