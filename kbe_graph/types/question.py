"""Questions of runs, their forms and provenance, and the predictions and verdicts on them."""

import hashlib
import heapq
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, get_args

from kbe_graph.brief import brief
from kbe_graph.text import fold
from kbe_graph.types.graph import Entity, Sample, Triplet

Kind = Literal["raw", "reselected", "explored", "twin"]
Status = Literal["kept", "dropped", "loaded", "revised"]
VariantStatus = Literal["kept", "refused", "rejected"]

RAW = "raw"  # the run of the benchmark's questions
EXPLORING = "exploring"  # the state of a run that `adapt` explores further, until it is done
TWIN: Kind = "twin"  # the words of a question, asked about another picture
_QUESTION_ID = re.compile(r"(.+)@[^@]+/\d+(?:t[0-9a-f]{8})?(?:\.\d+)?", re.DOTALL)  # .1: a reviewer's version


@dataclass(frozen=True, slots=True)
class Provenance:
    """The origin of a question: rule or model, wording pattern and seed; prompt and calls if a model wrote it."""

    maker: str
    seed: int = 0
    pattern: str = ""
    prompt: str = ""
    calls: tuple[str, ...] = ()


def seed_of(*parts: object) -> int:
    """Derive a seed in 0 ... 2**64 - 1 that depends only on the parts (run seed, sample, hop)."""
    return int.from_bytes(hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()[:8], "big")


def draw_ids(ids: Iterable[str], number: int, seed: int) -> list[str]:
    """Draw ``number`` of the ids, sorted, whatever their order; a larger number only adds to them.

    >>> draw_ids("abcdef", 2, 0), draw_ids("fedcba", 3, 0)
    (['a', 'c'], ['a', 'c', 'f'])
    """
    return sorted(heapq.nsmallest(number, ids, key=lambda id_: seed_of("sample", seed, id_)))


def question_id(sample: str, run: str, hop: int) -> str:
    """Build the id of a sample's question in a run at a hop."""
    return f"{sample}@{run}/{hop}"


def twin_id(sample: str, question: "Question") -> str:
    """Build the id of the twin that a question has on another sample."""
    return f"{question_id(sample, question.run, question.hop)}t{seed_of('twin', question.id) >> 32:08x}"


def sample_of_question(id_: str) -> str:
    """Extract the sample id from a question id; a sample id is returned unchanged."""
    match = _QUESTION_ID.fullmatch(id_)
    return match[1] if match else id_


@brief("id hop text answer status reason")
@dataclass(frozen=True, slots=True)
class Question:
    """A question of a run at a hop, with the key subgraph that leads to its answer, in order from IMAGE.

    ``id`` is made by ``question_id``. ``concept`` is the id of the concept of the answer, if known. ``status`` is kept
    or dropped, with ``reason``. A ``twin`` asks the words of its ``parent`` about another picture, where the answer
    differs; its hop and shape are those of the parent. A question with the words of another that was made on its own,
    too, is ``paired`` with that (its id). A raw question is ``loaded`` if its sample has no graph and so no key. A
    version that a reviewer made is ``revised``; its ``parent`` is the original question.

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
    shape: str = ""
    paired: str = ""

    @property
    def twin_of(self) -> str:
        """The id of the question whose words it asks about another picture; empty if there is none."""
        return self.parent if self.kind == TWIN else self.paired

    @property
    def difficulty(self) -> int:
        """The number of key edges, |E_K| (KBE, section 3.1)."""
        return len(self.key)

    @property
    def end(self) -> Entity:
        """The node of the answer: the last of the key with its name, otherwise the object of the last triplet."""
        ends = (end for triplet in reversed(self.key) for end in (triplet.object, triplet.subject))
        return next((end for end in ends if fold(end.name) == fold(self.answer)), self.key[-1].object)

    @property
    def start(self) -> Entity:
        """The node of the first answer, from which the chain starts; equal to ``end`` if nothing was explored."""
        return self.explored[0].subject if self.explored else self.end

    @property
    def root(self) -> tuple[Triplet, ...]:
        """The part of the key from which the chain started: the key of the raw or the re-selected question."""
        return self.key[: len(self.key) - self.hop]

    def starts_from(self, key: Sequence[Triplet]) -> bool:
        """Return True if the chain starts from this key, which is that of the raw or of a re-selected question."""
        return [triplet.id for triplet in self.root] == [triplet.id for triplet in key]

    @property
    def explored(self) -> tuple[Triplet, ...]:
        """The triplets that the hops added to the key, one per hop."""
        return self.key[len(self.key) - self.hop :]


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A named run: its seed, and the settings (name and value as text) that affect its outcome.

    ``state`` is complete, running (or interrupted), exploring, or failed.
    """

    name: str
    seed: int
    settings: tuple[tuple[str, str], ...] = ()
    state: str = field(default="complete", compare=False)


