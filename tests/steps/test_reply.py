"""How replies are read: each rule on a small case."""

import json

import pytest

from kbe_graph.errors import ReplyError
from kbe_graph.steps.examples import examples
from kbe_graph.steps.expresser import is_same_question, parse_express
from kbe_graph.steps.extractor import parse_extract, parse_graph, parse_key
from kbe_graph.steps.model_source import parse_hop, parse_knowledge
from kbe_graph.steps.reply_text import (
    StepReply,
    TripletWords,
    is_refusal,
    plain_text,
    read_question,
    read_triplet,
    read_triplets,
    read_verdict,
    read_verdicts,
)
from kbe_graph.steps.verifier import parse_verdicts
from kbe_graph.types import Drop, Sample, SampleGraph

SAMPLE = Sample("b/s/1", "b", "s", "What covers the bird?", "feathers")
EXTRACT = """{"visual": [{"s": "IMAGE", "r": "depicts", "o": "DUCK"}, {"s": "DUCK", "r": "on", "o": "POND"}],
"textual": [{"s": "DUCK", "r": "is covered by", "o": "FEATHERS"}]"""
DUCK = TripletWords("DUCK", "is covered by", "FEATHERS")


def kind_of(reply: str, *, finish: str = "stop", answer: str = "duck") -> str:
    with pytest.raises(ReplyError) as caught:
        parse_knowledge(StepReply(reply, finish), answer)
    return caught.value.kind


def test_thinking_and_fences_are_left_out() -> None:
    assert plain_text("<think>(A, r, B)\nperhaps</think>\n```json\n{}\n```") == "{}"


def test_thinking_whose_beginning_stood_in_the_prompt_is_left_out() -> None:
    assert plain_text("so it is (A, r, B)\n</think>\n(C, r, D)") == "(C, r, D)"


def test_thinking_that_was_cut_leaves_nothing() -> None:
    assert plain_text("<think>well (A, r, B)") == ""


def test_the_text_is_cut_at_the_first_echo_of_the_prompt() -> None:
    assert plain_text("1. yes\n**Question:** What?\n2. no", echoes=("Question:",)) == "1. yes"


def test_an_echo_counts_only_where_a_line_begins() -> None:
    assert plain_text("(A, is question: of, B)", echoes=("Question:",)) == "(A, is question: of, B)"


def test_the_last_line_of_a_cut_text_goes() -> None:
    assert plain_text("(A, r, B)\n(C, r, DEN", finish="length") == "(A, r, B)"


def test_before_an_echo_nothing_was_cut() -> None:
    assert plain_text("(A, r, B)\nChain: x", finish="length", echoes=("Chain:",)) == "(A, r, B)"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1. (DUCK, is covered by, FEATHERS)", DUCK),
        ("**T1.** (DUCK, is covered by, FEATHERS), for it is a bird", DUCK),
        ("(“DUCK”, ‘is covered by’, “FEATHERS”)", DUCK),
        ("| DUCK | is covered by | FEATHERS |", DUCK),
        ("(DUCK, lives at, Raleigh, North Carolina)", TripletWords("DUCK", "lives at", "Raleigh, North Carolina")),
        ("(FIRE_TRUCK, has_part, LADDER)", TripletWords("FIRE TRUCK", "has part", "LADDER")),
        ("|---|---|---|", None),
        ("| subject | relation | object |", None),
        ("(s, r, o)", None),
        ("(<subject>, <relation>, <object>)", None),
        ("(DUCK, is covered by)", None),
        ("(DUCK, is covered by, FEA", None),
        ("(DUCK, is a, DUCK)", None),
        ("(DUCK, feathers, FEATHERS)", None),
        ("DUCK, is covered by, FEATHERS", None),
    ],
)
def test_a_triplet_is_the_first_parenthesis_split_at_its_first_two_commas(
    line: str, expected: TripletWords | None
) -> None:
    assert read_triplet(plain_text(line)) == expected


