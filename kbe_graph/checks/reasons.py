"""Explanations of every counted reason, and the choice of checks for a run."""

from collections.abc import Sequence
from functools import cache
from typing import cast, get_args

from kbe_graph.checks.chain import Cycle
from kbe_graph.checks.check import Check, Entry, Filters, FilterSettings, Group, Row
from kbe_graph.checks.fact import Blocked, Contradicted, Functional, Generic, Noun, Subject, Unsupported
from kbe_graph.checks.guessable import Guessable
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.path import PATH_CHECKS, PathLeak, RelatedToOriginal
from kbe_graph.checks.people import Readable, Root
from kbe_graph.checks.question_text import Flaw, Instruction, WordedInstruction, WordedLeak
from kbe_graph.checks.registry import ALL, EVERY, CheckChoice, Scheme, build_checks
from kbe_graph.config import refuse_stranger
from kbe_graph.facts.pack import Pack
from kbe_graph.files.resources import data, rows

NOT_REPRESENTATIVE, NOT_VERIFIED = "not representative", "not verified"
KNOWN, GUESSED = "known without the picture", "guessed without the picture"
_COLUMNS = ("reason", "stage", "is a check", "rule", "refused", "passed")
_CELLS = ("question", "answer", "subject", "relation", "object", "text", "path")


@cache
def _listed_reasons() -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
    """Read the reasons that no check of this room gives: those that are no checks, and the opinions of models."""
    entries: dict[str, list[Entry]] = {"": [], "yes": []}
    for _, (name, stage, is_check, rule, refused, passed) in rows(data("reasons.tsv"), _COLUMNS):
        entries[is_check].append(Entry(name, cast("Group", stage), rule, _row(refused), _row(passed)))
    return tuple(entries[""]), tuple(entries["yes"])


def _row(cells: str) -> Row:
    return Row(**dict(zip(_CELLS, cells.split(" / "), strict=False)))


SUM = frozenset(check.name for check in (Functional, Generic, ImageNotNeeded))
"""The checks that decide whether an object is representative if no model is asked."""
PAPER = frozenset({Noun.name, Cycle.name, NOT_REPRESENTATIVE, WordedLeak.name})
"""The three parts of the paper's answer filter, and its condition on the words of a new question."""
FIXED = frozenset(
    {
        *(check.name for check in (Instruction, Subject, WordedInstruction, PathLeak)),
        *(check.name for check in (Readable, Root, Flaw)),
        *(check.name for check in PATH_CHECKS if check.is_fixed),
        *(Blocked.name, Contradicted.name, Unsupported.name, NOT_VERIFIED),
    }
)
"""Checks of every run: against instructions, for what rules need to word a question, and those set by options."""


def explanations() -> tuple[Entry, ...]:
    """List all reasons by stage, and within a stage in the order in which they occur."""
    checks = build_checks(Pack((), {}), FilterSettings(), Scheme(demand="require")).all
    paths = (
        Entry(check.name, "re-selection", check.rule, check.refused, check.passed)
        for check in (*PATH_CHECKS, RelatedToOriginal, PathLeak)
    )
    others, opinions = _listed_reasons()
    entries = (*paths, *map(_entry_of, checks), _entry_of(Guessable), *opinions)
    asked = (entry._replace(filters=_filters(entry.name)) for entry in entries)
    return tuple(sorted((*others, *asked), key=lambda entry: get_args(Group).index(entry.stage)))


def _filters(name: str) -> Filters:
    if name in FIXED:
        return "always"
    return "paper" if name in PAPER | SUM else "all"


def _entry_of(check: Check | type[Guessable]) -> Entry:
    return Entry(check.name, check.stage, check.rule, check.refused, check.passed)


def choose_checks(text: str, *, facts_known: bool) -> CheckChoice:
    """Parse the choice of checks (``paper``, ``all`` or names), and add those that every run needs.

    ``facts_known`` means that no model proposes the facts: then three checks decide whether an object is
    representative, otherwise the model does. Raises ConfigError for an unknown name and suggests the nearest one.
    """
    if text == ALL:
        return EVERY
    names = [entry.name for entry in explanations() if entry.filters]
    chosen = PAPER if text == "paper" else {_full_name(part.strip(), names) for part in text.split(",")}
    by_sum = SUM if facts_known and NOT_REPRESENTATIVE in chosen else frozenset()
    words = text if text == "paper" else ", ".join(name for name in names if name in chosen)
    return CheckChoice(words, FIXED | chosen | by_sum)


def _full_name(part: str, names: Sequence[str]) -> str:
    with_word = [name for name in names if part in name.split()]
    name = with_word[0] if len(with_word) == 1 and part not in names else part
    refuse_stranger("`filters`", name, names, further={word for each in names for word in each.split()})
    return name
