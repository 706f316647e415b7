"""All checks in the order in which a run applies them, and the selection of checks for a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from kbe_graph.checks.chain import Cycle, Detour, Shortcut
from kbe_graph.checks.check import Check, FilterSettings, Reads, first_refusal
from kbe_graph.checks.fact import Blocked, Duplicate, Functional, Generic, Noun, Relabel, Subject, grounding_checks
from kbe_graph.checks.needed import HopNotNeeded, ImageNotNeeded, SeveralAnswers
from kbe_graph.checks.people import Person, Protected, Readable, Root
from kbe_graph.checks.question_text import Clumsy, Flaw, Instruction, Leak, WordedInstruction, WordedLeak
from kbe_graph.english.noun import ENGLISH
from kbe_graph.facts.grounding import Demand
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.walk import Walk
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
