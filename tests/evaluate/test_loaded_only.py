"""A benchmark that was only loaded is asked, scored and exported whole: a raw accuracy needs no graph."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, cut_reply, reply_with
from model_cases import step_of
from PIL import Image
from scripted_models import ScriptedSubject

import kbe_graph as kbe
from kbe_graph.errors import KbeWarning
from kbe_graph.store import Address

ROWS = [
    {"id": str(number), "question": f"What has number {number}?", "answer": answer, "image": f"{number}.png"}
    for number, answer in enumerate(("bread", "cheese", "wine", "salt"), 1)
]


@pytest.fixture
def work(tmp_path: Path, empty_graph: Address) -> kbe.Workspace:
    for row in ROWS:
        Image.new("RGB", (16, 16), "red").save(tmp_path / row["image"])
    work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
    work.load(ROWS, name="own", images=tmp_path)
    return work


def raw_accuracy(work: kbe.Workspace, model: str) -> float:
    rows = work.answers.evaluation(model=model).results().accuracy
    return next(row.accuracy for row in rows if row.samples == "all" and row.row == "raw")


def test_all_its_questions_are_asked_once_and_a_rerun_asks_nothing(work: kbe.Workspace, tmp_path: Path) -> None:
    replies = {row["question"]: row["answer"] for row in ROWS[:3]}
    with LoopbackServer(otherwise=ScriptedSubject(replies)) as server:
        reader = kbe.ModelOptions("reader", base_url=server.url)
        evaluated = work.evaluate(reader)
        assert (evaluated.asked, evaluated.new) == (4, 4)
        assert raw_accuracy(work, "reader") == 0.75
        assert work.evaluate(reader).new == 0
    page = tmp_path / "report.html"
    assert {row["questions"] for row in work.report(page).scored} == {4}
    assert "No model answers yet" not in page.read_text()
    (score,) = work.answers.evaluation().scores(["exact"])
    assert (score["questions"], score["score"]) == (4, 0.75)


def test_answers_of_another_address_are_told_and_kept_apart_under_another_name(
    work: kbe.Workspace, tmp_path: Path, empty_graph: Address
) -> None:
    replies = {row["question"]: row["answer"] for row in ROWS}
    with (
        LoopbackServer(otherwise=ScriptedSubject(replies)) as first,
        LoopbackServer(otherwise=ScriptedSubject({})) as new,
    ):
        work.evaluate(kbe.ModelOptions("reader", base_url=first.url))
        with pytest.warns(KbeWarning, match=rf"'reader' to step 'answer' are kept from {first.url} \(4\)"):
            assert work.evaluate(kbe.ModelOptions("reader", base_url=new.url)).new == 0
        file = work.folder.config.file
        file.write_text(file.read_text() + '\n[models]\nbody = { model = "reader" }\n')
        work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
        assert work.evaluate(kbe.ModelOptions("reader-new", base_url=new.url)).new == 4
        assert {request.json["model"] for request in new.requests} == {"reader"}
    assert (raw_accuracy(work, "reader"), raw_accuracy(work, "reader-new")) == (1.0, 0.0)


def test_what_cannot_be_asked_or_judged_is_told_before_anything_is_asked(work: kbe.Workspace) -> None:
    with LoopbackServer(otherwise=ScriptedSubject({})) as server:
        reader = kbe.ModelOptions("reader", base_url=server.url)
        for options, words in [
            ({"judges": ["aliass"]}, "no judge 'aliass'; did you mean 'alias'"),
            ({"judges": ["aliass"], "judge": reader}, "a model of that name is 'model:aliass'"),
            ({"judges": ["mention"]}, "no judge 'mention'; it is a score"),
            ({"judges": ["lenient"]}, "no judge 'lenient'"),
            ({"variants": ["circular"]}, "'circular' needs raw questions with options"),
            ({"hops": "3"}, "no question of hop 3; the hops are 0"),
        ]:
            with pytest.raises(kbe.InputError, match=words):
                work.evaluate(reader, **options)
        assert not server.requests
        own = kbe.ModelOptions(base_url=server.url)
        for number, name in enumerate(("model:aliass", "lenient", "reader", "paper:aliass")):
            judged = work.evaluate(replace(reader, name=f"r{number}"), judges=[name], judge=own).judgement
            assert judged.judge.endswith(name.rpartition(":")[2])


def test_wrong_answers_that_contain_a_right_one_are_counted(work: kbe.Workspace) -> None:
    replies = {ROWS[0]["question"]: "It is bread", ROWS[1]["question"]: "wine or cheese", ROWS[2]["question"]: "beer"}
    with LoopbackServer(otherwise=ScriptedSubject(replies)) as server:
        judgement = work.evaluate(kbe.ModelOptions("reader", base_url=server.url)).judgement
    assert (judgement.right, judgement.wrong, judgement.mentioned) == (1, 3, 1)


def test_answers_outlive_the_extraction_that_comes_later(tmp_path: Path, empty_graph: Address) -> None:
    work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
    work.load(kbe.demo().samples, name="demo", split="demo")
    samples = list(work.samples())
    file = tmp_path / "p.jsonl"
    file.write_text("".join(json.dumps({"id": each.id, "answer": each.answer}) + "\n" for each in samples))
    work.answers.take(file, model="reader")
    before = {question.id for question in work.questions(run="raw", status="loaded")}
    extracted = work.extract(scene_graphs=kbe.demo().scene_graphs, sample=40)
    assert len(before) == len(samples) > extracted.kept > 0
    assert len(work.questions(run="raw")) == extracted.kept
    assert len(work.answers.predictions()) == len(samples)
    assert raw_accuracy(work, "reader") == 1


def test_ids_that_two_benchmarks_share_are_matched_within_the_one_that_is_named(
    work: kbe.Workspace, tmp_path: Path
) -> None:
    work.load(ROWS, name="other", images=tmp_path)
    file = tmp_path / "p.jsonl"
    file.write_text("".join(json.dumps({"id": row["id"], "answer": row["answer"]}) + "\n" for row in ROWS))
    with pytest.raises(
        kbe.InputError, match=r"ids here look like '1'.* if several benchmarks or splits have such ids, name one"
    ):
        work.answers.take(file, model="reader")
    assert work.answers.take(file, model="reader", benchmark="own").new == 4
    assert {answer.question.split("/")[0] for answer in work.answers.predictions()} == {"own"}
    assert work.export(tmp_path / "own.jsonl", benchmark="own") == 4
    assert work.export(tmp_path / "all.jsonl") == 8
    with pytest.raises(kbe.InputError, match="no benchmark 'none'; available: other, own"):
        work.export(tmp_path / "none.jsonl", benchmark="none")


def test_a_reply_that_was_cut_counts_as_wrong_and_both_figures_are_shown(work: kbe.Workspace) -> None:
    """Three questions are answered right, and one with too many words: it is asked again."""
    replies = {row["question"]: row["answer"] for row in ROWS[1:]}

    def answer(request: LoopbackRequest) -> LoopbackResponse:
        said = next((said for question, said in replies.items() if question in request.text), None)
        return reply_with(said) if said else cut_reply("Let me think about")

    with LoopbackServer(otherwise=answer) as server:
        model = kbe.ModelOptions("wordy", base_url=server.url, api_key="k")
        evaluated = work.evaluate(model)
        assert (evaluated.new, evaluated.unanswered, evaluated.judgement.wrong) == (4, 0, 1)
        (row,) = work.answers.evaluation(model="wordy").scored()
        assert (row["scored"], row["questions"], row["cut"]) == (3, 4, 1)
        assert (row["accuracy"], row["without_cut"]) == (0.75, 1)
        replies[ROWS[0]["question"]] = "bread"
        assert work.evaluate(model).new == 0
    assert raw_accuracy(work, "wordy") == 1


def test_thoughts_without_an_answer_are_paid_once_and_count_as_wrong(work: kbe.Workspace) -> None:
    reply = "<think>It could be bread, or wine.</think>"
    with LoopbackServer(otherwise=reply_with(reply)) as server:
        model = kbe.ModelOptions("thinker", base_url=server.url, api_key="k")
        first = work.evaluate(model)
        paid = len(server.requests)
        again = work.evaluate(model)
        assert len(server.requests) == paid
    assert (first.new, first.answered, again.new, again.answered) == (4, 4, 0, 4)
    assert (again.empty, again.unread, paid) == (0, 4, 4)
    assert again.judgement.wrong == 4
    assert {answer.reply for answer in work.answers.predictions()} == {reply}


def test_a_model_that_judges_reads_what_no_rule_could(tmp_path: Path, empty_graph: Address) -> None:
    def judge(request: LoopbackRequest) -> LoopbackResponse:
        extracted = {"extracted": "bread"} if step_of(request) == "judge_mdk12" else {}
        verdict = {"n": 1, **extracted, "right": "I lean to bread" in request.text}
        return reply_with(json.dumps({"verdicts": [verdict]}))

    row = {"id": "1", "question": "What is baked?", "choices": ["bread", "cheese"], "answer": "bread"}
    Image.new("RGB", (16, 16), "red").save(tmp_path / "1.png")
    work = kbe.Workspace(tmp_path / "W", address=empty_graph, progress=False)
    work.load([{**row, "image": "1.png"}], name="own", images=tmp_path)
    file = tmp_path / "p.jsonl"
    said = "<think>Cheese?</think>It may be bread or cheese. I lean to bread, not that I know."
    file.write_text(json.dumps({"id": "1", "answer": said, "variant": "options"}) + "\n")
    taken = work.answers.take(file, model="reader")
    assert (taken.unread, taken.judgement.right) == (1, 0)
    with LoopbackServer(otherwise=judge) as server:
        model = kbe.ModelOptions("judge", base_url=server.url, api_key="k")
        assert work.answers.judge(["model"], judge=model).right == 1
        assert len(server.requests) == 1
        assert "Cheese?" not in server.requests[0].text
        extracted = work.answers.judge(["mdk12"], judge=model)
        assert (extracted.judge, extracted.right, len(server.requests)) == ("mdk12: judge", 1, 2)


def test_statements_are_made_of_the_options_of_a_set_that_was_only_loaded(work: kbe.Workspace, tmp_path: Path) -> None:
    assert sum(work.make_forms("choice").refused.values()) == len(ROWS)
    choices = ["cow", "horse", "goat", "sheep"]
    rows = [
        {"id": str(number), "question": "What animal is this?", "answer": choices[number], "choices": choices}
        for number in range(4)
    ]
    work.load(rows, name="farm")
    made = work.make_forms("true-false")
    assert sorted(form.answers for form in made.forms.values()) == [("false",), ("false",), ("true",), ("true",)]
    with pytest.warns(kbe.KbeWarning, match="left out: 4 no form 'true-false'"):
        assert work.export(tmp_path / "said.jsonl", form="true-false") == 4
