"""The page on endpoints of one's own: its request is as one goes out, and its replies are of the forms asked for."""

import json
import re
from pathlib import Path

from model_cases import samples, session_at

from kbe_graph.models.request import request_body
from kbe_graph.steps import forms
from kbe_graph.steps.model_source import hop_step
from kbe_graph.types import IMAGE, Entity, Question, Triplet

PAGE = (Path(__file__).parents[2] / "docs" / "providers.md").read_text()
FORMS = {
    "graph": forms.GraphForm,
    "extract": forms.ExtractForm,
    "key": forms.KeyForm,
    "reselect": forms.ReselectForm,
    "hop": forms.HopForm,
    "knowledge": forms.KnowledgeForm,
    "representative": forms.VerdictsForm,
    "express": forms.ExpressForm,
    "verify": forms.VerdictsForm,
    "inspect": forms.InspectForm,
    "guess": forms.GuessForm,
    "alternatives": forms.AlternativesForm,
    "judge": forms.JudgeForm,
}
ROWS = dict(re.findall(r"^\| `(\w+)` \| .* \| `(\{.*\})` \|$", PAGE, re.MULTILINE))


def test_each_reply_is_of_the_form_of_its_step() -> None:
    assert ROWS.keys() == FORMS.keys()
    for step, form in FORMS.items():
        form.model_validate_json(ROWS[step], strict=True)


def test_the_request_is_as_one_goes_out(tmp_path: Path) -> None:
    page = json.loads(re.findall(r"^```json request\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[0])
    sample, *_ = samples(tmp_path)
    key = (Triplet(IMAGE, "depicts", Entity("GIRAFFE")),)
    question = Question("q", sample.id, "raw", 0, "raw", "What animal is this?", "giraffe", key)
    step = hop_step([question])
    with session_at("http://127.0.0.1:1/v1", tmp_path, model="NAME") as session:
        settings = session.book.settings_for("hop")
        body = request_body(session.renderer.request(step, sample), settings, ["data:image/jpeg;base64,..."])
    assert page.keys() == body.keys()
    assert [turn["role"] for turn in page["messages"]] == [turn["role"] for turn in body["messages"]]
    assert page["messages"][-1] == body["messages"][-1]
    schema = body["response_format"]["json_schema"] | {"schema": {}}
    assert page["response_format"] == body["response_format"] | {"json_schema": schema}
    assert all(page[name] == body[name] for name in ("max_tokens", "model", "seed", "temperature"))
