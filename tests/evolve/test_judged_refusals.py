"""27 refusals of a run with a model, each judged by a reader of the photo: wrong ones are kept, right ones are not.

``judged_refusals.jsonl`` has a row for each: the candidate as the model wrote it, the reason at that time, and whether
that was ``right`` by sense, ``wrong``, ``too strict``, the ``wrong reason`` for what the model itself calls no good
one, or ``defensible``. What must come of it ``now`` is ``keep``, ``refuse``, a reason, or ``either`` where both can be
defended: FLIES (the graph says so word for word), FARRIER, FILE EXPLORER (its question says file) and TASKBAR (people
called the system windows).
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import asking, go, step_of
from PIL import Image

from kbe_graph.store import Store
from kbe_graph.text import fold
from kbe_graph.types import Sample

FILE = Path(__file__).parents[1] / "data" / "judged_refusals.jsonl"


@cache
def rows() -> tuple[dict[str, Any], ...]:
    return tuple(json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines())


def outcome(store: Store, folder: Path, row: dict[str, Any]) -> str:
    """Return ``keep``, or the reason by which a default run with a model drops the candidate or its chain."""

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        step = step_of(request)
        if step == "hop":
            *_, subject = re.findall(r"^\d+ answer: <<<(.+)>>>$", request.text, re.MULTILINE)
            hops = [hop for hop in row["hops"] if fold(hop["o"]) == fold(subject)]
            place = row["hops"].index(hops[0]) + 1 if hops else 0
            return reply_with(json.dumps({"candidates": [[*row["hops"], row["candidate"]][place]]}))
        return reply_with(json.dumps(row["graph"] if step == "graph" else {"question": row.get("reselect", "")}))

    Image.new("RGB", (32, 32), (90, 10, 40)).save(folder / "photo.jpg")
    benchmark, split, _ = row["sample"].split("/")
    words = (row["question"], row["answer"], tuple(row["answers"]))
    sample = Sample(row["sample"], benchmark, split, *words, image="photo.jpg")
    with LoopbackServer(otherwise=answer) as server:
        go(store, folder, server.url, asking("merged"), hops=len(row["hops"]) + 1, chosen=[sample])
    if any(fold(question.answer) == fold(row["candidate"]["o"]) for question in store.questions(run="r")):
        return "keep"
    return " ".join(str(drop[2]) for drop in store.query("drops_of_run", {"run": "r"}).rows if drop[0] == "candidate")


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["candidate"]["o"])
def test_what_was_refused_wrongly_is_kept_and_what_rightly_is_not(
    embedded_store: Store, tmp_path: Path, row: dict[str, Any]
) -> None:
    now = outcome(embedded_store, tmp_path, row)
    match row["now"]:
        case "keep":
            assert now == "keep"
        case "refuse":
            assert now not in {"", "keep"}
        case "either":
            assert now
        case reason:
            assert now == reason
