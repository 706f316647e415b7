"""The commands of the README and of the page on commands, copied line by line on a machine without a workspace."""

import json
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import quick_kbe
from commands import environment
from golden_model import answer_step
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from PIL import Image
from sparql_server import serving

from kbe_graph.store.engine import stop

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "commands.md")
TURTLE = Path(__file__).parent / "data" / "wikidata.ttl"
LINES = tuple(
    dict.fromkeys(
        line
        for page in PAGES
        for language, block in re.findall(r"```(\w*)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        for line in block.splitlines()
        if line and not language
    )
)
# what sets a machine up, shells that need not be here, the demo (tests/evolve/test_line.py gives it), and what serves
# until Ctrl+C (tests/explorer gives that)
NOT_GIVEN = (
    "kbe demo                                             # 57 questions on 22 photos; rules add 25, in a minute",
    "cd REPOSITORY                                        # your copy: the folder of this README",
    "python3 -m venv .venv && source .venv/bin/activate",
    "pip install '.[english]'                             # other extras: docs/install.md",
    "kbe -w M explore                                     # look at the questions in the browser",
    "kbe -w W explore                                     # all of it in the browser: samples, relations, runs, Cypher",
    "kbe -w W review                                      # approve, reject or revise in the browser",
    'eval "$(_KBE_COMPLETE=zsh_source kbe)"               # zsh: into ~/.zshrc',
    "_KBE_COMPLETE=fish_source kbe | source               # fish: into ~/.config/fish/completions/kbe.fish",
)
SAMPLES = (
    (2971475, 7, "What animal is this?", "giraffe"),
    (2971476, 8, "What is the man riding?", "horse"),
    (2971477, 9, "What is she playing?", "violin"),
    (2971478, 10, "In which country is this street?", "germany"),
)
CAPTIONS = {
    7: "a giraffe standing next to a tree.",
    8: "a man riding a horse on a beach.",
    9: "a woman playing a violin next to a dog.",
    10: "a street with a sign on it.",
}
# what a reader has, or has made, by the time of a line: given before it
BEFORE = {
    "kbe -w W load": ("kbe -w W db start",),  # so that each command need not start an engine
    "kbe -w M doctor": ("kbe -w M db start",),
    "kbe -w C load": ("kbe -w C db start",),
    "kbe -w W forget run NAME": ("kbe -w W evolve --run NAME --hops 0 --limit 1",),
    "kbe -w W forget benchmark NAME": ("kbe -w W load other.jsonl --name NAME",),
}
NAMES = {"sample ID": "sample okvqa/val/2971476"}


def write_files(folder: Path) -> None:
    """Write the files that the README names."""
    questions = [{"question_id": id_, "image_id": image, "question": text} for id_, image, text, _ in SAMPLES]
    answers = [{"question_id": id_, "answers": [{"answer": answer}] * 10} for id_, _, _, answer in SAMPLES]
    (folder / "OpenEnded_mscoco_val2014_questions.json").write_text(
        json.dumps({"data_subtype": "val2014", "questions": questions})
    )
    (folder / "mscoco_val2014_annotations.json").write_text(json.dumps({"annotations": answers}))
    captions = [{"image_id": id_, "caption": caption} for id_, caption in CAPTIONS.items()]
    (folder / "captions_val2014.json").write_text(json.dumps({"annotations": captions}))
    (folder / "other.jsonl").write_text(json.dumps(questions[0] | {"image_id": 7, "answers": ["giraffe"]}))
    write_table(folder / "mine.csv", "image,question,answer", [(f"{image}.jpg", *row) for _, image, *row in SAMPLES])
    write_table(
        folder / "captions.csv", "image,caption", [(f"{id_}.jpg", caption) for id_, caption in CAPTIONS.items()]
    )
    write_table(folder / "answers.csv", "id,answer", [(row, answer) for row, (*_, answer) in enumerate(SAMPLES, 1)])
    for place, name in (("photos", "{}.jpg"), ("val2014", "COCO_val2014_{:012}.jpg")):
        (folder / place).mkdir()
        for id_ in CAPTIONS:
            Image.new("RGB", (32, 32), (9 * id_, 90, 10)).save(folder / place / name.format(id_))


def write_table(file: Path, header: str, rows: Iterable[tuple[object, ...]]) -> None:
    file.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows), ""]))


def answer(request: LoopbackRequest) -> LoopbackResponse:
    """Answer each step as told, and what doctor asks."""
    if request.json.get("response_format", {}).get("json_schema", {}).get("name", "probe") == "probe":
        return reply_with("hello")
    return answer_step(request)


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    """The environment of a reader, whose Wikidata and model are on this machine."""
    path = f"{Path(quick_kbe.path()).parent}{os.pathsep}{os.environ['PATH']}"
    with ExitStack() as stack:
        sparql = stack.enter_context(serving(TURTLE))
        model = stack.enter_context(LoopbackServer(otherwise=answer))
        yield environment() | {"PATH": path, "KBE_ENDPOINT": sparql.url, "LOOPBACK": model.url}
        for name in "CMW":
            stop(tmp_path / name / ".kbe")


def give(line: str, folder: Path, environ: dict[str, str]) -> str:
    """Give a line to a shell and return what it says; it must not fail."""
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, f"{line}\n{done.stderr}{done.stdout}"
    return done.stdout


@pytest.mark.long
def test_every_line_works_in_order(tmp_path: Path, environ: dict[str, str]) -> None:
    assert set(NOT_GIVEN) <= set(LINES)
    write_files(tmp_path)
    said = {}
    for line in (line for line in LINES if line not in NOT_GIVEN):
        if line.startswith("export "):
            environ |= {"KBE_BASE_URL": environ["LOOPBACK"], "KBE_MODEL": "loopback"}
            continue
        for begin, before in BEFORE.items():
            for first in before if line.startswith(begin) else ():
                give(first, tmp_path, environ)
        for name, value in {**NAMES, "ADDRESS": environ["LOOPBACK"]}.items():
            line = line.replace(name, value)  # noqa: PLW2901 - the line as a reader gives it
        said[line.partition("#")[0].strip()] = give(line, tmp_path, environ)
    assert re.search(r"hop 1 +[2-4] of", said["kbe -w C evolve"])
    assert "100.0" in said["kbe -w C evaluate --predictions answers.csv --model NAME"]
    assert "extracted 8 of 8" in said["kbe -w M extract --by model --budget 5.00"]
    kept = json.loads(give("kbe -w W status --json", tmp_path, environ))["runs"]
    assert {"seed-0", "wikidata"} == set(kept)
    assert kept["wikidata"]["questions"]["hop 1"]["kept"]
    made = json.loads(give("kbe -w M status --json", tmp_path, environ))["runs"]["model"]
    assert made["models"]["families"]
    assert sum(counts.get("kept", 0) for name, counts in made["questions"].items() if name != "hop 0") > 0
    assert len((tmp_path / "evolved.jsonl").read_text().splitlines()) > len(SAMPLES)
