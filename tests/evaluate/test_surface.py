"""Perturbed questions held against those as they stand, and against hops, from answers whose every flip is known."""

import json
from collections.abc import Iterator
from itertools import product

import pytest
from simulated_answers import answer_row, answers_of

from kbe_graph.evaluate.surface import SurfaceRow, SurfaceTable, surface_table

SAMPLES = 100


def simulated() -> Iterator[dict[str, object]]:
    """Give the answers of a model that is right on samples 20 to 99 as they stand.

    ``re-encode`` changes nothing. ``noise``, of three seeds, makes 20 to 39 wrong in each, and 0 to 9 right in the
    first. ``pad`` was possible on 50 to 99 alone, and changes the words of the answer to 50 to 59. Hops take 30 more.
    """
    for sample in range(SAMPLES):
        is_right = sample >= 20
        yield answer_row(sample=sample, right=is_right, text="a dog")
        yield answer_row(sample=sample, variant="re-encode", right=is_right, text="The dog.")
        for seed in range(3):
            noisy = sample >= 40 or (sample < 10 and seed == 0)
            text = "dog" if noisy == is_right else "cat"
            yield answer_row(sample=sample, variant="noise", run=seed + 1, right=noisy, text=text)
        if sample >= 50:
            yield answer_row(sample=sample, variant="pad", right=True, text="puppy" if sample < 60 else "dog")
        for hop in (1, 2, 3):
            yield answer_row(sample=sample, hop=hop, right=sample >= 20 + 20 * hop)


@pytest.fixture(scope="module")
def table() -> SurfaceTable:
    """The figures of the model, and of a sample that it was asked perturbed alone."""
    alone = answer_row(sample=200, variant="noise", right=False)
    return surface_table(answers_of([*simulated(), alone]))


def change(table: SurfaceTable, name: str) -> SurfaceRow:
    (row,) = (row for row in table.changes if row.change == name)
    return row


def test_the_control_stands_first_then_operations_then_hops(table: SurfaceTable) -> None:
    assert [(row.kind, row.change, row.row) for row in table.changes] == [
        ("control", "re-encode", "raw"),
        ("surface", "noise", "raw"),
        ("surface", "pad", "raw"),
        *(("knowledge", f"hop {hop}", "raw") for hop in (1, 2, 3)),
    ]


def test_an_operation_that_flips_known_questions_has_their_shares(table: SurfaceTable) -> None:
    row = change(table, "noise")
    assert (row.figures.pairs, row.figures.clusters, row.seeds) == (100, 50, 3)
    assert row.figures.share_before == 0.8
    assert row.figures.share_after == pytest.approx(0.6 + 0.1 / 3)
    assert row.to_wrong == pytest.approx(0.2)
    assert row.to_right == pytest.approx(0.1 / 3)
    assert row.figures.difference == pytest.approx(row.to_right - row.to_wrong)
    assert row.figures.low < row.figures.difference < row.figures.high < 0
    assert (row.figures.lost, row.figures.gained) == (20, 10)


def test_the_control_changes_nothing_and_its_interval_is_not_a_point(table: SurfaceTable) -> None:
    row = change(table, "re-encode")
    assert (row.figures.difference, row.to_wrong, row.to_right, row.figures.p, row.holm) == (0, 0, 0, 1, 1)
    assert row.figures.low < 0 < row.figures.high


def test_only_questions_that_were_asked_both_ways_are_pairs(table: SurfaceTable) -> None:
    assert (change(table, "pad").figures.pairs, change(table, "pad").figures.share_before) == (50, 1.0)
    assert change(table, "noise").figures.pairs == 100


