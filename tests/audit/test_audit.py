"""The audit: planted faults are found, a clean release has none of them, and nothing passes that was not looked at."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import done_here, kbe_here

import kbe_graph as kbe
from kbe_graph.audit.auditing import audit_subject
from kbe_graph.audit.release_checks import read_folder
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.store import Address
from kbe_graph.types import Prediction

Rows = list[dict[str, Any]]
STATED = {"licence-by-row": "CC BY 2.0"}


@pytest.fixture(scope="module")
def release(demo_kept_up: Path) -> Path:
    """A release of the demo."""
    kbe_here("-w", demo_kept_up, "release", "new", "clean")
    return demo_kept_up / "releases" / "clean-1"


def again(row: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return another question about the picture of a row."""
    return row | {"id": f"{row['id']}x", "sample": f"{row['sample']}x"} | changes


def other_name(rows: Rows, folder: Path) -> None:
    first = next(iter(rows[0]["pictures"]))
    shutil.copy(folder / first, folder / "images" / "other.jpg")
    rows.append(again(rows[0], image="images/other.jpg", pictures={"images/other.jpg": ""}))


def without_source(rows: Rows, _: Path) -> None:
    next(step for row in rows for step in row["key"] if step["source"] == "GeoNames")["source"] = ""


def without_canary(_: Rows, folder: Path) -> None:
    mark = json.loads((folder / "release.json").read_text())["canary"].split()[-1]
    (folder / "README.md").write_text((folder / "README.md").read_text().replace(mark, ""))


def without(name: str, words: str) -> Callable[[Rows, Path], None]:
    def remove(_: Rows, folder: Path) -> None:
        (folder / name).write_text((folder / name).read_text().replace(words, "x"))

    return remove


def without_reason(_: Rows, folder: Path) -> None:
    marks = json.loads((folder / "release.json").read_text())
    next(iter(marks["questions"].values()))["status"] = "revised"
    (folder / "release.json").write_text(json.dumps(marks))


FAULTS: dict[str, Callable[[Rows, Path], object]] = {
    "answers-given": lambda rows, _: rows[0].update(answer=""),
    "answers-resolved": lambda rows, _: rows[0].update(answer="B"),
    "answers-hidden": lambda rows, _: rows[0].update(question=f"Is {rows[0]['answer']} the capital?"),
    "options-whole": lambda rows, _: rows[0].update(options=["Rome", "rome", rows[0]["answer"]]),
    "questions-once": lambda rows, _: rows.append(again(rows[0])),
    "pictures-once": other_name,
    "pictures-apart": lambda rows, _: rows.append(again(rows[0], form=2)),
    "personal-data": lambda rows, _: rows[0].update(question="Who is this woman?"),
    "facts-sourced": without_source,
    "facts-dated": lambda rows, _: rows[0]["dates"].update(dict.fromkeys(rows[0]["dates"], "")),
    "licence-by-row": lambda rows, _: [row.update(licence="") for row in rows],
    "canary": without_canary,
    "hashes": without("CITATION.cff", "title"),
    "responsible-ai": without("croissant.json", "dataBiases"),
    "croissant": without("croissant.json", "conformsTo"),
    "statuses": without_reason,
}


def test_each_fault_planted_in_a_release_is_found_and_a_clean_one_has_none(release: Path, tmp_path: Path) -> None:
    clean = audit_subject(read_folder(release, STATED))
    assert {name: clean.status(name) for name in FAULTS} == {
        **dict.fromkeys(FAULTS, "pass"),
        **dict.fromkeys(("options-whole", "pictures-apart"), "not applicable"),
    }
    for name, plant in FAULTS.items():
        folder = shutil.copytree(release, tmp_path / name)
        lines = folder / "form-1.jsonl"
        rows = [json.loads(line) for line in lines.read_text().splitlines()]
        before = json.dumps(rows)
        plant(rows, folder)
        if json.dumps(rows) != before:
            lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        assert audit_subject(read_folder(folder, STATED)).status(name) == "fail", name


