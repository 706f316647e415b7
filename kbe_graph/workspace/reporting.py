"""What a report is made of, read from a workspace, and the files that it is written to."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.evaluate.outcomes import answers_frame
from kbe_graph.export.selection import select
from kbe_graph.extras import has_extra
from kbe_graph.files.image import ImageFolders
from kbe_graph.pages.report_values import ReportData, ReportSource
from kbe_graph.types import Prediction
from kbe_graph.workspace.choosing import choose_run

if TYPE_CHECKING:
    from kbe_graph.workspace.workspace import Workspace


class ReportFiles(NamedTuple):
    """Where a report goes: the page; if wanted, the figures as JSON, and folders of CSV, LaTeX and drawings."""

    page: Path
    json: Path | None = None
    csv: Path | None = None
    latex: Path | None = None
    figures: Path | None = None


def read_source(
    work: "Workspace",
    run: str | None,
    predictions: Iterable[Prediction] | None = None,
    *,
    incomplete: bool = False,
    guess: bool = True,
) -> ReportSource:
    """Return what a report of a run is made of; the run is chosen as ``export`` does.

    ``predictions`` are those of the graph where None are given.
    """
    name = choose_run(work.folder, work.store, run, incomplete=incomplete)
    with work.reporter.waiting("reading the questions"):
        selection = select(work.store, run=name)
    if predictions is None:
        predictions = work.predictions(run=name, incomplete=True)
    questions = {question.id: question for question in selection.questions}
    folders = ImageFolders(work.folder.image_folders)
    places = {sample.id: folders.find(sample.image, sample.image_id) for sample in selection.samples.values()}
    return ReportSource(
        run=name,
        samples=selection.samples,
        questions=selection.questions,
        answers=answers_frame(predictions, questions, selection.samples),
        status=work.status(name),
        guesses=work.guess(name, incomplete=incomplete) if guess and questions and has_extra("guess") else None,
        costs=work.costs(),
        pictures={sample: picture for sample, picture in places.items() if picture},
    )


def write_report(data: ReportData, files: ReportFiles, *, pictures: bool = True) -> None:
    """Write a report to its files; raises InputError where one of them cannot be written."""
    from kbe_graph.pages.charts import charts
    from kbe_graph.pages.figure_files import write_charts, write_csv, write_json, write_latex
    from kbe_graph.pages.page import write_page

    drawn = charts(data) if has_extra("figures") else []
    write_page(data, drawn, files.page, pictures=pictures)
    if files.json:
        write_json(data, files.json)
    if files.csv:
        write_csv(data, files.csv)
    if files.latex:
        write_latex(data, files.latex)
    if files.figures:
        write_charts(drawn, files.figures)
