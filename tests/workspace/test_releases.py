"""``work.release`` on the demo: versions that never change, statuses, errata, forms held back, and foreign folders."""

import hashlib
import json
import os
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from harnesses import harness, run

import kbe_graph as kbe
from kbe_graph.errors import InputError, KbeWarning
from kbe_graph.release.contents import release_questions
from kbe_graph.release.diff import Change
from kbe_graph.types import Prediction

FACT = "(ROME, river, TIBER)"
_CROISSANT = """
import mlcroissant
dataset = mlcroissant.Dataset("croissant.json")
read = [sum(1 for _ in dataset.records(each.name)) for each in dataset.metadata.record_sets]
print(len(dataset.metadata.ctx.issues.errors), *read)
"""
RIVER = "demo/demo/183709-country@demo/2"


@pytest.fixture
def work(two_hops: Path, empty_graph: kbe.Address, tmp_path: Path) -> Iterator[kbe.Workspace]:
    """A copy of the demo with a run of two hops, for releases of its own."""
    place = shutil.copytree(two_hops, tmp_path / "W")
    with kbe.Workspace(place, address=empty_graph, progress=False) as work:
        work.graph.restore(two_hops.with_name("graph.kbe"))
        yield work


def lines_of(folder: Path) -> dict[str, dict[str, object]]:
    """The lines of a release's folder, by id."""
    rows = [json.loads(line) for file in folder.glob("form-*.jsonl") for line in file.read_text().splitlines()]
    return {row["id"]: row for row in rows}


def changes(work: kbe.Workspace) -> dict[str, Change]:
    """What changed between the first two versions, by question."""
    return {change.question: change for change in work.release.diff("demo@1", "demo@2").changes}


def test_a_version_gives_each_question_its_status_by_what_reviewers_decided(work: kbe.Workspace) -> None:
    first, second, third, *_ = (each.id for each in work.questions(run="demo", hop=1))
    made = work.release.new("demo")
    assert made.statuses == {"unchanged": len(work.questions(run="demo"))}
    work.review.decide(first, "reject", reviewer="Ana", reason="silly")
    work.review.decide(second, "revise", reviewer="Ana", revision={"aliases": ["thing"]}, insist=True, reason="more")
    work.review.decide(third, "approve", reviewer="Ana")
    work.review.decide(third, "reject", reviewer="Ben", reason="two answers")
    again = work.release.new("demo")
    marks = {id_: (each.change, each.reason) for id_, each in changes(work).items()}
    assert marks[first] == ("withdrawn", "rejected in review: silly")
    assert marks[second] == ("revised", "more")
    assert marks[third] == ("uncertain", "two answers")
    rows = lines_of(again.folder)
    assert (first in rows, rows[second]["status"], rows[third]["status"]) == (False, "revised", "uncertain")
    assert {each.id for each in release_questions(work._access, "demo@1")} >= {first}
    assert work.release.diff(str(made.folder), str(again.folder)).changes == work.release.diff("demo@1", "demo").changes
    with pytest.warns(KbeWarning, match="no question changed since demo@2"):
        work.release.new("demo")
    assert work.release.diff("demo@2", "demo@3").changes == ()
    assert {each.reason for each in work.release.diff("demo@1", "demo@3").changes} == {
        each for _, each in marks.values()
    }


@pytest.mark.filterwarnings("ignore:no question changed")
def test_an_erratum_withdraws_or_mends_what_it_concerns_and_models_are_scored_anew(work: kbe.Workspace) -> None:
    work.release.new("demo")
    city, raw = RIVER.replace("/2", "/1"), f"{RIVER.partition('@')[0]}@raw/0"
    work.store.save_predictions([Prediction("seer", RIVER, "Aniene"), Prediction("seer", city, "Roma")])
    cases = (
        (FACT, {}, {RIVER: "withdrawn"}),
        (FACT, {"correct": "Aniene"}, {RIVER: "revised"}),
        (RIVER, {"also": "Aniene"}, {RIVER: "revised"}),
        ("rome", {}, {RIVER: "revised", city: "withdrawn"}),
        (raw, {"correct": "France"}, {RIVER: "withdrawn", city: "withdrawn"}),
        (raw, {"also": "Italia"}, {RIVER: "revised", city: "withdrawn"}),
        (city, {"correct": "Milan"}, {RIVER: "withdrawn", city: "revised"}),  # the river of the wrong city
        (city, {}, {RIVER: "revised", city: "withdrawn"}),
    )
    for number, (what, options, expected) in enumerate(cases, start=2):
        work.release.add_erratum(what, why="it is wrong", by="Ana", **options)
        work.release.new("demo")
        compared = work.release.diff("demo@1", f"demo@{number}")
        assert {each.question: each.change for each in compared.changes} == expected
    (score,) = compared.scores
    assert (score.right_before, score.answers_before, score.right_after, score.answers_after) == (1, 2, 1, 1)
    assert len(work.release.errata()) == 5
    for what, why in (("no such thing", "wrong"), (FACT, "")):
        with pytest.raises(InputError, match=r"no kept question has|say why it is wrong"):
            work.release.add_erratum(what, why=why)


