"""Prompts as chat turns: the static part first, the task last, so that an endpoint can keep the beginning."""

import hashlib
from functools import cache
from string import Template
from typing import NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import prompt

ROLES = ("system", "user", "assistant")


class Turn(NamedTuple):
    """One chat turn."""

    role: str
    text: str


@cache
def prompt_turns(name: str) -> tuple[Turn, ...]:
    """Return the turns of the prompt file ``name``: its ``## role`` sections, with the manual in them.

    Raises ResourceError where the last section is not the user's, or where a role is unknown.
    """
    text = prompt(name).template.replace("$manual", prompt("manual").template.strip())
    sections = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    turns = tuple(Turn(role.strip(), body.strip()) for role, _, body in sections)
    if not turns or turns[-1].role != "user" or any(turn.role not in ROLES for turn in turns):
        raise ResourceError(
            f"prompts/{name}.md must be '## system', '## user', '## assistant' sections, a user one last"
        )
    return turns


@cache
def prompt_hash(name: str) -> str:
    """Return the prompt as a question's provenance names it: ``name:`` and the first 12 digits of its SHA-256."""
    text = "\x1f".join(f"{turn.role}\x1e{turn.text}" for turn in prompt_turns(name))
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def render_prompt(name: str, **values: str) -> tuple[Turn, ...]:
    """Return the turns with the task filled in; raises ResourceError where the prompt takes other values."""
    *fixed, task = prompt_turns(name)
    template = Template(task.text)
    if set(template.get_identifiers()) != set(values):
        raise ResourceError(f"prompts/{name}.md takes {sorted(template.get_identifiers())!r}, given {sorted(values)!r}")
    return (*fixed, Turn("user", template.substitute(values)))