def test_hops_are_held_against_raw_questions_of_the_samples_that_were_perturbed(table: SurfaceTable) -> None:
    rows = [row.figures for row in table.changes if row.kind == "knowledge"]
    assert [(row.pairs, row.share_before) for row in rows] == [(100, 0.8)] * 3
    assert [row.difference for row in rows] == pytest.approx([-0.2, -0.4, -0.6])
    some = [row for row in simulated() if row["variant"] == "image" or int(str(row["sample"]).split("/")[-1]) >= 60]
    fewer = [row.figures for row in surface_table(answers_of(some)).changes if row.kind == "knowledge"]
    assert [(row.pairs, row.share_after) for row in fewer] == [(40, 1.0), (40, 1.0), (40, 0.5)]


def test_surface_and_knowledge_are_compared_sample_by_sample(table: SurfaceTable) -> None:
    first, _, third = table.costs
    assert (first.hop, first.operations, first.figures.pairs) == ("hop 1", 2, 100)
    assert first.raw == 0.8
    assert first.surface == pytest.approx(-0.2 + 0.1 / 3)
    assert first.knowledge == pytest.approx(-0.2)
    assert first.figures.difference == pytest.approx(-0.1 / 3)
    assert (first.dearer, third.dearer) == ("", "knowledge")
    assert third.figures.difference == pytest.approx(third.knowledge - third.surface)


def test_what_costs_more_may_be_the_surface() -> None:
    rows = [
        answer_row(sample=sample, hop=hop, variant=variant, right=variant == "image" or sample >= 60)
        for sample, (hop, variant) in product(range(100), ((0, "image"), (0, "noise"), (1, "image")))
    ]
    (cost,) = surface_table(answers_of(rows)).costs
    assert (cost.surface, cost.knowledge, cost.dearer) == (pytest.approx(-0.6), 0, "surface")


def test_a_paraphrase_is_a_change_of_surface_beside_operations_alone() -> None:
    asked = [
        answer_row(sample=sample, variant=variant, right=True)
        for sample in range(4)
        for variant in ("image", "paraphrase", "blind")
    ]
    assert surface_table(answers_of(asked)) == SurfaceTable()
    padded = [*asked, *(answer_row(sample=sample, variant="pad", right=True) for sample in range(4))]
    assert [row.change for row in surface_table(answers_of(padded)).changes] == ["pad", "paraphrase"]


def test_an_answer_that_was_drawn_twice_flips_by_half() -> None:
    rows = [
        *(answer_row(run=run, right=run == 1) for run in (1, 2)),
        *(answer_row(variant="pad", run=run, right=False) for run in (1, 2)),
    ]
    (row,) = surface_table(answers_of(rows)).changes
    assert (row.figures.share_before, row.to_wrong, row.to_right) == (0.5, 0.5, 0)


def test_perturbed_hops_are_held_against_the_hop_as_it_stands() -> None:
    rows = [
        answer_row(sample=sample, hop=hop, variant=variant, right=variant == "image")
        for sample, hop, variant in product(range(4), (0, 2), ("image", "pad"))
    ]
    table = surface_table(answers_of(rows))
    assert [(row.row, row.change, row.figures.pairs) for row in table.changes] == [
        ("raw", "pad", 4),
        ("raw", "hop 2", 4),
        ("hop 2", "pad", 4),
    ]


def test_each_judge_has_its_rows_and_its_family_of_tests() -> None:
    rows = answers_of([*simulated()])
    other = rows.assign(judge="strict", right=False, verdict="wrong")
    both = answers_of([*rows.to_dict("records"), *other.assign(model="other").to_dict("records")])
    table = surface_table(both)
    assert {(row.model, row.judge) for row in table.changes} == {("llava", "match"), ("other", "strict")}
    assert [row.figures.p for row in table.changes if row.judge == "strict"] == [1] * 6


def test_all_of_it_is_plain_json(table: SurfaceTable) -> None:
    mapping = table.as_mapping()
    assert json.loads(json.dumps(mapping, allow_nan=False)) == mapping
    assert {"change", "difference", "low", "high", "to_wrong", "to_right"} <= mapping["changes"][0].keys()
