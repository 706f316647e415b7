"""Prompts as chat turns: the static part first, the task last, so that an endpoint can keep the beginning."""

import hashlib
from functools import cache
from string import Template
from typing import NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.resources import prompt

ROLES = ("system", "user", "assistant")


class Turn(NamedTuple):
    """One chat turn."""

    role: str
    text: str


@cache
def turns(name: str) -> tuple[Turn, ...]:
    """Return the turns of the prompt file ``name``: its ``## role`` sections, the manual put in; raises ResourceError."""
    text = prompt(name).template.replace("$manual", prompt("manual").template.strip())
    sections = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    found = tuple(Turn(role.strip(), body.strip()) for role, _, body in sections)
    if not found or found[-1].role != "user" or any(turn.role not in ROLES for turn in found):
        raise ResourceError(
            f"prompts/{name}.md must be '## system', '## user', '## assistant' sections, a user one last"
        )
    return found


@cache
def prompt_hash(name: str) -> str:
    """Return what a question's provenance says of the prompt: its name and the start of its SHA-256."""
    text = "\x1f".join(f"{turn.role}\x1e{turn.text}" for turn in turns(name))
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def rendered(name: str, **values: str) -> tuple[Turn, ...]:
    """Return the turns with the task's places filled; raises ResourceError where the values are not those it has."""
    *fixed, task = turns(name)
    template = Template(task.text)
    if set(template.get_identifiers()) != set(values):
        raise ResourceError(f"prompts/{name}.md takes {sorted(template.get_identifiers())!r}, given {sorted(values)!r}")
    return (*fixed, Turn("user", template.substitute(values)))
