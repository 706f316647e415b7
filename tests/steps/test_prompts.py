"""The prompts: their variables, their static part, and their examples, which our own parsers read."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import Any

from kbe_graph.evolve.shapes.asking import (
    SURE,
    GivenTriplets,
    confirm_step,
    draft_step,
    look_step,
    mend_step,
    pick_step,
    see_step,
    solve_step,
)
from kbe_graph.steps.asker import Step, schema_of
from kbe_graph.steps.extractor import extract_step, key_step
from kbe_graph.steps.forms import read_form
from kbe_graph.steps.hop_steps import (
    express_step,
    knowledge_step,
    paraphrase_step,
    representative_step,
    reselect_step,
)
from kbe_graph.steps.prompt import examples, manual, prompt_turns, shapes
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.steps.tasks import (
    Judgeable,
    StatementLine,
    also_right_step,
    alternatives_step,
    answer_step,
    choices_step,
    guess_step,
    judge_step,
    other_right_step,
    statement_step,
    wiki_questions_step,
)
from kbe_graph.steps.verifier import Inspectable, inspect_step, verify_step
from kbe_graph.twins.model_twins import twin_step
from kbe_graph.types import IMAGE, Draft, DraftEdge, Entity, Identity, Question, Sample, Triplet

SAMPLE = Sample("b/s/1", "b", "s", "What covers the $5 bird?", "feathers")
KEY = (
    Triplet(IMAGE, "depicts", Entity("DUCK")),
    Triplet(Entity("DUCK"), "is covered by", Entity("FEATHERS"), "textual"),
)
QUESTION = Question("b/s/1@r/0", "b/s/1", "r", 0, "raw", SAMPLE.question, SAMPLE.answer, KEY)
IDENTITY = Identity(SAMPLE.id, 1, KEY[0], 0.9)
DRAFT = Draft(SAMPLE.id, "r", 1, "fact", "What for $5?", "down", tuple(map(DraftEdge, KEY)), KEY[1].object, guess="fur")
JUDGEABLE = Judgeable(QUESTION.text, QUESTION.answer, ("down",), "a wing")
EXTRACTED = '{"visual": [{"s": "IMAGE", "r": "depicts", "o": "FEATHERS"}], "textual": []}'


def step_requests() -> list[Step[Any]]:
    triplets = extract_step(SAMPLE).read(StepReply(EXTRACTED))
    return [
        extract_step(SAMPLE),
        key_step(SAMPLE, triplets),
        knowledge_step(QUESTION),
        representative_step(QUESTION, KEY),
        verify_step([KEY]),
        express_step(QUESTION, KEY[1]),
        reselect_step(SAMPLE, KEY),
        inspect_step([Inspectable(SAMPLE, QUESTION)]),
        guess_step([QUESTION.text]),
        alternatives_step([replace(QUESTION, hop=1)]),
        answer_step(QUESTION.text),
        answer_step(QUESTION.text, sees_image=False),
        judge_step([JUDGEABLE]),
        judge_step([JUDGEABLE], "judge_paper"),
        judge_step([JUDGEABLE], "judge_mdk12"),
        paraphrase_step(QUESTION.text, [QUESTION.answer]),
        choices_step(QUESTION.text, QUESTION.answer, [QUESTION.answer]),
        also_right_step(QUESTION.text, [QUESTION.answer]),
        statement_step(QUESTION.text, QUESTION.answer),
        other_right_step(QUESTION.text, QUESTION.answer, ["dog"]),
        see_step(SAMPLE, language="English", shown=examples("see")),
        look_step([IDENTITY], {}),
        draft_step(SAMPLE, GivenTriplets(dict.fromkeys(("V1", "V2", "I1", "I2"), KEY[0])), hops=3, language="English"),
        confirm_step([KEY]),
        mend_step(GivenTriplets({"V1": KEY[0]}), [DRAFT], language="English"),
        solve_step([DRAFT], language="English"),
        pick_step(SAMPLE, [DRAFT]),
        twin_step(QUESTION, GivenTriplets({"V1": KEY[0]}), language="English"),
        wiki_questions_step("A bird for $5", "Duck", [StatementLine("covered by", "feathers")]),
    ]


PLAIN = {"answer", "answer_blind"}  # asked of the models under test, whose reply is a short text, and no object
NAMES = sorted(step.name for step in step_requests())


def test_each_prompt_has_a_step() -> None:
    files = {file.stem for file in (Path(__file__).parents[2] / "prompts").glob("*.md")} - {"manual"}
    assert set(NAMES) == files


def test_the_places_of_each_prompt_are_filled_with_the_values_of_its_step() -> None:
    for step in step_requests():
        place = Template(prompt_turns(step.name)[-1].text)
        assert "$" not in step.turns()[-1].text.replace("$5", ""), step.name
        assert place.get_identifiers()


def test_the_static_part_comes_first() -> None:
    for name in NAMES:
        system, *shots, task = prompt_turns(name)
        assert system.role == "system", name
        assert not Template(system.text).get_identifiers()
        assert not [turn for turn in shots if Template(turn.text).get_identifiers()]
        assert [turn.role for turn in shots] == ["user", "assistant"] * (len(shots) // 2)
        assert shots
        assert task.role == "user"


def test_every_step_is_told_that_data_is_no_instruction() -> None:
    for name in NAMES:
        system = prompt_turns(name)[0].text
        assert manual("none") in system or "never an\ninstruction" in system
        assert ("# Form" in system) == (name not in PLAIN), name


def test_the_bar_for_an_identity_is_told_where_it_is_asked_for() -> None:
    for name in ("see", "look", "draft", "twin"):
        assert f"below {SURE} " in prompt_turns(name)[0].text, name


def test_a_request_describes_the_shapes_that_its_facts_allow() -> None:
    for hops, expected in [
        (0, {"identify"}),
        (1, {"identify", "fact", "select", "bridge back"}),
        (2, set(shapes())),
    ]:
        step = draft_step(SAMPLE, GivenTriplets({"V1": KEY[0]}), hops=hops, language="English")
        text = "\n".join(turn.text for turn in step.turns())
        assert {name for name in shapes() if f"**{name}**" in text} == expected
        assert '"join"' not in text  # an example may need more facts than are allowed


def test_the_examples_are_of_the_form_that_is_asked_for() -> None:
    for step in step_requests():
        if step.form is None:
            continue
        example = step.turns()[-2].text
        assert read_form(step.form, StepReply(example)), step.name


def test_the_schema_bounds_every_list_and_string() -> None:
    for step in step_requests():
        for part in _parts(step.form.model_json_schema() if step.form else {}):
            if part.get("type") == "array":
                assert "maxItems" in part, step.name
            if part.get("type") == "string":
                assert "maxLength" in part, step.name


def test_the_schemas_are_those_that_kept_calls_were_made_with() -> None:
    schemas = {step.name: schema_of(step.form) for step in step_requests() if step.form}
    assert schemas["judge"] == schemas.pop("judge_paper") == schemas.pop("other_right")
    for name in ("see", "look", "draft", "confirm", "mend", "solve", "pick", "judge_mdk12", "twin"):
        del schemas[name]  # of a mode or a judge that is new
    later = [
        schemas.pop(name)
        for name in (
            "inspect",
            "guess",
            "alternatives",
            "judge",
            "paraphrase",
            "choices",
            "also_right",
            "statement",
            "wiki_questions",
        )
    ]
    digests = [hashlib.sha256(json.dumps(each, sort_keys=True).encode()).hexdigest() for each in (schemas, *later)]
    assert digests == [
        "c1ea198f540433345f3f6b10ebf4f19dcae155833aafb096a1368c272fcccd91",
        "2321e60e7c203afbf6aa7fcecc96792fbfdb974c65f9e4f8f70e4c7f33bbf632",
        "fb92ffeea73dd98c4ae0e7402572a2bc4c57b7385a35d0367311797c643ecc1e",
        "b0c0aa5fbf904b03163af02990ae427509547d026d3453f8f6140528ce942db5",
        "9377fe265887f18922efe8094b8b01179be27b23c1aec3460f727cb750c88e49",
        "42f08956a6d9b7261da9f4211300440dbb5d6af498cefd7a82b7db842ec46bb2",
        "e1981c5f63b62fc5a072f799deafc5450ece4fa67f08352ffd0f712b3d8aaf85",
        "a518a9e5fe4288acdd76579b8d47acf1b75ccff06554ce9e22d0eb0bebc71d60",
        "02810a31fd4607cefecef942669e5b6ed0f18a64641ed755f9f6305416647b1a",
        "4a25e2abb93e81f754d13e23b65f79cc92394ecbb550fccd9297e2705e23f5b0",
    ]  # a new digest means that every kept call is asked and paid for again


def _parts(schema: object) -> list[dict[str, object]]:
    if isinstance(schema, list):
        return [part for value in schema for part in _parts(value)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for value in schema.values() for part in _parts(value))]
