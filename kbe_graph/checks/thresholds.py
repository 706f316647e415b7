"""The thresholds of the filters."""

from dataclasses import dataclass

from kbe_graph.errors import ConfigError

_SHARES = ("blind_share", "chain_share", "answer_share")
_LISTS = ("naming_relations", "shared_families")
_NUMBERS = (
    "generic_depth",
    "blind_support",
    "blind_answers",
    "blind_common",
)


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What the filters measure against; raises ConfigError for a value that makes no sense.

    ``generic_depth``: an object this many steps or fewer below the top of WordNet's nouns is too generic.
    ``blind_share``: a question implies an object if at least this share of the things of a kind it names lead there.
    ``blind_support``: the number of such things, the answer itself left out, from which a share means something.
    ``blind_answers``: the things of a kind that a question names must lead to at least this many different objects.
    ``blind_common``: how often a thing's name must occur in a thousand million words to be one that people think of.
    ``naming_relations``: relations whose object may be a person's name (inventor, discoverer).
    ``shared_families``: relation families that a chain may use more than once.
    ``chain_share``: the largest part of a hop that one chain of relations may have (above 0, at most 1); of a hop of
    fewer than 80 questions it may have an eighth, of one of fewer than 16 any.
    ``answer_share``: the largest part of the questions with one last relation that one answer may have, always one.
    """

    generic_depth: int = 2
    blind_share: float = 0.34
    blind_support: int = 3
    blind_answers: int = 4
    blind_common: int = 5000
    naming_relations: tuple[str, ...] = ()
    shared_families: tuple[str, ...] = ()
    chain_share: float = 0.1
    answer_share: float = 0.1

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
