"""A wording of a question: its text, and what made it."""

from typing import NamedTuple


class Wording(NamedTuple):
    """A wording that is proposed for a question.

    ``pattern`` names what made it, ``off`` is how far it is from the wanted number of words; ``maker``, ``prompt`` and
    ``calls`` are those of the question's provenance.
    """

    text: str
    pattern: str
    off: float = 0.0
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()


def sentence(text: str) -> str:
    """Return a question with its capital and its mark."""
    return f"{text[:1].upper()}{text[1:].rstrip(' ?.,')}?"
