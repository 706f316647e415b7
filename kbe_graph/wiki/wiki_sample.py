"""A question made from a statement about a picture, and the sample, graph and origin that are stored of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from kbe_graph.files.image import image_id
from kbe_graph.forms.form_case import AnswerOption
from kbe_graph.types import (
    IMAGE,
    RAW,
    Entity,
    PagePicture,
    Provenance,
    Question,
    Sample,
    SampleGraph,
    SampleOrigin,
    Triplet,
    WikiItem,
    WikiStatement,
    question_id,
)

PAGE, WIKIDATA = "Wikipedia page", "Wikidata"
"""Sources of the visual and the textual triplet."""
SPLIT = "all"


class Described(NamedTuple):
    """A picture with its item and all statements about it, including refused ones."""

    picture: PagePicture
    item: WikiItem
    statements: Sequence[WikiStatement]


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question about a picture's content, with its answer and the statement behind it.

    ``picture`` is the picture's id, ``called`` the kind by which the question refers to the item. ``wrong`` are sound
    wrong options; ``choice_only`` means that several answers are right unless options are given. ``choices`` are four
    options in display order, including the answer, or none for an open question. ``maker`` is ``rule`` or a model's
    name, ``prompt`` the hash of its prompt and ``calls`` the hashes of its calls.
    """

    picture: str
    item: str
    text: str
    answer: str
    statement: WikiStatement
    called: str
    aliases: tuple[str, ...] = ()
    wrong: tuple[AnswerOption, ...] = ()
    choice_only: bool = False
    choices: tuple[str, ...] = ()
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()

    @property
    def seed(self) -> str:
        """The seed of all random draws for the question: its picture and statement."""
        return f"{self.picture}|{self.statement.id}"


class WikiSample(NamedTuple):
    """A sample with everything that the graph stores about it."""

    sample: Sample
    graph: SampleGraph
    question: Question
    origin: SampleOrigin


def wiki_sample(
    made: MadeQuestion, picture: PagePicture, item: WikiItem, benchmark: str, image: str = ""
) -> WikiSample:
    """Build the sample of a question; ``image`` is the file name of the saved picture, empty if it was not fetched."""
    name, statement = sample_id(made, benchmark), made.statement
    sample = Sample(
        id=name,
        benchmark=benchmark,
        split=SPLIT,
        question=made.text,
        answer=made.answer,
        answers=(made.answer,),
        image=image,
        image_id=image_id(image) if image else _short(made.picture),
        choices=made.choices,
        fact=(item.label, statement.relation, made.answer),
    )
    key = _key(made, item, picture)
    origin = SampleOrigin(name, made.picture, made.item, (statement.id,), made.maker, made.prompt, made.calls)
    return WikiSample(sample, SampleGraph(name, key[:1], key[1:], key), question_of_sample(made, name, key), origin)


def sample_id(made: MadeQuestion, benchmark: str) -> str:
    """Build a sample's id from the question's item, property and picture."""
    return f"{benchmark}/{SPLIT}/{made.item}-{made.statement.property_id}-{_short(made.picture)}"


def _short(picture: str) -> str:
    return sha256(picture.encode()).hexdigest()[:8]


def _key(made: MadeQuestion, item: WikiItem, picture: PagePicture) -> tuple[Triplet, Triplet]:
    """Build the key path: the picture depicts the page's item, and the statement leads to the answer."""
    statement = made.statement
    shown = Entity(item.label.upper() or made.called.upper(), concept=f"wd:{item.id}")
    seen = Triplet(IMAGE, "depicts", shown, "visual", PAGE, picture.page or item.id, picture.caption)
    evidence = f"{item.id} {item.label}: {statement.relation} ({statement.property_id}): {statement.text}"
    answer = Entity(made.answer.lower(), noun=False)
    if statement.target:
        answer = Entity(made.answer.upper(), concept=f"wd:{statement.target}")
    return seen, Triplet(shown, statement.relation, answer, "textual", WIKIDATA, statement.id, evidence)


def question_of_sample(made: MadeQuestion, sample: str, key: tuple[Triplet, ...] = ()) -> Question:
    """Convert a made question to the raw question of a sample; the blind test does not need ``key``."""
    return Question(
        question_id(sample, RAW, 0), sample, RAW, 0, "raw", made.text, made.answer, key, made.aliases,
        f"wd:{made.statement.target}" if made.statement.target else "",
        provenance=Provenance(made.maker, pattern=made.statement.property_id, prompt=made.prompt, calls=made.calls),
    )  # fmt: skip
