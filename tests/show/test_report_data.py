"""What a report tells: shares, drops, tables beside the paper's, from questions and answers alone."""

from dataclasses import replace

import pytest
from report_cases import SKILLS, answers_of, chain, source_of

from kbe_graph.errors import InputError
from kbe_graph.evaluate.outcomes import answers_frame
from kbe_graph.show.charts import charts
from kbe_graph.show.findings import headline, typical_question
from kbe_graph.show.page import page_text
from kbe_graph.show.paper_tables import PaperCell, PaperTable, published_figures
from kbe_graph.show.report_data import ReportData, ReportSource, report_data
from kbe_graph.show.report_tables import report_tables
from kbe_graph.statistics.intervals import clustered_wilson
from kbe_graph.types import Prediction

ROWS = ("raw", "hop 1")


def predictions_by(*, right: int, wrong_after: int = 0) -> list[Prediction]:
    """GPT-4o has the first ``right`` raw questions right, and of the others of hop 1 the first ``wrong_after``."""
    return [
        Prediction("gpt-4o", question.id, question.answer, verdict="right" if number < most else "wrong", judge="j")
        for number in range(20)
        for question, most in zip(chain(number), (right, wrong_after), strict=True)
    ]


def cell_of(table: PaperTable, *place: str) -> PaperCell:
    return next(cell for cell in table.cells if cell[:3] == place)


@pytest.fixture(scope="module")
def data() -> ReportData:
    return report_data(source_of(predictions_by(right=15, wrong_after=5)))


