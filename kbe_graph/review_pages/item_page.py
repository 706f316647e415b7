"""The page of a question to be reviewed: its picture, words, key path, and all that is asked of it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from kbe_graph.report.question_story import QuestionStory, question_stories
from kbe_graph.review.state import ReviewedItem, first_version
from kbe_graph.review_pages.given_verdict import OPINIONS
from kbe_graph.review_pages.listing import Listing
from kbe_graph.review_pages.review_queue import ReviewQueue
from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import CRITERIA, RAW, Question, Review

CRITERIA_WORDS: Mapping[str, str] = {
    "factual": "The answer is right, and what the question says is true",
    "consistent": "Picture and text agree",
    "knowledge": "It takes knowledge that the picture does not show",
    "path": "Each step of the key path is right and sensible",
    "one": "There is one right answer, its other names listed",
    "image": "One must see the picture to answer",
    "worth": "It is worth asking",
}
"""Each criterion as reviewers read it; yes is always the good answer."""
assert tuple(CRITERIA_WORDS) == CRITERIA  # noqa: S101 - the page asks what a decision holds, in its order


class ShownOption(NamedTuple):
    """An option as it is shown: its letter, whether it is the right one, and the reviewer's flag."""

    letter: str
    text: str
    right: bool
    flag: str = ""


def item_values(queue: ReviewQueue, id_: str, reviewer: str, listing: Listing, seconds: float = 0) -> dict[str, Any]:
    """Return the values of a question's page, and note that the reviewer has it open; raises InputError."""
    queue.claim(queue.card(id_).id, reviewer)
    item, own, pick = queue.item(id_), queue.own(id_, reviewer), queue.pick(id_, reviewer)
    blind = queue.hides_key(id_, reviewer)
    ids = [card.id for card in queue.listed(listing)]
    place = ids.index(id_) if id_ in ids else -1
    with queue.work() as work:
        sample = work.store.samples(ids=[item.question.sample])[0]
        chain = _chain(work.store, item.question)
    pictures = len(queue.folders.find_all(sample.images, sample.image_id))
    options = _options(item, own)
    return {
        "title": item.question.text,
        "page": "item-page",
        "item": queue.card(id_),
        "version": item.version,
        "seconds": seconds,
        "question": item.question,
        "story": chain[-1],
        "earlier": [] if blind else chain[:-1],
        "new": {triplet.id for triplet in chain[-1].new} if len(chain) > 1 else set(),
        "lines": [] if blind else [*_lines(chain[-1])],
        "options": options,
        "pick": pick or "",
        "pick_is_option": pick in {option.text for option in options},
        "own": own,
        "own_criteria": dict(own.criteria) if own else {},
        "criteria": CRITERIA_WORDS,
        "opinions": OPINIONS,
        "state": queue.card(id_).state,
        "broken": queue.card(id_).state == "rejected" and not queue.state(id_).counted,
        "signs": queue.card(id_).signs,
        "blind": blind,
        "pictures": range(pictures),
        "image_names": ", ".join(filter(None, sample.images)) or "of this sample",
        "place": place + 1 if place >= 0 else "not on this list, which has",
        "total": len(ids),
        "previous": ids[place - 1] if place > 0 else None,
        "following": ids[place + 1] if place + 1 < len(ids) else None,
    }


def _chain(store: Store, question: Question) -> list[QuestionStory]:
    """Return the stories of the questions that lead to one, itself last."""
    asked = store.questions(samples=[question.sample])
    earlier = [each for each in asked if each.run in {RAW, question.run} and each.hop < question.hop]
    if question.run != RAW and not question.hop:
        earlier = [each for each in asked if each.run == RAW]
    chain = [*sorted(earlier, key=lambda each: (each.run != RAW, each.hop)), question]
    first = first_version(question.id)
    inspections = [each for each in store.inspections(sample=question.sample) if each.question == first]
    guesses = [each for each in store.guesses(sample=question.sample) if each.question == first]
    own = {question.id: store.alternatives([first]).get(first, ())}  # said of the first version
    stories = list(question_stories(chain, alternatives=own))
    return [*stories[:-1], replace(stories[-1], inspections=tuple(inspections), guesses=tuple(guesses))]


def _lines(story: QuestionStory) -> Iterator[str]:
    yield from story.verdicts
    yield from story.guess_lines
    yield from story.alternative_lines


def _options(item: ReviewedItem, own: Review | None) -> list[ShownOption]:
    flags = dict(own.options) if own else {}
    return [
        ShownOption(_letter(place), text, fold(text) == fold(item.question.answer), flags.get(text, ""))
        for place, text in enumerate(item.options)
    ]


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else str(place + 1)
