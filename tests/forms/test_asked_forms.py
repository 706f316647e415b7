"""What a model gives to other forms passes the same checks, and then a judge."""

import json
from pathlib import Path
from typing import Any

from form_cases import case_of
from loopback_calls import run_work
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from model_cases import step_of

from kbe_graph.forms.asked_parts import MAY_BE_RIGHT, MAY_BE_WRONG, ask_parts, judge_forms
from kbe_graph.forms.form_maker import make_forms
from kbe_graph.models import CallStore, Images
from kbe_graph.steps.asker import Asker
from kbe_graph.types import Form, QuestionForm

CASE = case_of("Italy")
GIVEN = ["Roma", "Madrid", "Madrid", "Cairo", "rose", "Lisbon", "Athens"]
STATEMENT = "The capital of the country shown here is ____."
REPLIES: dict[str, Any] = {
    "choices": {"options": GIVEN},
    "also_right": {"answers": []},
    "statement": {"statement": STATEMENT},
}


def by_model(
    folder: Path, form: Form, right: tuple[str, ...] = (), **replies: Any
) -> tuple[QuestionForm | None, list[str]]:
    """Return the form that a scripted model's parts and its judge let pass, and all reasons against it.

    The judge calls those options ``right``.
    """

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        step = step_of(request)
        if step != "other_right":
            return reply_with(json.dumps({**REPLIES, **replies}[step]))
        options = request.text.split("Right answer:")[-1].splitlines()[1:]
        verdicts = [
            {"n": n, "right": any(f"<<<{name}>>>" in line for name in right)} for n, line in enumerate(options, 1)
        ]
        return reply_with(json.dumps({"verdicts": verdicts}))

    async def work(model: object) -> tuple[QuestionForm | None, list[str]]:
        asker = Asker(model, lambda _: [picture])  # type: ignore[arg-type]
        asked = await ask_parts(asker, form, [CASE])
        made = make_forms(form, [CASE], parts=asked)
        refused = await judge_forms(asker, [CASE], made.forms, asked)
        forms = [asked.signed(form) for id_, form in made.forms.items() if id_ not in refused]
        return next(iter(forms), None), [*made.refused, *refused.values()]

    picture = min((Path(__file__).parents[2] / "kbe_graph" / "data" / "demo" / "images").glob("*.jpg"))
    folder.mkdir(exist_ok=True)
    store = CallStore(folder / "calls.sqlite")
    try:
        with LoopbackServer(otherwise=answer) as server:
            outcome: tuple[QuestionForm | None, list[str]] = run_work(server, store, work, images=Images())
            return outcome
    finally:
        store.close()


def test_a_models_options_pass_the_checks_and_the_judge(tmp_path: Path) -> None:
    form, reasons = by_model(tmp_path, "choice")
    assert reasons == []
    assert form is not None
    assert form.maker == "model loopback"
    assert form.answers == ("Rome",)
    assert set(form.options) < {"Rome", "Madrid", "Cairo", "Lisbon", "Athens"}


def test_a_judge_that_says_another_may_be_right_drops_the_item(tmp_path: Path) -> None:
    right = ("Madrid", "Cairo")  # of four sound ones three are drawn
    assert by_model(tmp_path, "choice", right) == (None, [MAY_BE_RIGHT])
    assert by_model(tmp_path, "several", (*right, "Turin"), also_right={"answers": ["Turin"]}) == (None, [MAY_BE_RIGHT])


def test_a_model_writes_the_statement_with_its_gap(tmp_path: Path) -> None:
    form, reasons = by_model(tmp_path, "fill")
    assert reasons == []
    assert form is not None
    assert (form.text, form.maker) == (f"Fill in the gap: {STATEMENT}", "model loopback")
    assert form.answers[:2] == ("Rome", "Roma")


def test_all_right_answers_of_a_model_that_the_judge_calls_right_stand_among_the_options(tmp_path: Path) -> None:
    answers = {"answers": ["Roma", "Turin", "Milan"]}
    form, reasons = by_model(tmp_path, "several", right=("Turin", "Milan"), also_right=answers)
    assert reasons == []
    assert form is not None
    assert form.answers == ("Rome", "Turin", "Milan")
    assert (len(form.options), form.maker) == (6, "model loopback")
    again = by_model(tmp_path / "again", "several", right=("Turin",), also_right=answers)
    assert again == (None, [MAY_BE_WRONG])
