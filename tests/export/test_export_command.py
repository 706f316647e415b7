"""``kbe export`` to the formats of other programs, on the demo."""

import contextlib
import json
from functools import partial
from pathlib import Path

import pytest
from commands import kbe_here

import kbe_graph as kbe
from kbe_graph.scoring.prediction_files import read_predictions


def test_the_demo_becomes_a_folder_that_tells_itself(demo_kept_up: Path, tmp_path: Path) -> None:
    said = kbe_here("-w", demo_kept_up, "export", "inspect", tmp_path / "out", "--hops", "1-2")
    lines = [json.loads(line) for line in (tmp_path / "out/questions.jsonl").read_text().splitlines()]
    assert f"wrote {len(lines)} questions to {tmp_path / 'out'}" in said.replace("\n", " ")
    assert {line["metadata"]["group"] for line in lines} == {"hop0", "hop1", "hop2"}
    assert {(tmp_path / "out" / line["input"][0]["content"][0]["image"]).is_file() for line in lines} == {True}
    summary = json.loads(
        kbe_here("-w", demo_kept_up, "export", "okvqa", tmp_path / "okvqa", "--images-as", "none", "--json")
    )
    assert summary["questions"] > len(lines)
    assert summary["left_out"] == {}


def test_predictions_by_number_go_back_to_their_questions(demo_kept_up: Path, tmp_path: Path) -> None:
    kbe_here("-w", demo_kept_up, "export", "okvqa", tmp_path / "out", "--images-as", "none")
    annotations = json.loads((tmp_path / "out/mscoco_val2014_annotations.json").read_bytes())["annotations"]
    results = [{"question_id": line["question_id"], "answer": "x"} for line in annotations]
    (tmp_path / "results.json").write_text(json.dumps(results))
    assert len(read_predictions(tmp_path / "results.json", model="m").predictions) == len(annotations)
    file = tmp_path / "results.json"
    told = json.loads(kbe_here("-w", demo_kept_up, "evaluate", "--predictions", file, "--model", "m", "--json"))
    assert not told["unknown"]


def test_a_form_is_made_where_it_is_missing(demo_kept_up: Path, tmp_path: Path) -> None:
    given = ("-w", demo_kept_up, "export", "inspect", tmp_path / "out", "--form", "choice", "--json")
    summary = json.loads(kbe_here(*given))
    lines = [json.loads(line) for line in (tmp_path / "out/questions.jsonl").read_text().splitlines()]
    assert summary["questions"] == len(lines) > 0
    assert {len(line["choices"]) for line in lines} == {4}
    assert summary["left_out"]["no form 'choice'"] > 0
    again = json.loads(kbe_here(*given))
    assert again == summary


def test_only_an_earlier_export_or_report_is_replaced_unasked(demo_kept_up: Path, tmp_path: Path) -> None:
    with kbe.Workspace(demo_kept_up, progress=False) as work:
        file, page, figures = (tmp_path / name for name in ("own.jsonl", "own.html", "own.json"))
        for form in ("choice", "open"):  # a form's lines have a field more
            told = pytest.warns(kbe.KbeWarning, match="no form") if form == "choice" else contextlib.nullcontext()
            with told:
                work.export(file, form=form, images_as="none")
            work.report(page, guess=False, json=figures, csv=tmp_path)
        answered = [json.loads(line) | {"prediction": "x"} for line in file.read_text().splitlines()]
        foreign = {
            "answers.jsonl": "".join(f"{json.dumps(row)}\n" for row in answered),
            "notes.html": "<!doctype html>",
        }
        foreign |= {"questions.jsonl": '{"id": 1, "question": "q"}', "mine.json": '{"a": 1}', "funnel.csv": "a,b\n"}
        for name, text in foreign.items():
            (tmp_path / name).write_text(text)
        report, tables = partial(work.report, guess=False), {"json": tmp_path / "mine.json", "csv": tmp_path}
        for verb in (
            partial(work.export, tmp_path / "answers.jsonl"),
            partial(work.export, tmp_path / "questions.jsonl"),
            partial(report, tmp_path / "notes.html"),
            *(partial(report, page, **{name: place}) for name, place in tables.items()),
        ):
            with pytest.raises(kbe.InputError, match="holds something else"):
                verb()
        assert {name: (tmp_path / name).read_text() for name in foreign} == foreign
        assert report(tmp_path / "notes.html", **tables, replace=True).run

        work.export(out := tmp_path / "out", format="evalscope", images_as="none")
        work.export(out, format="okvqa", images_as="none")
        (out / "notes.txt").write_text("mine")
        with pytest.raises(kbe.InputError, match="also holds 'notes"):
            work.export(out, format="okvqa", images_as="none")
        assert (out / "notes.txt").read_text() == "mine"
        work.export(out, format="okvqa", images_as="none", replace=True)
        assert not (out / "notes.txt").exists()
