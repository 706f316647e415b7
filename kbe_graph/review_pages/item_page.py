"""The page of a question under review: its form, and its position in the list."""

from typing import Any

from kbe_graph.review.review_form import review_form
from kbe_graph.review_pages.listing import Listing
from kbe_graph.review_pages.review_queue import ReviewQueue
from kbe_graph.show.question_story import question_chain
from kbe_graph.study.item_form import FormPicture
from kbe_graph.web.pages import page_link


def item_values(queue: ReviewQueue, id_: str, reviewer: str, listing: Listing) -> dict[str, Any]:
    """Collect the values of a question's page, and claim the question for the reviewer; raises InputError."""
    card = queue.card(id_)
    queue.claim(card.id, reviewer)
    item, own = queue.item(id_), queue.own(id_, reviewer)
    ids = [each.id for each in queue.listed(listing)]
    place = ids.index(id_) if id_ in ids else -1
    with queue.work() as work:
        sample = work.store.samples(ids=[item.question.sample])[0]
        chain = question_chain(work.store, item.question)
    form = review_form(
        item,
        chain,
        pictures=_pictures(sample.id, len(queue.folders.find_all(sample.images, sample.image_id))),
        missing=", ".join(filter(None, sample.images)),
        own=own,
        pick=queue.pick(id_, reviewer) or "",
        blind=queue.hides_key(id_, reviewer),
        signs=card.signs,
    )
    return {
        "title": item.question.text,
        "page": "item-page",
        "item": card,
        "form": form,
        "own": own,
        "state": card.state,
        "broken": card.state == "rejected" and not queue.state(id_).counted,
        "can_undo": queue.last_of(reviewer) is not None,
        "place": place + 1,
        "total": len(ids),
        "previous": _link(ids[place - 1], listing) if place > 0 else "",
        "following": _link(ids[place + 1], listing) if place + 1 < len(ids) else "",
    }


def _link(id_: str, listing: Listing) -> str:
    return page_link("item", id=id_, **listing.values)


def _pictures(sample: str, number: int) -> list[FormPicture]:
    places = [None, *range(1, number)][:number]
    return [
        FormPicture(
            page_link("picture", sample=sample, size="page", number=place),
            page_link("picture", sample=sample, number=place),
        )
        for place in places
    ]
