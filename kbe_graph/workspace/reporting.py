"""What a report is made of, read from a workspace, and the files that it is written to."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.evaluate.outcomes import answers_frame
from kbe_graph.export.selection import select
from kbe_graph.extras import has_extra
from kbe_graph.files.image import ImageFolders
from kbe_graph.pages.report_values import ReportData, ReportSource
from kbe_graph.types import Prediction
from kbe_graph.workspace.choosing import choose_run

if TYPE_CHECKING:
    from kbe_graph.workspace.workspace import Workspace


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


def write_report(data: ReportData, page: Path, figures: Mapping[str, Path], *, pictures: bool = True) -> None:
    """Write a report as a page, and its figures to ``figures``: a place by format; raises InputError."""
    from kbe_graph.pages.charts import charts
    from kbe_graph.pages.figure_files import FIGURE_FORMATS
    from kbe_graph.pages.page import write_page

    drawn = charts(data) if has_extra("figures") else []
    write_page(data, drawn, page, pictures=pictures)
    for name, place in figures.items():
        FIGURE_FORMATS.require(name).write(data, drawn, place)
