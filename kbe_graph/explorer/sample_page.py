"""The page of a sample: its picture, its chain of questions, its graph, and what models answered."""

from collections.abc import Sequence
from difflib import SequenceMatcher
from mimetypes import guess_type
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.explorer.drawing import Placed, draw_triplets, placed_triplets
from kbe_graph.explorer.explorer import Explorer, Given, PageView
from kbe_graph.explorer.paging import number_of
from kbe_graph.report.story import verdict_of
from kbe_graph.types import RAW, Question, Triplet
from kbe_graph.workspace.workspace import Workspace


class ChainStep(NamedTuple):
    """A question of a chain: the words of its text with whether each is new, its new triplets, what was said of it."""

    question: Question
    words: Sequence[tuple[str, bool]]
    new: Sequence[Triplet]
    verdicts: Sequence[str]


def sample_page(explorer: Explorer, given: Given) -> PageView:
    """Return the page of the sample ``id`` (or of a question's), with the questions of ``run`` or of its last run.

    Raises InputError where there is no such sample or run.
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
    placed = placed_triplets(own, chain)
    hops = max((question.hop for question in chain), default=0)
    values = {
        "sample": story.sample,
        "state": story.state,
        "has_picture": story.picture is not None,
        "run": run,
        "runs": sorted({row["run"] if isinstance(row, dict) else row for row in every_run}),
        "chain": list(_chain(asked, {of.question: verdict_of(of) for of in story.inspections})),
        "placed": in_reading_order(placed),
        "drawing": draw_triplets(placed),
        "hops": hops,
        "hop": number_of(given, "hop", hops, most=hops),
        "answers": answers,
    }
    return PageView("sample.html", values)


def in_reading_order(placed: Sequence[Placed]) -> list[Placed]:
    """Return triplets as a list is read: hop by hop, those of a key first, visual before textual."""
    return sorted(placed, key=lambda place: (place.hop, not place.key, place.triplet.graph != "visual"))


def _chain(asked: Sequence[Question], verdicts: dict[str, str]) -> list[ChainStep]:
    steps: list[ChainStep] = []
    seen: set[str] = set()
    before = ""
    for question in asked:
        new = [triplet for triplet in question.key if triplet.id not in seen]
        verdict = [verdicts[question.id]] if question.id in verdicts else []
        steps.append(ChainStep(question, new_words(before, question.text), new, verdict))
        seen.update(triplet.id for triplet in question.key)
        before = question.text or before
    return steps


def new_words(before: str, text: str) -> list[tuple[str, bool]]:
    """Return the pieces of a text, each with whether the text before did not have it; none is new in a first one.

    >>> new_words("What is it?", "What colour is it?")
    [('What', False), ('colour', True), ('is it?', False)]
    """
    old, new = before.split(), text.split()
    if not old:
        return [(text, False)]
    bare = [[word.strip("?.,") for word in words] for words in (old, new)]
    matcher = SequenceMatcher(None, bare[0], bare[1], autojunk=False)
    return [
        (" ".join(new[start:end]), tag != "equal") for tag, _, _, start, end in matcher.get_opcodes() if end > start
    ]


def answers_to(work: Workspace, asked: Sequence[Question]) -> list[dict[str, Any]]:
    """Return what models answered to questions, in the order of the questions: model, hop, way, text and verdict."""
    hops = {question.id: question.hop for question in asked}
    rows = work.store.connection.read("answers_to_questions", ids=list(hops))
    answers = [
        {"model": row["model"], "run": row["question"].rpartition("@")[2], "hop": hops[row["question"]]}
        | {name: row["answered"].get(name) or "" for name in ("variant", "text", "verdict", "judge")}
        for row in rows
    ]
    return sorted(
        answers, key=lambda answer: (answer["model"], answer["variant"], answer["run"] != "raw/0", answer["hop"])
    )


def picture_of(explorer: Explorer, given: Given) -> tuple[bytes, str]:
    """Return a sample's picture, and what kind of file it is.

    Raises InputError where there is none in the folders of the workspace, or it cannot be read.
    """
    with explorer.work() as work:
        story = work.sample(given.get("sample", ""), status="kept")
    if story.picture is None:
        raise InputError(f"no picture of {story.sample.id!r} in the folders that its benchmark was loaded with")
    try:
        return story.picture.read_bytes(), guess_type(story.picture.name)[0] or "application/octet-stream"
    except OSError as error:
        raise InputError(f"the picture of {story.sample.id!r} cannot be read: {error.strerror}") from None
