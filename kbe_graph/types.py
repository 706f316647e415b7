"""The values that every room speaks in: frozen, slotted, with tuples inside."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol, get_args

from kbe_graph.errors import InputError
from kbe_graph.text import fold

Graph = Literal["visual", "textual"]
Kind = Literal["raw", "reselected", "explored"]
Status = Literal["kept", "dropped"]
Stage = Literal["fact", "question", "run"]
Progress = Callable[[str, int, int], None]  # is told the name of a stage, how much of it is done, and of how much

PRESUPPOSED = "presupposed"  # the source of a visual triplet that a question's words alone say is there
UNCONFIRMED = "no annotation confirms it"  # what its evidence says where nothing that is seen agrees
LAST_RESORT = "last resort: the most salient thing"  # what its path's evidence says then
RAW = "raw"  # the run that the benchmark's own questions belong to
_QUESTION_ID = re.compile(r"(.+)@[^@]+/\d+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Sample:
    """One static sample S0 = {image I0, question Q0, answer A0} (KBE, section 3.1).

    ``id`` is benchmark/split/source id; ``image`` the path or file name as the benchmark gives it; ``image_id`` the key
    that annotations are joined by (a COCO id without leading zeros, a GQA id, else the file name's stem); ``answer``
    the majority of ``answers``.

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


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: an object of the world (upper case), an attribute (lower case), or IMAGE.

    ``number`` tells apart objects of one name in one image; ``noun`` says whether a path may end here; ``concept`` is
    the id of the concept that the entity was linked to, if any (``wn30:02439033-n``).

    >>> kbe.Entity("DOG", number=2).label
    'DOG #2'
    """

    name: str
    number: int = 1
    noun: bool = field(default=True, compare=False)
    concept: str = field(default="", compare=False)

    @property
    def key(self) -> str:
        """The identity of the entity within its sample."""
        return fold(self.name) if self.number == 1 else f"{fold(self.name)}#{self.number}"

    @property
    def label(self) -> str:
        """The name to print: unique within the sample."""
        return self.name if self.number == 1 else f"{self.name} #{self.number}"


IMAGE = Entity("IMAGE", noun=False)


@dataclass(frozen=True, slots=True)
class Triplet:
    """A directed edge subject → object with its relation, and where it came from.

    ``source`` names the kind of source (``caption``, ``scene graph``, ``detection``, ``presupposed``, ``question``,
    a fact pack, a model), ``source_ref`` the place in it, ``evidence`` the words it was read from.

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


@dataclass(frozen=True, slots=True)
class SampleGraph:
    """G_M, G_T and K of one sample (KBE, section 3.1).

    ``visual`` and ``textual`` hold each triplet once; ``key`` is a subset of them in order from IMAGE to the answer,
    and holds a visual triplet. Raises InputError otherwise.

    >>> depicts = kbe.Triplet(kbe.Entity("IMAGE", noun=False), "depicts", kbe.Entity("DOG"))
    >>> kbe.SampleGraph("own/val/1", visual=(depicts,), textual=(), key=(depicts,)).key[0].object.name
    'DOG'
    """

    sample: str
    visual: tuple[Triplet, ...]
    textual: tuple[Triplet, ...]
    key: tuple[Triplet, ...]

    def __post_init__(self) -> None:
        inside = {(triplet.id, triplet.graph) for triplet in (*self.visual, *self.textual)}
        strangers = [triplet.id for triplet in self.key if (triplet.id, triplet.graph) not in inside]
        if strangers:
            raise InputError(f"{self.sample}: key triplets outside both graphs: {strangers!r}")
        if not any(triplet.graph == "visual" for triplet in self.key):
            raise InputError(f"{self.sample}: no visual triplet in the key subgraph")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the graph of a sample was extracted with.

    ``by`` is annotations, or model and its name; ``parser`` what read the sentences, with its version (en_core_web_sm
    3.8.0), or WordNet; ``version`` the version of this package; ``files`` are the annotation files, each by its name
    and the SHA-256 of its bytes; ``prompt`` are the prompts that a model was asked with, by hash, and ``rationales``
    where the sample's stood in them.
    """

    by: str = ""
    parser: str = ""
    version: str = ""
    files: tuple[tuple[str, str], ...] = ()
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class Drop:
    """A sample that did not get a graph, and why (``no visual triplet``)."""

    sample: str
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One row of knowledge: subject, relation, object, and the source that says so.

    Ids are concept ids (``wn30:01838598-n``, ``ncbi:9220``, ``iso3166:ITA``, ``element:Cu``, ``wd:Q144``); ``relation``
    is the name of a relation of the source's table; ``review`` is auto, reviewed or rejected; ``aliases`` are other
    right names of the object.

    >>> fact = kbe.Fact("wn30:02439033-n", "giraffe", "native continent", "x:Africa", "Africa", source="my table")
    >>> fact.triplet(kbe.Entity("GIRAFFE")).object.name
    'AFRICA'
    """

    subject_id: str
    subject: str
    relation: str
    object_id: str
    object: str
    source: str
    source_version: str = ""
    source_date: str = ""
    source_ref: str = ""
    evidence: str = ""
    licence: str = ""
    review: str = "auto"
    aliases: tuple[str, ...] = field(default=(), compare=False)

    def triplet(self, subject: Entity) -> Triplet:
        """Return the textual triplet that hangs this fact on an entity of a sample."""
        return Triplet(
            subject,
            self.relation,
            Entity(self.object.upper(), concept=self.object_id),
            "textual",
            self.source,
            self.source_ref,
            self.evidence,
        )


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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a check says of a candidate; ``reason`` is the counted name, ``detail`` the particulars.

    >>> kbe.Decision(keep=False, reason="generic", detail="animal").keep
    False
    """

    keep: bool
    reason: str = ""
    detail: str = ""


KEEP = Decision(keep=True)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A fact considered for the next hop of a question.

    ``called`` are the phrases that the first answer of the chain is called by, the plainest first, and ``pattern``
    names the rule that made them; ``text`` is the worded question. All three are empty until something is proposed.

    >>> question = work.questions(run="raw", sample="demo/demo/107438-vehicle")[0]
    >>> sample, key = work.samples()[0], question.key
    >>> graph = kbe.SampleGraph(question.sample, key[:1], key[1:], key)
    >>> fact = kbe.Fact("x:1", "bicycle", "maker", "x:2", "a firm", source="my table")
    >>> kbe.Candidate(sample, graph, question, fact).text
    ''
    """

    sample: Sample
    graph: SampleGraph
    question: Question
    fact: Fact
    text: str = ""
    called: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def from_raw(self) -> bool:
        """Whether the chain starts from the benchmark's own question."""
        return self.question.starts_from(self.graph.key)

    @property
    def relations(self) -> tuple[str, ...]:
        """The relations of the chain, one a hop, the candidate's own last."""
        return (*(triplet.relation for triplet in self.question.explored), self.fact.relation)


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


Variant = Literal[
    "image", "blind", "no-chain", "paraphrase", "options", "options-shuffled", "choice", "several", "fill", "true-false"
]
"""How a question was asked: as it is with its picture; without the picture; with it, the chain of the question taken
out; in other words; with the choices of its sample; with these in another order."""
VARIANTS: tuple[Variant, ...] = get_args(Variant)
Verdict = Literal["right", "wrong", ""]  # empty: not judged


class Vote(NamedTuple):
    """What one of several judges said."""

    judge: str
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model answered to a question, and what a judge said of that (KBE, section 4.1).

    ``question`` is the question's id; ``run`` the number of the asking, from 1; ``asked`` the text that was asked where
    it is not the question's own; ``tokens`` how many the model wrote, None where nobody counted. ``judge`` names who
    gave the ``verdict``; where several voted, ``votes`` say what each did.

    >>> kbe.Prediction("llava", "okvqa/val/1@seed-0/1", "a giraffe").variant
    'image'
    """

    model: str
    question: str
    text: str
    run: int = 1
    variant: Variant = "image"
    asked: str = ""
    tokens: int | None = None
    verdict: Verdict = ""
    judge: str = ""
    votes: tuple[Vote, ...] = ()

    @property
    def id(self) -> str:
        """The identity of the prediction: one a question, model, asking and variant."""
        return f"{self.question}|{self.model}|{self.run}|{self.variant}"


Form = Literal["open", "choice", "several", "fill", "true-false"]
"""How an answer is given: in own words, one of the options, all right ones of the options, in a gap, true or false."""
FORMS: tuple[Form, ...] = get_args(Form)


@dataclass(frozen=True, slots=True)
class QuestionForm:
    """A question in another form than open, with its own gold answer (MDK12-Bench, question types).

    ``question`` is the question's id; ``options`` are in the order in which they are shown, and empty where there are
    none; ``answers`` are the right ones: of ``options`` where there are any, "true" or "false", or what fills the gap,
    its other names after it. ``facts`` tells for each option, in their order, the fact that makes it right or wrong,
    with its source; it is empty where no such fact is asked for.

    >>> kbe.QuestionForm("own/val/1@raw/0", "choice", "Which?", ("dog", "cat"), ("cat",)).letters
    ('B',)
    """

    question: str
    form: Form
    text: str
    options: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    maker: str = "rule"
    facts: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The identity of the form: one of a kind a question."""
        return f"{self.question}#{self.form}"

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the right options, A for the first."""
        return tuple(chr(ord("A") + place) for place, option in enumerate(self.options) if option in self.answers)


class KnowledgeSource(Protocol):
    """Where facts come from."""

    async def candidates(self, sample: Sample, question: Question) -> Sequence[Fact]:
        """Return the facts whose subject is the current answer, rejected ones left out, in a stable order."""