def test_a_folder_is_verified_byte_by_byte_and_nothing_outside_it_is_read(work: kbe.Workspace, tmp_path: Path) -> None:
    folder = work.release.new("demo").folder
    assert work.release.verify(folder).faults == ()
    assert work.release.verify(folder / "release.json") == work.release.verify(folder)
    with pytest.raises(InputError, match=r"\(Not a directory\); name the folder of one, or its release.json"):
        work.release.verify(folder / "README.md")
    row = lines_of(folder)[RIVER]
    picture = next(iter(row["pictures"]))
    (folder / "form-1.jsonl").write_text((folder / "form-1.jsonl").read_text().replace("Tiber", "tiber", 1))
    content = bytearray((folder / picture).read_bytes())
    content[99] ^= 1
    (folder / picture).write_bytes(content)
    (folder / "CITATION.cff").unlink()
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to("/etc/passwd")
    os.mkfifo(folder / "pipe")
    (folder / "more").mkdir()
    with (folder / "croissant.json").open("r+b") as stream:
        stream.truncate(1 << 40)  # a hole of a terabyte
    faults = {(fault.file, fault.question): fault.problem for fault in work.release.verify(folder).faults}
    assert faults[picture, RIVER] == faults["form-1.jsonl", RIVER] == "was changed"
    problems = {name: problem for (name, _), problem in faults.items()}
    words = {
        "CITATION.cff": "missing",
        "README.md": "a link",
        "pipe": "a pipe",
        "more": "added",
        "croissant.json": "bytes",
    }
    assert all(word in problems[name] for name, word in words.items())
    secret = tmp_path / "secret.jsonl"
    secret.write_text("{}\n")
    manifest = json.loads((folder / "release.json").read_text())
    manifest["files"]["../../../secret.jsonl"] = hashlib.sha256(b"{}\n").hexdigest()
    manifest["questions"][RIVER]["file"] = "../../../secret.jsonl"
    (folder / "release.json").write_text(json.dumps(manifest))
    faults = {(fault.file, fault.question): fault.problem for fault in work.release.verify(folder).faults}
    assert faults["../../../secret.jsonl", RIVER] == "is missing"
    assert "one of the two was changed" in faults["release.sha256", ""]
    assert "not the SHA-256 expected" in faults["release.json", ""]  # the graph knows the version's own
    with pytest.raises(InputError, match="is not as it was released"):
        work.release.diff(str(folder), "demo")


def test_a_part_that_is_held_back_is_in_no_export_and_stays_in_its_form(work: kbe.Workspace) -> None:
    made = work.release.new("two", forms=2, held_back=0.5, mini=True)
    public, private = lines_of(made.folder), lines_of(made.held_back)
    ties = [{name for row in rows.values() for name in row["pictures"]} for rows in (public, private)]
    assert ties[0]
    assert ties[1]
    assert ties[0].isdisjoint(ties[1])
    assert not any(id_ in (made.folder / "release.json").read_text() for id_ in private)
    assert {row["mini"] for row in (public | private).values()} == {True, False}
    with pytest.warns(KbeWarning, match=f"left out: {len(private)} held back by release two@1"):
        work.export(work.folder.path / "out.jsonl", run="demo")
    given = {json.loads(line)["id"] for line in (work.folder.path / "out.jsonl").read_text().splitlines()}
    assert given.isdisjoint(private)
    assert lines_of(work.release.new("other").folder).keys().isdisjoint(private)
    with pytest.warns(KbeWarning, match="no question changed since two@1"):
        again = work.release.new("two")
    assert lines_of(again.held_back).keys() == private.keys()
    with pytest.raises(InputError, match="stay as they are in version 1"):
        work.release.new("two", forms=3)


