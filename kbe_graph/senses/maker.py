"""The person that an answer names: who invented, founded, painted or wrote a thing, never who is seen."""

import re

from kbe_graph.facts.pack import pack
from kbe_graph.question import Reading
from kbe_graph.text import fold

_ASKED = re.compile(
    r"^who (?:\w+ )?(?:invented|discovered|created|wrote|painted|directed|founded)\b"
    r"|\binventors? of\b|\b(?:painter|artist|author|director) (?:created|made|painted|wrote)\b"
)


def maker(reading: Reading, answer: str) -> str:
    """Return the id of the person who made what a question asks about, empty where it asks for anybody else."""
    return pack().names_of("person").get(fold(answer), "") if _ASKED.search(reading.text.lower()) else ""
