"""Conversion of a question about a page's picture to a sample with its graph, raw question and origin."""

from hashlib import sha256
from typing import NamedTuple

from kbe_graph.files.image import image_id
from kbe_graph.types import IMAGE, Entity, PagePicture, Question, Sample, SampleGraph, SampleOrigin, Triplet, WikiItem
from kbe_graph.wiki.made_question import MadeQuestion, question_of_sample

PAGE, WIKIDATA = "Wikipedia page", "Wikidata"
"""Sources of the visual and the textual triplet."""
SPLIT = "all"
_LETTERS = 8  # of the hash that distinguishes the pictures of an item


class WikiSample(NamedTuple):
    """A sample with everything that the graph stores about it."""

    sample: Sample
    graph: SampleGraph
    question: Question
    origin: SampleOrigin


def wiki_sample(
    made: MadeQuestion, picture: PagePicture, item: WikiItem, benchmark: str, number: int = 1, *, image: str = ""
) -> WikiSample:
    """Build the sample of a question.

    ``number`` is its position among the questions of the same picture and property; ``image`` is the file name of the
    saved picture, empty if it was not fetched.
    """
    name = sample_id(made, benchmark, number)
    sample = Sample(
        id=name,
        benchmark=benchmark,
        split=SPLIT,
        question=made.text,
        answer=made.answer,
        answers=(made.answer,),
        image=image,
        image_id=image_id(image) if image else _own(made.picture),
        choices=made.choices,
        fact=(item.label, made.statement.relation, made.answer),
    )
    key = key_of(made, item, picture)
    question = question_of_sample(made, name, key)
    return WikiSample(sample, SampleGraph(name, key[:1], key[1:], key), question, made.origin(name))


def sample_id(made: MadeQuestion, benchmark: str, number: int = 1) -> str:
    """Build a sample's id from the question's item, property, picture and number."""
    number_ = f"-{number}" if number > 1 else ""
    return f"{benchmark}/{SPLIT}/{made.item}-{made.statement.property_id}-{_own(made.picture)}{number_}"


def _own(picture: str) -> str:
    return sha256(picture.encode()).hexdigest()[:_LETTERS]


def key_of(made: MadeQuestion, item: WikiItem, picture: PagePicture) -> tuple[Triplet, Triplet]:
    """Build the key path: the picture depicts the page's item, and the statement leads to the answer."""
    statement = made.statement
    shown = Entity(item.label.upper() or made.called.upper(), concept=f"wd:{item.id}")
    seen = Triplet(IMAGE, "depicts", shown, "visual", PAGE, picture.page or item.id, picture.caption)
    evidence = f"{item.id} {item.label}: {statement.relation} ({statement.property_id}): {statement.text}"
    answer = Entity(made.answer.upper(), concept=f"wd:{statement.target}") if statement.target else None
    literal = answer or Entity(made.answer.lower(), noun=False)
    return seen, Triplet(shown, statement.relation, literal, "textual", WIKIDATA, statement.id, evidence)
