"""Samples, entities, triplets, and the graph of a sample."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from kbe_graph.brief import brief
from kbe_graph.errors import InputError
from kbe_graph.text import fold

Progress = Callable[[str, int, int], None]  # called with the name of a stage, the amount done and the total


AGREED = 3  # people


@brief("id question answer image choices")
@dataclass(frozen=True, slots=True)
class Sample:
    """One static sample S0 = {image I0, question Q0, answer A0} (KBE, section 3.1).

    ``id`` is benchmark/split/source id. ``image`` is the path or file name that the benchmark gives
    (``work.sample(id).pictures`` are the files). ``more_images`` are the further images of a question about several
    pictures. ``image_id`` is the key that joins annotations to the image: a COCO id without leading zeros, a GQA id, or
    the stem of the file name. ``answer`` is the majority of ``answers``. ``choice`` is the right one of the
    ``choices``, or empty if it is the ``answer``. If a model that saw the picture replaced the answer with another
    accepted one, ``replaced`` is the answer of the benchmark. A photo of a folder has no question until a model writes
    one with an answer: these are then ``made``. ``category`` is the benchmark's own.

    >>> kbe.Sample("okvqa/val/1", "okvqa", "val", "What animal is this?", "giraffe", image="1.jpg").answer
    'giraffe'
    """

    id: str
    benchmark: str
    split: str
    question: str
    answer: str
    answers: tuple[str, ...] = ()
    image: str = ""
    image_id: str = ""
    choices: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()
    fact: tuple[str, str, str] | None = None
    more_images: tuple[str, ...] = ()
    choice: str = ""
    replaced: str = ""
    made: bool = False
    category: str = ""

    @property
    def as_loaded(self) -> "Sample":
        """The sample with the benchmark's question and answer.

        >>> kbe.Sample("own/val/1", "own", "val", "What?", "tractor").with_answer("crane").as_loaded.answer
        'tractor'
        """
        if self.made:
            return replace(self, question="", answer="", made=False)
        if not self.replaced:
            return self
        choice = "" if self.choice == self.replaced else self.choice
        return replace(self, answer=self.replaced, choice=choice, replaced="")

    def with_answer(self, answer: str, question: str = "") -> "Sample":
        """Return the sample with the given answer, if it is not empty. The right choice stays.

        A ``question`` is given for a sample that has none.
        """
        if not answer:
            return self
        if question:
            return replace(self, question=question, answer=answer, made=True)
        choice = self.choice or (self.answer if self.answer in self.choices else "")
        return replace(self, answer=answer, choice=choice, replaced=self.answer)

    def choice_of(self, answer: str) -> str:
        """Return the right choice if the given answer is that of the sample, else the given answer.

        >>> sample = kbe.Sample("own/val/1", "own", "val", "Who?", "baker", choices=("cook", "vet"), choice="cook")
        >>> sample.choice_of("baker")
        'cook'
        """
        return self.choice if self.choice and fold(answer) == fold(self.answer) else answer

    @property
    def with_choice(self) -> "Sample":
        """The sample as a multiple-choice question: its answer is the right choice."""
        return replace(self, answer=self.choice_of(self.answer), choice="", replaced="")

    @property
    def images(self) -> tuple[str, ...]:
        """The names of all pictures, in the order of the question; ``""`` for a picture known only by its key.

        >>> kbe.Sample("own/val/1", "own", "val", "Which is older?", "A", image="1.jpg", more_images=("2.jpg",)).images
        ('1.jpg', '2.jpg')
        """
        return (self.image, *self.more_images)

    @property
    def picture_key(self) -> str:
        """The key that samples with the same picture share; the id of the sample if there is no other key.

        >>> kbe.Sample("own/val/1", "own", "val", "Which is older?", "A", image="1.jpg").picture_key
        '1.jpg'
        """
        return self.image_id or self.image or self.id

    @property
    def agreed(self) -> tuple[str, ...]:
        """The other accepted answers: those that at least three annotators gave, and the right choice.

        The VQA metric gives full credit to an answer from three of ten annotators.

        >>> kbe.Sample("own/val/1", "own", "val", "Which system?", "mac", ("mac",) * 4 + ("windows",) * 4).agreed
        ('windows',)
        """
        given = (*self.answers, *((self.choice,) * AGREED if self.choice else ()))
        counts, own = Counter(map(fold, given)), {fold(self.answer), fold(self.replaced)}
        first = {fold(answer): answer for answer in reversed(given)}
        return tuple(first[name] for name in counts if counts[name] >= AGREED and name not in own)

    @property
    def rivals(self) -> tuple[str, ...]:
        """The answers that at least as many people gave as the accepted one."""
        counts = Counter(map(fold, self.answers))
        return tuple(answer for answer in self.agreed if counts[fold(answer)] >= counts[fold(self.answer)])


Graph = Literal["visual", "textual"]

PRESUPPOSED = "presupposed"  # the source of a visual triplet that only the question's words imply
REPLACED = "answer replaced"  # the reason if a model gave the sample another accepted answer
UNSOURCED = "unsourced"  # the source of a fact that was stated without opening one
UNCONFIRMED = "no annotation confirms it"  # its evidence if nothing visible agrees
LAST_RESORT = "last resort: the most salient thing"  # the evidence of its path in that case


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: an object (upper case), an attribute (lower case), or IMAGE.

    ``number`` distinguishes objects with the same name in one image. ``noun`` is True if a path may end here.
    ``concept`` is the id of the linked concept, if any (``wn30:02439033-n``).

    >>> kbe.Entity("DOG", number=2).label
    'DOG #2'
    """

    name: str
    number: int = 1
    noun: bool = field(default=True, compare=False)
    concept: str = field(default="", compare=False)

    @classmethod
    def of(cls, label: str) -> "Entity":
        """Build the entity of a label, as a key or a printed fact has it: ``MAN #2`` is the second of that name."""
        name, mark, number = label.rpartition(" #")
        return cls(name, int(number)) if mark and number.isdecimal() else cls(label)

    @property
    def key(self) -> str:
        """The identity of the entity within its sample."""
        return fold(self.name) if self.number == 1 else f"{fold(self.name)}#{self.number}"

    @property
    def label(self) -> str:
        """The display name, unique within the sample."""
        return self.name if self.number == 1 else f"{self.name} #{self.number}"


