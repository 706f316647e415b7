"""Which checks judge a run, as a user writes it: ``all``, ``paper``, or names (KBE, section 3.2, answer filter)."""

from collections.abc import Sequence

from kbe_graph.checks.explained import explanations
from kbe_graph.checks.other_reasons import NOT_REPRESENTATIVE
from kbe_graph.checks.preset import FIXED, PAPER, SUM
from kbe_graph.checks.registry import ALL, EVERY, CheckChoice
from kbe_graph.config import refuse_stranger


def choose_checks(text: str, *, facts_known: bool) -> CheckChoice:
    """Return the checks that a text chooses, and those that no run goes without.

    ``facts_known`` says that no model proposes the facts: then four checks tell whether an object is representative,
    else the model that is asked does. Raises ConfigError for a name that is no check's, with the nearest one that is.
    """
    if text == ALL:
        return EVERY
    names = [entry.name for entry in explanations() if entry.filters]
    chosen = PAPER if text == "paper" else {_full_name(part.strip(), names) for part in text.split(",")}
    by_sum = SUM if facts_known and NOT_REPRESENTATIVE in chosen else frozenset()
    words = text if text == "paper" else ", ".join(name for name in names if name in chosen)
    return CheckChoice(words, FIXED | chosen | by_sum)


def _full_name(part: str, names: Sequence[str]) -> str:
    """Return the name that was written, or the only one that has it as a word."""
    with_word = [name for name in names if part in name.split()]
    name = with_word[0] if len(with_word) == 1 and part not in names else part
    refuse_stranger("`filters=...`", name, names, further={word for each in names for word in each.split()})
    return name