def test_a_version_is_made_whole_once_and_goes_with_a_backup_and_with_its_run(work: kbe.Workspace) -> None:
    made = work.release.new("demo")
    work.graph.backup(work.folder.path / "with.kbe")
    gone = "MATCH (release:Release) DETACH DELETE release"  # as if killed before the record
    work.store.connection.write(lambda inner: inner.run_text(gone, {}))
    assert work.release.new("demo").folder == made.folder
    with pytest.raises(InputError, match="holds another release or export"):
        work.release.new("other", out=made.folder)
    assert [each.id for each in work.release.versions()] == ["demo@1"]
    work.graph.restore(work.folder.path / "with.kbe", replace=True)
    assert work.release.verify(made.folder).id == "demo@1"
    assert work.release.diff("demo@1", "demo").changes == ()
    for named in ({"run": "demo"}, {"samples": [RIVER.partition("@")[0]], "evolved": True}):
        with pytest.raises(InputError, match=r"release demo@1 holds these questions.*`released`"):
            work.forget(**named)
    work.forget(run="demo", released=True)
    assert [(each.id, each.forgotten) for each in work.release.versions()] == [("demo@1", True)]
    with pytest.raises(InputError, match="the questions of release 'demo@1' were forgotten"):
        work.release.diff("demo@1", str(made.folder))
    work.evolve(hops=1, run="again")
    assert work.release.new("demo").id == "demo@2"


def test_the_croissant_of_a_release_is_valid_and_reads_each_question(work: kbe.Workspace) -> None:
    folder = work.release.new("demo", forms=2).folder
    said = run(harness("datasets"), "-c", _CROISSANT, cwd=folder).split()
    assert said[0] == "0"
    assert sum(map(int, said[1:])) == len(lines_of(folder))


def test_results_are_as_every_eval_ever_wants_them(work: kbe.Workspace, tmp_path: Path) -> None:
    work.release.new("demo")
    work.store.save_predictions([Prediction("acme/seer", RIVER, "tiber"), Prediction("acme/seer", RIVER, "", run=2)])
    (file,) = work.release.results("demo", tmp_path / "results")
    scores = json.loads(file.read_text())
    detailed = scores["detailed_evaluation_results"]
    assert [each["score_details"]["score"] for each in scores["evaluation_results"]] == [0.5]
    samples = (tmp_path / "results" / detailed["file_path"]).read_bytes()
    assert detailed["checksum"] == hashlib.sha256(samples).hexdigest()
    python = harness("every-eval-ever")
    run(python, "-m", "every_eval_ever", "validate", "data/*/*/*/*", cwd=tmp_path / "results")


def test_an_erratum_reaches_exports_evaluations_and_the_audit_of_a_run(work: kbe.Workspace, tmp_path: Path) -> None:
    city, out = RIVER.replace("/2", "/1"), tmp_path / "out.jsonl"
    work.make_forms("fill", run="demo")
    seer = Prediction("seer", RIVER, "Tiber", verdict="right", judge="alias")
    for what, correct, answer in ((FACT, "Aniene", "Aniene"), (FACT, "", None), ("rome", "Milan", None)):
        work.store.save_predictions([seer])
        work.release.add_erratum(what, why="it is wrong", correct=correct)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            work.export(out, run="demo")
        assert any("1 withdrawn by errata" in str(each.message) for each in told) == (answer is None)
        written = {row["id"]: row["answer"] for row in map(json.loads, out.read_text().splitlines())}
        evaluation = work.answers.evaluation(run="demo")
        assert written.get(RIVER) == answer
        assert {id_: each.answer for id_, each in evaluation.questions.items()} == written
        assert evaluation.left_out == ({} if answer else {"withdrawn by errata": 1})
        assert RIVER not in {form.question for form in work.forms("demo")}
        (judged,) = work.answers.predictions(run="demo")
        assert judged.verdict == ("" if what == FACT else "right")  # only of questions whose key changed
    assert written[city] == "Milan"
    assert work.audit(run="demo").questions == len(written)


def test_an_erratum_that_is_taken_back_is_as_if_never_given_and_stays_on_record(work: kbe.Workspace) -> None:
    first = lines_of(work.release.new("demo").folder)
    city = RIVER.replace("/2", "/1")
    given = [
        work.release.add_erratum(what, why="it is wrong", correct=correct)[0]
        for what, correct in ((" (rome,  River, TIBER #1) ", ""), (city, "Milan"))
    ]
    marks = lines_of(work.release.new("demo").folder)
    assert (RIVER in marks, marks[city]["answer"]) == (False, "Milan")
    for erratum in given:
        work.release.undo_erratum(erratum.id, why="it was right")
    again = lines_of(work.release.new("demo").folder)
    assert {id_: row["hash"] for id_, row in again.items()} == {id_: row["hash"] for id_, row in first.items()}
    whys = [again[id_]["reason"] for id_ in (RIVER, city)]
    assert whys == [f"erratum {erratum.id} was taken back: it was right" for erratum in given]
    assert [(each.undone, bool(each.undone_at)) for each in work.release.errata()] == [("it was right", True)] * 2
    for id_, why in ((given[0].id, "again"), ("nothing", "why")):
        with pytest.raises(InputError, match="there is none"):
            work.release.undo_erratum(id_, why=why)
    work.release.add_erratum(FACT, why="it is wrong after all")
    assert work.release.new("demo").statuses["withdrawn"] == 1


