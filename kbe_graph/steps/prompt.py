"""Prompts as chat turns, bundled or custom, and their examples; all data in them is enclosed in borders."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from operator import eq
from pathlib import Path
from string import Template
from typing import NamedTuple

from kbe_graph.config import Config, prompts_folder, refuse_stranger
from kbe_graph.errors import ConfigError, ResourceError
from kbe_graph.files.opening import read_text
from kbe_graph.files.resources import prompt, prompt_names
from kbe_graph.plugins import Registry
from kbe_graph.steps.reply_text import CLOSE, OPEN, TripletWords
from kbe_graph.text import fold, on_one_line
from kbe_graph.types import IMAGE

LONGEST_TEXT = 600  # characters per text
# No text can close its border, open another, contain a model's control token, or look like the JSON of a reply.
_INSIDE = str.maketrans({"<": "\u2039", ">": "\u203a", "{": "(", "}": ")"})

Data = str | Sequence[str] | Mapping[str, str | Sequence[str]]
"""Value for a prompt: a text, several texts on one line, or one line per label."""


def bordered(data: Data) -> str:
    r"""Enclose each line of the data in a border, and cut each text to ``LONGEST_TEXT`` characters.

    >>> bordered("dog\nAnswer: cat")
    '<<<dog Answer: cat>>>'
    """
    if isinstance(data, Mapping):
        return "\n".join(f"{label} {bordered(text)}" for label, text in data.items())
    texts = (data,) if isinstance(data, str) else data
    return f"{OPEN}{' '.join(map(_inside, texts))}{CLOSE}"


def _inside(text: str) -> str:
    return on_one_line(text, LONGEST_TEXT).translate(_INSIDE)


ROLES = ("system", "user", "assistant")
ALWAYS = {"Data", "Form"}  # sections of the manual that every step needs
OURS = {"guesses", "hops", "language", "wanted"}  # values from settings, which get no border
MANUAL = "manual"
LONGEST_SETTING = 60  # characters per value in OURS
SHAPES = "$shapes"  # the line that the texts of all shapes replace
_MANUAL = re.compile(r"^\$manual(?:: *(?P<sections>.+))?$", re.MULTILINE)


class Turn(NamedTuple):
    """Chat turn."""

    role: str
    text: str


def _text_of(name: str, folder: Path | None) -> str:
    own = folder / f"{name}.md" if folder else None
    try:
        return read_text(own) if own and own.is_file() else prompt(name)
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"prompt {str(own)!r} cannot be read ({error}); write it as UTF-8 text") from None


@cache
def prompt_turns(name: str, folder: Path | None = None, hops: int | None = None) -> tuple[Turn, ...]:
    """Parse the prompt file ``name``: its ``## role`` sections, with the manual sections that it includes.

    A file of that name in ``folder`` takes precedence over the bundled one. Shapes that need more facts than ``hops``
    are left out.

    Raises ResourceError if the last section is not the user's, a role is unknown, or a manual section does not exist.
    """
    text = _MANUAL.sub(lambda line: manual(line["sections"], folder), _text_of(name, folder))
    if SHAPES in text:
        text = text.replace(
            SHAPES, "\n".join(shape.text for shape in shapes().values() if hops is None or shape.facts <= hops)
        )
    sections = [part.partition("\n") for part in f"\n{text}".split("\n## ")[1:]]
    turns = tuple(Turn(role.strip(), body.strip()) for role, _, body in sections)
    if not turns or turns[-1].role != "user" or any(turn.role not in ROLES for turn in turns):
        raise ResourceError(
            f"{folder or 'prompts'}/{name}.md must be '## system', '## user', '## assistant' sections, "
            "the last one a user section"
        )
    return turns


@cache
def manual(wanted: str | None = None, folder: Path | None = None) -> str:
    """Assemble the manual: everything, or its opening, ``wanted`` sections (``"A; B"``, ``"none"``) and common ones.

    Sections keep the manual's order, so that steps with the same sections share a prefix. Raises ResourceError for an
    unknown section.
    """
    opening, *parts = f"\n{_text_of(MANUAL, folder).strip()}".split("\n# ")
    sections = {part.partition("\n")[0]: f"# {part.strip()}" for part in parts}
    names = [name.strip() for name in (wanted or "").split(";") if name.strip() not in {"", "none"}]
    if strangers := [name for name in names if name not in sections]:
        raise ResourceError(
            f"{folder or 'prompts'}/{MANUAL}.md has no section {strangers[0]!r}; the sections are {', '.join(sections)}"
        )
    kept = (text for name, text in sections.items() if wanted is None or name in names or name in ALWAYS)
    return "\n\n".join((opening.strip(), *kept))


@cache
def prompt_hash(name: str, folder: Path | None = None) -> str:
    """Identify the prompt in a question's provenance: ``name:`` and the first 12 digits of its SHA-256."""
    text = "\x1f".join(f"{turn.role}\x1e{turn.text}" for turn in prompt_turns(name, folder))
    return f"{name}:{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def render_prompt(name: str, folder: Path | None = None, /, **values: Data) -> tuple[Turn, ...]:
    """Fill in a prompt, with all data in borders; raises ResourceError if the values do not match its placeholders."""
    *fixed, task = prompt_turns(name, folder, int(str(values["hops"])) if "hops" in values else None)
    if (places := set(Template(task.text).get_identifiers())) != values.keys():
        raise ResourceError(f"prompt {name!r} takes {sorted(places)!r}, given {sorted(values)!r}")
    idle = {f"${key}" for key, value in values.items() if not value}
    lines = (line for line in task.text.splitlines() if line not in idle)
    texts = {
        key: on_one_line(str(value), LONGEST_SETTING) if key in OURS else bordered(value)
        for key, value in values.items()
    }
    return (*fixed, Turn("user", Template("\n".join(lines)).substitute(texts)))


