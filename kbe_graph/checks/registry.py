"""All checks in the order in which a run applies them, the choice of a run, and their reasons in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast, get_args

from kbe_graph.checks.chain import Cycle, Detour, Shortcut
from kbe_graph.checks.check import Check, Entry, Filters, FilterSettings, Group, Reads, Row, first_refusal
from kbe_graph.checks.fact import (
    Blocked,
    Contradicted,
    Duplicate,
    Functional,
    Generic,
    Noun,
    Relabel,
    Subject,
    Unsupported,
    grounding_checks,
)
from kbe_graph.checks.guessable import Guessable
from kbe_graph.checks.needed import HopNotNeeded, ImageNotNeeded, SeveralAnswers
from kbe_graph.checks.path import PATH_CHECKS, PathLeak, RelatedToOriginal
from kbe_graph.checks.people import Person, Protected, Readable, Root
from kbe_graph.checks.question_text import Clumsy, Flaw, Instruction, Leak, WordedInstruction, WordedLeak
from kbe_graph.config import refuse_stranger
from kbe_graph.english.noun import ENGLISH
from kbe_graph.facts.grounding import Demand
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.walk import Walk
from kbe_graph.files.resources import data, rows
from kbe_graph.plugins import plug_ins
from kbe_graph.types import Candidate, Decision

ALL = "all"
Further = Sequence[Callable[[Pack, FilterSettings], Check]]
"""Factories of checks from outside the package, called with a run's pack and settings; see ``Check``."""


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of a run, each applied as soon as its input is available.

    ``cycle`` is the check that also queries the graph, None in a run without it. ``faults`` are the checks that find a
    faulty question whether a rule or a model words it, empty in a run that cannot tell.
    """

    by_reads: Mapping[Reads, tuple[Check, ...]]
    cycle: Cycle | None
    faults: tuple[Check, ...] = ()

    @property
    def all(self) -> tuple[Check, ...]:
        """All checks, in the order in which they are applied."""
        return tuple(dict.fromkeys(check for checks in self.by_reads.values() for check in checks))

    def decide(self, reads: Reads, candidate: Candidate) -> Decision:
        """Return the first refusal by a check that reads this input, or KEEP."""
        return first_refusal(self.by_reads[reads], candidate)

    def is_faulty(self, candidate: Candidate) -> bool | None:
        """Return True if a candidate's question would be faulty whatever other checks say; None if unknown."""
        return not first_refusal(self.faults, candidate).keep if self.faults else None


@dataclass(frozen=True, slots=True)
class CheckChoice:
    """The names of a run's checks (all if ``names`` is None); ``text`` is the choice as recorded in the settings."""

    text: str = ALL
    names: frozenset[str] | None = None

    def asks(self, name: str) -> bool:
        """Return True if the check with this name applies."""
        return self.names is None or name in self.names


EVERY = CheckChoice()


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a run works, as far as it determines which checks make sense.

    ``facts_known``: facts come from a pack, so the number of objects of a relation is known, and evidence chose the
    concepts. ``by_rule``: rules word the questions. ``demand``: the grounding required of facts that a model proposes.
    ``language``: the language of questions and facts. ``choice``: the selected checks.
    """

    facts_known: bool = True
    by_rule: bool = True
    demand: Demand = "report"
    language: str = ENGLISH
    choice: CheckChoice = EVERY


def further_checks() -> Mapping[str, type[Any]]:
    """Load the check classes of plug-ins (``kbe_graph.checks``), by entry point name."""
    return plug_ins("kbe_graph.checks", type)


def build_checks(
    pack: Pack, settings: FilterSettings | None = None, scheme: Scheme = Scheme(), *, further: Further = ()
) -> Checks:
    """Build the checks of a run, cheap ones first.

    ``further`` and the checks of plug-ins come after all others that read the same input. ``guessable`` is not
    included: it is applied separately, over all samples of a hop.
    """
    settings = settings or FilterSettings()
    walk = Walk(pack)
    image, hop = ImageNotNeeded(walk, settings), HopNotNeeded(walk)
    several = (SeveralAnswers(walk),) if scheme.facts_known else ()
    cycle = Cycle(walk, by_kind=scheme.facts_known)
    outside: Further = (*further_checks().values(), *further)
    every = (
        *_of_facts(settings, walk, scheme, cycle),
        image,
        *grounding_checks(scheme.demand),
        *((Readable(), Root(), Flaw()) if scheme.by_rule else ()),
        WordedInstruction(),
        WordedLeak(),
        *((Clumsy(),) if scheme.language == ENGLISH else ()),
        *several,
        hop,
        *(make(pack, settings) for make in outside),
    )
    chosen = [check for check in every if scheme.choice.asks(check.name)]
    by_reads = {reads: tuple(check for check in chosen if check.reads == reads) for reads in get_args(Reads)}
    if image in chosen:  # it runs on the previous question, to save wording, and again on the new one
        by_reads["question"] = (image, *by_reads["question"])
    return Checks(by_reads, cycle if cycle in chosen else None, (*several, image, hop) if scheme.facts_known else ())


def _of_facts(settings: FilterSettings, walk: Walk, scheme: Scheme, cycle: Cycle) -> tuple[Check, ...]:
    return (
        Instruction(),
        Blocked(settings),
        Noun(scheme.language),
        Subject(),
        Person(settings),
        Generic(settings, by_kind=scheme.facts_known),
        Relabel(walk),
        Detour(walk, settings),
        *((Functional(walk),) if scheme.facts_known else ()),
        Protected(walk),
        cycle,
        Duplicate(),
        Leak(),
        Shortcut(walk),
    )


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
    chosen = PAPER if text == "paper" else {full_name(part.strip(), names) for part in text.split(",")}
    by_sum = SUM if facts_known and NOT_REPRESENTATIVE in chosen else frozenset()
    words = text if text == "paper" else ", ".join(name for name in names if name in chosen)
    return CheckChoice(words, FIXED | chosen | by_sum)


def full_name(part: str, names: Sequence[str]) -> str:
    """Return the name that is, or alone has, the word ``part``; raises ConfigError for an unknown one."""
    with_word = [name for name in names if part in name.split()]
    name = with_word[0] if len(with_word) == 1 and part not in names else part
    refuse_stranger("`filters`", name, names, further={word for each in names for word in each.split()})
    return name