def test_shares_have_intervals_that_know_the_images_and_are_balanced(data: ReportData) -> None:
    first, second = (share for share in data.accuracy if share.samples == "all")
    assert (first.model, first.row, first.accuracy, first.questions, first.images) == ("gpt-4o", "raw", 0.75, 20, 10)
    images = [number // 2 for number in range(20)]
    assert (first.low, first.high) == clustered_wilson([1.0] * 15 + [0.0] * 5, images)
    assert (second.row, second.accuracy) == ("hop 1", 0.25)
    assert [share.accuracy for share in data.accuracy if share.samples == "balanced"] == [0.75, 0.25]


def test_hops_are_compared_pair_by_pair(data: ReportData) -> None:
    tables = {table.name: table for table in report_tables(data)}
    row = dict(zip(tables["hops"].columns, tables["hops"].rows[0], strict=True))
    assert (row["before"], row["after"], row["difference"], row["pairs"]) == ("raw", "hop 1", -0.5, 20)
    assert row["low"] < -0.5 < row["high"] < 0
    assert row["p"] == pytest.approx(2 * 0.5**10, rel=1e-4)
    assert row["holm"] >= row["p"]
    assert {"trends", "power", "chains", "errors", "edges"} <= tables.keys()
    assert not {"right_after_wrong", "review", "memory", "variants"} & tables.keys()


def test_ways_to_ask_stand_side_by_side_and_memory_is_told() -> None:
    questions = [chain(number)[0] for number in range(20)]
    asked = [
        Prediction(model, question.id, "x", variant=variant, verdict=verdict)
        for question in questions
        for model, variant, verdict in (
            *(("m", "image", "right"), ("m", "blind", "wrong"), ("m", "paraphrase", "right")),
            *(("n", "image", "wrong"),),
        )
    ]
    tables = {table.name: table for table in report_tables(report_data(source_of(asked)))}
    assert tables["variants"].columns[4:] == ("image", "blind", "paraphrase")
    assert tables["variants"].rows == [["okvqa", "m", "", "raw", 1, 0, 1], ["okvqa", "n", "", "raw", 0, None, None]]
    pairs = tables["variant-differences"].frame[["before", "after"]].to_numpy().tolist()
    assert pairs == [["image", "blind"], ["image", "paraphrase"]]
    ((model, _, verdict, reason, pairs, *_),) = tables["memory"].rows
    assert (model, verdict, pairs) == ("m", "cannot tell", 20)
    assert "ask 100" in str(reason)


def test_questions_that_better_models_fail_are_to_be_reviewed() -> None:
    skills = {"good": {0, 1, 2}, "fair": {0, 1}, "poor": {3}}
    asked = [
        Prediction(model, chain(number)[0].id, "x", verdict="right" if number in right else "wrong")
        for model, right in skills.items()
        for number in range(4)
    ]
    tables = {table.name: table for table in report_tables(report_data(source_of(asked)))}
    (question, item_rest, failing, models), *_ = tables["review"].rows
    assert (question, failing, models) == (chain(3)[0].id, 2, 3)
    assert item_rest < 0


def test_several_askings_of_a_question_count_as_one() -> None:
    question = chain(0)[0]
    twice = [
        Prediction("m", question.id, "x", run=run, verdict=verdict) for run, verdict in ((1, "right"), (2, "wrong"))
    ]
    data = report_data(source_of(twice))
    (share, _) = data.accuracy
    assert (share.accuracy, share.questions) == (0.5, 1)
    stability = next(table for table in report_tables(data) if table.name == "stability")
    row = dict(zip(stability.columns, stability.rows[0], strict=True))
    assert (row["same answer"], row["same verdict"], row["questions"], row["runs"]) == (1, 0, 1, 2)
    assert "Same answer when asked again" in page_text(data, [])


def test_the_share_right_in_all_rotations_stands_in_a_table_with_how_many_are_incomplete() -> None:
    source = source_of(
        [
            Prediction("m", chain(number)[0].id, "x", run=run, variant="circular", verdict="right", judge="alias")
            for number, run in ((0, 1), (0, 2), (1, 1))
        ]
    )
    data = report_data(replace(source, answers=source.answers.assign(options=2)))
    circular = next(table for table in report_tables(data) if table.name == "circular")
    row = dict(zip(circular.columns, circular.rows[0], strict=True))
    assert (row["all right"], row["questions"], row["incomplete"], row["judge"]) == (1, 1, 1, "alias")
    assert "Right in every rotation of the options" in page_text(data, [])


def test_what_was_asked_blind_is_in_no_curve() -> None:
    blind = Prediction("m", chain(0)[0].id, "x", variant="blind", verdict="right")
    data = report_data(source_of([blind]))
    assert data.accuracy == ()
    assert [answer.variant for item in data.items for answer in item.answers] == ["blind"]


def test_the_papers_tables_stand_beside_this_workspaces(data: ReportData) -> None:
    cell = cell_of(data.tables[0], "GPT-4o", "okvqa", "raw")
    assert (cell.value, cell.published, cell.difference) == (75.0, "50.33", 24.67)
    wide = data.tables[0].wide()
    assert wide.loc["GPT-4o", "okvqa raw"] == "75.00 / 50.33 / +24.67"
    assert (wide.index[0], wide.columns[0]) == ("GPT-4o", "okvqa raw")
    strict = cell_of(data.tables[3], "GPT-4o", "okvqa", "hop 1")
    assert (strict.value, strict.published) == (100.0, "32.77")
    words = cell_of(data.tables[6], "GPT-4o", "okvqa", "raw")
    assert (words.value, words.published) == (2.0, "4.14")
    edges = cell_of(data.tables[1], "key edges", "okvqa", "hop 1")
    assert (edges.value, edges.published, edges.difference) == (2.0, "4.04", -2.04)
    assert "worded by rule" in data.tables[4].note
    assert "no figures for them" in data.tables[2].note


def test_the_first_lines_tell_each_benchmark_and_what_is_sure(data: ReportData) -> None:
    (result,) = headline(data)
    assert result.line == "okvqa: 20 new questions on 20 samples (raw: 20, hop 1: 20)"
    assert result.models.columns[1:3] == ("raw (n = 20)", "hop 1 (n = 20)")
    ((model, raw, hop, change, means),) = result.models.rows
    assert (model, raw, hop) == ("gpt-4o", "75 %", "25 %")
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


def test_strict_match_is_to_the_letter() -> None:
    question = chain(0)[0]
    data = report_data(source_of([Prediction("m", question.id, question.answer.title(), verdict="right", judge="j")]))
    assert cell_of(data.tables[3], "m", "okvqa", "raw").value == 0
    assert data.judges == (("m", "j", 1, 1, 0, 0),)


def test_every_figure_of_the_paper_is_there() -> None:
    sizes = {number: len(cells) for number, (_, cells) in published_figures().items()}
    assert sizes == {1: 40, 2: 32, 3: 6, 4: 40, 5: 20, 6: 25, 7: 40}


def test_difficulty_counts_the_models_that_fail() -> None:
    questions = [question for number in range(20) for question in chain(number)]
    data = report_data(source_of(list(answers_of(questions))))
    assert sum(bar.questions for bar in data.difficulty if bar.row == "raw") == 20
    assert {bar.failing for bar in data.difficulty} == set(range(len(SKILLS) + 1))


def test_the_judge_is_held_against_strict_match(data: ReportData) -> None:
    (figure,) = data.judges
    assert figure == ("gpt-4o", "j", 40, 20, 40, 20)


def test_without_answers_a_report_has_its_other_parts() -> None:
    data = report_data(source_of([]))
    assert (data.models, data.accuracy, data.memory, data.difficulty, data.judges) == ((), (), [], (), ())
    assert {table.name for table in report_tables(data)} == {"funnel", "relations", "variety"}
    assert "kbe evaluate" in data.tables[6].note


def test_an_empty_workspace_has_a_report() -> None:
    data = report_data(ReportSource(None, {}, [], answers_frame([], {}, {}), {"samples": {}, "runs": {}}))
    assert (data.funnel, data.items, data.relations) == ((), (), ())


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
    assert [figure[:4] for figure in data.judges] == [("m", "kind", 7, 7), ("m", "strict", 6, 0)]
    drawings = {chart.name: [panel.get_title() for panel in chart.drawing.axes] for chart in charts(data)}
    assert drawings["accuracy"] == ["okvqa, by kind", "okvqa, by strict"]
    page = page_text(data, [])
    assert "judged by kind and strict." in page
    assert "Judge: kind." in page
    strict = report_data(replace(source, judge="strict"))
    assert (strict.all_judges, strict.item_table.judge) == (("strict",), "strict")
    with pytest.raises(InputError, match="no answer was judged by 'who'; the judges are 'kind', 'strict'"):
        report_data(replace(source, judge="who"))


def test_a_typical_question_is_of_the_hop_with_the_most_questions_and_of_middle_difficulty() -> None:
    failed = [
        Prediction(model, chain(number)[1].id, "x", verdict="wrong" if fails else "right", judge="j")
        for number, failing in enumerate([0, 2, 2, 1, 0])
        for model, fails in (("a", failing > 0), ("b", failing > 1))
    ]
    typical = typical_question(report_data(source_of(failed, count=5)))
    assert typical is not None
    assert typical.question.id == chain(3)[1].id
    assert typical_question(report_data(source_of([], count=0))) is None


def test_of_few_questions_the_papers_tables_have_counts() -> None:
    page = page_text(report_data(source_of(predictions_by(right=2), count=3)), [])
    assert "<td>2 of 3 / 50.33</td>" in page
    assert "66.67" not in page
    assert "rows with fewer than 6 questions" in page


def test_replies_without_an_answer_are_counted_by_model_beside_those_asked_and_answered() -> None:
    ids = [chain(number)[0].id for number in range(5)]
    silent = [("", "empty"), ("", "unread"), ("", "unread"), ("", "refused"), ("a lamp", "whole")]
    replies = [Prediction("silent", id_, text, read_by=by) for id_, (text, by) in zip(ids, silent, strict=True)]
    judged = [reply.with_verdict("alias", "right" if reply.text else "wrong") for reply in replies]
    unjudged = Prediction("fresh", ids[0], "a lamp", read_by="bold")
    tables = {table.name: table for table in report_tables(report_data(source_of([*judged, unjudged])))}
    table = tables["answered"]
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    names = ("model", "judge", "questions", "asked", "answered", "empty", "unread", "refused", "judged")
    assert [tuple(row[name] for name in names) for row in rows] == [
        ("fresh", "", 5, 1, 1, 0, 0, 0, 0),
        ("silent", "alias", 5, 5, 1, 1, 2, 1, 5),
    ]
