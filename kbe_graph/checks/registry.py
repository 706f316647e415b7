"""All checks, in the order in which a run asks them, and the choice of a run among them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from kbe_graph.checks.chain import Cycle, Detour, Shortcut
from kbe_graph.checks.check import Check, FilterSettings, Reads, first_refusal
from kbe_graph.checks.clumsy import Clumsy
from kbe_graph.checks.fact import Blocked, Duplicate, Functional, Generic, Noun, Relabel, Subject, grounding_checks
from kbe_graph.checks.needed import HopNotNeeded, ImageNotNeeded, SeveralAnswers
from kbe_graph.checks.people import Person, Protected
from kbe_graph.checks.question_text import Flaw, Instruction, Leak, WordedInstruction, WordedLeak
from kbe_graph.checks.root import Readable, Root
from kbe_graph.facts.grounding import Demand
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.walk import Walk
from kbe_graph.plugins import plug_ins
from kbe_graph.senses.noun import ENGLISH
from kbe_graph.types import Candidate, Decision

ALL = "all"
Further = Sequence[Callable[[Pack, FilterSettings], Check]]
"""Checks from outside the package, each made for a run by its pack and settings; ``Check`` says what one must have."""


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of a run, each asked as soon as its input is there.

    ``cycle`` is the one that asks the graph as well, None in a run without it. ``faults`` are those that tell a faulty
    question whether a rule or a model words it; a run that is not to tell has none.
    """

    by_reads: Mapping[Reads, tuple[Check, ...]]
    cycle: Cycle | None
    faults: tuple[Check, ...] = ()

    @property
    def all(self) -> tuple[Check, ...]:
        """All of them, in the order in which they are asked."""
        return tuple(dict.fromkeys(check for checks in self.by_reads.values() for check in checks))

    def decide(self, reads: Reads, candidate: Candidate) -> Decision:
        """Return the first refusal by a check that reads this, or KEEP."""
        return first_refusal(self.by_reads[reads], candidate)

    def is_faulty(self, candidate: Candidate) -> bool | None:
        """Return True if the question of a candidate would be faulty, whatever else is decided; None if not to tell."""
        return not first_refusal(self.faults, candidate).keep if self.faults else None


@dataclass(frozen=True, slots=True)
class CheckChoice:
    """The checks of a run by name, all where ``names`` is None; ``text`` tells the choice in the run's settings."""

    text: str = ALL
    names: frozenset[str] | None = None

    def asks(self, name: str) -> bool:
        """Return True if the check of this name is asked."""
        return self.names is None or name in self.names


EVERY = CheckChoice()


@dataclass(frozen=True, slots=True)
class Scheme:
    """How a run is made, as far as it decides which checks make sense.

    ``facts_known`` says that facts come from a pack, which then knows how many objects a relation has, and whose
    concepts were chosen by evidence; ``by_rule`` that rules word the questions; ``demand`` is the one on facts that a
    model proposes; ``language`` that of questions and facts; ``choice`` which checks were chosen.
    """

    facts_known: bool = True
    by_rule: bool = True
    demand: Demand = "report"
    language: str = ENGLISH
    choice: CheckChoice = EVERY


OFFLINE = Scheme()


def further_checks() -> Mapping[str, type[Any]]:
    """Return the classes of the checks of plug-ins (``kbe_graph.checks``), by the names of their entry points."""
    return plug_ins("kbe_graph.checks", type)


def build_checks(
    pack: Pack, settings: FilterSettings | None = None, scheme: Scheme = OFFLINE, *, further: Further = ()
) -> Checks:
    """Return the checks of a run, the cheap ones first.

    ``further`` and those of plug-ins come last of those that read the same. ``guessable`` is asked apart, over all
    samples of a hop.
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
    if image in chosen:  # by the words of the question before, so that few are worded, and by the new ones
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