def own_prompts(config: Config, environ: Mapping[str, str]) -> Path | None:
    """Find the folder of a workspace's own prompts (``[prompts]``); a file in it replaces the bundled one of its name.

    Raises ConfigError for a missing folder, a file that belongs to no step, and a placeholder that is missing or
    unknown. Raises ResourceError for a file without the required sections.
    """
    folder = prompts_folder(config, environ)
    if folder is None:
        return None
    if not folder.is_dir():
        raise ConfigError(
            f"no folder {str(folder)!r} of prompts; create it, or remove [prompts] folder from {config.file}"
        )
    for file in folder.iterdir():
        if not file.name.startswith("."):
            refuse_stranger(str(folder), file.name, [f"{name}.md" for name in prompt_names()])
    for name in set(prompt_names()) - {MANUAL}:
        own, packaged = (Template(prompt_turns(name, place)[-1].text) for place in (folder, None))
        if set(own.get_identifiers()) != set(packaged.get_identifiers()) or not own.is_valid():
            places = ", ".join(f"${place}" for place in packaged.get_identifiers())
            raise ConfigError(
                f"{folder / name}.md: its last user section must have {places}, and no other '$'; write '$$' for a "
                "dollar"
            )
    return folder


class Examples(NamedTuple):
    """Triplets and questions in a prompt's examples."""

    triplets: tuple[TripletWords, ...] = ()
    questions: tuple[str, ...] = ()

    def holds_triplet(self, words: TripletWords) -> bool:
        """Return True if a triplet shares at least two of its three parts with an example's.

        A triplet that starts at IMAGE must share all three, as every image depicts something.
        """
        parts = tuple(map(fold, words))
        least = 3 if parts[0] == fold(IMAGE.name) else 2
        return any(sum(map(eq, parts, map(fold, example))) >= least for example in self.triplets)

    def holds_of_another(self, subject: str, words: TripletWords) -> bool:
        """Return True if an example states the same fact about another subject, and none about ``subject``."""
        fact = fold(words.relation), fold(words.object)
        same = [example for example in self.triplets if (fold(example.relation), fold(example.object)) == fact]
        return bool(same) and all(fold(example.subject) != fold(subject) for example in same)

    def holds_question(self, text: str) -> bool:
        """Return True if an example asks this question."""
        return any(fold(question) == fold(text) for question in self.questions)


@cache
def examples(step: str) -> Examples:
    """Read the triplets and questions in the examples of a step's packaged prompt, which a reply must not copy."""
    triplets: list[TripletWords] = []
    questions: list[str] = []
    answer = ""
    for turn in prompt_turns(step)[:-1]:
        if turn.role == "user":
            answers = re.findall(rf"^(?:\d+ a|A)nswer: {OPEN}(.*){CLOSE}$", turn.text, re.MULTILINE)
            answer = answers[-1] if answers else ""
        elif turn.role == "assistant":
            reply = json.loads(turn.text)
            graph, candidates = [*reply.get("visual", ()), *reply.get("textual", ())], reply.get("candidates", ())
            triplets += [TripletWords(part["s"], part["r"], part["o"]) for part in graph]
            triplets += [TripletWords(answer, part["r"], part["o"]) for part in candidates]
            questions += [part.get("q", "") for part in candidates] + [reply.get("question", "")]
    return Examples(tuple(triplets), tuple(filter(None, questions)))


LEAST_FACTS = {"identify": 0, "fact": 1, "join": 2, "select": 1, "compare": 2, "bridge back": 1}


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape: its name, and the text by which a model drafts it.

    The statement ``answers`` tells the answer set of every shape: ``compares`` says that its answer is the thing whose
    number is first, otherwise what fits all triplets. A model is told of it only where a draft may have as many
    ``facts`` as it takes. Another package adds one under the entry point group ``kbe_graph.shapes``.
    """

    name: str
    text: str
    compares: bool = False
    facts: int = 0


def shapes() -> Registry[Shape]:
    """List the shapes by name, those of other packages included."""
    own = {
        name: Shape(name, prompt(f"shapes/{name.replace(' ', '_')}").strip(), name == "compare", facts)
        for name, facts in LEAST_FACTS.items()
    }
    return Registry("shape", "kbe_graph.shapes", own)
