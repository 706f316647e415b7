"""A question about a picture on a page as a sample of a benchmark, with its graph, its raw question and its origin."""

from hashlib import sha256
from typing import NamedTuple

from kbe_graph.files.image import image_id
from kbe_graph.types import IMAGE, Entity, PagePicture, Question, Sample, SampleGraph, SampleOrigin, Triplet, WikiItem
from kbe_graph.wiki.made_question import MadeQuestion, question_of_sample

PAGE, WIKIDATA = "Wikipedia page", "Wikidata"
"""The sources of what a picture shows, and of what is stated of it."""
SPLIT = "all"
_LETTERS = 8  # of the hash that tells the pictures of one item apart


class WikiSample(NamedTuple):
    """A sample with all that the graph keeps of it."""

    sample: Sample
    graph: SampleGraph
    question: Question
    origin: SampleOrigin


def wiki_sample(
    made: MadeQuestion, picture: PagePicture, item: WikiItem, benchmark: str, number: int = 1, *, image: str = ""
) -> WikiSample:
    """Make a sample of a question.

    ``number`` is its place among the questions of a picture and a property; ``image`` is the name of the saved picture,
    empty where none was fetched.
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
    """Return the id of the sample of a question, made of its item, property, picture and number."""
    number_ = f"-{number}" if number > 1 else ""
    return f"{benchmark}/{SPLIT}/{made.item}-{made.statement.property_id}-{_own(made.picture)}{number_}"


def _own(picture: str) -> str:
    return sha256(picture.encode()).hexdigest()[:_LETTERS]


def key_of(made: MadeQuestion, item: WikiItem, picture: PagePicture) -> tuple[Triplet, Triplet]:
    """Return the key: the picture shows the item that its page is about, and the statement leads to the answer."""
    statement = made.statement
    shown = Entity(item.label.upper() or made.called.upper(), concept=f"wd:{item.id}")
    seen = Triplet(IMAGE, "depicts", shown, "visual", PAGE, picture.page or item.id, picture.caption)
    evidence = f"{item.id} {item.label}: {statement.relation} ({statement.property_id}): {statement.text}"
    answer = Entity(made.answer.upper(), concept=f"wd:{statement.target}") if statement.target else None
    literal = answer or Entity(made.answer.lower(), noun=False)
    return seen, Triplet(shown, statement.relation, literal, "textual", WIKIDATA, statement.id, evidence)
