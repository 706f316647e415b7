"""The review form of a question: its words, options and key path, and the chain before it."""

from collections.abc import Sequence

from kbe_graph.review.review_record import OPINIONS
from kbe_graph.review.sheet import ASKED, HELPS
from kbe_graph.review.state import ReviewedItem
from kbe_graph.study.item_form import FormChain, FormOption, FormPicture, FormQuestion, ItemForm, form_step
from kbe_graph.text import fold
from kbe_graph.types import Review


def review_form(
    item: ReviewedItem,
    chain: FormChain,
    *,
    pictures: Sequence[FormPicture] = (),
    missing: str = "",
    own: Review | None = None,
    pick: str = "",
    blind: bool = False,
    signs: Sequence[str] = (),
) -> ItemForm:
    """Build the form of a question; ``chain`` holds the questions that lead to it.

    ``own`` is the reviewer's decision so far, ``pick`` the answer given before the key was shown, and ``signs`` are the
    reasons for doubt.
    """
    question = item.question
    path = tuple(map(form_step, question.key))
    asked = FormQuestion(chain.words, question.answer, question.aliases, _options(item, own), path)
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
        remark=("reason", "Reason, in your own words"),
        chain=chain,
        helps=HELPS,
        decided=own is not None,
        signs=signs,
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
