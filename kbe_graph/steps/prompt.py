"""Prompts as chat turns: the static part first, the task last, so that an endpoint can keep the beginning."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from string import Template
from typing import NamedTuple

from kbe_graph.errors import ResourceError
from kbe_graph.files.resources import prompt
from kbe_graph.steps.border import Data, bordered
from kbe_graph.text import on_one_line

ROLES = ("system", "user", "assistant")
ALWAYS = {"Data", "Form"}  # sections of the manual that every step needs
OURS = {"hops", "language"}  # values that come from settings, and stand in a prompt as they are
MANUAL = "manual"
LONGEST = 60  # characters of one of these
_MANUAL = re.compile(r"^\$manual(?:: *(?P<sections>.+))?$", re.MULTILINE)


class Turn(NamedTuple):
    """One chat turn."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class PromptBook:
    """The prompts that a model is asked with: ``own`` texts by name, from a ``folder``, and the packaged ones else."""

    own: tuple[tuple[str, str], ...] = ()
    folder: str = ""

    def text(self, name: str) -> str:
        """Return the text of a prompt; raises ResourceError for one that is not there."""
        own = dict(self.own)
        return own[name] if name in own else prompt(name)

    def place(self, name: str) -> str:
        """Return where a prompt stands, for messages."""
        return f"{self.folder if name in dict(self.own) else 'prompts'}/{name}.md"


PACKAGED = PromptBook()


@cache
def prompt_turns(name: str, book: PromptBook = PACKAGED) -> tuple[Turn, ...]:
    """Return the turns of the prompt file ``name``: its ``## role`` sections, with what it needs of the manual.

    Raises ResourceError where the last section is not the user's, where a role is unknown, or where it asks for a
    section that the manual does not have.
    """
    text = _MANUAL.sub(lambda line: manual(line["sections"], book), book.text(name))
    sections = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    turns = tuple(Turn(role.strip(), body.strip()) for role, _, body in sections)
    if not turns or turns[-1].role != "user" or any(turn.role not in ROLES for turn in turns):
        raise ResourceError(
            f"{book.place(name)} must be '## system', '## user', '## assistant' sections, a user one last"
        )
    return turns


@cache
def manual(wanted: str | None = None, book: PromptBook = PACKAGED) -> str:
    """Return the manual: all of it, or its opening, the sections wanted (``"A; B"``, ``"none"``) and those of all.

    The sections stand in the manual's order, so that steps that need the same ones begin alike. Raises ResourceError
    for a section that it does not have.
    """
    opening, *parts = f"\n{book.text(MANUAL).strip()}".split("\n# ")
    sections = {part.partition("\n")[0]: f"# {part.strip()}" for part in parts}
    names = [name.strip() for name in (wanted or "").split(";") if name.strip() not in {"", "none"}]
    if strangers := [name for name in names if name not in sections]:
        raise ResourceError(f"{book.place(MANUAL)} has no section {strangers[0]!r}; there are {', '.join(sections)}")
    kept = (text for name, text in sections.items() if wanted is None or name in names or name in ALWAYS)
    return "\n\n".join((opening.strip(), *kept))


@cache
def prompt_hash(name: str, book: PromptBook = PACKAGED) -> str:
    """Return the prompt as a question's provenance names it: ``name:`` and the first 12 digits of its SHA-256."""
    text = "\x1f".join(f"{turn.role}\x1e{turn.text}" for turn in prompt_turns(name, book))
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def render_prompt(name: str, book: PromptBook = PACKAGED, /, **values: Data) -> tuple[Turn, ...]:
    """Return the turns with the task filled in, all data inside its border.

    Raises ResourceError where the prompt takes other values.
    """
    *fixed, task = prompt_turns(name, book)
    if (places := _places(task.text)) != values.keys():
        raise ResourceError(f"{book.place(name)} takes {sorted(places)!r}, given {sorted(values)!r}")
    lines = (line for line in task.text.splitlines() if not _is_idle(line, values))
    texts = {key: on_one_line(str(value), LONGEST) if key in OURS else bordered(value) for key, value in values.items()}
    return (*fixed, Turn("user", Template("\n".join(lines)).substitute(texts)))


@cache
def _places(task: str) -> frozenset[str]:
    """Return the names of the values that a task takes."""
    return frozenset(Template(task).get_identifiers())


def _is_idle(line: str, values: Mapping[str, Data]) -> bool:
    """Return whether a line is the place of a value alone that says nothing, so that it goes."""
    return line.startswith("$") and line[1:] in values and not values[line[1:]]
