"""Studies: what is drawn, what raters are shown, and what comes of it."""

import csv
import json
import shutil
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from commands import kbe_here

from kbe_graph import Workspace
from kbe_graph.errors import DatasetError, InputError
from kbe_graph.review.exchange import TakenReviews
from kbe_graph.review.study import (
    Study,
    draw_stratified,
    draw_study,
    make_rating,
    study_result,
)
from kbe_graph.types import Entity, Prediction, Question, Review, Sample, Triplet

KEY = (
    Triplet(Entity("IMAGE", noun=False), "depicts", Entity("DOG")),
    Triplet(Entity("DOG"), "family", Entity("CANIDAE"), "textual"),
    Triplet(Entity("CANIDAE"), "order", Entity("CARNIVORA"), "textual"),
)
SAMPLES = {f"own/{n}": Sample(f"own/{n}", "own", "", "What?", "dog", ("dog", "a dog")) for n in range(40)}
ASKED = ("reasonable", "triplets", "aligned", "path", "image")


def question(sample: str, hop: int, kind: str = "explored") -> Question:
    run = "raw" if kind == "raw" else "r"
    id_ = f"{sample}@{run}/{hop}"
    return Question(id_, sample, run, hop, kind, f"hop {hop}?", "dog", KEY[: hop + 1], ("hound",))  # type: ignore[arg-type]


QUESTIONS = [
    *(question(sample, 0, "raw") for sample in SAMPLES),
    *(question(sample, 0, "reselected") for sample in list(SAMPLES)[:5]),
    *(question(sample, 1) for sample in SAMPLES),
    *(question(sample, 2) for sample in list(SAMPLES)[:10]),
]

PREDICTIONS = [
    Prediction("llava", f"own/{n}@r/1", "odd" if n % 4 else "dog", verdict="right" if n % 2 else "wrong", judge="own")
    for n in range(40)
]


def drawn(kind: str = "quality", number: int = 30, seed: int = 0, **more: object) -> Study:
    return draw_study(kind, QUESTIONS, PREDICTIONS, run="r", number=number, seed=seed, **more)  # type: ignore[arg-type]


def rated(study: Study, rater: str, words: list[str], **more: object) -> list[Review]:
    """Rate the first items of a study, each column alike."""
    ratings = (
        make_rating(study, item, rater, dict.fromkeys(study.kind.asked, word), **more)  # type: ignore[arg-type]
        for item, word in zip(study.items, words, strict=False)
    )
    return [replace(each, id=f"{each.question}|{rater}|0") for each in ratings]


def test_a_draw_is_even_and_a_larger_one_only_adds() -> None:
    strata = {f"{stratum}{number}": stratum for stratum, size in (("a", 50), ("b", 3)) for number in range(size)}
    few, more = draw_stratified(strata, 10, 1), draw_stratified(strata, 20, 1)
    assert Counter(strata[id_] for id_ in few) == {"a": 7, "b": 3}
    assert set(few) <= set(more)
    assert few == draw_stratified(dict(reversed(strata.items())), 10, 1) != draw_stratified(strata, 10, 2)


def test_each_kind_is_spread_over_its_strata_and_drawn_alike_by_a_seed() -> None:
    assert Counter(item.questions[0].hop for item in drawn().items) == {1: 20, 2: 10}
    assert Counter(item.questions[0].hop for item in drawn(reselected=True).items)[0] == 5
    assert drawn() == drawn() != drawn(seed=1)
    pairs = drawn("pairs").items
    hops = Counter(tuple(sorted(each.hop for each in item.questions)) for item in pairs)
    assert hops == {(0, 1): 10, (0, 2): 10, (1, 2): 10}
    assert len({item.questions[0].hop < item.questions[1].hop for item in pairs}) == 2
    answers = drawn("answers").items
    assert {(item.answer.text, item.questions[0].key) for item in answers if item.answer} == {("odd", ()), ("dog", ())}
    with pytest.raises(InputError, match="no kind of study 'x'; choose from quality, pairs, answers"):
        drawn("x")


def test_shares_agreement_and_what_is_disputed_are_counted_by_hop() -> None:
    study = drawn()
    ann, bea = rated(study, "Ann", ["yes"] * 30, seconds=4.0), rated(study, "Bea", ["no"] * 3 + ["yes"] * 27)
    result = study_result(study, [*ann, *bea])
    rows = {(row["asked"], row["of"]): row for row in result.rows["ratings"]}
    assert rows.keys() == {(asked, group) for asked in ASKED for group in ("all", "hop 1", "hop 2")}
    assert rows["path", "all"]["yes"].value == pytest.approx(57 / 60)
    assert [*rows["path", "all"]][-4:] == ["percent", "Cohen's kappa", "alpha", "AC1"]
    assert rows["path", "all"]["percent"].value == pytest.approx(0.9)
    assert [row["column"] for row in result.rows["disputed"]] == [*ASKED] * 3
    assert result.counts == {"items": 30, "raters": 2, "median_seconds": 4.0}
    again = replace(bea[0], id=f"{bea[0].question}|Bea|1", criteria=ann[0].criteria)
    assert len(study_result(study, [*ann, *bea, again]).rows["disputed"]) == 2 * len(ASKED)
    assert json.loads(json.dumps(result.as_mapping()))["ratings"][0]["items"] == 30


def test_a_study_goes_out_as_a_sheet_and_its_result_is_printed(demo_made: Path, tmp_path: Path) -> None:
    work = Path(shutil.copytree(demo_made / "W", tmp_path / "W"))
    name = json.loads(kbe_here("-w", work, "study", "new", "--number", 6, "--json"))["study"]
    sheet = tmp_path / "sheet.csv"
    with Workspace(work, progress=False) as opened:
        assert opened.review.export(sheet, study=name) == 6
        rows = list(csv.DictReader(sheet.read_text().splitlines()))
        assert [*rows[0]][-6:] == [*ASKED, "reason"]
        for rater, no in (("ann", 0), ("bea", 2)):
            with (tmp_path / f"{rater}.csv").open("w") as stream:
                writer = csv.DictWriter(stream, rows[0].keys())
                writer.writeheader()
                for place, row in enumerate(rows):
                    writer.writerow(row | dict.fromkeys(ASKED, "yes") | ({"image": "no"} if place < no else {}))
            assert opened.review.take(tmp_path / f"{rater}.csv") == TakenReviews(6, 0)
            assert opened.review.take(tmp_path / f"{rater}.csv") == TakenReviews(0, 6)
        bad = tmp_path / "bea.csv"
        bad.write_text(bad.read_text().replace(",no,", ",perhaps,", 1))
        with pytest.raises(DatasetError, match="line 2: 'image' is 'perhaps'; give yes or no"):
            opened.review.take(bad)
        assert {state.state for state in opened.review.state(run="demo-0").values()} == {"open"}
        with pytest.raises(InputError, match=f"no study 'x' in this workspace; studies drawn here are '{name}'"):
            opened.review.study_result("x")
    lines = kbe_here("-w", work, "study", "result", name).splitlines()
    head = next(line for line in lines if line.startswith("asked"))
    assert head.split("\t") == ["asked", "of", "items", "yes", "percent", "Cohen's kappa", "alpha", "AC1"]
    assert next(line for line in lines if line.startswith("image\tall")).split("\t")[3].startswith("83.3 (")
