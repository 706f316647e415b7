"""Perturbed questions held against those as they stand, and against hops, from answers whose every flip is known."""

import json
from collections.abc import Iterator
from itertools import product
from types import SimpleNamespace

import pytest
from simulated_answers import answer_row, answers_of

from kbe_graph.figures.comparisons import SurfaceTable, surface_table

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


def change(table: SurfaceTable, name: str) -> SimpleNamespace:
    (row,) = (row for row in table.changes if row["change"] == name)
    return SimpleNamespace(**row)


def test_operations_and_hops_are_held_against_what_stood_before(table: SurfaceTable) -> None:
    assert [(row["kind"], row["change"], row["row"]) for row in table.changes] == [
        ("control", "re-encode", "raw"),
        ("surface", "noise", "raw"),
        ("surface", "pad", "raw"),
        *(("knowledge", f"hop {hop}", "raw") for hop in (1, 2, 3)),
    ]
    noise = change(table, "noise")
    assert (noise.pairs, noise.clusters, noise.seeds, noise.share_before) == (100, 50, 3, 0.8)
    assert (noise.lost, noise.gained) == (20, 10)
    shares = (noise.share_after, noise.to_wrong, noise.to_right, noise.difference)
    assert shares == pytest.approx((0.6 + 0.1 / 3, 0.2, 0.1 / 3, 0.1 / 3 - 0.2), abs=1e-5)
    assert noise.low < noise.difference < noise.high < 0
    control = change(table, "re-encode")
    assert (control.difference, control.to_wrong, control.to_right, control.p, control.holm) == (0, 0, 0, 1, 1)
    assert control.low < 0 < control.high
    assert (change(table, "pad").pairs, change(table, "pad").share_before) == (50, 1.0)
    hops = [row for row in table.changes if row["kind"] == "knowledge"]
    assert [(row["pairs"], row["share_before"]) for row in hops] == [(100, 0.8)] * 3
    assert [row["difference"] for row in hops] == pytest.approx([-0.2, -0.4, -0.6])
    assert json.loads(json.dumps(table.as_mapping(), allow_nan=False)) == table.as_mapping()


def test_surface_and_knowledge_are_compared_sample_by_sample(table: SurfaceTable) -> None:
    first, _, third = (SimpleNamespace(**row) for row in table.costs)
    assert (first.hop, first.operations, first.pairs, first.raw) == ("hop 1", 2, 100, 0.8)
    assert (first.surface, first.knowledge) == pytest.approx((-0.2 + 0.1 / 3, -0.2), abs=1e-5)
    assert first.difference == pytest.approx(-0.1 / 3, abs=1e-5)
    assert (first.costs_more, third.costs_more) == ("no clear difference", "knowledge")
    rows = [
        answer_row(sample=sample, hop=hop, variant=variant, right=variant == "image" or sample >= 60)
        for sample, (hop, variant) in product(range(100), ((0, "image"), (0, "noise"), (1, "image")))
    ]
    (cost,) = surface_table(answers_of(rows)).costs
    assert (cost["surface"], cost["knowledge"], cost["costs_more"]) == (pytest.approx(-0.6), 0, "surface")
