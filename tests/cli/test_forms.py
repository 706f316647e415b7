"""``kbe forms`` as a user gives it, by rule and by a model on loopback."""

import json
from pathlib import Path

from commands import done_here, kbe_here
from loopback_server import LoopbackRequest, LoopbackServer, reply_with

from kbe_graph import Workspace


def test_forms_are_made_kept_and_told(demo_kept_up: Path) -> None:
    given = ("-w", demo_kept_up, "forms", "--form", "choice", "--form", "fill")
    choice, fill = json.loads(kbe_here(*given, "--json"))
    assert (choice["form"], fill["form"]) == ("choice", "fill")
    assert choice["made"] == sum(choice["places"]) > 0
    with Workspace(demo_kept_up, progress=False) as work:
        kept = [form.form for form in work.forms()]
        assert (kept.count("choice"), kept.count("fill")) == (choice["made"], fill["made"])
    said = kbe_here(*given)
    assert f"choice: {choice['made']} questions" in said
    assert "position of the right option: " in said
    assert "not converted" in said
    assert json.loads(kbe_here(*given, "--replace", "--json")) == [choice, fill]


def test_questions_without_the_form_are_told_and_an_export_of_none_is_an_error(
    demo_kept_up: Path, tmp_path: Path
) -> None:
    file = tmp_path / "out.jsonl"
    done = done_here("-w", demo_kept_up, "export", "jsonl", file, "--form", "choice")
    assert done.code == 0
    assert "no form 'choice'" in done.err
    none = kbe_here("-w", demo_kept_up, "export", "jsonl", tmp_path / "none.jsonl", "--reviewed", "approved", code=1)
    assert "no question to export: " in none
    assert not (tmp_path / "none.jsonl").exists()


def exported(workspace: Path, form: str, file: Path) -> list[dict[str, object]]:
    """Return the lines of the demo's questions in a form."""
    kbe_here("-w", workspace, "export", "jsonl", file, "--form", form)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def said(line: dict[str, object]) -> str:
    """Return the right reply: letters where there are options."""
    form: dict[str, list[str]] = line["form"]  # type: ignore[assignment]
    return ", ".join(form["letters"]) or form["answers"][0]


def test_a_model_is_asked_in_a_form(demo_kept_up: Path, tmp_path: Path) -> None:
    lines = exported(demo_kept_up, "choice", tmp_path / "out.jsonl")

    def is_asked(line: dict[str, object], text: str) -> bool:
        form: dict[str, list[str]] = line["form"]  # type: ignore[assignment]
        return all(part in text for part in (str(form["text"]), *form["options"]))

    def answer(request: LoopbackRequest) -> object:
        return reply_with(next(said(line) for line in lines if is_asked(line, request.text)))

    with LoopbackServer(otherwise=answer) as server:  # type: ignore[arg-type]
        model = ("--base-url", server.url, "--model", "asked", "--variant", "choice")
        outcome = json.loads(kbe_here("-w", demo_kept_up, "evaluate", *model, "--json"))
    assert (outcome["new"], outcome["judgement"]["right"]) == (len(lines), len(lines))
    assert lines


def test_a_form_that_only_a_model_can_make_says_so(demo_kept_up: Path) -> None:
    assert "several --by model" in kbe_here("-w", demo_kept_up, "forms", "--form", "several", code=1)
