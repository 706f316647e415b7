"""The page of a sample: its picture, its chain of questions, its graph, and the answers of models."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from mimetypes import guess_type
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.explorer.drawing import PlacedTriplet, draw_triplets, triplets_by_hop
from kbe_graph.explorer.explorer import Explorer, Given, PageView, number_of
from kbe_graph.report.question_story import JudgedAnswer
from kbe_graph.types import RAW, Question
from kbe_graph.workspace.workspace import Workspace


def sample_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the sample ``id`` (or of a question's), with the questions of ``run`` or of its last run.

    Raises InputError for an unknown sample or run.
    """
    with explorer.work() as work:
        story = work.sample(given.get("id", ""), run=given.get("run") or None)
        id_ = story.sample.id
        runs = sorted({question.run for question in story.questions if question.run != RAW})
        run = given.get("run") or (runs[-1] if runs else None)
        asked = [question for question in story.questions if question.run in {RAW, run}]
        own = [place.triplet for place in work.graph.triplets(id_)] if any(asked) else []
        answers = answers_to(work, asked)
        every_run = runs if run is None else work.store.connection.read("run_questions_of_samples", samples=[id_])
    chain = [question for question in asked if question.status == "kept"]
    placed = triplets_by_hop(own, chain)
    hops = max((question.hop for question in chain), default=0)
    values = {
        "sample": story.sample,
        "state": story.state,
        "has_picture": story.picture is not None,
        "run": run,
        "runs": sorted({row["run"] if isinstance(row, dict) else row for row in every_run}),
        "chain": replace(story, questions=tuple(asked)).chain,
        "placed": in_reading_order(placed),
        "drawing": draw_triplets(placed),
        "hops": hops,
        "hop": number_of(given, "hop", hops, most=hops),
        "answers": answers,
    }
    return PageView("sample.html", values)


def in_reading_order(placed: Sequence[PlacedTriplet]) -> list[PlacedTriplet]:
    """Return triplets as a list is read: hop by hop, those of a key first, visual before textual."""
    return sorted(placed, key=lambda place: (place.hop, not place.key, place.triplet.graph != "visual"))


def answers_to(work: Workspace, questions: Sequence[Question]) -> list[JudgedAnswer]:
    """Return the models' answers to questions, by model and variant in the order of the questions."""
    places = {question.id: place for place, question in enumerate(questions)}
    rows = work.store.connection.read("answers_to_questions", ids=list(places))
    answers = [_answer(row["question"], row["model"], row["answered"]) for row in rows]
    return sorted(answers, key=lambda answer: (answer.model, answer.variant, places[answer.question]))


def _answer(question: str, model: str, answered: Mapping[str, Any]) -> JudgedAnswer:
    variant, text, verdict, judge = (answered.get(name) or "" for name in ("variant", "text", "verdict", "judge"))
    return JudgedAnswer(question, model, variant, answered.get("run") or 1, text, verdict, judge)


def picture_of(explorer: Explorer, given: Given) -> tuple[bytes, str]:
    """Return a sample's picture and its media type.

    Raises InputError if it is not in the workspace's image folders, or cannot be read.
    """
    with explorer.work() as work:
        story = work.sample(given.get("sample", ""), status="kept")
    if story.picture is None:
        raise InputError(f"no picture of {story.sample.id!r} in the folders that its benchmark was loaded with")
    try:
        return story.picture.read_bytes(), guess_type(story.picture.name)[0] or "application/octet-stream"
    except OSError as error:
        raise InputError(f"the picture of {story.sample.id!r} cannot be read: {error.strerror}") from None
