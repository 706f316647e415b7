"""The audit: planted faults are found, a clean release has none of them, and nothing passes that was not looked at."""

import json
import math
import random
import re
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import reduce
from operator import getitem
from pathlib import Path
from typing import Any

import pytest
from commands import done_here, kbe_here

import kbe_graph as kbe
from kbe_graph.audit.auditing import Audit, audit_subject
from kbe_graph.audit.release_checks import read_folder
from kbe_graph.audit.subject import Audited
from kbe_graph.errors import ConfigError, InputError
from kbe_graph.export.selection import Selection
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.release.diff import read_edition
from kbe_graph.release.verify import verify_folder
from kbe_graph.store import Address
from kbe_graph.types import Prediction, QuestionForm, Sample

STATED = ("collection", "use-cases", "limitations", "representative", "personal-data", "score-use", "licence-by-row")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def release(demo_kept_up: Path) -> Path:
    """A release of the demo."""
    with (demo_kept_up / "kbe.toml").open("a") as stream:
        stream.write("\n[datasheet.clean]\n" + "".join(f'{name} = "of {name}"\n' for name in STATED))
    kbe_here("-w", demo_kept_up, "release", "new", "clean")
    return demo_kept_up / "releases" / "clean-1"


def again(row: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return another question about the picture of a row."""
    return row | {"id": f"{row['id']}x", "sample": f"{row['sample']}x"} | changes


def other_name(rows: Rows, folder: Path) -> None:
    shutil.copy(folder / next(iter(rows[0]["pictures"])), folder / "images" / "other.jpg")
    rows.append(again(rows[0], image="images/other.jpg", pictures={"images/other.jpg": ""}))


def changed(name: str, pattern: str, to: str = "x") -> Callable[[Rows, Path], None]:
    """Return a fault in a file of a release."""

    def plant(_: Rows, folder: Path) -> None:
        (folder / name).write_text(re.sub(pattern, to, (folder / name).read_text()))

    return plant


FAULTS: dict[str, Callable[[Rows, Path], object]] = {
    "answers-given": lambda rows, _: rows[0].update(answer=""),
    "answers-resolved": lambda rows, _: rows[0].update(answer="B"),
    "answers-hidden": lambda rows, _: rows[0].update(question=f"Is {rows[0]['answer']} the capital?"),
    "options-whole": lambda rows, _: rows[0].update(options=["Rome", "rome", rows[0]["answer"]]),
    "questions-once": lambda rows, _: rows.append(again(rows[0])),
    "pictures-once": other_name,
    "pictures-apart": lambda rows, _: rows.append(again(rows[0], form=2)),
    "personal-data": lambda rows, _: rows[0].update(question="Who is this woman?"),
    "facts-sourced": changed("form-1.jsonl", '"source": "GeoNames"', '"source": ""'),
    "facts-dated": lambda rows, _: [row.update(dates=dict.fromkeys(row["dates"], "")) for row in rows],
    "licence-by-row": lambda rows, _: [row.update(licence="") for row in rows],
    "canary": changed("README.md", "[0-9a-f-]{36}"),
    "hashes": changed("CITATION.cff", "title"),
    "responsible-ai": changed("croissant.json", "dataBiases"),
    "croissant": changed("croissant.json", '"contentUrl": "form-1.jsonl"', '"contentUrl": "gone.jsonl"'),
    "statuses": changed("release.json", '"unchanged"', '"revised"'),
}


def audit_folder(folder: Path) -> Audit:
    return audit_subject(read_folder(folder, {"licence-by-row": "CC BY 2.0"}))


def test_each_fault_planted_in_a_release_is_found_and_a_clean_one_has_none(release: Path, tmp_path: Path) -> None:
    clean = audit_folder(release)
    absent = dict.fromkeys(("options-whole", "pictures-apart"), "not applicable")
    assert {name: clean.status(name) for name in FAULTS} == dict.fromkeys(FAULTS, "pass") | absent
    audited = read_folder(release, {})
    answers = [Prediction("people", id_, "yes", verdict="right", judge="alias") for id_ in audited.questions]
    assert [audit_subject(replace(audited, predictions=own)).status("people") for own in ((), answers)] == [
        "not stated",
        "pass",
    ]
    stated = shutil.copytree(release, tmp_path / "stated")
    changed("form-1.jsonl", '"source": "GeoNames"', '"source": "model m"')([], stated)
    rows = {row.criterion.id: row.outcome for row in audit_folder(stated).rows}
    assert rows["blind-raw"][:2] == ("not applicable", "there are no raw questions")
    assert rows["facts-sourced"][0] == "not stated"
    assert re.match(r"a model states facts of \d+ of \d+; these have no source", rows["facts-sourced"][1])
    for name, plant in FAULTS.items():
        folder = shutil.copytree(release, tmp_path / name)
        rows = [json.loads(line) for line in (folder / "form-1.jsonl").read_text().splitlines()]
        before = json.dumps(rows)
        plant(rows, folder)
        if json.dumps(rows) != before:
            (folder / "form-1.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
        assert audit_folder(folder).status(name) == "fail", name
    (folder / "form-1.jsonl").write_text("".join(f"{json.dumps(row | {'key': []})}\n" for row in rows))
    assert audit_folder(folder).status("relations-varied") == "not applicable"
    (folder / "form-1.jsonl").write_text("{}\n")
    for broken, error in ((tmp_path, "release"), (folder, r"form-1\.jsonl.*line 1")):
        with pytest.raises(InputError, match=error):
            read_folder(broken, {})


ODD: tuple[Any, ...] = (None, 7, -1.5, [], ["x", 2], {}, {"x": [{}]}, "x" * 200_000, "\x00 \u202e \U0001f600/..", True)


def spoiled(row: Any, *path: str | int) -> Iterator[Any]:
    """Yield a JSON value with what stands at a path replaced by each odd value, and left out."""
    *way, last = path
    for odd in (*ODD, ...):
        copy = deepcopy(row)
        place = reduce(getitem, way, copy)
        if odd is ...:
            del place[last]
        else:
            place[last] = odd
        yield copy


def test_a_release_with_odd_values_is_read_or_refused_in_one_line(release: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(release, tmp_path / "odd")
    lines = [json.loads(line) for line in (folder / "form-1.jsonl").read_text().splitlines()[:2]]
    manifest, described = (json.loads((folder / name).read_text()) for name in ("release.json", "croissant.json"))
    manifest["questions"] = {row["id"]: manifest["questions"][row["id"]] for row in lines}
    manifest["made"]["settings"] |= {"generator": "gpt"}
    first = lines[0]["id"]
    paths = [
        *([name] for name in manifest),
        ["made", "settings"],
        ["made", "settings", "generator"],
        ["questions", first],
    ]
    paths += [["questions", first, name] for name in manifest["questions"][first]] + [["files", "README.md"]]
    edges = [["key", 0, name] for name in lines[0]["key"][0]] + [["dates", name] for name in lines[0]["dates"]]
    crafted = [("release.json", each) for path in paths for each in spoiled(manifest, *path)]
    crafted += [("croissant.json", each) for name in described for each in spoiled(described, name)]
    crafted += [("form-1.jsonl", each) for path in ([name] for name in lines[0]) for each in spoiled(lines[0], *path)]
    crafted += [("form-1.jsonl", each) for path in (*edges, ["key", 0]) for each in spoiled(lines[0], *path)]
    crafted = random.Random(0).sample(crafted, 50)
    crafted += [(name, odd) for name in ("release.json", "form-1.jsonl") for odd in ODD[:3]]
    errors, read = list[str](), 0
    for name, content in crafted:
        (folder / "release.json").write_text(json.dumps(manifest))
        (folder / "croissant.json").write_text(json.dumps(described))
        (folder / "form-1.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in lines))
        rest = f"\n{json.dumps(lines[1])}\n" if name == "form-1.jsonl" else ""
        (folder / name).write_text(json.dumps(content) + rest)
        for use in (audit_folder, verify_folder, lambda place: read_edition(None, str(place))):
            try:
                use(folder)
                read += 1
            except InputError as error:
                errors.append(str(error))
    assert all(len(error) < 1000 and "\n" not in error for error in errors)
    assert min(read, len(errors)) > len(crafted)


def test_what_the_owner_does_not_state_reads_not_stated(demo_kept_up: Path, release: Path) -> None:
    kbe_here("-w", demo_kept_up, "release", "new", "bare")
    for folder, words in ((release, "of {}"), (demo_kept_up / "releases" / "bare-1", "not stated")):
        described = json.loads((folder / "croissant.json").read_text())
        assert described["rai:dataBiases"] == words.format("representative")
        assert f"- limitations: {words.format('limitations')}\n" in (folder / "README.md").read_text()
        audit = audit_subject(read_folder(folder, {}))
        asked = ("collection", "use-cases", "limitations", "representative", "responsible-ai", "croissant")
        assert {audit.status(name) for name in asked} == {"not stated" if words == "not stated" else "pass"}


def test_the_command_tells_what_fails_and_how_to_mend_it_and_exits_with_1(demo_kept_up: Path, release: Path) -> None:
    done = done_here("-w", demo_kept_up, "audit", "--release", "clean", "--out", demo_kept_up / "card")
    assert done.code == 1
    assert done.out.index("\nquestions-enough\t") < done.out.index("\nwords of the owner, in [datasheet] of kbe.toml\t")
    assert "\tAdd questions, or report only differences" in done.out
    assert "answers-given" not in done.out
    assert "\npass\tanswers-given\t" in done_here("-w", demo_kept_up, "audit", "--release", "clean", "--all").out
    for name in ("audit.html", "audit.md"):
        card = (demo_kept_up / "card" / name).read_text()
        assert all(words in card for words in ("clean@1", "BetterBench", "27 of "))
    card = json.loads(done_here("-w", demo_kept_up, "audit", "--release", release, "--json").out)
    assert {row["status"] for row in card["rows"]} == set(card["counts"])
    answers = demo_kept_up / "answers.jsonl"
    answers.write_text(
        "".join(f"{json.dumps({'id': id_, 'answer': 'x'})}\n" for id_ in read_folder(release, {}).questions)
    )
    given = ("audit", "--release", release, "--predictions", answers, "--model", "own-7b", "--json")
    card = json.loads(done_here("-w", demo_kept_up, *given).out)
    assert {row["id"]: row["status"] for row in card["rows"] if row["id"] in {"intervals", "ceiling"}} == {
        "intervals": "pass",
        "ceiling": "pass",
    }
    for wrong in (("--run", "a", "--release", "b"), ("--release", "nosuch"), ("--benchmark", "nosuch")):
        failed = done_here("-w", demo_kept_up, "audit", *wrong)
        assert (failed.code, failed.out) == (1, "")


OWN = {  # 40 questions whose key stands first; three models agree against half the keys, and one knows all blind
    "fail": "option-position option-length questions-enough keys-supported blind-raw picture-gain replies-read",
    "pass": "families-apart concept intervals",
    "not stated": "items-sound judge-checked contact quick-start canary input-sensitivity",
    "not applicable": "pictures-found relations-varied facts-sourced",
}


def test_a_benchmark_that_is_only_loaded_is_audited_with_its_answers(tmp_path: Path, empty_graph: Address) -> None:
    folder = tmp_path / "W"
    options = [{"question": f"Which is {n}?", "answer": f"a{n}", "choices": [f"a{n}", "bb", "cc"]} for n in range(40)]
    with kbe.Workspace(folder, address=empty_graph, progress=False) as work:
        work.load([{"id": n} | row for n, row in enumerate(options)], name="own", split="val")
        unasked = work.audit(benchmark="own")
        assert unasked.status("keys-supported") == unasked.status("blind-raw") == "not stated"
        asked = [raw_question(sample) for sample in work.store.samples()]
        models = [(model, each.id) for model in ("gpt", "llava", "qwen") for each in asked[:20]]
        answers = [Prediction(model, id_, f"not {id_}", verdict="wrong", judge="alias") for model, id_ in models]
        answers += [Prediction("qwen", own.id, "a", variant="blind", verdict="right", judge="alias") for own in asked]
        answers += [Prediction("gpt", own.id, "", verdict="wrong", judge="alias") for own in asked[20:]]
        work.store.save_loaded(asked)
        work.store.save_predictions(answers)
        (folder / "kbe.toml").write_text('[datasheet]\nconcept = "<b>know|ledge_ [a](b)"\n')
    with kbe.Workspace(folder, address=empty_graph, progress=False) as work:
        audit = work.audit(benchmark="own", out=tmp_path)
        assert {
            status: " ".join(n for n in names.split() if audit.status(n) == status) for status, names in OWN.items()
        } == OWN
        cards = [(tmp_path / name).read_text() for name in ("audit.html", "audit.md")]
        assert all("&lt;b" in card and "<b>" not in card for card in cards)
        assert r"&lt;b>know\|ledge\_ \[a\](b)" in cards[1]
        (folder / "kbe.toml").write_text('[datasheet]\nconcepts = "x"\n')
    work = kbe.Workspace(folder, address=empty_graph, progress=False)
    with work, pytest.raises(ConfigError, match="did you mean 'concept'"):
        work.audit()


def audit_of(text: str, *said: dict[str, Any], answer: str = "a{}", of: int = 40, **own: Any) -> Audit:
    """Audit questions of one wording about a sample each, which models answered as is ``said``; with None, by skill."""
    settings, names = own.pop("settings", {}), own.pop("benchmarks", ("own",)) * of
    samples = [
        Sample(f"{name}/val/{n}", name, "val", text.format(n), answer.format(n), **own)
        for n, name in enumerate(names[:of])
    ]
    questions = [raw_question(each) for each in samples]
    forms = [QuestionForm(each.id, "choice", each.text, own.get("choices", ()), (each.answer,)) for each in questions]
    answers = [Prediction(question=each.id, **given) for each in questions for given in said or by_skill(each.id)]
    selection = Selection(questions, {each.id: each for each in samples})
    return audit_subject(
        Audited("own", "benchmark", selection, {}, predictions=answers, forms=forms, settings=settings)
    )


def right(model: str = "own-7b", **given: Any) -> dict[str, Any]:
    return {"model": model, "text": "x", "verdict": "right", "judge": "alias"} | given


def by_skill(question: str) -> list[dict[str, Any]]:
    """Answer as five models of different skill, which questions tell apart equally well."""
    draw = random.Random(question)
    hard = draw.gauss(0, 1)
    chances = [1 / (1 + math.exp(hard - model / 2)) for model in range(5)]
    return [right(f"m{n}", verdict="right" if draw.random() < chance else "wrong") for n, chance in enumerate(chances)]


JUDGED: list[tuple[str, str, Callable[[], Audit]]] = [
    # an interval, or fewer than 20 questions, cannot tell
    ("option-position", "not stated", lambda: audit_of("{}?", answer="a", of=5, choices=("a", "b"))),
    ("option-position", "fail", lambda: audit_of("{}?", answer="a", choices=("a", "b"))),
    ("ceiling", "not stated", lambda: audit_of("{}?", right())),
    ("ceiling", "fail", lambda: audit_of("{}?", right(), of=100)),
    # nothing was measured
    ("items-sound", "not applicable", lambda: audit_of("{}?", *map(right, "abcde"))),
    ("input-sensitivity", "not stated", lambda: audit_of("{}?", right(), right(variant="blind"))),
    ("trained-on", "not stated", lambda: audit_of("{}?", right(), right(variant="paraphrase"))),
    ("pictures-found", "not stated", lambda: audit_of("{}?", image="1.jpg")),
    ("answers-hidden", "not applicable", lambda: audit_of("这只猫{}叫什么？", answer="猫")),
    ("personal-data", "not applicable", lambda: audit_of("这个人是谁？{}")),
    # no fault
    ("items-sound", "pass", lambda: audit_of("{}?", of=400)),
    ("input-sensitivity", "pass", lambda: audit_of("{}?", right(), right(variant="pad"))),
    ("accuracy-two", "pass", lambda: audit_of("{}?", right(), right(run=2))),
    ("answers-hidden", "pass", lambda: audit_of("Older {}: A. bus B. car?", answer="bus", choices=("bus", "car"))),
    ("personal-data", "pass", lambda: audit_of("Who is the man looking at? {}")),
    ("questions-once", "pass", lambda: audit_of("Why?", of=2, image="1.jpg", benchmarks=("own", "other"))),
    ("families-apart", "not stated", lambda: audit_of("{}?", right(), settings={"generator": "other-7b (unknown)"})),
    # a fault
    ("answers-hidden", "fail", lambda: audit_of("Is the bus {} red?", answer="bus")),
    ("questions-once", "fail", lambda: audit_of("Why?", of=2, image="1.jpg")),
    ("families-apart", "fail", lambda: audit_of("{}?", right(), settings={"generator": "own-7b (unknown)"})),
]


def test_nothing_passes_unmeasured_and_nothing_fails_by_chance() -> None:
    for check, status, audit in JUDGED:
        row = next(each for each in audit().rows if each.criterion.id == check)
        assert (check, row.outcome.status) == (check, status), row.figure


def test_half_of_okvqa_as_loaded(tmp_path: Path, empty_graph: Address, data: Path) -> None:
    with kbe.Workspace(tmp_path, address=empty_graph, progress=False) as work:
        work.load(data / "okvqa" / "val_dev_half.jsonl.gz", name="okvqa", split="val")
        audit = work.audit(benchmark="okvqa")
        (hidden,) = (row.outcome for row in audit.rows if row.criterion.id == "answers-hidden")
        assert (hidden.status, len(hidden.at_fault)) == ("pass", 6)
        assert not audit.failures
        assert audit.status("people") == audit.status("questions-enough") == "pass"
