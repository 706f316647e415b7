"""A run that follows models: what grows, why it stops, what a killed round repeats, and what people decide."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial, partialmethod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benches import bench
from engines import emptied
from loopback_server import LoopbackRequest, LoopbackResponse, LoopbackServer, reply_with
from PIL import Image
from review_cases import decide, opened_desk
from shaped_model import Model
from twin_cases import load_twin_cases

import kbe_graph as kbe
from kbe_graph.adapt import choosing
from kbe_graph.errors import BudgetReached, InputError, KbeWarning
from kbe_graph.evolve.runs import gather
from kbe_graph.explorer.explorer import Explorer
from kbe_graph.review.doubt import AGAINST_KEY, doubts
from kbe_graph.review.state import question_states, read_items
from kbe_graph.store import Address, Store
from kbe_graph.types import Round, RoundFigures

loop = bench("adapt")
FIRST, SECOND, LAST = loop.GENERATIONS


@pytest.fixture
def subjects() -> Iterator[Any]:
    """The models under test, and their address."""
    with LoopbackServer(otherwise=(models := loop.Subjects())) as server:
        models.url = server.url
        yield models


@pytest.mark.filterwarnings("ignore:no question changed")
def test_questions_grow_until_the_band_and_the_next_models_go_on(
    empty_graph: Address, subjects: Any, tmp_path: Path
) -> None:
    work = loop.build(tmp_path, 40, address=empty_graph)
    start = loop.follow(work, subjects.url, FIRST, rounds=2)
    one, two = start.rounds
    assert (one.asks, one.makes, two.asks, two.makes) == ("R", "R-round-1", "R-round-1", "")
    assert two.stopped == choosing.NO_MORE
    assert {growth.how for growth in one.grew} == {"deeper"}
    new = {question.id: question for question in work.questions(run="R-round-1")}
    assert len(new) == 40
    assert all(new[growth.question].parent == growth.before for growth in one.grew)
    assert Counter(question.hop for question in new.values()) == {1: 40 - len(one.grew), 2: len(one.grew)}
    assert sum(subjects.asked.values()) == 240  # each question once in each round, those that stay anew
    assert one.figures[1].bias is not None
    again = loop.follow(work, subjects.url, FIRST, rounds=1)
    assert (again.rounds, sum(subjects.asked.values())) == (start.rounds, 240)
    third = loop.follow(work, subjects.url, LAST, rounds=1).rounds[-1]
    assert (third.number, third.asks, third.models) == (3, "R-round-1", tuple(LAST))
    work.report(tmp_path / "report.html", run="R-round-1", guess=False)
    assert "Accuracy by round" in (tmp_path / "report.html").read_text(encoding="utf-8")
    first, second = (work.release.new("set", run=run) for run in ("R", "R-round-1"))
    left = first.statuses["unchanged"] - 40
    assert second.statuses == {"unchanged": 40, "withdrawn": left}  # what was carried is the same question
    for names in (("set@1", "set@2"), (str(first.folder), str(second.folder))):
        changed = work.release.diff(*names).changes
        assert Counter(each.change for each in changed) == {"withdrawn": left}
    assert work.release.new("set").statuses == {"unchanged": 40, "withdrawn": left}
    work.store.backup(tmp_path / "graph.kbe")
    rounds = work.rounds("R")
    work.store.restore(tmp_path / "graph.kbe", replace=True)
    assert work.rounds("R-round-1") == rounds
    carried = next(question for question in new.values() if question.hop == 1)
    _, concerned = work.release.add_erratum(carried.parent, why="the picture does not show it")
    assert {*concerned} == {carried.parent, carried.id}
    with pytest.raises(kbe.InputError, match="'R-round-1' takes part in 3 rounds"):
        work.forget(run="R-round-1", released=True)
    work.forget(run="R-round-1", released=True, evolved=True)
    assert work.rounds("R") == []
    work.close()


class Killed:
    """A function that ends the program when it is called for the second time, or another."""

    def __init__(self, function: Callable[..., Any], at: int = 2) -> None:
        self.function, self.calls, self.at = function, 0, at

    def __call__(self, *args: Any, **more: Any) -> Any:
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt
        return self.function(*args, **more)


def test_a_killed_round_ends_the_same_and_asks_nothing_twice(
    empty_graph: Address, subjects: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def state(work: kbe.Workspace) -> tuple[list[Round], list[kbe.Question], Counter[Any]]:
        asked, subjects.asked = subjects.asked, Counter()
        rounds, questions = work.rounds("R"), work.questions(run="R-round-2")
        emptied(work.store)
        work.close()
        return rounds, [*questions], asked

    work = loop.build(tmp_path / "whole", 8, address=empty_graph)
    loop.follow(work, subjects.url, LAST, rounds=3)
    whole = state(work)
    assert len(whole[0]) == 3
    for name in ("save_questions", "save_round", "save_predictions", "forget_run"):
        work = loop.build(tmp_path / name, 8, address=empty_graph)
        with monkeypatch.context() as patch:
            patch.setattr(Store, name, partialmethod(Killed(getattr(Store, name))))
            with pytest.raises(KeyboardInterrupt):
                loop.follow(work, subjects.url, LAST, rounds=3)
        made = [each.makes for each in work.rounds("R")]
        assert [run.name for run in work.runs()] == ["R", *made], (
            name
        )  # no command takes the set of an unfinished round
        loop.follow(work, subjects.url, LAST, rounds=3 - len(made))
        assert state(work) == whole, name
    work = loop.build(tmp_path / "asking", 8, address=empty_graph)
    limited = [kbe.ModelOptions(each, base_url=subjects.url, max_calls=20) for each in LAST]
    while len(rounds := work.rounds("R")) < 3:
        try:
            work.adapt(limited, run="R", target="0.3-0.6", rounds=3 - len(rounds))
        except BudgetReached:
            continue
    assert state(work) == whole


def test_what_strong_models_contradict_goes_to_review_first(
    empty_graph: Address, subjects: Any, tmp_path: Path
) -> None:
    work = loop.build(tmp_path, 24, wrong=3, address=empty_graph)
    loop.follow(work, subjects.url, LAST, rounds=2)
    one, two = work.rounds("R")
    disputed = sorted(each.question for each in one.disputed)
    assert disputed
    assert set(disputed) <= {question.id for question in work.questions(run="R", hop=1)[:3]}
    assert (one.figures[0].questions, two.figures[0].questions) == (24, 24 - len(disputed))
    items = read_items(work.store, run="R-round-1")
    first, *_ = doubts(work.store, items, question_states(items, []), "R-round-1")
    assert AGAINST_KEY in first.signs
    desk = opened_desk(work.store, tmp_path)
    for item in items:
        if item.question.id == first.question:
            decide(desk, item.question.id, "approve", version=item.version)
    last = loop.follow(work, subjects.url, SECOND, rounds=1).rounds[-1]
    assert last.figures[0].questions == 24 - len(two.disputed) + 1
    work.close()


def test_a_model_takes_the_next_draft_and_then_drafts_anew(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def answer(request: LoopbackRequest) -> str:
        return "Roissy" if "airport" in request.text else "2020"

    Image.new("RGB", (640, 480), "white").save(tmp_path / "1.png")
    row = {"question_id": 1, "image": "1.png", "question": "Why is it in the air?", "answer": "to travel"}
    (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    model = Model(answer=answer)
    with LoopbackServer(otherwise=model) as server, kbe.Workspace(tmp_path / "W", progress=False) as work:
        asked = kbe.ModelOptions("scripted", base_url=server.url, images=tmp_path)
        work.load(tmp_path / "own.jsonl", split="val")
        work.extract(model=asked)
        work.evolve(model=asked, run="one")
        steps = Counter(model.steps)
        adapted = work.adapt([replace(asked, name="other")], run="one", maker=asked)
        one, _ = adapted.rounds
        assert [growth.how for growth in one.grew] == ["shallower"]  # the only other draft, once exploring found none
        assert adapted.stopped == choosing.NOTHING
        assert [question.shape for question in work.questions(run=adapted.newest)] == ["fact"]
        assert (Counter(model.steps) - steps)["draft"] == 1  # with one fact more allowed
        assert "one-further" in {run.name for run in work.runs()}
        assert Explorer(work).runs == ["one-round-1", "one", "one-further"]  # the first is the one that commands choose
        with pytest.warns(KbeWarning, match="newest of several runs, 'one-round-1'; the others are one;"):
            work.export(tmp_path / "out.jsonl", incomplete=True)
        work.release.new("set", run="one")
        work.release.new("set")
        with pytest.warns(KbeWarning, match="'one-round-1'; the others are one;"):
            work.release.new("other")
        assert [each.run for each in work.release.versions()] == ["one-round-1", "one", "one-round-1"]
        assert "after None" not in capfd.readouterr().err


def test_a_question_that_can_grow_no_further_gets_a_twin_and_counts_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(request: LoopbackRequest) -> LoopbackResponse:
        return reply_with(next(each for text, each in known.items() if text in request.text))

    with LoopbackServer(otherwise=answer) as server, kbe.Workspace(tmp_path / "W", progress=False) as work:
        load_twin_cases(work, tmp_path)
        known = {question.text: question.answer for question in work.questions(run="r")}
        follow = partial(work.adapt, [kbe.ModelOptions("blind", base_url=server.url)], run="r", target="0-0.9")
        with monkeypatch.context() as patch:
            patch.setattr("kbe_graph.evolve.runs.gather", Killed(gather, at=1))
            with pytest.raises(KeyboardInterrupt):
                follow()
        assert work.runs() == []  # a run that is explored is not complete, but `adapt` goes on with it
        one, two, *_ = follow().rounds
        assert "r" in {run.name for run in work.runs()}
        assert [growth.how for growth in one.grew] == ["twin"]
        twins = [each for each in work.questions(run="r-round-1") if each.kind == "twin"]
        assert {each.id for each in twins} == {growth.question for growth in one.grew}
        questions = one.figures[0].questions
        assert [each.figures[0].questions for each in (one, two)] == [questions, questions]
        assert (one.figures[0].accuracy, two.figures[0].accuracy) == (1, pytest.approx(1 - 1 / questions))


def test_the_choice_and_the_reasons_to_stop(empty_graph: Address, tmp_path: Path) -> None:
    for shares, why in (
        ((0.5, 0.4, 0.55), choosing.REACHED),
        ((0.5, 0.4, 0.7), ""),
        ((0.4, 0.2, 0.7), choosing.UNSURE),
        ((0.1, 0.0, 0.2), choosing.BELOW),
    ):
        assert choosing.why_stop(RoundFigures("all", 9, *shares), 0.3, 0.6) == why
    right = np.array([[1, 1, 0, 1, np.nan], [1, 0, 0, 1, np.nan]])
    can = np.array([True, True, True, False, True])
    assert choosing.to_grow(right, can, 1.0).tolist() == [True, False, False, False, False]  # a strict majority
    assert not choosing.to_grow(right, can, -1.0).any()
    work = loop.build(tmp_path, 2, address=empty_graph)
    for models, target in ((["a"], "0.6-0.3"), (["a"], "half"), ([], "0.3-0.6"), (["a", "a"], "0.3-0.6")):
        with pytest.raises(InputError, match=r"target|models"):
            work.adapt(models, run="R", target=target)
    work.close()
