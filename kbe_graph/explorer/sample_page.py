"""The page of a sample: its picture, chain of questions, graph, and the models' answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.explorer.drawing import PlacedTriplet, draw_triplets, triplets_by_hop
from kbe_graph.explorer.explorer import Explorer, PageView
from kbe_graph.explorer.snapshot import Snapshot
from kbe_graph.files.pixels import mime_of, publish_picture
from kbe_graph.models.images import Encoding, encode_jpeg
from kbe_graph.show.question_story import JudgedAnswer, QuestionStory
from kbe_graph.store.nodes import prediction_of
from kbe_graph.types import RAW, Question
from kbe_graph.web.page_request import Given, number_of
from kbe_graph.workspace.workspace import Workspace

SIZES = {"small": Encoding(side=240, quality=70), "page": Encoding(side=1280, quality=85)}


class AnswerRow(NamedTuple):
    """A model's answer to a question of the chain, with the verdict of each judge."""

    model: str
    question: str
    variant: str
    run: int
    text: str
    verdicts: Mapping[str, str]


def sample_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the sample ``id`` (also a question's id), with the questions of ``run`` or of its last run.

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
    own_chain = replace(
        story, questions=tuple(asked), guesses=tuple(guess for guess in story.guesses if guess.run == run)
    ).chain
    before, after = neighbours(explorer.snapshot, id_, given.get("run") or None)
    values = {
        "sample": story.sample,
        "before": before,
        "after": after,
        "state": story.state,
        "pictures": range(len(story.pictures)),
        "run": run,
        "runs": sorted({row["run"] if isinstance(row, dict) else row for row in every_run}),
        "chain": own_chain,
        "placed": in_reading_order(placed),
        "keys": key_rows(own_chain),
        "drawing": draw_triplets(placed),
        "hops": hops,
        "hop": number_of(given, "hop", hops, most=hops),
        "answers": answer_rows(answers, own_chain),
        "judges": sorted({answer.judge for answer in answers if answer.verdict}),
    }
    return PageView("sample.html", values)


def in_reading_order(placed: Sequence[PlacedTriplet]) -> list[PlacedTriplet]:
    """Sort triplets for a list: hop by hop, key triplets first, visual before textual."""
    return sorted(placed, key=lambda place: (place.hop, not place.key, place.triplet.graph != "visual"))


def neighbours(snapshot: Snapshot, id_: str, run: str | None) -> tuple[str | None, str | None]:
    """Return the previous and next sample by id, among those with questions of ``run``, or among all."""
    questions = snapshot.questions
    ids = questions.loc[questions.run == run, "sample"].drop_duplicates() if run else snapshot.samples.id
    start, end = ids.searchsorted(id_), ids.searchsorted(id_, "right")
    return ids.iloc[start - 1] if start else None, ids.iloc[end] if end < len(ids) else None


def key_rows(chain: Iterable[QuestionStory]) -> dict[str, list[str]]:
    """Map each triplet to the rows (raw, re-selected, hop 1 ...) of the kept questions whose key path includes it."""
    rows: dict[str, list[str]] = {}
    for story in chain:
        for triplet in story.question.key if not story.is_dropped else ():
            rows.setdefault(triplet.id, []).append(story.row)
    return rows


def answer_rows(answers: Iterable[JudgedAnswer], chain: Iterable[QuestionStory]) -> list[AnswerRow]:
    """Build one row per answer, with the verdicts by judge."""
    names = {story.question.id: story.row for story in chain}
    rows: dict[JudgedAnswer, AnswerRow] = {}
    for answer in answers:
        same = answer._replace(judge="", verdict="")
        row = AnswerRow(answer.model, names[answer.question], answer.variant, answer.run, answer.text, {})
        row = rows.setdefault(same, row)
        rows[same] = row._replace(verdicts={**row.verdicts, answer.judge: answer.verdict})
    return list(rows.values())


def answers_to(work: Workspace, questions: Sequence[Question]) -> list[JudgedAnswer]:
    """Return the models' answers to questions, by model, variant, and order of the questions."""
    places = {question.id: place for place, question in enumerate(questions)}
    rows = work.store.connection.read("answers_to_questions", ids=list(places))
    answers = [answer for row in rows for answer in _answers(row)]
    return sorted(answers, key=lambda answer: (answer.model, answer.variant, places[answer.question]))


def _answers(row: Mapping[str, Any]) -> list[JudgedAnswer]:
    answer = prediction_of(row)
    judged = JudgedAnswer(
        *(answer.question, answer.model, answer.variant, answer.run, answer.text, answer.verdict, answer.judge)
    )
    return judged.by_each_judge(answer.other_verdicts)


def picture_of(explorer: Explorer, given: Given) -> tuple[bytes, str]:
    """Return a picture of a sample and its media type, in the form of ``shown_picture``.

    Raises InputError if it is not in the workspace's image folders, PictureError if it cannot be read.
    """
    with explorer.work() as work:
        story = work.sample(given.get("sample", ""), status="kept")
    if not story.pictures:
        raise InputError(f"no picture of {story.sample.id!r} in the folders that its benchmark was loaded with")
    return shown_picture(story.pictures, given)


def shown_picture(pictures: Sequence[Path], given: Given) -> tuple[bytes, str]:
    """Return the first picture, or the one at ``number``, and its media type; raises PictureError.

    The ``size`` "small" is for lists, "page" for a page with text.
    """
    file = pictures[number_of(given, "number", 0, most=len(pictures) - 1)]
    if encoding := SIZES.get(given.get("size", "")):
        return encode_jpeg(file, encoding), "image/jpeg"
    content = publish_picture(file)
    return content, mime_of(content)
