"""``kbe evaluate`` with questions in other forms: who knows the answers has all right, who says "x" none."""

import json
from pathlib import Path

import pytest
from commands import kbe_here
from loopback_server import LoopbackRequest, LoopbackServer, reply_with

from kbe_graph.types import Form

FORMS: tuple[Form, ...] = ("choice", "several", "fill", "true-false")


def exported(workspace: Path, form: Form, file: Path) -> list[dict[str, object]]:
    """Return the lines of the demo's questions in a form."""
    kbe_here("-w", workspace, "export", "jsonl", file, "--form", form)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def said(line: dict[str, object]) -> str:
    """Return the right reply: letters where there are options."""
    form: dict[str, list[str]] = line["form"]  # type: ignore[assignment]
    return ", ".join(form["letters"]) or form["answers"][0]


@pytest.mark.parametrize("form", [form for form in FORMS if form != "several"])  # which needs a model, or own facts
def test_predictions_are_judged_by_the_form_that_was_asked(form: Form, demo_kept_up: Path, tmp_path: Path) -> None:
    lines = exported(demo_kept_up, form, tmp_path / "out.jsonl")
    assert lines
    for model, right in ((f"knows-{form}", len(lines)), (f"none-{form}", 0)):
        rows = [
            {"doc_id": at, "doc": {"id": line["id"], "form": form}, "filtered_resps": [said(line) if right else "x"]}
            for at, line in enumerate(lines)
        ]
        (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        command = ("evaluate", "--predictions", tmp_path / "samples.jsonl", "--model", model, "--json")
        outcome = json.loads(kbe_here("-w", demo_kept_up, *command))
        judged = outcome["judgement"]
        assert (judged["right"], judged["wrong"]) == (right, len(lines) - right)
        cells = [row for row in outcome["results"]["accuracy"] if row["model"] == model]
        assert {row["variant"] for row in cells} == {form}


def test_a_model_is_asked_in_a_form(demo_kept_up: Path, tmp_path: Path) -> None:
    lines = exported(demo_kept_up, "several", tmp_path / "out.jsonl")

    def is_asked(line: dict[str, object], text: str) -> bool:
        form: dict[str, list[str]] = line["form"]  # type: ignore[assignment]
        return all(part in text for part in (str(form["text"]), *form["options"]))

    def answer(request: LoopbackRequest) -> object:
        return reply_with(next(said(line) for line in lines if is_asked(line, request.text)))

    with LoopbackServer(otherwise=answer) as server:  # type: ignore[arg-type]
        model = ("--base-url", server.url, "--model", "asked", "--variant", "several")
        outcome = json.loads(kbe_here("-w", demo_kept_up, "evaluate", *model, "--json"))
    assert (outcome["new"], outcome["judgement"]["right"]) == (len(lines), len(lines))