@pytest.mark.filterwarnings("ignore:no question changed")
def test_the_right_answer_to_a_question_stands_beside_its_wrong_fact_in_any_order(work: kbe.Workspace) -> None:
    given = ((FACT, ""), (RIVER, "Aniene"), ("Tiber", ""), (RIVER.replace("/2", "/1"), "Milan"))
    for order in (given, given[::-1]):
        errata = [work.release.add_erratum(what, why="wrong", correct=correct)[0] for what, correct in order]
        assert lines_of(work.release.new("demo").folder)[RIVER]["answer"] == "Aniene"
        for erratum in errata:
            work.release.undo_erratum(erratum.id, why="right")


@pytest.mark.filterwarnings("ignore:left out 1 of")
def test_what_a_reviewer_revised_is_not_corrected_again_and_its_answers_count(
    work: kbe.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work.release.new("demo", mini=True)
    review = work.review.decide(RIVER, "revise", reviewer="Ana", revision={"answer": "Aniene"}, insist=True)
    revised = json.loads(review.after)["question"]
    work.release.add_erratum(FACT, why="it is wrong")
    work.store.save_predictions(
        [
            Prediction(model, id_, "Aniene", verdict="right", judge="alias")
            for model, id_ in (("seer", revised), ("seer", RIVER.replace("/2", "/1")), ("other", revised))
        ]
    )
    assert work.release.new("demo").statuses["revised"] == 1
    (tmp_path / "demo").mkdir()
    monkeypatch.chdir(tmp_path)  # a folder that is no release has the name of one
    scores = {each.model: each for each in work.release.diff("demo@1", "demo").scores}
    assert (scores["seer"].right_before, scores["seer"].right_after, scores["seer"].answers_after) == (0, 1, 2)
    answers, questions = work.stats._answers_to(["demo@1", "demo@2"])
    assert set(answers["question"]) >= {revised}
    assert [revised in {each.id for each in own} for own in questions.values()] == [False, True]


def test_odd_releases_are_made_as_asked_or_refused(work: kbe.Workspace) -> None:
    made = work.release.new("Küche 厨房 'n'", forms=2, held_back=0.5)
    assert work.release.verify(made.held_back).faults == ()
    for name, options, problem in (
        ("", {}, "is empty"),
        ('a "b"', {}, "choose another name"),
        ("many", {"forms": 90}, "do not fill 90 forms"),
    ):
        with pytest.raises(InputError, match=problem):
            work.release.new(name, **options)
    for what in ("Paris, Texas, USA", "a|b", "(a, b)"):
        with pytest.raises(InputError, match="has the answer"):
            work.release.add_erratum(what, why="wrong")
    work.release.new("open", mini=True)
    work.evolve(run="later", hops=1, seed=1)
    with pytest.warns(KbeWarning, match="no question changed since open@1"):
        again = work.release.new("open")
    assert again.statuses.keys() == {"unchanged"}  # of the run of version 1, not the newest
    with pytest.warns(KbeWarning, match="are public in .*open@1, open@2"):
        work.release.new("hidden", run="demo", forms=2, held_back=0.3)
    ids = [question.id for question in work.questions(run="later")]
    for id_ in ids[1:]:
        work.review.decide(id_, "reject", reviewer="Ana", reason="silly")
    assert work.release.new("one", run="later", mini=True).statuses == {"unchanged": 1}
    work.release.add_erratum(ids[0], why="wrong")
    with pytest.raises(InputError, match=r"left out 1: withdrawn by errata\); .* or take back"):
        work.release.new("one")


def test_backups_cards_and_sheets_replace_only_what_the_program_wrote(work: kbe.Workspace, tmp_path: Path) -> None:
    def write(name: str, **options: bool) -> None:
        if name == "audit.md":
            work.audit(run="demo", out=tmp_path / "out", **options)
        else:
            (work.graph.backup if name == "graph.kbe" else work.review.export)(tmp_path / "out" / name, **options)

    (tmp_path / "out").mkdir()
    for name in ("graph.kbe", "sheet.csv", "audit.md"):
        (tmp_path / "out" / name).write_text("my notes")
        with pytest.raises(InputError, match="holds something else; name a new file, or confirm with `replace`"):
            write(name)
        assert (tmp_path / "out" / name).read_text() == "my notes"
        write(name, replace=True)
        write(name)
