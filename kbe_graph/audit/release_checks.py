"""Reads a release from its folder, and checks the folder: canary, hashes, statuses, description in Croissant."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kbe_graph.audit.checks import CHECKS, NONE, check, share_of
from kbe_graph.audit.criteria import AuditOutcome, Finding, Share
from kbe_graph.audit.subject import CROISSANT, Audited
from kbe_graph.errors import DatasetError
from kbe_graph.export.release import MARK
from kbe_graph.export.selection import Selection
from kbe_graph.files.image import IMAGE_ENDINGS, ImageFolders
from kbe_graph.files.opening import text_lines
from kbe_graph.files.record import parse_json
from kbe_graph.release.contents import triplet_of
from kbe_graph.release.packing import CHECKSUM
from kbe_graph.release.verify import read_manifest, verify_folder
from kbe_graph.types import Question, QuestionForm, Sample

REQUIRED = ("@context", "@type", "conformsTo", "name", "description", "license", "url", "datePublished", "distribution")
RESPONSIBLE = (
    *("rai:dataLimitations", "rai:dataBiases", "rai:personalSensitiveInformation"),
    *("rai:dataUseCases", "rai:dataSocialImpact", "rai:hasSyntheticData"),
)
"""The minimal fields of Croissant on responsible AI."""
CHANGED = ("revised", "uncertain", "withdrawn")  # statuses that have a reason


class ReleaseLine(NamedTuple):
    """A question as a release holds it, with what is said of it."""

    question: Question
    sample: Sample
    options: QuestionForm
    dates: Mapping[str, str]
    licence: str
    part: str


def read_folder(folder: Path, statements: Mapping[str, str]) -> Audited:
    """Read a release from its folder, which may be foreign. Raises InputError and DatasetError."""
    manifest = read_manifest(folder)
    files = sorted({folder / Path(entry.file).name for entry in manifest.questions.values() if entry.file})
    lines = [_line(file, number, text) for file in files for number, text in text_lines(file)]
    undated = {source for line in lines for source, date in line.dates.items() if date in {"", "not stated"}}
    pictures = ImageFolders((folder,))
    return Audited(
        manifest.id,
        "release",
        Selection([line.question for line in lines], {line.sample.id: line.sample for line in lines}),
        statements,
        pictures={line.sample.id: own for line in lines if (own := pictures.of(line.sample))},
        forms=[line.options for line in lines],
        licences={line.question.id: line.licence for line in lines if line.licence},
        parts={line.question.id: line.part for line in lines},
        dated={source for line in lines for source in line.dates} - undated,
        folder=folder,
    )


def _line(file: Path, number: int, text: str) -> ReleaseLine:
    row = parse_json(file, text, line=number)
    try:
        id_, sample, words, answer = (row[name] for name in ("id", "sample", "question", "answer"))
        key, aliases, options = map(triplet_of, row["key"]), tuple(row["aliases"]), tuple(row["options"])
        return ReleaseLine(
            Question(id_, sample, row["run"], row["hop"], row["kind"], words, answer, tuple(key), aliases),
            Sample(sample, row["benchmark"], row["split"], words, answer, image=row["image"]),
            QuestionForm(id_, "choice", words, options, (answer,)),
            dict(row["dates"]),
            row["licence"],
            f"form {row['form']}",
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(file, f"not the line of a question ({error!r})", line=number) from None


@check
def replication(audited: Audited) -> Finding:
    """Report the settings that made the questions, of a run or as a release tells them."""
    settings = audited.settings or audited.document(MARK).get("made", {})
    return AuditOutcome("pass", f"{len(settings)} settings are kept") if settings else None


@check
def canary(audited: Audited) -> Finding:
    """Find the files of a release, but for pictures and the checksum, that lack its canary."""
    mark = str(audited.document(MARK).get("canary", "")).rpartition(" ")[2].encode()
    files = [file for file in audited.folder.rglob("*") if file.is_file()] if audited.folder else []
    texts = [file for file in files if file.suffix not in IMAGE_ENDINGS and file.name != CHECKSUM]
    bare = [file.name for file in texts if not mark or mark not in file.read_bytes()]
    return share_of(bare, texts)


@check
def hashes(audited: Audited) -> Finding:
    """Find the files and questions of a release that are not as they were released."""
    if audited.folder is None:
        return NONE
    verified = verify_folder(audited.folder)
    return Share(len(verified.faults), verified.files, [fault.question or fault.file for fault in verified.faults])


@check
def statuses(audited: Audited) -> Finding:
    """Find the questions of a release that changed without a reason."""
    entries = read_manifest(audited.folder).questions if audited.folder else {}
    silent = [id_ for id_, entry in entries.items() if entry.status in CHANGED and not entry.reason.strip()]
    return share_of(silent, entries)


def _lacking(audited: Audited, names: Sequence[str]) -> Finding:
    described = audited.document(CROISSANT)
    missing = [name for name in names if described.get(name) in (None, "", [])]
    return Share(len(missing), len(names), missing) if audited.folder else None


CHECKS["croissant"] = partial(_lacking, names=REQUIRED)
CHECKS["responsible-ai"] = partial(_lacking, names=RESPONSIBLE)
