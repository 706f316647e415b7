"""The parts of a check: the reason it is counted under, its rule, its thresholds and its example rows."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple, Protocol

from kbe_graph.config import Config, refuse_stranger
from kbe_graph.errors import ConfigError
from kbe_graph.types import KEEP, Candidate, Decision, Stage


class Row(NamedTuple):
    """A row to try a check on: a question with its answer, a fact, the new question's text, and the key path.

    ``path`` alternates names and relations from the entity in the image to the current answer, for example ``giraffe >
    taxonomic family > Giraffidae``; if it is empty, the answer is that entity. ``called`` is a phrase for the first
    answer of the path (this animal). If ``type`` (the object's type in one word) is set, the fact counts as proposed by
    a model, with ``text`` as its draft.
    """

    question: str
    answer: str
    subject: str = ""
    relation: str = ""
    object: str = ""
    text: str = ""
    path: str = ""
    called: str = ""
    type: str = ""


CHAIN = Row(
    "What flag is that?",
    "United Kingdom",
    "United Kingdom",
    "capital",
    "London",
    path="Ireland > only neighbour > United Kingdom",
)
"""A chain with a fact that extends it: several checks pass it, and refuse it with another fact."""


_MOST_TRIES = 3


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """The thresholds of the checks. Raises ConfigError for an invalid value.

    ``generic_depth``: an object at most this many steps below the top of WordNet's nouns is too generic.
    ``others_related``: of the other entities that the question's words allow, at least this share must have the
    relation.
    ``others_same``: of those that have the relation, less than this share may have the same object.
    ``others_support``: the minimum number of other entities for a share to be meaningful.
    ``others_common``: the minimum frequency of an entity's name, per thousand million words, for it to count as common.
    ``naming_relations``: relations whose object may be a person's name (inventor, discoverer).
    ``shared_families``: relation families that a chain may use more than once.
    ``blocked_relations``: relations that no hop may add, whatever the run and the source.
    ``chain_share``: the largest share of a hop that one chain of relations may have (above 0, at most 1). A hop of
    fewer than 80 questions allows at least an eighth; one of fewer than 16 has no limit. The share is doubled while it
    would leave fewer than 16 of more.
    ``guess_tries``: the number of tries in which a model that sees no image must not name the answer (1 to 3).
    ``answer_share``: the largest share of the questions with one last relation that one answer may have; one question
    is always allowed.
    """

    generic_depth: int = 2
    others_related: float = 0.33
    others_same: float = 0.34
    others_support: int = 3
    others_common: int = 5000
    naming_relations: tuple[str, ...] = ()
    shared_families: tuple[str, ...] = ()
    chain_share: float = 0.1
    answer_share: float = 0.1
    guess_tries: int = 1
    blocked_relations: tuple[str, ...] = field(default=(), repr=False)  # a separate setting of a run, see evolve/plan

    def __post_init__(self) -> None:
        for name, default in ((each.name, each.default) for each in fields(self)):
            value = getattr(self, name)
            if isinstance(default, tuple):
                fits, wanted = (
                    isinstance(value, list | tuple) and all(isinstance(e, str) for e in value),
                    "a list of names",
                )
            elif isinstance(default, float):
                fits, wanted = isinstance(value, int | float) and 0 < value <= 1, "above 0 and at most 1"
            elif name == "guess_tries":
                fits, wanted = value in range(1, _MOST_TRIES + 1), f"1 to {_MOST_TRIES}"
            else:
                fits, wanted = isinstance(value, int) and value >= 0, "a whole number from 0"
            if not fits:
                raise ConfigError(f"filter setting {name!r} is {value!r}; it must be {wanted}")
            if isinstance(default, tuple):
                object.__setattr__(self, name, tuple(sorted(value)))


def read_filters(config: Config) -> FilterSettings:
    """Read the thresholds in ``[filters]`` of a workspace; raises ConfigError for an unknown name and a wrong value."""
    section = dict(config.section("filters"))
    place = f"{config.file} [filters]"
    for name in section:
        refuse_stranger(place, name, [threshold.name for threshold in fields(FilterSettings)])
    try:
        return FilterSettings(**section)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from None


Group = Literal["sample", "re-selection", "fact", "question", "run"]
Filters = Literal["", "always", "paper", "all"]


class Entry(NamedTuple):
    """A reason as ``kbe filters`` explains it.

    ``stage`` is the check's stage, or ``sample`` if a sample got no graph, or ``re-selection`` if a path gave no
    question. ``filters`` says in which runs the check applies: always, with the paper's conditions, or with all checks;
    it is empty if the reason is not a check. ``--filters`` can add the check to any other run.
    """

    name: str
    stage: Group
    rule: str
    refused: Row
    passed: Row
    filters: Filters = ""


Reads = Literal["fact", "reference", "text", "question"]
"""The input that a check needs, in the order in which a run produces it.

``fact``: the previous question and the fact. ``reference``: every phrase for the first answer. ``text``: each wording.
``question``: the chosen wording.
"""


class Check(Protocol):
    """One rule that a candidate must pass.

    ``name`` is the unique reason that its refusals are counted under. ``stage`` says whether it judges the fact or the
    resulting question; ``reads`` says when it runs. A check of the stage ``fact`` reads the fact. A check that reads
    only the words (``text`` or an earlier input) sees every wording before one is chosen, so that a wording without a
    leak replaces one with a leak. A check that looks up facts about the finished question (``question``) costs more and
    hardly depends on the words, so it sees only the chosen wording.
    """

    name: str
    stage: Stage
    reads: Reads
    rule: str
    refused: Row
    passed: Row

    def decide(self, candidate: Candidate) -> Decision:
        """Decide whether to keep the candidate; a refusal has the check's name as its reason."""


class FactCheck:
    """Base of the checks that judge a fact before anything is worded: ``_fault`` tells what is wrong, or is None."""

    name: str
    stage: Stage = "fact"
    reads: Reads = "fact"

    def decide(self, candidate: Candidate) -> Decision:
        """Refuse a candidate with a fault, which becomes the detail."""
        fault = self._fault(candidate)
        return KEEP if fault is None else Decision(keep=False, reason=self.name, detail=fault)

    def _fault(self, candidate: Candidate) -> str | None:
        raise NotImplementedError


class WordsCheck(FactCheck):
    """Base of the checks that judge each wording of a question."""

    stage: Stage = "question"
    reads: Reads = "text"


def first_refusal(checks: Iterable[Check], candidate: Candidate) -> Decision:
    """Run checks in order and return the first refusal, or KEEP."""
    return next((decision for check in checks if not (decision := check.decide(candidate)).keep), KEEP)
