"""``kbe db merge``: workspaces that were made apart become one, as if it had been one from the beginning."""

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest
from commands import kept_up
from model_cases import answer_step
from small_benchmark import load_small_benchmark
from specimens import dump
from wiki_specimens import ADAMS, DEATH, HEIGHT, HUMAN, LOST, PICTURE, TOLSTOY, origin_for, save_wiki

import kbe_graph as kbe
from kbe_graph.errors import InputError
from kbe_graph.store import Evolved
from kbe_graph.testing import LoopbackServer
from kbe_graph.types import Alternative, Guess, Prediction, Vote


@pytest.fixture
def server() -> Iterator[LoopbackServer]:
    with LoopbackServer(otherwise=answer_step) as server:
        yield server


def begin(folder: Path, benchmark: Path, address: kbe.Address | None = None) -> kbe.Workspace:
    """Load a benchmark into a new workspace."""
    work = kbe.Workspace(folder, address=address, progress=False)
    work.load(benchmark, name="own", split="val")
    return work


def go(work: kbe.Workspace, url: str, shard: str | None = None) -> kbe.Run:
    """Extract and evolve by asking a model."""
    model = kbe.ModelOptions("m", base_url=url, api_key="k")
    work.extract(model=model, shard=shard)
    return work.evolve(hops=2, run="r", model=model, shard=shard)


def asked(server: LoopbackServer) -> int:
    """How much was asked: in how many calls it is depends on how much comes together."""
    return sum(
        len(re.findall(r"^\d+ (?:question: )?<<<", request.text, re.MULTILINE)) or 1 for request in server.requests
    )


def without_calls(work: kbe.Workspace) -> list[str]:
    """Everything in the graph but which call a guess came from: whole batches are other calls."""
    return [re.sub(r'"call": "\w+", ', "", line) if '"Guess"' in line else line for line in dump(work.store)]


def test_two_shards_that_were_made_apart_become_what_one_workspace_makes(
    server: LoopbackServer, empty_graph: kbe.Address, benchmark_file: Path, tmp_path: Path
) -> None:
    whole = begin(tmp_path / "whole", benchmark_file, empty_graph)
    folders = [tmp_path / name for name in ("merged", "1", "2")]
    with ExitStack() as stack:
        for folder in folders:
            stack.enter_context(kept_up(folder))
        merged, *parts = (begin(folder, benchmark_file) for folder in folders)
        go(whole, server.url)
        whole_asked, calls = asked(server), len(server.requests)
        for number, part in enumerate(parts, 1):
            assert go(part, server.url, f"{number}/2").shards == (f"{3 - number}/2",)
        assert calls < len(server.requests) < 2 * calls
        places = [part.folder.path for part in parts]
        assert merged.graph.merge(*places).samples == 3
        assert go(merged, server.url).state == "complete"
        assert asked(server) == 2 * whole_asked  # what was asked apart was not asked again
        assert without_calls(merged) == without_calls(whole)
        once = dump(merged.store)
        assert merged.graph.merge(*places) == (0, 0, 0, 0)
        assert dump(merged.store) == once


