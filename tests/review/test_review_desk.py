"""Decisions are taken: logged, written to the graph, and new versions made."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from review_cases import FAMILY, FIRST, SECOND, filled_desk, opened_desk, states_of, words_of
from specimens import SAMPLE, load

from kbe_graph.errors import DatasetError, InputError, KbeWarning
from kbe_graph.facts.review import read_verdicts
from kbe_graph.review.consequences import given_out
from kbe_graph.review.log import ReviewLog
from kbe_graph.review.review_desk import Opinions, ReviewDesk
from kbe_graph.review.reviewed_items import read_items, read_options
from kbe_graph.review.revision import Revision
from kbe_graph.review.state import made_question
from kbe_graph.review.wrong_fact import refute, resting_on
from kbe_graph.store import Store
from kbe_graph.types import QuestionForm, Sample

GOOD = "Which family does this animal belong to?"


@pytest.fixture
def store(embedded_store: Store) -> Store:
    return embedded_store


@pytest.fixture
def desk(store: Store, tmp_path: Path) -> ReviewDesk:
    return filled_desk(store, tmp_path)


def out(store: Store) -> dict[str, str]:
    """What is given out: the texts by first version."""
    return {id_: question.text for id_, question in given_out(read_items(store, run="first"), states_of(store)).items()}


def test_a_decision_stands_in_the_log_and_in_the_graph(desk: ReviewDesk, store: Store) -> None:
    said = Opinions((("factual", "yes"),), "fine", pick="Giraffidae", seconds=4.5)
    review = desk.decide(FIRST, "approve", reviewer="Ana", opinions=said)
    assert store.reviews() == [review] == desk.log.read()
    assert (review.id, review.version, review.seconds) == (f"{FIRST}|Ana|0", desk.item(FIRST).version, 4.5)
    assert json.loads(review.before)["answer"] == "Giraffidae"
    assert desk.decide(FIRST, "reject", reviewer="Ana").id == f"{FIRST}|Ana|1"
    assert words_of(store) == {FIRST: "rejected", SECOND: "open"}


def test_options_are_shown_only_where_the_answer_is_one_of_them(store: Store) -> None:
    load(store)
    (raw,) = store.questions(samples=[SAMPLE.id])
    other = replace(SAMPLE, choices=("horse", "zebra"), choice="zebra")
    assert read_options(store, [raw], {SAMPLE.id: SAMPLE}) == {raw.id: SAMPLE.choices}
    assert read_options(store, [raw], {SAMPLE.id: other}) == {raw.id: ()}


def test_an_undo_needs_a_decision(desk: ReviewDesk, store: Store) -> None:
    with pytest.raises(InputError, match=r"'Ana' has no decision on '.*' to undo"):
        desk.decide(FIRST, "undo", reviewer="Ana")
    desk.decide(FIRST, "reject", reviewer="Ana")
    desk.decide(FIRST, "undo", reviewer="Ana")
    assert words_of(store)[FIRST] == "open"
    assert len(desk.log.read()) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"verdict": "perhaps"}, "the verdict is 'perhaps'; it must be one of approve, reject"),
        ({"verdict": "revise"}, "the verdict 'revise' needs a new wording"),
        ({"revision": Revision("Why?")}, "the verdict 'revise' needs a new wording"),
        ({"reviewer": " "}, "the reviewer is ' '; give a name"),
        ({"reviewer": "A\x1b[2J"}, "reviewer .* contains a line break"),
        ({"version": "old"}, "has changed since it was shown"),
        ({"question": "x"}, "no question 'x' to review"),
        ({"opinions": Opinions((("size", "yes"),))}, "no criterion 'size'; available: factual, consistent"),  # type: ignore[arg-type]
        ({"opinions": Opinions(options=(("x", "implausible"),))}, "no option 'x'; available: none"),
        ({"opinions": Opinions(wrong_facts=("x",))}, "does not rest on triplet 'x'; its key has image"),
        ({"opinions": Opinions(seconds=-1)}, "the seconds are -1"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused_and_nothing_is_written(
    desk: ReviewDesk, store: Store, change: dict, message: str
) -> None:
    given = {"question": FIRST, "verdict": "approve", "reviewer": "Ana"} | change
    with pytest.raises(InputError, match=message):
        desk.decide(given.pop("question"), given.pop("verdict"), **given)
    assert store.reviews() == []
    assert desk.log.read() == []


def test_a_revision_is_a_new_version_that_takes_the_place_of_the_old_one(desk: ReviewDesk, store: Store) -> None:
    review = desk.decide(FIRST, "revise", reviewer="Ana", revision=Revision(GOOD, aliases=("giraffids", "giraffes")))
    version = made_question(review)
    made = desk.item(version).question
    assert (made.text, made.parent, made.status, made.provenance.maker) == (GOOD, FIRST, "revised", "Ana (review)")
    assert made.key == desk.item(FIRST).question.key
    assert [json.loads(each)["text"] for each in (review.before, review.after)] == [
        desk.item(FIRST).question.text,
        GOOD,
    ]
    assert out(store)[FIRST] == GOOD
    assert store.questions(run="first", hop=1) == [desk.item(FIRST).question]
    desk.decide(version, "revise", reviewer="Bo", revision=Revision("Which family does it belong to?"))
    assert words_of(store)[version] == "disputed"
    desk.decide(FIRST, "undo", reviewer="Ana")
    assert out(store)[FIRST] == desk.item(FIRST).question.text


def test_a_wording_that_a_check_refuses_stands_only_use_engine(desk: ReviewDesk, store: Store) -> None:
    leaking = Revision("What is the family of the giraffe?")
    with pytest.raises(InputError, match=r"refused \(leak in the wording: giraffe\); change it, or keep it"):
        desk.decide(FIRST, "revise", reviewer="Ana", revision=leaking)
    assert [refusal.reason for refusal in desk.check(FIRST, leaking)] == ["leak in the wording"]
    assert store.reviews() == []
    review = desk.decide(FIRST, "revise", reviewer="Ana", revision=leaking, insist=True)
    assert json.loads(review.after)["against"] == ["leak in the wording: giraffe"]
    assert desk.check(FIRST, Revision(GOOD)) == ()


@pytest.mark.parametrize(
    ("revision", "message"),
    [
        (Revision(), "the revision of .* changes nothing"),
        (Revision(" "), "needs a text and an answer"),
        (Revision(options=("a", "b")), "needs at least two options, including 'Giraffidae'"),
    ],
)
def test_a_revision_that_is_no_question_is_refused(desk: ReviewDesk, revision: Revision, message: str) -> None:
    with pytest.raises(InputError, match=message):
        desk.decide(FIRST, "revise", reviewer="Ana", revision=revision)


def test_options_are_part_of_the_version_and_of_a_revision(desk: ReviewDesk, store: Store) -> None:
    before = desk.item(FIRST).version
    store.save_forms([QuestionForm(FIRST, "choice", "Which?", ("Bovidae", "Giraffidae"), ("Giraffidae",))])
    assert desk.item(FIRST).version != before
    desk.decide(FIRST, "approve", reviewer="Ana", opinions=Opinions(options=(("Bovidae", "implausible"),)))
    options = ("Cervidae", "Giraffidae")
    review = desk.decide(FIRST, "revise", reviewer="Ana", revision=Revision(GOOD, options=options))
    [form] = store.forms_of([made_question(review)])
    assert (form.text, form.options, form.answers) == (GOOD, options, ("Giraffidae",))
    assert desk.item(made_question(review)).options == options


def test_a_rejected_question_goes_with_the_chains_through_it(desk: ReviewDesk, store: Store) -> None:
    assert set(out(store)) == {FIRST, SECOND}
    desk.decide(SECOND, "reject", reviewer="Ana")
    assert set(out(store)) == {FIRST}
    desk.decide(SECOND, "undo", reviewer="Ana")
    desk.decide(FIRST, "reject", reviewer="Ana")
    assert out(store) == {}
    assert set(given_out(read_items(store, run="first"), states_of(store), "all")) == {FIRST, SECOND}


def test_disputed_and_open_questions_are_given_out_unless_others_are_wanted(desk: ReviewDesk, store: Store) -> None:
    desk.decide(FIRST, "approve", reviewer="Ana")
    items = read_items(store, run="first")
    assert set(given_out(items, states_of(store), "approved")) == {FIRST}
    desk.decide(FIRST, "reject", reviewer="Bo")
    assert set(given_out(items, states_of(store))) == {FIRST, SECOND}
    assert given_out(items, states_of(store), "undisputed") == {}


def test_a_wrong_fact_takes_all_questions_on_it_along(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    assert resting_on(desk, SECOND, FAMILY) == [FIRST, SECOND]
    with pytest.raises(InputError, match="does not rest on triplet 'x'; its key has image"):
        resting_on(desk, FIRST, "x")
    desk.decide(FIRST, "reject", reviewer="Ana")
    refuted = refute(desk, SECOND, FAMILY, reviewer="Ana", verdicts=tmp_path / "review.tsv")
    fact = ("wn30:02439033-n", "taxonomic family", "wn30:1")
    assert refuted == (fact, (SECOND,))
    assert read_verdicts(tmp_path / "review.tsv")[fact].word == "wrong"
    [review] = store.reviews([SECOND])
    assert (review.verdict, review.reason, review.wrong_facts) == (
        "reject",
        "wrong fact: GIRAFFE taxonomic family GIRAFFIDAE",
        (FAMILY,),
    )


def test_what_was_seen_in_the_picture_is_rejected_without_a_verdict_on_a_fact(desk: ReviewDesk, tmp_path: Path) -> None:
    refuted = refute(desk, FIRST, "image|depicts|giraffe", reviewer="Ana", verdicts=tmp_path / "review.tsv")
    assert refuted.fact is None
    assert refuted.questions == (FIRST, SECOND, f"{SAMPLE.id}@raw/0")
    assert not (tmp_path / "review.tsv").exists()


def test_what_the_log_has_and_the_graph_lacks_is_taken_in(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    review = desk.decide(FIRST, "revise", reviewer="Ana", revision=Revision(GOOD))
    desk.decide(made_question(review), "approve", reviewer="Bo")
    once = store.reviews()
    store.forget_run("first")
    assert store.reviews() == []
    again = filled_desk(store, tmp_path)
    assert store.reviews() == once
    assert out(store)[FIRST] == GOOD
    assert again.decide(FIRST, "approve", reviewer="Ana").id == f"{FIRST}|Ana|1"


def test_decisions_on_questions_that_are_gone_stay_in_the_log(desk: ReviewDesk, store: Store, tmp_path: Path) -> None:
    desk.decide(FIRST, "approve", reviewer="Ana")
    store.forget_run("first")
    assert opened_desk(store, tmp_path).open() == 0
    assert len(desk.log.read()) == 1


def test_a_process_that_is_killed_between_log_and_graph_loses_nothing(
    desk: ReviewDesk, store: Store, tmp_path: Path
) -> None:
    review = desk.make(FIRST, "reject", reviewer="Ana")
    code = (
        "import os, signal; from pathlib import Path; from kbe_graph.review.log import ReviewLog\n"
        "from kbe_graph.types import Review\n"
        f"ReviewLog(Path({str(tmp_path / 'reviews.jsonl')!r})).append([{review!r}])\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert store.reviews() == []
    assert opened_desk(store, tmp_path).store.reviews() == [review]


def test_a_cut_last_line_is_told_and_left(desk: ReviewDesk, tmp_path: Path) -> None:
    desk.decide(FIRST, "approve", reviewer="Ana")
    file = tmp_path / "reviews.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + whole[:40])
    with pytest.warns(KbeWarning, match=r"reviews\.jsonl line 2 was cut off"):
        assert len(desk.log.read()) == 1
    desk.decide(SECOND, "approve", reviewer="Ana")
    assert file.read_bytes().startswith(whole + whole[:40] + b"\n")
    with pytest.warns(KbeWarning, match="line 2 was cut off"):
        assert [review.question for review in desk.log.read()] == [FIRST, SECOND]


def test_reviewers_at_once_lose_no_decision(desk: ReviewDesk, store: Store) -> None:
    def decide(number: int) -> str:
        return desk.decide((FIRST, SECOND)[number % 2], "approve", reviewer=("Ana", "Bo", "Cy")[number % 3]).id

    with ThreadPoolExecutor(6) as pool:
        ids = [*pool.map(decide, range(24))]
    assert len(set(ids)) == 24
    assert {review.id for review in store.reviews()} == set(ids) == {review.id for review in desk.log.read()}


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("verdict", "perhaps", "'verdict' is 'perhaps'; write approve or reject"),
        ("id", "x|0", "'id' is 'x|0'; it must be question, reviewer and a number"),
        ("time", "today", "'time' is 'today'"),
        ("seconds", "-2", "'seconds' is '-2'"),
        ("criteria", {"size": "yes"}, "'criteria' names 'size'"),
        ("criteria", ["factual"], "'criteria' must map names to yes or no or unsure"),
        ("options", {"a": "bad"}, "'options a' is 'bad'; write also right or implausible"),
        ("before", "x", "'before' must hold the fields of a question"),
    ],
)
def test_a_line_of_the_log_that_was_changed_is_refused_by_place_and_field(
    desk: ReviewDesk, tmp_path: Path, field: str, value: object, message: str
) -> None:
    desk.decide(FIRST, "approve", reviewer="Ana")
    file = tmp_path / "reviews.jsonl"
    line = json.loads(file.read_text())
    file.write_text(json.dumps(line | {field: value}) + "\n")
    with pytest.raises(DatasetError, match=rf"reviews\.jsonl.*line 1.*{message}") as caught:
        ReviewLog(file).read()
    assert str(file) in str(caught.value)


def test_a_raw_question_without_a_graph_can_be_reviewed(store: Store, tmp_path: Path) -> None:
    store.save_samples([Sample("own/val/1", "own", "val", "What colour is it?", "red", ("red",))])
    desk = opened_desk(store, tmp_path)
    review = desk.decide("own/val/1@raw/0", "revise", reviewer="Ana", revision=Revision("What colour has the bus?"))
    assert store.reviews() == [review]
    assert [item.question.id for item in read_items(store)] == ["own/val/1@raw/0", made_question(review)]