def test_repeated_triplets_are_read_once() -> None:
    assert read_triplets("(DUCK, on, POND)\n(DUCK, on, POND)") == [TripletWords("DUCK", "on", "POND")]


@pytest.mark.parametrize("text", ["I’m sorry, I can’t help with that.", "As an AI, I do not see pictures."])
def test_refusals_are_known(text: str) -> None:
    assert is_refusal(text)
    assert kind_of(text) == "refused"


def test_a_reply_of_lines_gives_only_triplets_about_the_answer() -> None:
    reply = "(DUCK, is covered by, FEATHERS)\n(GOOSE, is covered by, DOWN)\n(DUCK, eats, WEEDS)"
    assert [proposal.object for proposal in parse_knowledge(StepReply(reply), "duck")] == ["FEATHERS", "WEEDS"]


def test_a_reply_about_something_else_is_refused() -> None:
    assert kind_of("(GOOSE, is covered by, DOWN)") == "invalid"


def test_a_relation_with_several_objects_names_none() -> None:
    reply = "(DUCK, eats, WEEDS)\n(DUCK, eats, FISH)\n(DUCK, young is, DUCKLING)"
    assert [proposal.object for proposal in parse_knowledge(StepReply(reply), "duck")] == ["DUCKLING"]


def test_facts_of_the_example_are_left_out() -> None:
    shown = examples("knowledge")
    assert shown.holds_of_another("opel", TripletWords("OPEL", "has seat in", "TURIN"))
    assert not shown.holds_of_another("fiat", TripletWords("FIAT", "has seat in", "TURIN"))
    reply = '{"candidates": [{"r": "has seat in", "o": "TURIN"}, {"r": "young is", "o": "DUCKLING"}]}'
    assert [proposal.object for proposal in parse_knowledge(StepReply(reply), "duck")] == ["DUCKLING"]


@pytest.mark.parametrize(
    "reply",
    [
        '{"candidates": [{"r": "young is", "o": "DUCKLING", "names": ["duckling", "chick"], "type": "animal"}]}',
        (
            'Sure!\n```json\n{"candidates": [{"r": "young is", "o": "DUCKLING", "names": ["chick"], "type": "animal"}]}'
            "\n```\nOk?"
        ),
        '{"candidates": [{"r": "young is", "o": "DUCKLING", "names": ["chick"], "type": "animal",}]}',
        "{“candidates”: [{“r”: “young is”, “o”: “DUCKLING”, “names”: [“chick”], “type”: “animal”}]}",
        '<think>hm</think>{"candidates": [{"r": "young is", "o": "DUCKLING", "names": ["chick"], "type": "animal"}]',
    ],
)
def test_json_is_read_through_fences_prose_curly_quotes_and_small_breaks(reply: str) -> None:
    (proposal,) = parse_knowledge(StepReply(reply), "duck")
    assert (proposal.relation, proposal.object, proposal.names, proposal.type) == (
        "young is",
        "DUCKLING",
        ("chick",),
        "animal",
    )


def test_curly_quotes_inside_json_stay_as_they_are() -> None:
    reply = '{"question": "Which bird says “quack”?"}'
    assert parse_express(StepReply(reply), old="What is it?", hidden=()) == "Which bird says “quack”?"


def test_json_that_was_cut_is_refused_and_not_closed() -> None:
    reply = '{"candidates": [{"r": "young is", "o": "DUCKL'
    assert kind_of(reply) == "cut"
    assert kind_of(reply, finish="length") == "cut"


def test_json_with_a_missing_field_is_refused() -> None:
    assert kind_of('{"candidates": [{"s": "DUCK", "r": "eats", "WEEDS"}]}') in {"invalid", "cut"}
    assert kind_of('{"candidates": [{"r": "eats"}]}') == "invalid"


def test_an_empty_list_of_candidates_is_an_answer() -> None:
    assert parse_knowledge(StepReply('{"candidates": []}'), "duck") == []


def test_a_hop_carries_verdict_and_draft() -> None:
    reply = '{"candidates": [{"r": "young is", "o": "DUCKLING", "ok": true, "q": "What is its young called?"}]}'
    (proposal,) = parse_hop(StepReply(reply), "duck")
    assert (proposal.ok, proposal.text) == (True, "What is its young called?")