VERDICTS = ("fact", "grammar", "no_leak", "path", "one_answer", "image_needed", "publish")
"""The yes-or-no verdicts of a second model on a question; ``prompts/inspect.md`` defines them."""


@dataclass(frozen=True, slots=True)
class Inspection:
    """A second model's verdicts on the wording of a question (KBE, quality verification).

    ``yes`` holds those of ``VERDICTS`` that it answered with yes; ``prompt`` and ``call`` identify the request.
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


@dataclass(frozen=True, slots=True)
class Guess:
    """A model's answer to a question without its image.

    ``text`` and ``answer`` are the question and its right answer, ``guess`` is the reply. ``right`` says whether one of
    the tries (``guess_tries``) was right. ``prompt`` and ``call`` identify the request.
    """

    text: str
    answer: str
    guess: str
    right: bool
    model: str = ""
    prompt: str = ""
    call: str = ""


class Alternative(NamedTuple):
    """Another entity that the image could have shown under the question's words, and the answer in that case.

    ``root`` replaces the first answer (``Question.start``); ``answer`` is empty if the last relation does not apply to
    it.
    """

    root: str
    answer: str


OtherForm = Literal["choice", "several", "fill", "true-false"]
Form = Literal["open", OtherForm]
"""The form of an answer: free text, one option, all right options, the words for a gap, true or false."""
FORMS: tuple[Form, ...] = get_args(Form)
ImagesAs = Literal["", "copy", "link", "embed", "none"]
"""The images in an export: copied, linked, embedded, or none (only their names). Empty: the format's usual mode."""


def form_id(question: str, form: str) -> str:
    """Build the id of a question's form."""
    return f"{question}#{form}"


@brief()
@dataclass(frozen=True, slots=True)
class QuestionForm:
    """A question in a form other than open, with its own gold answer (MDK12-Bench, question types).

    ``question`` is the id of the question. ``options`` are in the order in which they are shown, and empty for a form
    without options. ``answers`` are the right answers: some of the ``options``, or "true" or "false", or the words that
    fill the gap, followed by other names for them. ``facts`` gives for each option, in the same order, the fact that
    makes it right or wrong, with its source. It is empty if the form needs no such facts.

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
        """The id of the form; a question has one form of each kind."""
        return form_id(self.question, self.form)

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the right options, starting with A."""
        return tuple(chr(ord("A") + place) for place, option in enumerate(self.options) if option in self.answers)


@brief()
@dataclass(frozen=True, slots=True)
class QuestionVariant:
    """A question with a perturbed picture or wording and the same answer (MDK12-Bench, Dynamic-K; VLB).

    ``question`` is the id of the question. ``operation`` is the name of an operation, of several joined by ``+``, or of
    a method of the papers; ``seed`` is its seed. ``recipe`` lists the steps as JSON, from which the variant can be made
    again. ``text`` is the question as it is asked. ``image`` is the file name of the picture, a hash of its bytes, or
    empty if the picture is unchanged. ``status`` is kept, refused (the question does not allow the operation) or
    rejected (a check or the judge refused the variant), with ``reason``.

    >>> QuestionVariant("own/val/1@raw/0", "pad", 0, text="What animal is this?").id
    'own/val/1@raw/0~pad~0'
    """

    question: str
    operation: str
    seed: int
    recipe: str = "[]"
    text: str = ""
    image: str = ""
    status: VariantStatus = "kept"
    reason: str = ""

    @property
    def id(self) -> str:
        """The id of the variant; there is one per question, operation and seed."""
        return f"{self.question}~{self.operation}~{self.seed}"

    def with_picture_of(self, sample: Sample) -> Sample:
        """Return the sample with the picture of the variant."""
        return replace(sample, image=self.image, image_id="") if self.image else sample

    @property
    def run(self) -> int:
        """The run number under which its answer is stored: seed 0 is run 1."""
        return self.seed + 1


PlainVariant = Literal["image", "blind", "paraphrase", "options", "options-shuffled", "circular", "links", OtherForm]
"""How a question was asked: with its image; without it; paraphrased; with the sample's choices; with the choices
shuffled; with each rotation of them, one per run; each edge of its key, one per run; in another form than open."""
VARIANTS: tuple[PlainVariant, ...] = get_args(PlainVariant)
CONTROL = "re-encode"
"""The operation that changes nothing but the encoding of a picture."""
WITH_OPTIONS = ("options", "options-shuffled", "circular")
"""The variants that offer the sample's choices."""
LINKS = "links"
"""The variant that asks each edge of a question's key by itself."""
Variant = str
"""One of ``VARIANTS``, or the operation that perturbed a question (``QuestionVariant``), with one run per seed."""
Verdict = Literal["right", "wrong", ""]  # empty: not judged


MAJORITY = "majority of "  # the prefix of the name of several voting judges