@pytest.fixture(scope="module")
def backup(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace ``W`` with samples and a run, and beside it the backup of its graph, made once."""
    folder = tmp_path_factory.mktemp("evolved")
    with kbe.Workspace(folder / "W", progress=False) as work:
        load_small_benchmark(work, folder)
        work.evolve(hops=1, run="r")
        work.graph.backup(folder / "graph.kbe")
    return folder / "graph.kbe"


@pytest.fixture(scope="module")
def up(backup: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[kbe.Workspace]]:
    """Two copies of the workspace, their engines up."""
    folders = [tmp_path_factory.mktemp("pair") / name for name in ("one", "other")]
    with ExitStack() as stack:
        for folder in folders:
            shutil.copytree(backup.parent / "W", folder)
            stack.enter_context(kept_up(folder))
        yield [kbe.Workspace(folder, progress=False) for folder in folders]


@pytest.fixture
def pair(up: list[kbe.Workspace], backup: Path) -> list[kbe.Workspace]:
    """Two workspaces with the same samples and run."""
    for work in up:
        work.graph.restore(backup, replace=True)
    return up


def test_workspaces_that_do_not_agree_are_refused_and_nothing_is_written(
    pair: list[kbe.Workspace], empty_graph: kbe.Address, tmp_path: Path
) -> None:
    one, other = pair
    question = one.questions(run="r")[0]
    one.store.save_predictions([Prediction("m", question.id, "a horse")], {"m": "horses"})
    (one.folder.saved_images / "a").mkdir(parents=True)
    (one.folder.saved_images / "a" / "b.jpg").write_bytes(b"whole")
    half = other.folder.saved_images / "a" / ".b.jpg.part"  # of a merge that was killed
    half.parent.mkdir(parents=True)
    half.write_bytes(b"wh")
    assert other.graph.merge(one.folder.path) == (0, 0, 1, 0)
    assert [(file.name, file.read_bytes()) for file in half.parent.iterdir()] == [("b.jpg", b"whole")]
    assert dump(one.store) == dump(other.store)
    with pytest.raises(InputError, match="is this workspace"):
        other.graph.merge(other.folder.path)
    one.store.save_predictions([Prediction("m", question.id, "a cow")])
    once = dump(other.store)
    with pytest.raises(InputError, match=r"answer '.*' of '.*one' differs from the one here; nothing was merged"):
        other.graph.merge(one.folder.path)
    assert dump(other.store) == once
    other.evolve(hops=0, run="more", seed=1)
    one.evolve(hops=0, run="more", seed=2)
    third = kbe.Workspace(tmp_path / "third", address=empty_graph, progress=False)
    with pytest.raises(InputError, match=r"run 'more' of '.*' was made with different settings \(seed\)"):
        third.graph.merge(one.folder.path, other.folder.path)
    assert not third.store.count_samples()


def test_verdicts_of_other_judges_are_merged_and_those_of_ones_own_stay(
    pair: list[kbe.Workspace],
) -> None:
    one, other = pair
    answer = Prediction("m", one.questions(run="r")[0].id, "x")
    one.store.save_predictions([answer.with_verdict("exact", "wrong")])
    other.store.save_predictions([answer.with_verdict("exact", "right").with_verdict("gpt", "right")])
    assert one.graph.merge(other.folder.path).answers == 1
    (merged,) = one.store.predictions(run="r")
    assert merged.verdicts == (Vote("exact", "wrong"), Vote("gpt", "right"))
    assert one.graph.merge(other.folder.path).answers == 0


def test_what_was_guessed_and_what_else_the_words_allow_comes_with_its_question(
    pair: list[kbe.Workspace], empty_graph: kbe.Address, tmp_path: Path
) -> None:
    one, other = pair
    question, raw = one.questions(run="r")[0], one.questions(run="raw")
    guess = Guess(question.text, question.answer, "a cow", right=False, model="m")
    one.store.save_questions([Evolved(question, (), (), (guess,), (Alternative("OKAPI", "Giraffidae"),))])
    one.store.save_guesses("r", [(each, [guess, replace(guess, right=True)]) for each in raw])
    third = kbe.Workspace(tmp_path / "third", address=empty_graph, progress=False)
    third.graph.merge(one.folder.path)
    once = dump(one.store)
    assert dump(third.store) == once
    third.graph.merge(one.folder.path)
    assert dump(third.store) == once
    other.store.save_guesses("r", [(raw[0], [replace(guess, model="another")])])
    other.graph.merge(one.folder.path)
    own = [each.model for each in other.store.guesses(run="r", sample=raw[0].sample) if each.kind == "raw"]
    assert own == ["another"]
    assert len(other.store.guesses(run="r")) == 2 * len(raw) - 1


def test_pictures_items_and_origins_come_along_and_the_newer_of_an_item_stays(
    pair: list[kbe.Workspace], empty_graph: kbe.Address, tmp_path: Path
) -> None:
    one, other = pair
    save_wiki(one.store)
    one.store.save_origins([origin_for(one.samples()[0].id)])
    third = kbe.Workspace(tmp_path / "third", address=empty_graph, progress=False)
    for _ in range(2):
        third.graph.merge(one.folder.path)
        assert dump(third.store) == dump(one.store)
    newer = replace(ADAMS, label="Adams", fetched="2026-11-27")
    other.store.save_items([newer, replace(TOLSTOY, fetched="2025-01-01")], [HUMAN, DEATH])
    other.store.save_pictures([replace(PICTURE, reason="dead link", item=""), replace(LOST, reason="")])
    other.graph.merge(one.folder.path)
    assert other.store.items(["Q42", "Q7243"]) == {"Q42": newer, "Q7243": TOLSTOY}
    assert other.store.item_statements(["Q42"], kept=None) == {"Q42": (HUMAN, DEATH)}
    assert [picture.reason for picture in other.store.pictures()] == ["dead link", "no item"]
    assert other.store.origins() == one.store.origins()
    one.graph.merge(other.folder.path)
    assert one.store.items(["Q42"]) == {"Q42": newer}
    assert one.store.statements([HEIGHT.id]) == {}
