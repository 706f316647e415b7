"""What is audited: the questions of a run, a benchmark or a release, with all that is known about them."""

from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kbe_graph.export.selection import Selection, with_guesses, with_origins
from kbe_graph.facts.pack import pack
from kbe_graph.figures.accuracy import AccuracyRow, accuracy_rows
from kbe_graph.figures.outcomes import answers_frame, one_judge, outcomes, with_rows
from kbe_graph.files.record import read_json
from kbe_graph.graph_access import GraphAccess, with_raw
from kbe_graph.release.unpacking import Manifest, read_manifest
from kbe_graph.review.study import ANSWERS, read_study, study_result
from kbe_graph.types import RAW, Prediction, Question, QuestionForm, Sample, Triplet
from kbe_graph.types.graph import AGREED

if TYPE_CHECKING:
    import pandas as pd

CROISSANT = "croissant.json"  # the description of a release


@dataclass(frozen=True)
class Audited:
    """A set of questions to audit, read once; parts that it does not have are empty.

    ``selection`` holds the questions with their samples and guesses, ``predictions`` the models' answers.
    ``agreements`` are the rows of studies that compare people with judges. ``pictures`` are the files of the samples
    whose pictures are there. ``settings`` are those of the run, ``statements`` the owner's by criterion.
    ``licences`` are those of questions, ``parts`` the forms of a release that they are in, ``dated`` the
    sources of facts with a date. ``folder`` is that of a release.
    """

    name: str
    kind: str
    selection: Selection
    statements: Mapping[str, str]
    predictions: Sequence[Prediction] = ()
    pictures: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    forms: Sequence[QuestionForm] = ()
    agreements: Sequence[Mapping[str, Any]] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    licences: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    dated: AbstractSet[str] = field(default_factory=lambda: pack().dated)
    folder: Path | None = None

    @cached_property
    def questions(self) -> Mapping[str, Question]:
        """The questions by id."""
        return {each.id: each for each in self.selection.questions}

    @cached_property
    def new(self) -> Mapping[str, Question]:
        """The questions that are not the benchmark's, by id."""
        return {id_: each for id_, each in self.questions.items() if each.kind != "raw"}

    @cached_property
    def english(self) -> Mapping[str, Question]:
        """The questions in Latin letters, whose words can be searched, by id."""
        texts = {id_: (each.text, each.text.encode("ascii", "ignore")) for id_, each in self.questions.items()}
        return {id_: self.questions[id_] for id_, (text, latin) in texts.items() if 2 * len(latin) > len(text)}

    @cached_property
    def samples(self) -> Mapping[str, Sample]:
        """The samples of the questions, by id."""
        return {each.sample: self.selection.samples[each.sample] for each in self.questions.values()}

    @cached_property
    def annotated(self) -> Mapping[str, Sample]:
        """The samples that several people answered, in a set in which some of these said the same."""
        several = {id_: sample for id_, sample in self.samples.items() if len(sample.answers) >= AGREED}
        return several if any(len({*each.answers}) < len(each.answers) for each in several.values()) else {}

    @cached_property
    def options(self) -> Mapping[str, QuestionForm]:
        """The questions with options, by id."""
        return {form.id: form for form in self.forms if form.options}

    @cached_property
    def facts(self) -> Mapping[str, Sequence[Triplet]]:
        """The facts in the key of each new question that has any; what a question itself says is none."""
        return {
            id_: facts
            for id_, question in self.new.items()
            if (facts := [each for each in question.key if each.graph == "textual" and each.source != "question"])
        }

    @cached_property
    def answers(self) -> "pd.DataFrame":
        """The answers with the verdicts of one judge, and the row of each."""
        return with_rows(one_judge(answers_frame(self.predictions, self.questions, self.samples)))

    @cached_property
    def outcomes(self) -> "pd.DataFrame":
        """The outcome of each model on each question."""
        return outcomes(self.answers)

    @cached_property
    def accuracy(self) -> Sequence[AccuracyRow]:
        """The accuracy of each model, by way of asking and row."""
        return accuracy_rows(self.outcomes, self.answers, "all")

    @cached_property
    def manifest(self) -> Manifest | None:
        """What the folder of a release says of itself."""
        return read_manifest(self.folder) if self.folder else None

    @cached_property
    def croissant(self) -> Mapping[str, Any]:
        """The description of a release; empty if there is none."""
        file = self.folder / CROISSANT if self.folder else None
        content = read_json(file) if file and file.is_file() and not file.is_symlink() else {}
        return content if isinstance(content, dict) else {}


def read_subject(
    access: GraphAccess, selection: Selection, kind: str, run: str | None, name: str, statements: Mapping[str, str]
) -> Audited:
    """Read what a workspace knows about the questions of a selection: the raw ones, and those of a run."""
    store, folders = access.store, access.folder.images()
    audited = Audited(name, kind, with_origins(with_guesses(selection, store, run), store), statements)
    own = [(each, audited.samples[each.sample]) for each in audited.questions.values()]
    choices = [
        QuestionForm(each.id, "choice", each.text, sample.choices, (sample.choice_of(each.answer),), "benchmark")
        for each, sample in own
        if each.kind == "raw"
    ]
    origins = audited.selection.origins
    return replace(
        audited,
        predictions=[each for each in access.predictions(run) if each.question in audited.questions],
        pictures={id_: files for id_, sample in audited.samples.items() if (files := folders.of(sample))},
        forms=[form for form in access.forms(run) if form.question in audited.questions] + choices,
        agreements=_agreements(access, run, audited.questions),
        settings={key: value for record in store.runs() if record.name == run for key, value in record.settings},
        licences={each.id: str(origins[sample.id]["licence"]) for each, sample in own if sample.id in origins},
    )


def _agreements(access: GraphAccess, run: str | None, questions: Container[str]) -> list[Mapping[str, Any]]:
    folder, runs = access.folder.hidden / "studies", {RAW, *(each.name for each in access.store.runs())}
    files = [file for file in sorted(folder.glob(f"{ANSWERS.name}-*.json")) if read_json(file).get("run") in runs]
    reviews = [review for name in with_raw(run) for review in access.store.reviews(run=name)]
    rows: list[Mapping[str, Any]] = []
    for study in (read_study(folder, file.stem, access.store) for file in files):
        own = study._replace(items=tuple(each for each in study.items if each.questions[0].id in questions))
        ratings = study_result(own, reviews).rows["ratings"]
        rows += [{**row, "asked": f"{study.name}, {row['asked']}"} for row in ratings if " and " in row["asked"]]
    return rows
