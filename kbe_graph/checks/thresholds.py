"""The thresholds of the filters."""

from dataclasses import dataclass

from kbe_graph.errors import ConfigError

_SHARES = ("others_related", "others_same", "chain_share", "answer_share")
_LISTS = ("naming_relations", "shared_families")
_NUMBERS = ("generic_depth", "others_support", "others_common")


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What the filters measure against; raises ConfigError for a value that makes no sense.

    ``generic_depth``: an object this many steps or fewer below the top of WordNet's nouns is too generic.
    ``others_related``: of the other things that a question's words allow, at least this share must have the relation.
    ``others_same``: less than this share of those that have the relation may have the same object.
    ``others_support``: the number of other things from which a share means something.
    ``others_common``: how often a thing's name must occur in a thousand million words to be one that people think of.
    ``naming_relations``: relations whose object may be a person's name (inventor, discoverer).
    ``shared_families``: relation families that a chain may use more than once.
    ``chain_share``: the largest part of a hop that one chain of relations may have (above 0, at most 1); of a hop of
    fewer than 80 questions it may have an eighth, of one of fewer than 16 any.
    ``answer_share``: the largest part of the questions with one last relation that one answer may have, always one.
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
