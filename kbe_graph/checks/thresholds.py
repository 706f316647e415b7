"""The thresholds of the filters."""

from dataclasses import dataclass

from kbe_graph.errors import ConfigError

_SHARES = ("blind_share", "share", "group_share", "foreseen_share", "first_share")
_LISTS = ("naming_relations", "shared_families")
_NUMBERS = (
    "generic_depth",
    "rare_rate",
    "blind_support",
    "blind_answers",
    "blind_common",
    "floor",
    "group_answers",
    "foreseen_support",
    "balance_from",
)


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What the filters measure against; raises ConfigError for a value that makes no sense.

    ``generic_depth``: an object this many steps or fewer below the top of WordNet's nouns is too generic.
    ``rare_rate``: a word must occur this often in a thousand million words, else it is rare.
    ``blind_share``: a question implies an object if at least this share of the things of a kind it names lead there.
    ``blind_support``: the number of such things, the answer itself left out, from which a share means something.
    ``blind_answers``: the things of a kind that a question names must lead to at least this many different objects.
    ``blind_common``: how often a thing's name must occur in a thousand million words to be one that people think of.
    ``naming_relations``: relations whose object may be a person's name (inventor, discoverer).
    ``shared_families``: relation families that a chain may use more than once.
    ``share``: the largest part of a run's questions that may have one final answer (above 0, at most 1).
    ``floor``: the number of questions that one final answer may always have.
    ``group_share``: the largest part of the questions with one last relation, or one chain, or of those that go on by
    one chain from questions that ask for one noun, that one answer may have.
    ``group_answers``: a relation that has fewer different answers, those of earlier hops included, is not asked.
    ``foreseen_share``: an answer is foreseen if more than this share of the samples could get it that ask for the same
    noun through the same relations.
    ``first_share``: the answer at the beginning of a chain is foreseen above this share of those that ask for the noun.
    ``foreseen_support``: the number of such samples from which a share means something.
    ``balance_from``: the number of samples from which a run is balanced; of a smaller one little would be left.
    """

    generic_depth: int = 2
    rare_rate: int = 15
    blind_share: float = 0.34
    blind_support: int = 3
    blind_answers: int = 4
    blind_common: int = 5000
    naming_relations: tuple[str, ...] = ()
    shared_families: tuple[str, ...] = ()
    share: float = 0.03
    floor: int = 3
    group_share: float = 0.2
    group_answers: int = 5
    foreseen_share: float = 0.25
    first_share: float = 0.25
    foreseen_support: int = 8
    balance_from: int = 500

    def __post_init__(self) -> None:
        for name in _SHARES:
            value = getattr(self, name)
            if not isinstance(value, int | float) or not 0 < value <= 1:
                raise ConfigError(f"filter setting {name!r} is {value!r}; it must be above 0 and at most 1")
        for name in _NUMBERS:
            value = getattr(self, name)
            if not isinstance(value, int) or value < 0:
                raise ConfigError(f"filter setting {name!r} is {value!r}; it must be a whole number from 0")
        for name in _LISTS:
            value = getattr(self, name)
            if not isinstance(value, list | tuple):
                raise ConfigError(f"filter setting {name!r} is {value!r}; it must be a list of names")
            object.__setattr__(self, name, tuple(sorted(value)))
