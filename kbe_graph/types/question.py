"""Questions of runs, what made them, and what a second model said of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from kbe_graph.text import fold
from kbe_graph.types.triplet import Entity, Triplet

Kind = Literal["raw", "reselected", "explored"]
Status = Literal["kept", "dropped"]

RAW = "raw"  # the run that the benchmark's own questions belong to
_QUESTION_ID = re.compile(r"(.+)@[^@]+/\d+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made a question: rule or model, wording pattern, seed; prompt and calls only where a model was asked."""

    maker: str
    seed: int = 0
    pattern: str = ""
    prompt: str = ""
    calls: tuple[str, ...] = ()


def question_id(sample: str, run: str, hop: int) -> str:
    """Return the id of a sample's question in a run at a hop."""
    return f"{sample}@{run}/{hop}"


def sample_of_question(id_: str) -> str:
    """Return the id of the sample that a question's id names; a sample's id names itself."""
    match = _QUESTION_ID.fullmatch(id_)
    return match[1] if match else id_


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a run at a hop, with the key subgraph its answer follows from, in order from IMAGE.

    ``id`` is made by ``question_id``; ``concept`` the id of the answer's concept where it is known; ``status`` kept or
    dropped, with ``reason``.

    >>> question = work.questions(run="demo", hop=2)[0]
    >>> question.difficulty, len(question.explored)
    (4, 2)
    """

    id: str
    sample: str
    run: str
    hop: int
    kind: Kind
    text: str
    answer: str
    key: tuple[Triplet, ...]
    aliases: tuple[str, ...] = ()
    concept: str = ""
    parent: str = ""
    provenance: Provenance = Provenance("benchmark")
    status: Status = "kept"
    reason: str = ""

    @property
    def difficulty(self) -> int:
        """The number of key edges, |E_K| (KBE, section 3.1)."""
        return len(self.key)

    @property
    def end(self) -> Entity:
        """The node of the answer: the object of the last key triplet, or its subject where that alone is the answer."""
        last = self.key[-1]
        about = fold(last.subject.name) == fold(self.answer) != fold(last.object.name)
        return last.subject if about else last.object

    @property
    def root(self) -> tuple[Triplet, ...]:
        """The part of the key that the chain started from: the key of the raw or the re-selected question."""
        return self.key[: len(self.key) - self.hop]

    def starts_from(self, key: Sequence[Triplet]) -> bool:
        """Return whether the chain starts from this key: that of the raw question, or of a re-selected one."""
        return [triplet.id for triplet in self.root] == [triplet.id for triplet in key]

    @property
    def explored(self) -> tuple[Triplet, ...]:
        """The triplets that the hops added to the key, one a hop."""
        return self.key[len(self.key) - self.hop :]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A named run: its seed, and the settings (name and value as text) that its outcome depends on.

    ``state`` is how far it came: complete, running (or cut off), or failed.
    """

    name: str
    seed: int
    settings: tuple[tuple[str, str], ...] = ()
    state: str = field(default="complete", compare=False)


VERDICTS = ("fact", "grammar", "no_leak", "path", "one_answer", "image_needed", "publish")
"""What a second model says yes or no to of a question; what yes means stands in ``prompts/inspect.md``."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a second model said of a question as it was worded (KBE, quality verification).

    ``yes`` are those of ``VERDICTS`` that it said yes to; ``prompt`` and ``call`` tell how it was asked.
    """

    text: str
    answer: str
    yes: tuple[str, ...]
    model: str = ""
    prompt: str = ""
    call: str = ""

    @property
    def no(self) -> tuple[str, ...]:
        """The verdicts that were no."""
        return tuple(verdict for verdict in VERDICTS if verdict not in self.yes)
