"""What a run keeps of replies that readers wrote who looked at the photos (tests/data/played), and why not the rest.

    KBE_DATA=folder python bench/played.py [--blind skip|mark|off] [--filters paper]

Prints one line of JSON: samples by hop, reasons, calls by step and a kept question, the share named without the
picture, and how many requests nobody had answered (they get an empty reply). Compare ``--blind off`` and ``--filters
paper`` in one sitting: what differs is what a draft was never written for, so later hops are a lower bound.
"""

import argparse
import gzip
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with

import kbe_graph as kbe

PLAYED = Path(__file__).parents[1] / "tests" / "data" / "played"
REPLIES = PLAYED / "replies.jsonl.gz"
NOTHING: Mapping[str, dict[str, Any]] = {
    "graph": {"visual": [], "textual": [], "key": ["V1"]},
    "reselect": {"question": ""},
    "hop": {"candidates": []},
    "express": {"question": ""},
}
SAMPLES = PLAYED / "samples.json"
OWN = PLAYED / "photos.jsonl"
_DATA = re.compile(r"<<<(.*?)>>>")
_OTHERS = re.compile(r"^Other answers .*$", re.MULTILINE)
_QUESTION = re.compile(r"^(\d+) (?:question: )?<<<(.*\?)>>>$", re.MULTILINE)


def key_of(step: str, data: str) -> str:
    """Name a request by its step and its data."""
    return hashlib.sha256(f"{step}\n{data}".encode()).hexdigest()[:20]


def request_key(step: str, text: str) -> str:
    """Name the request of one sample by the text of its last turn; readers did not see the other answers."""
    return key_of(step, "\n".join(_DATA.findall(_OTHERS.sub("", text))))


def questions_of(text: str) -> dict[int, str]:
    """Return the questions that a request asks at once, by number."""
    return {int(number): question for number, question in _QUESTION.findall(text)}


def played_replies() -> Iterator[dict[str, Any]]:
    """Yield the replies, each with its step and key."""
    with gzip.open(REPLIES, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


@dataclass
class PlayedModel:
    """Answers from the recorded replies; other requests get an empty answer and count in ``unplayed``."""

    replies: dict[str, Any] = field(default_factory=lambda: {row["key"]: row["reply"] for row in played_replies()})
    asked: Counter[str] = field(default_factory=Counter)
    unplayed: Counter[str] = field(default_factory=Counter)

    def __call__(self, request: LoopbackRequest) -> LoopbackResponse:
        """Answer a request."""
        step = request.json["response_format"]["json_schema"]["name"]
        self.asked[step] += 1
        if step == "guess":
            answers = [{"n": n, "a": self._of(step, text, [])} for n, text in questions_of(request.text).items()]
            return reply_with(json.dumps({"answers": answers}))
        if step == "alternatives":
            lists = [{"n": n, "others": self._of(step, text, [])} for n, text in questions_of(request.text).items()]
            return reply_with(json.dumps({"questions": lists}))
        reply = self.replies.get(request_key(step, request.text))
        self.unplayed[step] += reply is None
        return reply_with(reply if isinstance(reply, str) else json.dumps(reply or NOTHING[step]))

    def _of(self, step: str, question: str, nothing: Any) -> Any:
        reply = self.replies.get(key_of(step, question))
        self.unplayed[step] += reply is None
        return nothing if reply is None else reply


def write_played_benchmarks(data: Path, folder: Path) -> list[Path]:
    """Write one file of samples per benchmark with the photos beside them, and return the files."""
    wanted: dict[str, set[str]] = {}
    for row in json.loads(SAMPLES.read_text(encoding="utf-8")):
        wanted.setdefault(row["benchmark"], set()).add(str(row["question_id"]))
    photos = {int(photo.stem): photo for photo in (data / "coco_mini" / "images").glob("*/*.jpg")}
    files = []
    for benchmark, ids in wanted.items():
        rows = [row for row in _rows(data, benchmark) if str(row["question_id"]) in ids]
        for row in rows:
            shutil.copy(photos[row["image_id"]], folder / Path(row["image_path"]).name)
        file = folder / f"{benchmark}.jsonl"
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        files.append(file)
    for row in map(json.loads, OWN.read_text(encoding="utf-8").splitlines()):
        shutil.copy(photos[row["image_id"]], folder / row["image"])
    return [*files, Path(shutil.copy(OWN, folder))]


def _rows(data: Path, benchmark: str) -> Iterator[dict[str, Any]]:
    """Yield the questions of a benchmark that may have been played, each once."""
    seen = set[str]()
    for file in (*sorted((data / benchmark).glob("*.jsonl.gz")), data / "played" / f"{benchmark}_25.jsonl"):
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for row in map(json.loads, content.splitlines()):
            if str(row["question_id"]) not in seen:
                seen.add(str(row["question_id"]))
                yield _as_told(row) if "choices" in row else row


def _as_told(row: dict[str, Any]) -> dict[str, Any]:
    """Convert a row of A-OKVQA to the form shown to the readers: with the right choice as its answer."""
    people, place = row.pop("direct_answers"), row.pop("correct_choice_idx")
    return row | {"answer": row["choices"][place], "answers": people}


def evolve_played(
    work: kbe.Workspace,
    data: Path,
    folder: Path,
    url: str,
    *,
    run: Mapping[str, Any] = MappingProxyType({}),
    **model: Any,
) -> kbe.Run:
    """Load the samples into a workspace and their photos into a folder, and evolve them with an endpoint.

    ``run`` are options of the run, ``model`` those of the model.
    """
    for file in write_played_benchmarks(data, folder):
        work.load(file, name=file.stem, images=folder)
    options = kbe.ModelOptions("reader", base_url=url, **model)
    work.extract(model=options)
    return work.evolve(model=options, **{"run": "played", **run})


def main() -> None:
    """Run, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--blind", default="skip", choices=("skip", "mark", "off"))
    parser.add_argument("--filters", default="all")
    given = parser.parse_args()
    played = PlayedModel()
    with (
        tempfile.TemporaryDirectory() as folder,
        LoopbackServer(otherwise=played, record=False) as server,
        kbe.Workspace(Path(folder) / "W", progress=False) as work,
    ):
        (photos := Path(folder) / "photos").mkdir()
        run = evolve_played(
            work, Path(os.environ["KBE_DATA"]), photos, server.url, blind=given.blind, run={"filters": given.filters}
        )
        counts = run.status()["runs"][run.name]
        kept = [len(run.questions(hop=hop)) for hop in (1, 2, 3)]
        calls = played.asked.total()
        print(
            json.dumps(
                {
                    "samples": len(work.samples()),
                    "kept by hop": kept,
                    "questions": counts["questions"],
                    "named without the picture": counts.get("named without the picture"),
                    "calls": dict(played.asked),
                    "calls a kept question": round(calls / max(1, sum(kept)), 2),
                    "not played": dict(played.unplayed),
                }
            )
        )


if __name__ == "__main__":
    main()
