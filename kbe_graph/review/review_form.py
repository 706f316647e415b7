"""The form of a question to be reviewed: its words, options and key path, and the chain before it."""

from collections.abc import Sequence
from dataclasses import replace

from kbe_graph.report.question_story import QuestionStory, question_stories
from kbe_graph.review.review_record import OPINIONS
from kbe_graph.review.sheet import ASKED
from kbe_graph.review.state import ReviewedItem, first_version
from kbe_graph.store import Store
from kbe_graph.study.item_form import FormOption, FormPicture, FormQuestion, ItemForm, form_step
from kbe_graph.text import fold
from kbe_graph.types import RAW, Question, Review


def review_form(
    item: ReviewedItem,
    chain: Sequence[QuestionStory],
    *,
    pictures: Sequence[FormPicture] = (),
    missing: str = "",
    own: Review | None = None,
    pick: str = "",
    blind: bool = False,
    open_lines: bool = False,
) -> ItemForm:
    """Return the form of a question; ``chain`` are the stories that lead to it, itself last.

    ``own`` is what the reviewer has decided, ``pick`` the answer given before the key was shown.
    """
    question, story = item.question, chain[-1]
    path = tuple(map(form_step, question.key))
    asked = FormQuestion(story.words, question.answer, question.aliases, _options(item, own), path)
    return ItemForm(
        question.id,
        (asked,),
        ASKED,
        OPINIONS,
        pictures,
        missing or "of this sample",
        item.version,
        decides=True,
        blind=blind,
        pick=pick,
        remark=("reason", "Reason, in your words"),
        new=frozenset(triplet.id for triplet in story.new) if len(chain) > 1 else frozenset(),
        earlier=[(each.row, each.question.text, each.question.answer) for each in chain[:-1]],
        lines=[*story.verdicts, *story.guess_lines, *story.alternative_lines],
        open_lines=open_lines,
        opinions=dict(own.criteria) if own else {},
        reason=own.reason if own else "",
    )


def _options(item: ReviewedItem, own: Review | None) -> list[FormOption]:
    flags = dict(own.options) if own else {}
    return [
        FormOption(_letter(place), text, fold(text) == fold(item.question.answer), flags.get(text, ""))
        for place, text in enumerate(item.options)
    ]


def _letter(place: int) -> str:
    return chr(ord("A") + place) if place < 26 else str(place + 1)


def question_chain(store: Store, question: Question) -> list[QuestionStory]:
    """Return the stories of the questions that lead to one, itself last, with what models said of its first version."""
    asked = store.questions(samples=[question.sample])
    earlier = [each for each in asked if each.run in {RAW, question.run} and each.hop < question.hop]
    if question.run != RAW and not question.hop:
        earlier = [each for each in asked if each.run == RAW]
    chain = [*sorted(earlier, key=lambda each: (each.run != RAW, each.hop)), question]
    first = first_version(question.id)
    inspections = [each for each in store.inspections(sample=question.sample) if each.question == first]
    guesses = [each for each in store.guesses(sample=question.sample) if each.question == first]
    own = {question.id: store.alternatives([first]).get(first, ())}
    stories = list(question_stories(chain, alternatives=own))
    return [*stories[:-1], replace(stories[-1], inspections=tuple(inspections), guesses=tuple(guesses))]
