"""The thresholds of the filters."""

from dataclasses import dataclass, fields

from kbe_graph.errors import ConfigError


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What the filters measure against; raises ConfigError for a value that makes no sense.

    ``generic_depth``: an object this many steps or fewer below the top of WordNet's nouns is too generic.
    ``generic_kinds``: an object with at least this many WordNet kinds below it is too generic.
    ``rare_count``: a word must occur this often in WordNet's tagged texts and definitions together, else it is rare.
    ``blind_share``: the question implies the object if at least this share of the answers it admits lead to it.
    ``blind_support``: the number of such answers from which a share means something.
    ``shared_families``: relation families that a chain may use more than once.
    ``share``: the largest part of a run's questions that may have one final answer (0 to 1).
    ``floor``: the number of questions that one final answer may always have.
    """

    generic_depth: int = 4
    generic_kinds: int = 400
    rare_count: int = 3
    blind_share: float = 0.5
    blind_support: int = 2
    shared_families: frozenset[str] = frozenset()
    share: float = 0.03
    floor: int = 3

    def __post_init__(self) -> None:
        for name in ("blind_share", "share"):
            value = getattr(self, name)
            if not 0 < value <= 1:
                raise ConfigError(f"filter setting {name!r} is {value!r}; it must be above 0 and at most 1")
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, int) and value < 0:
                raise ConfigError(f"filter setting {field.name!r} is {value!r}; it must not be below 0")
