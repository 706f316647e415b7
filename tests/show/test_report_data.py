"""What a report tells: shares and drops, from questions and answers alone."""

from dataclasses import replace

import pytest
from report_cases import chain, source_of

from kbe_graph.errors import InputError
from kbe_graph.figures.outcomes import answers_frame
from kbe_graph.show.charts import charts
from kbe_graph.show.page import page_text
from kbe_graph.show.report_data import ReportData, ReportSource, report_data
from kbe_graph.show.report_tables import headline, report_tables
from kbe_graph.types import Prediction


def predictions_by(*, right: int, wrong_after: int = 0) -> list[Prediction]:
    """GPT-4o has the first ``right`` raw questions right, and of the others of hop 1 the first ``wrong_after``."""
    return [
        Prediction("gpt-4o", question.id, question.answer, verdict="right" if number < most else "wrong", judge="j")
        for number in range(20)
        for question, most in zip(chain(number), (right, wrong_after), strict=True)
    ]


@pytest.fixture(scope="module")
def data() -> ReportData:
    return report_data(source_of(predictions_by(right=15, wrong_after=5)))


def test_hops_are_compared_pair_by_pair(data: ReportData) -> None:
    tables = {table.name: table for table in report_tables(data)}
    row = dict(zip(tables["hops"].columns, tables["hops"].rows[0], strict=True))
    assert (row["before"], row["after"], row["difference"], row["pairs"]) == ("raw", "hop 1", -0.5, 20)
    assert row["low"] < -0.5 < row["high"] < 0
    assert row["p"] == pytest.approx(2 * 0.5**6)  # ten samples, two of which share an image
    assert row["holm"] >= row["p"]
    assert {"trends", "power", "chains", "errors", "edges"} <= tables.keys()
    assert not {"right_after_wrong", "review", "memory", "variants"} & tables.keys()


def test_the_first_lines_tell_each_benchmark_and_what_is_sure(data: ReportData) -> None:
    (result,) = headline(data)
    assert result.line == "okvqa: 20 new questions on 20 samples (raw: 20, hop 1: 20)"
    assert result.models.columns[1:3] == ("raw", "hop 1")
    ((model, raw, hop, change, means),) = result.models.rows
    assert (model, raw, hop) == ("gpt-4o", "75 % (15/20)", "25 % (5/20)")
    assert change == "-50 points at hop 1 (95 % interval -73 to -8), 20 samples"
    assert str(means).startswith("significantly lower (Holm p 0.0")
    assert headline(report_data(source_of([])))[0].models.rows == []
    (few,) = headline(report_data(source_of(predictions_by(right=15), count=3)))
    assert few.models.rows[0][-1] == "too few samples: no hop has 10 in common with raw"
    weak = data.results.hops[0]._replace(holm=0.31)
    later = weak._replace(after="hop 2", figures=weak.figures._replace(pairs=12))
    (unsure,) = headline(replace(data, results=replace(data.results, hops=(later, weak))))
    assert "at hop 1" in str(unsure.models.rows[0][-2])
    assert unsure.models.rows[0][-1] == "may be due to chance (Holm p 0.31, 2 comparisons)"


def test_without_answers_a_report_has_its_other_parts() -> None:
    data = report_data(source_of([]))
    assert (data.models, data.accuracy, data.memory, data.scored) == ((), (), [], [])
    assert {table.name for table in report_tables(data)} == {"funnel", "statistics", "variety"}
    empty = report_data(ReportSource(None, {}, [], answers_frame([], {}, {}), {"samples": {}, "runs": {}}))
    assert (empty.funnel, empty.items) == ((), ())


def test_each_judge_has_its_rows_and_its_panel_and_one_can_be_chosen() -> None:
    questions = [chain(number)[0] for number in range(7)]
    asked = [
        Prediction("m", question.id, "x").with_verdict("strict", "wrong").with_verdict("kind", "right")
        for question in questions
    ]
    asked[0] = asked[0].with_verdict("strict", "")
    source = source_of(asked)
    data = report_data(source)
    assert (data.judge, data.all_judges) == ("kind", ("kind", "strict"))
    shares = {share.judge: (share.accuracy, share.questions) for share in data.accuracy if share.samples == "all"}
    assert shares == {"kind": (1, 7), "strict": (0, 6)}
    drawings = {chart.name: [panel.get_title() for panel in chart.drawing.axes] for chart in charts(data)}
    assert drawings["accuracy"] == ["okvqa, by kind", "okvqa, by strict"]
    page = page_text(data, [])
    assert "judged by kind and strict." in page
    assert "Judge: kind." in page
    strict = report_data(replace(source, judge="strict"))
    assert (strict.all_judges, strict.item_table.judge) == (("strict",), "strict")
    with pytest.raises(InputError, match="no answer was judged by 'who'; the judges are 'kind', 'strict'"):
        report_data(replace(source, judge="who"))


def test_a_model_of_another_judge_stays_in_the_first_table() -> None:
    ids = [chain(number)[0].id for number in range(7)]
    asked = [Prediction("m", id_, "x", verdict="right", judge="alias") for id_ in ids]
    asked += [Prediction("n", id_, "x", verdict="wrong", judge="exact") for id_ in ids[:6]]
    asked += [Prediction("o", chain(number)[1].id, "x", verdict="right", judge="alias") for number in range(7)]
    (result,) = headline(report_data(source_of(asked)))
    every = "100 % (7/7, 13 not counted)"
    lines = [("m", every, ""), ("n (judge: exact)", "0 % (0/6, 14 not counted)", ""), ("o", "", every)]
    assert [tuple(row[:3]) for row in result.models.rows] == lines
