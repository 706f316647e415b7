"""Studies that people take part in: drawn from a workspace, and read back."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.export.selection import select
from kbe_graph.files.image import ImageFolders
from kbe_graph.folder import Folder
from kbe_graph.study.human_study import draw_pairs, draw_quality, read_study, save_study
from kbe_graph.study.study_files import read_ratings, study_name, study_pictures, write_study_form, write_study_sheet
from kbe_graph.study.study_result import StudyResult, study_result
from kbe_graph.workspace.choosing import choose_run
from kbe_graph.workspace.graph_access import GraphAccess


class DrawnStudy(NamedTuple):
    """What was drawn: the study's name and kind, its run, how many items, the files, and how many pictures miss."""

    study: str
    kind: str
    run: str | None
    items: int
    form: Path
    sheet: Path
    missing_pictures: int


def new_study(
    work: GraphAccess,
    out: Path | str,
    *,
    run: str | None = None,
    incomplete: bool = False,
    number: int = 150,
    seed: int = 0,
    pairs: bool = False,
    reselected: bool = False,
) -> DrawnStudy:
    """Draw a study of a run's questions into the folder ``out``: ``study.html``, a form, and ``study.csv``, a sheet.

    The run is chosen as ``export`` does. ``pairs`` asks which of two questions is harder (KBE, appendix G), else five
    things are asked of each (Table 3); ``reselected`` draws re-selected questions too. The same seed draws the same.
    Raises InputError.
    """
    if pairs and reselected:
        raise InputError("pairs begin at the re-selected question where there is one; leave 'reselected' out")
    name = choose_run(work.folder, work.store, run, incomplete=incomplete)
    selection = select(work.store, run=name)
    questions, samples = selection.questions, selection.samples
    if pairs:
        study = draw_pairs(questions, samples, run=name or "", number=number, seed=seed)
    else:
        study = draw_quality(questions, samples, run=name or "", number=number, seed=seed, reselected=reselected)
    with work.reporter.waiting("reading the pictures"):
        pictures = study_pictures(study, samples, ImageFolders(work.folder.image_folders))
    out = Path(out)
    _make_folder(out)
    save_study(_studies(work.folder), study)  # before there is anything to fill in, which could not be read back
    write_study_form(out / "study.html", study, pictures)
    write_study_sheet(out / "study.csv", study)
    missing = len({item.sample for item in study.items} - {*pictures})
    return DrawnStudy(
        study.name, study.kind.name, name, len(study.items), out / "study.html", out / "study.csv", missing
    )


def import_study(
    folder: Folder, files: Sequence[Path | str], *, disputed: Path | str | None = None, seed: int = 0
) -> StudyResult:
    """Return what came of a study that was drawn in a workspace's folder, from what its raters filled in.

    ``disputed`` is a file to write the items into that raters disagree on, as a sheet for a third reader. Raises
    DatasetError and InputError.
    """
    paths = [Path(file) for file in files]
    if not paths:
        raise InputError("no file; give what the raters filled in")
    study = read_study(_studies(folder), study_name(paths[0]))
    result = study_result(study, read_ratings(paths, study), seed=seed)
    if disputed is not None:
        write_study_sheet(Path(disputed), study, result.disputed)
    return result


def _studies(folder: Folder) -> Path:
    """Return the folder in which it is kept what was drawn."""
    return folder.hidden / "studies"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}; choose another place") from None
