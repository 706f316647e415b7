"""Whether a model answers alike under another surface: flips of items, and whether stable ones are rather right."""

import pytest
from simulated_answers import answer_row, answers_of

from kbe_graph.evaluate.flips import FlipRow, answer_flips, flip_rows
from kbe_graph.evaluate.item_table import item_table
from kbe_graph.evaluate.outcomes import outcomes, with_rows
from kbe_graph.evaluate.results import results
from kbe_graph.statistics.intervals import clustered_wilson


def asked(sample: int, texts: dict[str, list[str]], **further: object) -> list[dict[str, object]]:
    """Return answers to one sample, those of each variant run by run."""
    return [
        answer_row(sample=sample, variant=variant, run=run, text=text, **further)
        for variant, answers in texts.items()
        for run, text in enumerate(answers, 1)
    ]


def rows_of(rows: list[dict[str, object]]) -> list[FlipRow]:
    answers = answers_of(rows)
    return flip_rows(answers, outcomes(with_rows(answers)))


def test_an_item_flips_at_the_share_of_seeds_and_variants_with_another_answer() -> None:
    texts = {"image": ["a dog"], "noise": ["The Dog.", "cat", "cat"], "re-encode": ["dog"], "paraphrase": ["puppy"]}
    (row,) = answer_flips(answers_of(asked(0, texts))).to_dict("records")
    assert (row["row"], row["askings"], row["flips"]) == ("raw", 5, 0.6)


def test_other_ways_to_ask_and_the_same_once_more_are_no_change_of_surface() -> None:
    texts = {"image": ["dog", "cat"], "blind": ["cat"], "options": ["cat"], "circular": ["cat", "cat"]}
    assert answer_flips(answers_of(asked(0, texts))).empty


def test_who_did_not_answer_the_question_as_it_stands_does_not_flip() -> None:
    assert answer_flips(answers_of(asked(0, {"pad": ["dog", "cat"]}))).empty


def test_the_items_have_the_mean_over_the_models() -> None:
    rows = [
        *asked(0, {"image": ["dog"], "pad": ["dog", "cat"]}),
        *asked(0, {"image": ["cat"], "pad": ["cat", "cat"]}, model="other"),
        *asked(1, {"image": ["dog"]}),
        *asked(2, {"image": ["dog"], "pad": ["cat"]}),
        *asked(3, {"image": ["dog"], "pad": ["dog"]}),
    ]
    table = item_table(answers_of(rows))
    flips = table.items.set_index("sample")[["flips", "askings"]]
    assert flips.loc["okvqa/val/0"].tolist() == [0.25, 4]
    assert flips["flips"].isna().tolist() == [False, True, False, False]
    assert table.brittle["sample"].tolist() == ["okvqa/val/2", "okvqa/val/0"]
    assert table.as_mapping()["items"][1]["flips"] is None


def test_stability_needs_no_verdict() -> None:
    rows = asked(0, {"image": ["dog"], "pad": ["dog", "cat"]}, right=None)
    (row,) = rows_of(rows)
    assert (row.judge, row.questions, row.askings, row.flips) == ("", 1, 2, 0.5)
    assert (row.stable, row.brittle, row.brittle_right, row.r) == (0, 1, None, None)


def test_stable_answers_are_held_against_brittle_ones() -> None:
    rows = [
        row
        for sample in range(100)
        for row in asked(
            sample,
            {"image": ["dog"], "pad": ["cat" if sample < 40 else "dog"]},
            right=sample < 10 or sample >= 50,
        )
    ]
    (row,) = rows_of(rows)
    assert (row.questions, row.flips, row.stable, row.brittle) == (100, 0.4, 60, 40)
    assert (row.stable_right, row.brittle_right) == (pytest.approx(50 / 60), 0.25)
    images = [number // 2 for number in range(40)]
    assert (row.brittle_low, row.brittle_high) == clustered_wilson([1.0] * 10 + [0.0] * 30, images)
    assert row.r == pytest.approx(50 / 60 - 0.25)  # as 60 are stable and 60 right
    assert row.r_low is not None
    assert 0 < row.r_low < row.r


def test_hops_have_rows_of_their_own() -> None:
    rows = [
        row for hop, flip in ((0, "dog"), (1, "cat")) for row in asked(0, {"image": ["dog"], "pad": [flip]}, hop=hop)
    ]
    assert [(row.row, row.flips) for row in rows_of(rows)] == [("raw", 0), ("hop 1", 1)]


def test_paraphrases_of_other_seeds_are_no_repeated_asking_unless_their_words_are_the_same() -> None:
    rows = asked(0, {"paraphrase": ["dog", "cat", "cat"]})
    words = ["Which pet?", "Which animal?", "Which pet?"]
    (row,) = results(answers_of([row | {"asked": text} for row, text in zip(rows, words, strict=True)])).stability
    assert (row.questions, row.runs, row.same_answer) == (1, 2, 0)
    each = ["Which pet?", "Which animal?", "What?"]
    assert results(answers_of([row | {"asked": text} for row, text in zip(rows, each, strict=True)])).stability == ()


def test_the_seeds_of_an_operation_are_no_repeated_asking() -> None:
    rows = [*asked(0, {"image": ["dog", "dog"], "pad": ["dog", "cat", "cat"]})]
    figures = results(answers_of(rows))
    assert [row.variant for row in figures.stability] == ["image"]
    assert figures.variants == ()
