"""``work.people``: sheets and forms for people, written and read back."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.workspace.checked import checked
from kbe_graph.workspace.graph_access import GraphAccess, read_predictions_of

if TYPE_CHECKING:
    from kbe_graph.facts.review import TakenVerdicts
    from kbe_graph.statistics.rater_agreement import AgreementRow
    from kbe_graph.study.study_result import StudyResult


class DrawnStudy(NamedTuple):
    """A study as drawn: its name and kind, its run, the number of items, the files, and the missing pictures."""

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

    - ``new_study``, ``import_study``: questions rated
    - ``judge_sheet``, ``judge_agreement``: answers labelled, and the judges compared with the labels
    - ``review_facts``: verdicts on facts; ``kbe.review_sheet`` writes their sheet

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
        """Draw a study of a run's questions into the folder ``out``: a form (``study.html``) and a sheet (CSV).

        The run is chosen as ``export`` does. ``pairs`` asks which of two questions is harder (KBE, appendix G), else
        raters answer five questions on each item (Table 3); ``reselected`` draws re-selected questions too. The same
        seed draws the same items. Raises InputError.

        >>> work.people.new_study(folder / "pairs", number=2, pairs=True).kind
        'pairs'
        """
        from kbe_graph.export.selection import select
        from kbe_graph.files.image import ImageFolders
        from kbe_graph.study.human_study import draw_pairs, draw_quality, save_study
        from kbe_graph.study.item_form import sample_pictures
        from kbe_graph.study.study_files import write_study_form, write_study_sheet

        if pairs and reselected:
            raise InputError("pairs begin at the re-selected question where there is one; leave 'reselected' out")
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
        """Evaluate a study from the files that its raters filled in.

        ``disputed`` is a file to write the items into that raters disagree on, as a sheet for a third reader. Raises
        DatasetError and InputError.

        >>> work.people.import_study(["ann.json", "bea.json"]).rows  # doctest: +SKIP
        """
        from kbe_graph.study.human_study import read_study
        from kbe_graph.study.study_files import read_ratings, study_name, write_study_sheet
        from kbe_graph.study.study_result import study_result

        paths = [Path(file) for file in files]
        if not paths:
            raise InputError("no file; give what the raters filled in")
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
        """Draw judged answers into a sheet (CSV) for people to label, without model and verdict; return their number.

        They are spread evenly over verdicts and hops; the run is chosen as ``export`` does. The workspace keeps which
        answer an id stands for. Raises InputError where no answer is judged.

        >>> work.people.judge_sheet(folder / "labels.csv", run="demo", number=10)  # doctest: +SKIP
        10
        """
        from kbe_graph.study.judge_agreement import add_to_key, draw_judge_sheet, write_judge_sheet

        store = self._access.store
        predictions = read_predictions_of(store, self._access.choose_run(run, incomplete=incomplete))
        questions = {question.id: question for question in store.questions(status=None)}
        rows = draw_judge_sheet(predictions, questions, {sample.id: sample for sample in store.samples()}, number, seed)
        if not rows:
            raise InputError(
                f"none of {len(predictions)} answers is judged; ask and judge with `work.evaluate()` first"
            )
        add_to_key(self._judge_key, rows)
        write_judge_sheet(Path(file), rows)
        return len(rows)

    def judge_agreement(
        self, file: Path | str | None = None, *, run: str | None = None, incomplete: bool = False, seed: int = 0
    ) -> "list[AgreementRow]":
        """Measure how far judges agree with the labels of a file, or, without one, with each other.

        The file is a sheet, or any table with ``id`` (of the sheet, or of an answer), ``label`` and perhaps ``rater``.
        Raises DatasetError and InputError.

        >>> work.people.judge_agreement(folder / "labels.csv")  # doctest: +SKIP
        """
        from kbe_graph.study.judge_agreement import judge_agreement, read_key, read_labels

        labels = [] if file is None else read_labels(Path(file))
        predictions = read_predictions_of(self._access.store, self._access.choose_run(run, incomplete=incomplete))
        return judge_agreement(predictions, labels, read_key(self._judge_key), seed=seed)

    def review_facts(self, sheet: Path | str, *, pack: Path | str | None = None) -> "TakenVerdicts":
        """Keep the verdicts of a reviewed sheet; later runs go by them. Raises DatasetError.

        The facts are the packaged ones, and those of the folder ``pack``. A sheet without a verdict changes nothing.

        >>> kbe.review_sheet(folder / "sheet.tsv") > 0
        True
        >>> work.people.review_facts(folder / "sheet.tsv").taken
        0
        """
        from kbe_graph.facts.review import take_verdicts
        from kbe_graph.workspace.packs import open_pack

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
