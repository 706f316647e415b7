"""The options of each verb: the methods of a workspace and the commands take them, and ``kbe.toml`` sets them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kbe_graph.options import Options, option
from kbe_graph.types import Form, ImagesAs

RUN = "Run name (default: the only run, or the newest)."
INCOMPLETE = "Accept unfinished and failed runs too."
BENCHMARK = "Use only the samples of this benchmark."
CONTACT = "Your email or web address, for the server's operators (KBE_CONTACT)."
PORT = "Port to serve on (default: a free one)."
OPERATIONS = "(docs/perturb.md lists them), separated by commas; + combines several in one variant, as in pad+lead-in."


def _formats() -> list[str]:
    from kbe_graph.datasets import FORMATS

    return list(FORMATS)


def _prediction_formats() -> list[str]:
    from kbe_graph.scoring.prediction_files import PREDICTION_FORMATS

    return list(PREDICTION_FORMATS)


@dataclass(frozen=True, slots=True)
class RunChoice(Options):
    """The run whose questions are used, in addition to the raw ones."""

    run: str | None = option(None, RUN)
    incomplete: bool = option(False, INCOMPLETE)


@dataclass(frozen=True, slots=True)
class LoadOptions(Options):
    """Options of ``load``."""

    name: str | None = option(
        None, "Benchmark name, the first part of each sample id (default: the file name without its suffix)."
    )
    split: str = option("", "Split name (default: the split of each sample, else 'all').")
    format: str | None = option(None, "Format of the file (default: detected).", choices=_formats)
    columns: Mapping[str, str] | None = option(None, "Column of the table for each field.", metavar="FIELD=COLUMN,...")
    annotations: Path | None = option(None, "Annotations file, if questions and annotations are separate files.")
    images: Path | None = option(None, "Folder of the pictures.")
    fetch: bool = option(False, "Download pictures given as web addresses, and keep them.")
    contact: str | None = option(None, CONTACT)
    local_hosts: bool = option(False, "Also download from this machine and private networks.")
    skip_bad: bool = option(False, "Leave out rows with errors, and count them by reason.")
    number: bool = option(False, "Number the ids that repeat: ID, ID-2, ID-3.")
    update: bool = option(False, "Replace loaded samples that read differently now; their graphs are deleted.")


@dataclass(frozen=True, slots=True)
class ExtractOptions(Options):
    """Options of ``extract``."""

    replace: bool = option(False, "Replace graphs extracted from other files or by another model.")
    benchmark: str | None = option(None, BENCHMARK)
    sample: int | None = option(None, "Use only this many samples, drawn with the seed.", least=1)
    seed: int = option(0, "Seed of --sample; 'kbe evolve' draws the same samples with it.")


@dataclass(frozen=True, slots=True)
class FormsOptions(RunChoice):
    """Options of ``make_forms``."""

    replace: bool = option(False, "Replace existing forms.")


@dataclass(frozen=True, slots=True)
class TwinsOptions(RunChoice):
    """Options of ``twins``."""

    limit: int | None = option(None, "Use only this many questions, the first by id.", least=1)


@dataclass(frozen=True, slots=True)
class PerturbOptions(Options):
    """Options of ``perturb``."""

    image: tuple[str, ...] = option((), f"Picture operations or published methods {OPERATIONS}", metavar="LIST")
    text: tuple[str, ...] = option((), f"Text operations or published methods {OPERATIONS}", metavar="LIST")
    run: str | None = option(None, "Run whose questions to change.")
    benchmark: str | None = option(None, BENCHMARK)
    hops: str = option("0", "Hops of the questions to change; raw questions are hop 0.", metavar="0-3")
    seeds: int = option(3, "Number of variants per operation.", least=1)
    sample: int | None = option(None, "Use only this many samples, drawn at random.", least=1)
    replace: bool = option(False, "Replace existing variants.")


@dataclass(frozen=True, slots=True)
class JudgeOptions(RunChoice):
    """Who judges the answers."""

    judges: tuple[str, ...] = option(
        ("alias",),
        "Judge of the answers: a rule (exact, normalised, alias; relaxed for charts), the model of [models.judge] "
        "(model), the same model without question and picture (paper) or on the whole reply (mdk12), or the name of a "
        "model. With several judges, the majority decides. Verdicts of earlier judges are kept and printed separately.",
        flag="judge",
    )
    strict: bool = option(False, "Fail if two of generator, model and judge are of the same model family.")


@dataclass(frozen=True, slots=True)
class AnswerOptions(JudgeOptions):
    """Options of ``evaluate`` and of ``answers.take``: whose answers, and who judges them."""

    benchmark: str | None = option(None, BENCHMARK)
    replace: bool = option(
        False, "Let a file's answers replace those that the model has, or mix with answers that it gave here."
    )


@dataclass(frozen=True, slots=True)
class AdaptOptions(JudgeOptions):
    """Options of ``adapt``: where the loop is to arrive, and how many rounds it may take."""

    target: str = option(
        "0.3-0.6", "Accuracy to arrive at: the 95 % interval of all models lies within.", metavar="LOW-HIGH"
    )
    rounds: int = option(5, "Number of rounds at most; the last one only asks.", least=1)


@dataclass(frozen=True, slots=True)
class AskOptions(Options):
    """Options of ``evaluate``: which questions are asked, how, and how often."""

    hops: str | None = option(None, "Hops to ask, such as 0-3 or 2 (default: all).", metavar="0-3")
    runs: int | None = option(None, "Samples per question (default: 2 if temperature > 0, else 1).", least=1)
    variants: tuple[str, ...] = option(
        ("image",),
        "How to ask each question: with its image (image, the default), without it (blind), "
        "paraphrased (paraphrase; raw questions only), with the sample's options (options), with these "
        "shuffled (options-shuffled) or in every rotation (circular), link by link of its key (links), in a form of "
        "'kbe forms' (choice, several, fill, true-false), or changed by an operation of 'kbe perturb'; repeatable.",
        flag="variant",
        metavar="WAY",
    )


@dataclass(frozen=True, slots=True)
class AnswerFile(Options):
    """Options of ``answers.take``: what the file holds."""

    format: str | None = option(
        None, "Format of the predictions file (default: detected).", choices=_prediction_formats
    )
    form: Form = option("open", "Form of the questions in the predictions file, if the file does not say.")


@dataclass(frozen=True, slots=True)
class ReportOptions(RunChoice):
    """Options of ``report``."""

    pictures: bool = option(True, "Whether to include the pictures in the page.")
    guess: bool = option(True, "Whether to compute the accuracy of guessing without pictures.")
    judge: str | None = option(
        None, "Judge whose verdicts to report (default: all, each in separate rows).", metavar="NAME"
    )
    json: Path | None = option(None, "Also write the figures as JSON.", metavar="FILE")
    csv: Path | None = option(None, "Also write the tables as CSV files.", metavar="DIR")
    latex: Path | None = option(None, "Also write the tables as LaTeX files (booktabs).", metavar="DIR")
    figures: Path | None = option(None, "Also write the charts as SVG and PNG files.", metavar="DIR")
    replace: bool = option(False, "Also replace files that are there and are no earlier report or tables.")


@dataclass(frozen=True, slots=True)
class AuditOptions(Options):
    """Options of ``audit``: what is audited, at most one of three; a file of answers; and the folder of the card."""

    run: str | None = option(None, "Audit the questions of this run, and the raw ones (default: the newest run).")
    incomplete: bool = option(False, INCOMPLETE)
    benchmark: str | None = option(None, "Audit a benchmark as it was loaded.")
    release: str | None = option(None, "Audit a release: its name, or its folder.", metavar="NAME|FOLDER")
    predictions: Path | None = option(
        None, "Add the answers of a file, as 'kbe evaluate' imports them; they are not kept.", metavar="FILE"
    )
    model: str | None = option(None, "Model of --predictions, if the file does not name it.", metavar="NAME")
    out: Path | None = option(None, "Also write the card into this folder, as audit.md and audit.html.", metavar="DIR")
    replace: bool = option(False, "Also replace files of --out that are there and are no earlier card.")


@dataclass(frozen=True, slots=True)
class ExportOptions(RunChoice):
    """Options of ``export``."""

    everything: bool = option(False, "Include dropped questions, with their reasons (only jsonl).", flag="all")
    hops: str | None = option(None, "Hops to export (default: all); raw questions are always included.", metavar="1-3")
    benchmark: str | None = option(None, BENCHMARK)
    form: Form = option("open", "Form of the questions; questions without it are left out.")
    variants: bool = option(False, "Include the variants made by 'kbe perturb'.")
    reviewed: Literal["not-rejected", "undisputed", "approved", "all"] = option(
        "not-rejected", "Which questions to export, by the outcome of 'kbe review'."
    )
    images_as: ImagesAs = option(
        "",
        "How to include images: as files, as links, embedded in the tables, or only by name (default: depends on the "
        "format).",
    )
    replace: bool = option(False, "Also replace what is there and is no earlier export.")


@dataclass(frozen=True, slots=True)
class ReleaseOptions(RunChoice):
    """Options of ``release.new``."""

    forms: int = option(1, "Number of parallel forms, which share no picture and no fact.", least=1)
    held_back: float = option(
        0.0, "Share of the questions that are held back as a form of their own, in a folder apart.", least=0, most=0.9
    )
    mini: bool = option(False, "Also mark a tenth of the questions as a mini set.")
    out: Path | None = option(None, "Folder to write (default: releases/NAME-VERSION in the workspace).", metavar="DIR")


@dataclass(frozen=True, slots=True)
class ErratumOptions(Options):
    """Options of ``release.add_erratum``."""

    why: str = option("", "Why it is wrong (required).")
    by: str = option("", "Who found the mistake.")
    correct: str = option("", "The right answer, or the right object of the fact.")
    also: str = option("", "A further right answer, or a further right object of the fact.")


@dataclass(frozen=True, slots=True)
class ForgetOptions(Options):
    """Options of ``forget``."""

    split: str | None = option(None, "Remove only this split of a benchmark.")
    evolved: bool = option(
        False,
        "Also remove the questions that runs made from these samples, or the rounds of 'kbe adapt' on this run "
        "(required if there are any).",
    )
    released: bool = option(
        False,
        "Also forget the releases that hold these questions (required if there are any). Numbers stay taken.",
    )


@dataclass(frozen=True, slots=True)
class ReviewChoice(RunChoice):
    """The questions that are reviewed: those of a run, or with a benchmark its raw ones."""

    benchmark: str | None = option(None, BENCHMARK)


@dataclass(frozen=True, slots=True)
class OverlapOptions(Options):
    """The share of questions that two reviewers review."""

    overlap: float = option(0, "Share of questions assigned to two reviewers.", least=0, most=1)
    seed: int = option(0, "Seed for drawing that share.")


@dataclass(frozen=True, slots=True)
class ServeOptions(ReviewChoice):
    """Options of ``review.serve``."""

    study: str | None = option(None, "Name of a study of 'kbe study new', whose items are rated.")
    reviewers: tuple[str, ...] = option(
        (), "Name of a reviewer, who gets a separate address; repeatable (default: you).", flag="reviewer"
    )
    overlap: float = option(0, "Share of questions assigned to two reviewers.", least=0, most=1)
    seed: int = option(0, "Seed for drawing that share.")
    port: int = option(0, PORT, least=0, most=65_535)


@dataclass(frozen=True, slots=True)
class SheetOptions(ReviewChoice):
    """Options of ``review.export``."""

    format: Literal["csv", "labelstudio"] = option("csv", "Output format.")
    study: str | None = option(None, "Name of a study of 'kbe study new', whose items are rated.")
    number: int | None = option(None, "Maximum number of questions, the most doubtful first (default: all).", least=1)
    replace: bool = option(False, "Also replace a file that is there and is no sheet, or one that is filled in.")


@dataclass(frozen=True, slots=True)
class TakeOptions(Options):
    """Options of ``review.take``."""

    reviewer: str = option("", "Reviewer of the decisions, if FILE does not name one.")
    insist: bool = option(False, "Accept revised wordings that a check refuses.")


@dataclass(frozen=True, slots=True)
class StudyOptions(RunChoice):
    """Options of ``review.new_study``."""

    kind: Literal["quality", "pairs", "answers"] = option(
        "quality", "What is rated: questions, which of two is harder, or judged answers."
    )
    number: int = option(150, "Number of items.", least=1)
    seed: int = option(0, "Random seed.")
    reselected: bool = option(False, "Include re-selected questions.")


@dataclass(frozen=True, slots=True)
class StatisticOptions(RunChoice):
    """Options of ``stats.table``."""

    balanced: bool = option(False, "Use only samples with a question at every hop of the run.")
