"""How replies are read: each rule on a small case, and one broken part refuses none."""

import json
from typing import Any

import pytest

from kbe_graph.errors import ReplyError
from kbe_graph.evolve.shapes.asking import see_step
from kbe_graph.steps.extractor import extract_step, key_step
from kbe_graph.steps.hop_steps import Proposal, express_step, is_same_question, knowledge_step
from kbe_graph.steps.prompt import examples
from kbe_graph.steps.reply_text import StepReply, TripletWords, cut_thoughts, read_question
from kbe_graph.steps.verifier import verify_step
from kbe_graph.types import IMAGE, Drop, Entity, Question, Sample, SampleGraph, Triplet

SAMPLE = Sample("b/s/1", "b", "s", "What covers the bird?", "feathers")
SEEN = Triplet(IMAGE, "depicts", Entity("DUCK"))
EXTRACT = """{"visual": [{"s": "IMAGE", "r": "depicts", "o": "DUCK"}, {"s": "DUCK", "r": "on", "o": "POND"}],
"textual": [{"s": "DUCK", "r": "is covered by", "o": "FEATHERS"}]"""


def duck(text: str = "What is it?") -> Question:
    return Question("q", "b/s/1", "r", 0, "raw", text, "duck", (SEEN,))


def facts(reply: str, finish: str = "stop") -> list[Proposal]:
    return knowledge_step(duck()).read(StepReply(reply, finish))


def kind_of(reply: str, finish: str = "stop") -> str:
    with pytest.raises(ReplyError) as caught:
        facts(reply, finish)
    return caught.value.kind


def worded(reply: str, old: str = "What is it?") -> str:
    return express_step(duck(old), SEEN).read(StepReply(reply))


def test_thoughts_are_left_out_in_every_familys_form() -> None:
    rows = {
        "<think>long\nneck</think>{}": "{}",
        "so it is {\n</think>\n{}": "{}",
        "<think>well {": "",
        "[THINK]well[/THINK]{}": "{}",
        "<|channel|>analysis<|message|>hm<|end|><|channel|>final<|message|>{}<|return|>": "{}",
        "<|channel|>analysis<|message|>hm": "",
        "<|im_start|>assistant {}<|im_end|>": "{}",
    }
    assert {text: cut_thoughts(text) for text in rows} == rows


def test_a_reply_that_declines_or_is_cut_is_told_by_its_kind() -> None:
    rows = {
        "I’m sorry, I can’t help with that.": "refused",
        "As an AI, I do not see pictures.": "refused",
        "(DUCK, is covered by, FEATHERS)": "invalid",
        '{"candidates": [{"r": "young is", "o": "DUCKL': "cut",
        '{"candidates": [{"r": "eats"}]}': "invalid",
    }
    assert {text: kind_of(text) for text in rows} == rows
    assert kind_of('{"candidates": [{"r": "young is", "o": "DUCKL', "length") == "cut"


def test_facts_of_the_example_are_left_out() -> None:
    shown = examples("knowledge")
    assert shown.holds_of_another("opel", TripletWords("OPEL", "has seat in", "TURIN"))
    assert not shown.holds_of_another("fiat", TripletWords("FIAT", "has seat in", "TURIN"))
    reply = '{"candidates": [{"r": "has seat in", "o": "TURIN"}, {"r": "young is", "o": "DUCKLING"}]}'
    assert [proposal.object for proposal in facts(reply)] == ["DUCKLING"]
    assert facts('{"candidates": []}') == []


def test_json_is_read_through_fences_prose_curly_quotes_and_small_breaks() -> None:
    whole = '{"candidates": [{"r": "young is", "o": "DUCKLING", "names": ["duckling", "chick"], "type": "animal"}]}'
    for reply in (
        whole,
        f"Sure!\n```json\n{whole}\n```\nOk?",
        whole.replace('"}]}', '",}]}'),
        whole.replace('"', "“"),
        f"<think>hm</think>{whole[:-1]}",
    ):
        (proposal,) = facts(reply)
        assert proposal[:4] == ("young is", "DUCKLING", ("chick",), "animal"), reply
    assert worded('{"question": "Which bird says “quack”?"}') == "Which bird says “quack”?"


def test_key_ids_are_matched_to_the_given_triplets() -> None:
    step = key_step(SAMPLE, extract_step(SAMPLE).read(StepReply(EXTRACT + "}")))
    graph = step.read(StepReply('{"key": ["V1", "T1"]}'))
    assert isinstance(graph, SampleGraph)
    assert [triplet.graph for triplet in graph.key] == ["visual", "textual"]
    for reply, problem in (
        ('{"key": ["V1", "T7"]}', "not among those given"),
        ('{"key": ["V1", "V2"]}', "does not lead from IMAGE to the answer"),
        ("The answer is feathers.", "no JSON"),
    ):
        with pytest.raises(ReplyError, match=problem):
            step.read(StepReply(reply))
    contradicted = step.read(StepReply('{"key": []}'))
    assert isinstance(contradicted, Drop)
    assert contradicted.reason == "answer contradicted"