def test_extract_reads_json_and_lines_alike() -> None:
    lines = "V1: (IMAGE, depicts, DUCK)\nV2: (DUCK, on, POND)\nT1: (DUCK, is covered by, FEATHERS)\nKey: V1, T1"
    assert parse_extract(StepReply(EXTRACT + "}"), SAMPLE) == parse_extract(StepReply(lines), SAMPLE)


@pytest.mark.parametrize(
    ("reply", "finish", "problem"),
    [
        ("V1: (IMAGE, depicts, DUCK)\nT1: (DUCK, is covered by, FEATHERS)\nT2: (DU", "length", "was cut"),
        ("V1: (DUCK, on, POND)\nT1: (DUCK, is covered by, FEATHERS)", "stop", "IMAGE"),
        ("V1: (IMAGE, depicts, DUCK)\nV1: (IMAGE, depicts, FEATHERS)", "stop", "leads to the answer"),
        ("V1: (IMAGE, depicts, DUCK)\nT1: (DUCK, lives on, POND)", "stop", "leads to the answer"),
        (
            "V1: (IMAGE, depicts, BEEKEEPER)\nV2: (BEEKEEPER, is veiled by, MESH VEIL)\nT1: (BEEKEEPER, has, FEATHERS)",
            "stop",
            "from the example",
        ),
    ],
)
def test_extract_refuses_what_cannot_carry_a_question(reply: str, finish: str, problem: str) -> None:
    with pytest.raises(ReplyError, match=problem):
        parse_extract(StepReply(reply, finish), SAMPLE)


def test_a_triplet_of_the_example_is_left_out_and_the_others_stay() -> None:
    jar = '{"s": "JAR", "r": "is filled with", "o": "HONEY"}'
    reply = EXTRACT.replace('"textual": [', f'"textual": [{jar}, ')
    triplets = parse_extract(StepReply(reply + "}"), SAMPLE)
    assert triplets == parse_extract(StepReply(EXTRACT + "}"), SAMPLE)
    graph = parse_graph(StepReply(reply + ', "key": ["V1", "T1", "T2"]}'), SAMPLE)
    assert isinstance(graph, SampleGraph)
    assert [triplet.object.name for triplet in graph.key] == ["DUCK", "FEATHERS"]


def test_key_ids_are_matched_to_the_given_triplets() -> None:
    extract = parse_extract(StepReply(EXTRACT + "}"), SAMPLE)
    path = [triplet.object.name for triplet in parse_key(StepReply("V1, T1"), SAMPLE, extract).key]
    assert path == ["DUCK", "FEATHERS"]
    assert parse_key(StepReply('{"key": ["V1", "T1"]}'), SAMPLE, extract) == parse_key(
        StepReply("(IMAGE, depicts, DUCK)\nT1: (DUCK, is covered by, FEATHERS)"), SAMPLE, extract
    )


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ('{"key": ["V1", "T7"]}', "not among those given"),
        ("V1: (IMAGE, depicts, GOOSE)", "another triplet"),
        ("(DUCK, wears, FEATHERS)", "not among those given"),
        ("The answer is feathers.", "empty"),
        ("V1, V2", "does not lead from IMAGE to the answer"),
    ],
)
def test_a_key_that_is_not_one_is_an_error(reply: str, problem: str) -> None:
    extract = parse_extract(StepReply(EXTRACT + "}"), SAMPLE)
    with pytest.raises(ReplyError, match=problem):
        parse_key(StepReply(reply), SAMPLE, extract)


def test_an_empty_key_says_that_the_answer_is_contradicted() -> None:
    extract = parse_extract(StepReply(EXTRACT + "}"), SAMPLE)
    for drop in (
        parse_graph(StepReply(EXTRACT + ', "key": []}'), SAMPLE),
        parse_key(StepReply('{"key": []}'), SAMPLE, extract),
    ):
        assert isinstance(drop, Drop)
        assert drop.reason == "answer contradicted"


