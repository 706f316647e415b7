"""Reads a release from its folder, and checks the folder: canary, hashes, statuses, description in Croissant."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kbe_graph.audit.checks import CHECKS, NONE, check, share_of
from kbe_graph.audit.criteria import AuditOutcome, Finding, Share
from kbe_graph.audit.subject import CROISSANT, Audited
from kbe_graph.errors import DatasetError
from kbe_graph.export.demands import NOT_STATED
from kbe_graph.export.release import MARK
from kbe_graph.export.selection import Selection
from kbe_graph.files.image import IMAGE_ENDINGS, ImageFolders
from kbe_graph.files.opening import text_lines
from kbe_graph.files.record import parse_json, read_json
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


def read_folder(folder: Path, statements: Mapping[str, str]) -> Audited:
    """Read a release from its folder, which may be foreign. Raises InputError and DatasetError."""
    manifest = read_manifest(folder)
    files = sorted({folder / Path(entry.file).name for entry in manifest.questions.values() if entry.file})
    read = [_line(file, number, text) for file in files for number, text in text_lines(file)]
    rows = {question.id: row for row, question, *_ in read}
    dates = {place for row in rows.values() for place in row["dates"].items()}
    pictures = ImageFolders((folder,))
    return Audited(
        manifest.id,
        "release",
        Selection([question for _, question, *_ in read], {sample.id: sample for *_, sample, _ in read}),
        statements,
        pictures={sample.id: own for *_, sample, _ in read if (own := pictures.of(sample))},
        forms=[form for *_, form in read],
        settings=read_json(folder / MARK).get("made", {}).get("settings", {}),
        licences={id_: row["licence"] for id_, row in rows.items() if row["licence"]},
        parts={id_: f"form {row['form']}" for id_, row in rows.items()},
        dated={source for source, _ in dates} - {source for source, date in dates if date in {"", "not stated"}},
        folder=folder,
    )


def _line(file: Path, number: int, text: str) -> tuple[Mapping[str, Any], Question, Sample, QuestionForm]:
    row = parse_json(file, text, line=number)
    try:
        id_, sample, words, answer = (row[name] for name in ("id", "sample", "question", "answer"))
        key, aliases, options = map(triplet_of, row["key"]), tuple(row["aliases"]), tuple(row["options"])
        return (
            row | {"licence": row["licence"], "form": row["form"], "dates": dict(row["dates"])},
            Question(id_, sample, row["run"], row["hop"], row["kind"], words, answer, tuple(key), aliases),
            Sample(sample, row["benchmark"], row["split"], words, answer, image=row["image"]),
            QuestionForm(id_, "choice", words, options, (answer,)),
        )
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise DatasetError(file, f"not the line of a question ({error!r})", line=number) from None


@check
def replication(audited: Audited) -> Finding:
    """Report the settings that made the questions, of a run or as a release tells them."""
    return AuditOutcome("pass", f"{len(audited.settings)} settings are kept") if audited.settings else None


@check
def canary(audited: Audited) -> Finding:
    """Find the files of a release, but for pictures and the checksum, that lack its canary."""
    if audited.folder is None:
        return None
    mark = str(audited.document(MARK).get("canary", "")).rpartition(" ")[2].encode()
    files = [file for file in audited.folder.rglob("*") if file.is_file() and not file.is_symlink()]
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


def _described(audited: Audited, names: Sequence[str]) -> Finding:
    """Find fields that the description in Croissant lacks, and the files that it has and the folder has not."""
    if audited.folder is None:
        return None
    described = audited.document(CROISSANT)
    parts = [each for each in described.get("distribution") or () if isinstance(each, dict)]
    files = [str(each["contentUrl"]) for each in parts if "contentUrl" in each]
    missing = [name for name in names if described.get(name) in (None, "", [])]
    if not missing and (unstated := [name for name in names if described[name] == NOT_STATED]):
        return AuditOutcome("not stated", f"{', '.join(unstated)}: not stated")
    missing += [url for url in files if "://" not in url and not (audited.folder / url).is_file()]
    return share_of(missing, [*names, *files])


CHECKS["croissant"] = partial(_described, names=REQUIRED)
CHECKS["responsible-ai"] = partial(_described, names=RESPONSIBLE)