def test_a_folder_that_is_no_release_or_has_a_broken_line_is_one_error(release: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_folder(tmp_path, {})
    folder = shutil.copytree(release, tmp_path / "broken")
    (folder / "form-1.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"form-1\.jsonl.*line 1"):
        read_folder(folder, {})


def test_the_command_tells_what_fails_and_how_to_mend_it_and_exits_with_1(demo_kept_up: Path, release: Path) -> None:
    done = done_here("-w", demo_kept_up, "audit", "--release", "clean", "--out", demo_kept_up / "card")
    assert done.code == 1
    assert "fail\tquestions-enough\t27 of 1,742" in done.out.replace("  ", "\t")
    assert "to mend questions-enough: " in done.out
    page, text = ((demo_kept_up / "card" / name).read_text() for name in ("audit.html", "audit.md"))
    assert all("clean@1" in each and "BetterBench" in each and "27 of 1,742" in each for each in (page, text))

    found = json.loads(done_here("-w", demo_kept_up, "audit", "--release", release, "--json").out)
    assert {row["status"] for row in found["rows"]} == set(found["counts"])
    for wrong in (("--run", "a", "--release", "b"), ("--release", "nosuch"), ("--benchmark", "nosuch")):
        failed = done_here("-w", demo_kept_up, "audit", *wrong)
        assert (failed.code, failed.out) == (1, "")


OWN = {  # 40 questions whose key stands first, three models that agree against half the keys, one asked blind
    "option-position": "fail",
    "option-length": "fail",
    "questions-enough": "fail",
    "keys-supported": "fail",
    "blind-raw": "fail",
    "picture-gain": "fail",
    "replies-read": "fail",
    "families-apart": "pass",
    "items-sound": "not stated",
    "judge-checked": "not stated",
    "pictures-found": "not applicable",
    "relations-varied": "not applicable",
    "concept": "pass",
    "contact": "not stated",
    "intervals": "pass",
}


def test_a_benchmark_that_is_only_loaded_is_audited_with_its_answers(tmp_path: Path, empty_graph: Address) -> None:
    rows = [
        {"id": n, "question": f"Which is {n}?", "answer": f"a{n}", "choices": [f"a{n}", "bb", "cc"]} for n in range(40)
    ]
    with kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        work.load(rows, name="own", split="val")
        ids = [f"own/val/{n}@raw/0" for n in range(40)]
        assert {name: work.audit(benchmark="own").status(name) for name in ("keys-supported", "blind-raw")} == {
            "keys-supported": "not stated",
            "blind-raw": "not stated",
        }
        models = [(model, id_) for model in ("gpt", "llava", "qwen") for id_ in ids[:20]]
        wrong = [Prediction(model, id_, "bb", verdict="wrong", judge="alias") for model, id_ in models]
        right = [Prediction("qwen", id_, "a", verdict="right", judge="alias", variant="blind") for id_ in ids]
        silent = [Prediction("gpt", id_, "", verdict="wrong", judge="alias", read_by="empty") for id_ in ids[20:]]
        work.store.save_loaded(raw_question(sample) for sample in work.store.samples())
        work.store.save_predictions([*wrong, *right, *silent])
        (tmp_path / "W" / "kbe.toml").write_text('[datasheet]\nconcept = "<b>knowledge"\n')
    with kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work:
        audit = work.audit(benchmark="own", out=tmp_path / "card")
        assert {name: audit.status(name) for name in OWN} == OWN
        cards = [(tmp_path / "card" / name).read_text() for name in ("audit.html", "audit.md")]
        assert all("&lt;b" in card and "<b>" not in card for card in cards)
    (tmp_path / "W" / "kbe.toml").write_text('[datasheet]\nconcepts = "x"\n')
    with (
        kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False) as work,
        pytest.raises(ConfigError, match="did you mean 'concept'"),
    ):
        work.audit()


def test_half_of_okvqa_as_loaded(tmp_path: Path, empty_graph: Address, data: Path) -> None:
    with kbe.Workspace(tmp_path, address=empty_graph, progress=False) as work:
        work.load(data / "okvqa" / "val_dev_half.jsonl.gz", name="okvqa", split="val")
        audit = work.audit(benchmark="okvqa")
        assert [row.criterion.id for row in audit.rows[: audit.counts()["fail"]]] == ["answers-hidden"]
        assert len(audit.rows[0].outcome.at_fault) == 6
        assert audit.status("people") == audit.status("questions-enough") == "pass"