def test_graph_and_key_in_one() -> None:
    graph = parse_graph(StepReply(EXTRACT + ', "key": ["V1", "T1"]}'), SAMPLE)
    assert (len(graph.visual), len(graph.textual), [triplet.object.name for triplet in graph.key]) == (
        2,
        1,
        ["DUCK", "FEATHERS"],
    )


def test_verdicts_are_matched_by_number() -> None:
    assert read_verdicts("2) no\n1: **Yes**, it is", 2) == [True, False]
    assert parse_verdicts(StepReply('{"verdicts": [{"n": 2, "ok": false}, {"n": 1, "ok": true}]}'), 2) == [True, False]
    assert parse_verdicts(StepReply('{"verdicts": ["Yes", "no"]}'), 2) == [True, False]


@pytest.mark.parametrize("text", ["", "1. yes\n2. no\n3. no", "0. yes\n1. no", "yes, no", "1. none", "7. yes"])
def test_a_wrong_count_of_verdicts_fails_the_call(text: str) -> None:
    with pytest.raises(ReplyError, match="2 verdicts"):
        read_verdicts(text, 2)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("1. yes\n2. no", [True, False, False]),
        ("3. yes\n2. none\n1. no", [False, False, True]),
        ("1. yes\n1. no\n2. yes", [False, True, False]),
    ],
)
def test_a_missing_verdict_is_a_no(text: str, verdicts: list[bool]) -> None:
    assert read_verdicts(text, 3) == verdicts
    pairs = [line.split(". ") for line in text.splitlines()]
    values = [{"n": int(number), "ok": word} for number, word in pairs if word != "none"]
    assert parse_verdicts(StepReply(json.dumps({"verdicts": values})), 3) == verdicts


def test_one_verdict_begins_the_reply() -> None:
    assert read_verdict("No. It does not.") is False
    for text in ("The answer is yes", "No one knows", "Yes.\nNo.", "true"):
        with pytest.raises(ReplyError):
            read_verdict(text)


@pytest.mark.parametrize(
    "text", ["What is its young called?", '**"What is its young called?"**', "New question: What is its young called?"]
)
def test_a_question_is_one_line_that_ends_in_a_question_mark(text: str) -> None:
    assert read_question(text) == "What is its young called?"


@pytest.mark.parametrize(
    "text", ["A young one.", "What? Which?", "What?\nA: this", "", "What is (DUCK, young is, DUCKLING)?", "What IS_IT?"]
)
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(ReplyError):
        read_question(text)


def test_a_question_names_nothing_hidden() -> None:
    with pytest.raises(ReplyError, match="names 'duckling'"):
        read_question("Which duckling is it?", hidden=("pond", "duckling"))
    assert read_question("Which category is it?", hidden=("cat",))


def test_a_letter_is_named_by_its_capital_and_not_by_an_article() -> None:
    question = "Which disorder does a lack of this vitamin cause?"
    assert read_question(question, hidden=("a",)) == question
    with pytest.raises(ReplyError, match="names 'a'"):
        read_question("Which disorder does a lack of vitamin A cause?", hidden=("a",))


def test_other_languages_have_their_own_question_mark_and_no_spaces() -> None:
    assert read_question("这个城市在哪个国家？") == "这个城市在哪个国家？"
    with pytest.raises(ReplyError, match="names"):
        read_question("东京在哪个国家？", hidden=("东京",))


def test_the_old_question_in_other_words_is_refused() -> None:
    assert is_same_question("What country is the man from?", "What country is this man from?")
    assert not is_same_question("What is the capital of the country?", "What country is this man from?")
    with pytest.raises(ReplyError, match="old one"):
        parse_express(StepReply("What sport is shown in this image?"), old="What sport is shown?", hidden=())


def test_the_question_of_the_example_is_refused() -> None:
    (text,) = examples("express").questions
    with pytest.raises(ReplyError, match="example's"):
        parse_express(StepReply(text), old="What is it?", hidden=())
