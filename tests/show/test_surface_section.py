"""The section on surface and knowledge of a report: sentences and tables, and nothing where nothing was perturbed."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from report_cases import chain, hostile_source, source_of

from kbe_graph.show.findings import surface_lines
from kbe_graph.show.page import page_text
from kbe_graph.show.report_data import ReportData, report_data
from kbe_graph.show.report_tables import published_changes, report_tables
from kbe_graph.types import Prediction

SECTION = {"surface", "surface-knowledge", "operations", "flips", "brittle", "surface-published"}
COUNTS = (("noise", "kept", "", 120), ("noise", "refused", "the question asks for a sign", 40))


def asked(number: int, variant: str, run: int = 1, *, right: bool = True) -> Prediction:
    """Return an answer to a raw question."""
    verdict = "right" if right else "wrong"
    text = "a thing" if right else "no idea"
    return Prediction("gpt-4o", chain(number)[0].id, text, run=run, variant=variant, verdict=verdict, judge="j")


def predictions() -> Iterator[Prediction]:
    """Give the answers of a model that is right on 4 to 39 as they stand; noise makes 4 to 11 wrong, a hop 4 to 31."""
    for number in range(40):
        yield asked(number, "image", right=number >= 4)
        yield asked(number, "re-encode", right=number >= 4)
        for seed in range(3):
            yield asked(number, "noise", seed + 1, right=number >= 12)
        if number >= 20:
            yield asked(number, "mdk12", right=True)
        verdict = "right" if number >= 32 else "wrong"
        yield Prediction("gpt-4o", chain(number)[1].id, "other", verdict=verdict, judge="j")


@pytest.fixture(scope="module")
def data() -> ReportData:
    return report_data(replace(source_of([*predictions()], count=40), variant_counts=COUNTS))


def test_the_three_questions_are_answered_with_figures(data: ReportData) -> None:
    cost, memory, brittle = surface_lines(data)
    assert cost.question == "Does surface or knowledge cost more?"
    (line,) = cost.lines
    start = "okvqa, gpt-4o: surface -20 points (mean of 2 operations), hop 1 -70 points on the same 40 samples; "
    assert line.startswith(f"{start}difference -50 (")
    assert "): knowledge costs more. Most costly operation: noise -20 (" in line
    assert ". Re-encoding only: +0 (" in line
    assert memory.question == "Is the raw score memory?"
    assert memory.lines[0].startswith("Unknown: there are no answers to paraphrased raw questions")
    assert brittle.question == "Which questions are brittle?"
    line, worst = brittle.lines
    assert line.startswith(
        "okvqa raw, gpt-4o: 8 of 40 questions flip under a harmless change, on average in 15\N{NO-BREAK SPACE}%"
    )
    assert "Right: 88\N{NO-BREAK SPACE}% of the stable questions, 100\N{NO-BREAK SPACE}% of the brittle ones" in line
    ids = [f"okvqa/val/{number}@raw/0 (75\N{NO-BREAK SPACE}% of 4 askings)" for number in (10, 11, 4)]
    assert worst == f"Most brittle: {', '.join(ids)}."


def test_the_tables_hold_the_figures(data: ReportData) -> None:
    tables = {table.name: table for table in report_tables(data)}
    assert tables.keys() >= SECTION
    rows = [dict(zip(tables["surface"].columns, row, strict=True)) for row in tables["surface"].rows]
    assert [row["change"] for row in rows] == ["re-encode", "mdk12", "noise", "hop 1"]
    noise = rows[2]
    assert (noise["pairs"], noise["share before"], noise["share after"], noise["seeds"]) == (40, 0.9, 0.7, 3)
    assert (noise["to wrong"], noise["to right"], noise["refused"], noise["rejected"]) == (0.2, 0, 0.25, 0)
    assert tables["operations"].rows[0][:5] == ["noise", 160, 120, 40, 0]
    assert {row[0] for row in tables["brittle"].rows} == {chain(number)[0].id for number in range(4, 12)}
    assert tables["brittle"].rows[0][1:] == [0.75, 4, 0, 1]
    own, first = tables["surface-published"].rows[:2]
    assert own == ("this workspace", "", "okvqa", "gpt-4o", "mdk12", "raw", "100.00", "100.00", "+0.00")
    assert first[0] == "MDK12-Bench, table 4"


def test_operations_stand_after_the_other_ways_to_ask(data: ReportData) -> None:
    tables = {table.name: table for table in report_tables(data)}
    assert tables["variants"].columns[4:] == ("image", "re-encode", "mdk12", "noise")
    assert not {"stability", "variant-differences"} & tables.keys()


def test_without_perturbed_questions_nothing_is_there_but_the_reason() -> None:
    plain = report_data(source_of([asked(number, "image") for number in range(4)]))
    assert surface_lines(plain) == []
    assert not SECTION & {table.name for table in report_tables(plain)}
    page = page_text(plain, [])
    assert "Surface or knowledge: no answers to perturbed questions yet; run &#39;kbe perturb&#39;, " in page


def test_variants_that_nobody_was_asked_are_counted() -> None:
    source = replace(source_of([asked(0, "image")]), variant_counts=COUNTS)
    data = report_data(source)
    assert SECTION & {table.name for table in report_tables(data)} == {"operations"}


def test_without_hops_or_verdicts_the_sentences_say_so() -> None:
    (answered, *_) = surface_lines(
        report_data(source_of([asked(*place) for place in product(range(20), ("image", "pad"))]))
    )
    (line,) = answered.lines
    no_hop = "no hop was asked on 10 or more of these samples, so the cost of knowledge is unknown."
    assert line == f"okvqa, gpt-4o: {no_hop} No operation lowers accuracy."


def test_the_published_figures_agree_with_themselves() -> None:
    whole = [figure for figure in published_changes() if figure.before]
    assert [figure for figure in published_changes() if not figure.taken_from] == []
    assert len(whole) == 11
    for figure in whole:
        assert float(figure.after) - float(figure.before) == pytest.approx(float(figure.difference), abs=0.001)


def test_names_of_operations_that_are_hostile_stay_text() -> None:
    source = hostile_source()
    again = source.answers.assign(variant="<script>x</script>")
    source = replace(source, variant_counts=[("<script>x</script>", "refused", "<script>y</script>", 1)])
    import pandas as pd

    data = report_data(replace(source, answers=pd.concat([source.answers, again], ignore_index=True)))
    page = page_text(data, [])
    assert "<script>x" not in page
    assert "<script>y" not in page
    assert "&lt;script&gt;x" in page
