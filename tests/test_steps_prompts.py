"""The prompts: their variables, their static part, and their examples, which our own parsers read."""

from pathlib import Path
from string import Template

import pytest

from kbe_graph.errors import ResourceError
from kbe_graph.steps.answered import ECHOES, Answered
from kbe_graph.steps.ask import Ask
from kbe_graph.steps.candidates import render_chain, render_hop, render_knowledge
from kbe_graph.steps.examples import examples
from kbe_graph.steps.extraction import render_extract, render_graph, render_key
from kbe_graph.steps.forms import read_form
from kbe_graph.steps.graph import parse_extract
from kbe_graph.steps.prompt import prompt_hash, rendered, turns
from kbe_graph.steps.verdicts import Response, render_judge, render_representative, render_verify
from kbe_graph.steps.wording import render_express
from kbe_graph.types import IMAGE, Entity, Question, Sample, Triplet

CHARACTERS_A_TOKEN = 4.6  # English prose and a little JSON; 4.2 to 4.6 with the tokenizers in use
CACHED_FROM = 1024  # tokens from which endpoints keep the beginning of a prompt
SAMPLE = Sample("b/s/1", "b", "s", "What covers the $5 bird?", "feathers")
KEY = (
    Triplet(IMAGE, "depicts", Entity("DUCK")),
    Triplet(Entity("DUCK"), "is covered by", Entity("FEATHERS"), "textual"),
)
QUESTION = Question("b/s/1@r/0", "b/s/1", "r", 0, "raw", SAMPLE.question, SAMPLE.answer, KEY)
EXTRACTED = '{"visual": [{"s": "IMAGE", "r": "depicts", "o": "FEATHERS"}], "textual": []}'


def asks() -> list[Ask]:
    extract = parse_extract(Answered(EXTRACTED), SAMPLE)
    return [
        render_extract(SAMPLE),
        render_graph(SAMPLE),
        render_key(SAMPLE, extract),
        render_knowledge(QUESTION),
        render_hop(QUESTION),
        render_chain(QUESTION, 3),
        render_representative(QUESTION, KEY),
        render_verify(KEY),
        render_express(QUESTION, KEY[1]),
        render_judge([Response(QUESTION, "down")]),
    ]


NAMES = sorted(ask.step for ask in asks())


def test_each_prompt_has_a_step() -> None:
    files = {file.stem for file in (Path(__file__).parents[1] / "prompts").glob("*.md")} - {"manual"}
    assert set(NAMES) == files


def test_the_places_of_each_prompt_are_filled_with_the_values_of_its_step() -> None:
    for ask in asks():
        place = Template(turns(ask.step)[-1].text)
        assert "$" not in ask.turns[-1].text.replace("$5", ""), ask.step
        assert place.get_identifiers()


def test_other_values_are_refused() -> None:
    with pytest.raises(ResourceError, match="takes"):
        rendered("express", question="What?")


def test_values_are_not_read_as_places() -> None:
    assert "$5" in render_hop(QUESTION).turns[-1].text


@pytest.mark.parametrize("name", NAMES)
def test_the_static_part_comes_first_and_is_long_enough_to_be_kept_by_endpoints(name: str) -> None:
    system, *shots, task = turns(name)
    assert system.role == "system"
    assert len(system.text) / CHARACTERS_A_TOKEN > CACHED_FROM
    assert not Template(system.text).get_identifiers()
    assert not [turn for turn in shots if Template(turn.text).get_identifiers()]
    assert [turn.role for turn in shots] == ["user", "assistant"] * (len(shots) // 2)
    assert shots
    assert task.role == "user"


def test_the_examples_are_of_the_form_that_is_asked_for() -> None:
    for ask in asks():
        example = ask.turns[-2].text
        assert read_form(ask.form, Answered(example)) is not None, ask.step


def test_the_examples_of_extraction_are_such_as_no_picture_is_likely_to_hold() -> None:
    shown = examples("extract")
    assert len(shown.triplets) == 6
    assert shown == examples("graph")


def test_the_schema_bounds_every_list_and_string() -> None:
    for ask in asks():
        for part in _parts(ask.form.model_json_schema()):
            if part.get("type") == "array":
                assert "maxItems" in part, ask.step
            if part.get("type") == "string":
                assert "maxLength" in part, ask.step


def _parts(schema: object) -> list[dict[str, object]]:
    if isinstance(schema, list):
        return [part for one in schema for part in _parts(one)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for one in schema.values() for part in _parts(one))]


def test_the_hash_of_a_prompt_names_it_and_tells_its_text() -> None:
    assert prompt_hash("hop").startswith("hop:")
    assert prompt_hash("hop") != prompt_hash("chain")


def test_the_headings_of_the_manual_are_known_as_echoes() -> None:
    lines = turns("hop")[0].text.splitlines()
    headings = [line for line in lines if line.startswith("#")]
    assert len(headings) == 8
    assert [line for line in headings if not line.startswith(ECHOES)] == []


def test_each_label_of_a_task_is_known_as_an_echo() -> None:
    for name in set(NAMES) - {"judge", "key", "extract", "graph", "representative", "verify"}:
        labels = [line for line in turns(name)[-1].text.splitlines() if ": $" in line and not line.startswith("Answer")]
        assert [line for line in labels if not line.startswith(ECHOES)] == [], name
