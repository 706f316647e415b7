"""How long the pages of ``kbe review`` take, on made-up questions and the embedded engine.

    python bench/review.py [--questions 10000] [--asked 60]

Prints one line of JSON: seconds to set the review up, and the 50th and 95th percentile in milliseconds of the gallery
(other filters each time), the page of a question, and a decision until the next question is there, HTML included.
"""

import argparse
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

from explore import percentiles
from load import load
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send

from kbe_graph import Workspace
from kbe_graph.files.image import ImageFolders
from kbe_graph.review.review_pages import review_app
from kbe_graph.review.review_queue import ReviewQueue, ReviewScope
from kbe_graph.store.nodes import Evolved
from kbe_graph.types import Entity, Question, RunRecord, Triplet, question_id
from kbe_graph.web.access import GUEST
from kbe_graph.web.pages import page_link
from kbe_graph.workspace.review import question_chain

RUN = "made-up"
FIELDS = ("id", "version")


def as_reviewer(app: Starlette) -> ASGIApp:
    """Return the pages as a reviewer reaches them who was let in."""

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, GUEST: "ann"}, receive, send)

    return door


def questions(work: Workspace, number: int) -> Iterator[Question]:
    """Give a question of one hop for each of so many samples."""
    for place, raw in enumerate(work.questions(run="raw")):
        if place == number:
            return
        fact = Triplet(raw.end, f"relation {place % 40}", Entity(f"VALUE {place % 900}"), "textual", "made up")
        yield replace(
            raw,
            id=question_id(raw.sample, RUN, 1),
            run=RUN,
            hop=1,
            kind="explored",
            text=f"Which {fact.relation} does it have, number {place}?",
            answer=fact.object.name.lower(),
            key=(*raw.key, fact),
            parent=raw.id,
        )


def decide(client: TestClient, seen: Callable[[], str]) -> int:
    """Approve the question that is shown; return the status."""
    page = seen()
    fields = {name: re.search(rf'name="{name}" value="([^"]*)"', page)[1] for name in FIELDS}  # type: ignore[index]
    content = urlencode(fields | {"verdict": "approve", "seconds": "5"})
    return client.post("/decide", content=content).status_code


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=10_000)
    parser.add_argument("--asked", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder), progress=False) as work:
        load(work.store, arguments.questions)
        work.store.save_run(RunRecord(RUN, 0))
        work.store.save_questions([Evolved(question) for question in questions(work, arguments.questions)])
        begin = time.perf_counter()
        queue = ReviewQueue(
            work.review.desk, ReviewScope(RUN, RUN, reviewers=("ann",)), ImageFolders(()), question_chain
        )
        figures = {"questions": len(queue.cards), "set_up_seconds": round(time.perf_counter() - begin, 1)}
        client = TestClient(as_reviewer(review_app(queue)))
        ids = list(queue.cards)
        step = max(1, len(ids) // arguments.asked)
        pages = {
            "gallery": [
                page_link("", state="open" if place % 2 else None, from_=place * 60) for place in range(arguments.asked)
            ],
            "question": [page_link("item", id=id_) for id_ in ids[::step]],
        }
        measured = {
            page: percentiles(lambda address: client.get(address).status_code, addresses)
            for page, addresses in pages.items()
        }
        shown = [client.get(page_link("item", id=id_)).text for id_ in ids[1::step]]
        measured["decision"] = percentiles(lambda page: decide(client, lambda: page), shown)
    print(json.dumps({**figures, **measured}))


if __name__ == "__main__":
    main()