class Vote(NamedTuple):
    """A judge's vote on an answer."""

    judge: str
    verdict: Verdict


@brief("model question text variant verdict judge")
@dataclass(frozen=True, slots=True)
class Prediction:
    """The answer of a model to a question, and the verdicts of judges on it (KBE, section 4.1).

    ``question`` is the id of the question. ``run`` counts the answers to the same question, from 1. ``asked`` is the
    text that was asked, if it differs from the question. ``tokens`` is the number of tokens that the model wrote, or
    None if unknown. ``judge`` gave the last ``verdict``; ``other_verdicts`` are those of other judges, one per judge.
    If several judges voted, ``votes`` lists the votes. ``text`` is the answer that the rule ``read_by`` read out of the
    ``reply``, which is stored only if it differs. No answer was read if ``read_by`` is ``empty``, ``unread``,
    ``refused`` or ``cut`` (the reply reached its longest length).

    >>> prediction = kbe.Prediction("llava", "okvqa/val/1@seed-0/1", "a giraffe", verdict="right", judge="alias")
    >>> [vote.judge for vote in prediction.with_verdict("gpt", "wrong").verdicts]
    ['alias', 'gpt']
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
    reply: str = ""
    read_by: str = ""
    other_verdicts: tuple[Vote, ...] = ()

    @property
    def verdicts(self) -> tuple[Vote, ...]:
        """The verdicts of all judges, one per judge, by name."""
        last = (Vote(self.judge, self.verdict),) if self.verdict else ()
        return tuple(sorted((*last, *self.other_verdicts)))

    def verdict_of(self, judge: str) -> Verdict:
        """Return the verdict of a judge; empty if it gave none."""
        return next((vote.verdict for vote in self.verdicts if vote.judge == judge), "")

    def with_verdict(self, judge: str, verdict: Verdict, votes: Sequence[Vote] = ()) -> "Prediction":
        """Return the prediction with a new verdict of a judge in place of its earlier one. Other judges' verdicts stay.

        An empty ``verdict`` removes the earlier one. ``votes`` are the votes that it was counted from.
        """
        others = [vote for vote in self.verdicts if vote.judge != judge]
        if not verdict:
            judge, verdict = others.pop() if others else Vote("", "")
        votes_by_judge = {vote.judge: vote for vote in (*self.votes, *votes)}
        return replace(
            self,
            verdict=verdict,
            judge=judge,
            votes=tuple(votes_by_judge.values()),
            other_verdicts=tuple(others),
        )

    @property
    def unjudged(self) -> "Prediction":
        """The prediction without verdicts and votes."""
        return replace(self, verdict="", judge="", votes=(), other_verdicts=())

    @property
    def whole_reply(self) -> str:
        """The complete reply, including any reasoning."""
        return self.reply or self.text

    @property
    def id(self) -> str:
        """The id of the prediction; there is one per question, model, run and variant."""
        return f"{self.question}|{self.model}|{self.run}|{self.variant}"


ReviewVerdict = Literal["approve", "reject", "revise", "undo", "rate"]
OPINIONS = ("yes", "no", "unsure")
OPTION_FLAGS = ("also right", "implausible")
CRITERIA = ("factual", "consistent", "knowledge", "path", "one", "image", "worth")
"""The review criteria. From WikiVQABench: the question is factual, consistent with the image, and needs knowledge.
Added here: each step of the path is right, there is one right answer, the image is needed, and the question is worth
asking."""


@brief("question reviewer verdict reason criteria time")
@dataclass(frozen=True, slots=True)
class Review:
    """A reviewer's decision on a question; decisions never change, and a reviewer's last one counts.

    ``id`` is the question's id, the reviewer and the number of that reviewer's decision on it from 0, separated by
    bars. ``version`` is the hash of the reviewed content: text, answer, aliases, options and key. ``time`` is the time
    of the decision (ISO 8601, UTC), and ``seconds`` how long the reviewer took. ``undo`` revokes the previous decision;
    ``rate`` is a rating in a study, whose item is the ``version`` and whose answers are the ``criteria``.
    ``criteria`` are the opinions by name (``CRITERIA``), ``options`` the flags of wrong options, and ``pick`` the
    reviewer's answer before the key was shown. ``wrong_facts`` are the ids of triplets reported as wrong. ``before``
    and ``after`` are the question's fields as JSON, ``after`` only for a revision.
    """

    id: str
    question: str
    version: str
    reviewer: str
    time: str
    seconds: float
    verdict: ReviewVerdict
    criteria: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    options: tuple[tuple[str, str], ...] = ()
    pick: str = ""
    wrong_facts: tuple[str, ...] = ()
    before: str = ""
    after: str = ""

    @property
    def number(self) -> int:
        """The number of the decision among those of its reviewer: their order in this graph."""
        number = self.id.rpartition("|")[2]
        return int(number) if number.isdecimal() else 0