def test_verdicts_are_matched_by_number_and_a_missing_one_is_a_no() -> None:
    rows = {
        '[{"n": 2, "ok": false}, {"n": 1, "ok": true}]': [True, False, False],
        '["Yes", "no", "yes"]': [True, False, True],
        '[{"n": 1, "ok": true}, {"n": 1, "ok": false}, {"n": 2, "ok": true}]': [False, True, False],
    }
    step = verify_step([[SEEN]] * 3)
    assert {text: step.read(StepReply(f'{{"verdicts": {text}}}')) for text in rows} == rows
    for wrong in ("[]", '[{"n": 1, "ok": true}]', '[{"n": 4, "ok": true}, {"n": 1, "ok": true}]'):
        with pytest.raises(ReplyError, match=r"3 asked for|not the form"):
            step.read(StepReply(f'{{"verdicts": {wrong}}}'))


def test_a_question_is_one_line_that_ends_in_a_question_mark() -> None:
    for text in ("What is it?", '**"What is it?"**', "New question: What is it?"):
        assert read_question(text) == "What is it?"
    assert read_question("这个城市在哪个国家？") == "这个城市在哪个国家？"
    for text in ("A young one.", "What? Which?", "What?\nA: this", "", "What is (DUCK, is, DUCKLING)?", "What IS_IT?"):
        with pytest.raises(ValueError, match=r"question|line"):
            read_question(text)


def test_the_old_question_in_other_words_and_that_of_the_example_are_refused() -> None:
    assert is_same_question("What country is the man from?", "What country is this man from?")
    assert not is_same_question("What is the capital of the country?", "What country is this man from?")
    with pytest.raises(ReplyError, match="old one"):
        worded("What sport is shown in this image?", old="What sport is shown?")
    (text,) = examples("express").questions
    with pytest.raises(ReplyError, match="example's"):
        worded(text)


def test_a_new_question_that_ignores_the_one_before_is_refused() -> None:
    old = "What bird swims on the pond?"
    for text in ("What covers the birds there?", "What covers this?", "What covers the animal in the photo?"):
        assert worded(text, old) == text
    with pytest.raises(ReplyError, match="ignores the one before"):
        worded("What is the capital of France?", old)


def test_a_graph_without_a_key_ends_at_what_is_asked_about() -> None:
    reply = {"visual": [{"s": "IMAGE", "r": "shows", "o": "POND"}, {"s": "POND", "r": "bears", "o": "FEATHERS"}]}
    assert len(see_step(BIRD, language="English", shown=examples("see")).read(json_reply(reply)).graph.key) == 2


ABOUT_DUCK = Question("q", "b/s/1", "r", 0, "raw", "What is it?", "duck", ())
BIRD = Sample("b/s/1", "b", "s", "What covers the bird?", "feathers")
LONG = "x" * 400
GOOD: dict[str, Any] = {"r": "young is", "o": "DUCKLING"}


def json_reply(value: Any) -> StepReply:
    return StepReply(json.dumps(value))


def candidates(*items: Any) -> list[str]:
    return [proposal.object for proposal in knowledge_step(ABOUT_DUCK).read(json_reply({"candidates": list(items)}))]


def test_a_broken_item_is_left_out() -> None:
    for broken in [
        GOOD | {"o": LONG},
        GOOD | {"r": ""},
        {"r": "eats"},
        GOOD | {"o": 5},
        None,
        "DUCK eats WEEDS",
        ["DUCK", "eats", "WEEDS"],
    ]:
        assert candidates(GOOD, broken) == candidates(broken, GOOD) == ["DUCKLING"], broken


def test_what_an_item_can_do_without_is_left_out_of_it() -> None:
    for odd in [
        {"reasoning": "as ducks do", "confidence": 0.9},
        {"names": [LONG, "chick", 7], "type": LONG},
        {"names": "chick"},
        {"names": [f"name {number}" for number in range(30)]},
    ]:
        assert candidates(GOOD | odd) == ["DUCKLING"], odd


def test_triplets_keep_their_numbers_beside_a_broken_one() -> None:
    visual = [
        {"s": "IMAGE", "r": "depicts", "o": LONG},
        {"s": "IMAGE", "r": "depicts", "o": "DUCK", "certainty": 1},
        {"subject": "DUCK", "relation": "swims on", "object": "POND"},
    ]
    textual = [{"s": "DUCK", "r": "is covered by", "o": "FEATHERS"}]
    extracted = extract_step(BIRD).read(json_reply({"visual": visual, "textual": textual}))
    graph = key_step(BIRD, extracted).read(json_reply({"key": ["V1", "T1", "V1"]}))
    assert isinstance(graph, SampleGraph)
    assert [triplet.object.name for triplet in graph.visual] == ["DUCK", "POND"]
    assert [triplet.object.name for triplet in graph.key] == ["DUCK", "FEATHERS"]
