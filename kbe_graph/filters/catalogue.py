"""All filters: in the order that a run applies them, and with what each refuses."""

from typing import NamedTuple, Protocol

from kbe_graph.errors import ConfigError
from kbe_graph.filters.answer_type import AnswerType
from kbe_graph.filters.blind import Blind
from kbe_graph.filters.category import Category
from kbe_graph.filters.cycle import Cycle
from kbe_graph.filters.duplicate import Duplicate
from kbe_graph.filters.either_or import EitherOr
from kbe_graph.filters.family import Family
from kbe_graph.filters.functional import Functional
from kbe_graph.filters.generic import Generic
from kbe_graph.filters.leak import Leak, WordedLeak
from kbe_graph.filters.noun import REASON as NOT_A_NOUN
from kbe_graph.filters.noun import NounFilter
from kbe_graph.filters.person import Person
from kbe_graph.filters.protected import Protected
from kbe_graph.filters.rare import Rare
from kbe_graph.filters.row import ASKED, Columns, Row
from kbe_graph.filters.settings import FilterSettings
from kbe_graph.filters.shortcut import Shortcut
from kbe_graph.filters.subject import Subject
from kbe_graph.knowledge.pack import Pack
from kbe_graph.knowledge.walk import Walk
from kbe_graph.types import Filter


class Explained(Filter, Protocol):
    """A filter that says what it refuses, which columns of a table it needs, and shows a case that it refuses."""

    rule: str
    columns: Columns
    example: Row


class Entry(NamedTuple):
    """A filter as ``kbe filters`` shows it; ``reason`` is the name under which its refusals are counted."""

    name: str
    stage: str
    rule: str
    columns: Columns
    example: Row
    reason: str


NOUN = Entry(
    NounFilter.name,
    "fact",
    "the object must be a noun (KBE, answer filter, part 1)",
    ASKED,
    Row("How is this food cooked?", "grilled"),
    NOT_A_NOUN,
)
CONCENTRATION = Entry(
    "concentration",
    "run",
    "no final answer may be that of more than a share of the run's questions",
    ASKED,
    Row("What animal is this?", "Carnivora"),
    "concentration",
)


def explained(pack: Pack, settings: FilterSettings) -> tuple[Explained, ...]:
    """Return the filters that explain themselves, the cheap ones of each stage first."""
    walk = Walk(pack)
    return (
        Subject(),
        Person(settings),
        Generic(settings),
        Family(walk, settings),
        Functional(walk),
        Protected(walk),
        AnswerType(),
        Category(),
        Cycle(walk),
        Duplicate(),
        Leak(),
        Rare(settings),
        EitherOr(),
        Shortcut(walk),
        Blind(walk, settings),
        WordedLeak(),
    )


def build(pack: Pack, settings: FilterSettings | None = None, *, relations_known: bool = True) -> tuple[Filter, ...]:
    """Return the filters of a run, cheap ones first; ``concentration`` is the driver's, over all samples of a hop.

    Facts whose relations the pack need not know (a model's) are not asked whether it says that they have one object.
    """
    found = explained(pack, settings or FilterSettings())
    return (NounFilter(), *(one for one in found if relations_known or not isinstance(one, Functional)))


def catalogue() -> tuple[Entry, ...]:
    """Return all filters with rule and example, in the order of a run."""
    own = explained(Pack((), {}), FilterSettings())
    entries = (Entry(one.name, one.stage, one.rule, one.columns, one.example, one.name) for one in own)
    return (NOUN, *entries, CONCENTRATION)


def entry(name: str) -> Entry:
    """Return the filter of this name; raises ConfigError."""
    found = {one.name: one for one in catalogue()}
    if name not in found:
        raise ConfigError(f"no filter {name!r}; there are {', '.join(found)}")
    return found[name]
