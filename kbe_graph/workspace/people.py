"""``work.people``: sheets and forms for people, written and read back."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.graph_access import GraphAccess
from kbe_graph.workspace.checked import checked

if TYPE_CHECKING:
    from kbe_graph.facts.review import TakenVerdicts
    from kbe_graph.statistics.rater_agreement import AgreementRow
    from kbe_graph.study.study_result import StudyResult


class DrawnStudy(NamedTuple):
    """A new study: its name and kind, its run, the number of items, the files, and the missing pictures."""

    study: str
    kind: str
    run: str | None
    items: int
    form: Path
    sheet: Path
    missing_pictures: int


@checked
class People:
    """The people who rate questions, label answers and review facts.

    - ``new_study``, ``import_study``: have questions rated
    - ``judge_sheet``, ``judge_agreement``: have answers labelled, and compare judges with the labels
    - ``review_facts``: import verdicts on facts; ``kbe.review_sheet`` writes the sheet

    >>> work.people.new_study(folder / "sheets", number=4).items
    4
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    def new_study(
        self,
        out: Path | str,
        *,
        run: str | None = None,
        incomplete: bool = False,
        number: int = 150,
        seed: int = 0,
        pairs: bool = False,
        reselected: bool = False,
    ) -> DrawnStudy:
        """Create a study of the questions of a run in the folder ``out``: a form (``study.html``) and a sheet (CSV).

        The run is chosen as in ``export``. By default, raters answer five questions on each item (KBE, Table 3). With
        ``pairs``, they say which of two questions is harder (KBE, appendix G). ``reselected`` includes re-selected
        questions. The same seed draws the same items. Raises InputError.

        >>> work.people.new_study(folder / "pairs", number=2, pairs=True).kind
        'pairs'
        """
        from kbe_graph.export.selection import select
        from kbe_graph.files.image import ImageFolders
        from kbe_graph.study.human_study import draw_pairs, draw_quality, save_study
        from kbe_graph.study.item_form import sample_pictures
        from kbe_graph.study.study_files import write_study_form, write_study_sheet

        if pairs and reselected:
            raise InputError("pairs start from the re-selected question if there is one; leave out 'reselected'")
        name = self._access.choose_run(run, incomplete=incomplete)
        selection = select(self._access.store, run=name)
        draw = draw_pairs if pairs else partial(draw_quality, reselected=reselected)
        study = draw(selection.questions, selection.samples, run=name or "", number=number, seed=seed)
        with self._access.reporter.waiting("reading the pictures"):
            drawn = {item.sample: selection.samples[item.sample] for item in study.items}
            pictures = sample_pictures(drawn.values(), ImageFolders(self._access.folder.image_folders))
        form, sheet = _make_folder(Path(out)) / "study.html", Path(out) / "study.csv"
        save_study(self._studies, study)  # before there is anything to fill in, which could not be read back
        write_study_form(form, study, pictures)
        write_study_sheet(sheet, study)
        missing = len(drawn.keys() - pictures)
        return DrawnStudy(study.name, study.kind.name, name, len(study.items), form, sheet, missing)

    def import_study(
        self, files: Sequence[Path | str], *, disputed: Path | str | None = None, seed: int = 0
    ) -> "StudyResult":
        """Evaluate a study from the completed files of its raters.

        ``disputed`` is a file for the items on which raters disagree, written as a sheet for a third rater. Raises
        DatasetError and InputError.

        >>> work.people.import_study(["ann.json", "bea.json"]).rows  # doctest: +SKIP
        """
        from kbe_graph.study.human_study import read_study
        from kbe_graph.study.study_files import read_ratings, study_name, write_study_sheet
        from kbe_graph.study.study_result import study_result

        paths = [Path(file) for file in files]
        if not paths:
            raise InputError("no file; give the completed sheets of the raters")
        study = read_study(self._studies, study_name(paths[0]))
        result = study_result(study, read_ratings(paths, study), seed=seed)
        if disputed is not None:
            write_study_sheet(Path(disputed), study, result.disputed)
        return result

    def judge_sheet(
        self,
        file: Path | str,
        *,
        run: str | None = None,
        incomplete: bool = False,
        number: int = 200,
        seed: int = 0,
    ) -> int:
        """Write a sheet (CSV) of judged answers to label, without model and verdict, and return the number of answers.

        The answers are spread evenly over verdicts and hops. The run is chosen as in ``export``. The workspace records
        which answer an id stands for. Raises InputError if no answer is judged.

        >>> work.people.judge_sheet(folder / "labels.csv", run="demo", number=10)  # doctest: +SKIP
        10
        """
        from kbe_graph.study.judge_agreement import add_to_key, draw_judge_sheet, write_judge_sheet

        store = self._access.store
        predictions = self._access.predictions(self._access.choose_run(run, incomplete=incomplete))
        questions = {question.id: question for question in store.questions(status=None)}
        rows = draw_judge_sheet(predictions, questions, {sample.id: sample for sample in store.samples()}, number, seed)
        if not rows:
            raise InputError(f"none of {len(predictions)} answers is judged; ask and judge with `evaluate` first")
        add_to_key(self._judge_key, rows)
        write_judge_sheet(Path(file), rows)
        return len(rows)

    def judge_agreement(
        self, file: Path | str | None = None, *, run: str | None = None, incomplete: bool = False, seed: int = 0
    ) -> "list[AgreementRow]":
        """Measure how far judges agree with the labels of a file or, without a file, with each other.

        The file is a completed sheet, or any table with ``id`` (of the sheet or of an answer), ``label`` and optionally
        ``rater``. Raises DatasetError and InputError.

        >>> work.people.judge_agreement(folder / "labels.csv")  # doctest: +SKIP
        """
        from kbe_graph.study.judge_agreement import judge_agreement, read_key, read_labels

        labels = [] if file is None else read_labels(Path(file))
        predictions = self._access.predictions(self._access.choose_run(run, incomplete=incomplete))
        return judge_agreement(predictions, labels, read_key(self._judge_key), seed=seed)

    def review_facts(self, sheet: Path | str, *, pack: Path | str | None = None) -> "TakenVerdicts":
        """Import the verdicts of a completed sheet. Later runs use them. Raises DatasetError.

        The facts are the packaged ones, and those of the folder ``pack``. A sheet without verdicts changes nothing.

        >>> kbe.review_sheet(folder / "sheet.tsv") > 0
        True
        >>> work.people.review_facts(folder / "sheet.tsv").taken
        0
        """
        from kbe_graph.facts.pack import open_pack
        from kbe_graph.facts.review import take_verdicts

        places = dict.fromkeys((None, pack))
        keys = {(fact.subject_id, fact.relation, fact.object_id) for place in places for fact in open_pack(place).facts}
        return take_verdicts(Path(sheet), self._access.folder.review, facts=keys)

    @property
    def _studies(self) -> Path:
        return self._access.folder.hidden / "studies"

    @property
    def _judge_key(self) -> Path:
        return self._access.folder.hidden / "judge_key.json"


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(folder)!r}: {error.strerror}; choose another place") from None
    return folder