IMAGE = Entity("IMAGE", noun=False)


@brief("subject.label relation object.label graph source source_ref")
@dataclass(frozen=True, slots=True)
class Triplet:
    """A directed edge from subject to object, with its relation and origin.

    ``source`` is the kind of source (``caption``, ``scene graph``, ``detection``, ``presupposed``, ``question``, a fact
    pack, a model; ``unsourced`` if no source was opened). ``source_ref`` is the place in the source, ``evidence`` the
    words from which it was read.

    >>> kbe.Triplet(kbe.Entity("DOG"), "chasing", kbe.Entity("BALL")).id
    'dog|chasing|ball'
    """

    subject: Entity
    relation: str
    object: Entity
    graph: Graph = "visual"
    source: str = field(default="", compare=False)
    source_ref: str = field(default="", compare=False)
    evidence: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        """The identity of the triplet within its sample."""
        return f"{self.subject.key}|{fold(self.relation)}|{self.object.key}"

    @property
    def unsourced(self) -> bool:
        """Whether it is a fact that no opened source confirms."""
        return self.source == UNSOURCED

    @property
    def grounds(self) -> str:
        """The evidence; of what a model recognised rather than saw, such as a place, that it is one."""
        is_recognised = self.graph == "visual" and self.source.startswith("model ")
        return f"recognised by: {self.evidence}" if self.evidence and is_recognised else self.evidence

    @property
    def support(self) -> str:
        """The words from which it was read; of what a model says by itself, that it does, and in which call.

        >>> kbe.Triplet(kbe.Entity("DOG"), "chases", kbe.Entity("CAT"), source="model m", source_ref="0a1b").support
        'stated by the model, call 0a1b'
        """
        is_stated = not self.evidence and self.source.startswith("model ")
        return f"stated by the model, call {self.source_ref[:12]}" if is_stated else self.grounds


@brief()
@dataclass(frozen=True, slots=True)
class SampleGraph:
    """G_M, G_T and K of one sample (KBE, section 3.1).

    ``visual`` and ``textual`` contain each triplet once. ``key`` is a subset of them, in order from IMAGE to the
    answer, with at least one visual triplet. Raises InputError otherwise. If the picture contradicts the answer of the
    benchmark, ``answer`` is the accepted answer that the key leads to; a sample without a question gets both.

    >>> depicts = kbe.Triplet(kbe.Entity("IMAGE", noun=False), "depicts", kbe.Entity("DOG"))
    >>> kbe.SampleGraph("own/val/1", visual=(depicts,), textual=(), key=(depicts,)).key[0].object.name
    'DOG'
    """

    sample: str
    visual: tuple[Triplet, ...]
    textual: tuple[Triplet, ...]
    key: tuple[Triplet, ...]
    answer: str = ""
    question: str = ""

    def __post_init__(self) -> None:
        inside = {(triplet.id, triplet.graph) for triplet in (*self.visual, *self.textual)}
        strangers = [triplet.id for triplet in self.key if (triplet.id, triplet.graph) not in inside]
        if strangers:
            raise InputError(f"{self.sample}: key triplets outside both graphs: {strangers!r}")
        if not any(triplet.graph == "visual" for triplet in self.key):
            raise InputError(f"{self.sample}: no visual triplet in the key subgraph")


@dataclass(frozen=True, slots=True)
class Extraction:
    """The record of how a sample's graph was extracted.

    ``by`` is annotations, or model with its name. ``parser`` is the sentence parser with its version (en_core_web_sm
    3.8.0), or WordNet. ``version`` is the version of this package. ``files`` are the annotation files with the SHA-256
    of their bytes. ``prompt`` holds the hashes of the model's prompts, followed by ``rationales`` if the prompts
    included the sample's rationales.
    """

    by: str = ""
    parser: str = ""
    version: str = ""
    files: tuple[tuple[str, str], ...] = ()
    prompt: str = ""

    @property
    def source(self) -> str:
        """The names of the files, or what else the graph was made from."""
        return ", ".join(sorted({name for name, _ in self.files})) or self.by or "an unknown source"


@dataclass(frozen=True, slots=True)
class Drop:
    """A sample without a graph, and the reason (``no visual triplet``)."""

    sample: str
    reason: str
    detail: str = ""
