"""Reads a release from its folder, and checks the folder: canary, hashes, statuses, description in Croissant."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from kbe_graph.audit.checks import CHECKS, NONE, check, share_of
from kbe_graph.audit.criteria import AuditOutcome, Finding, Share
from kbe_graph.audit.subject import Audited
from kbe_graph.export.demands import NOT_STATED
from kbe_graph.export.selection import Selection
from kbe_graph.files.image import IMAGE_ENDINGS, ImageFolders
from kbe_graph.release.contents import triplet_of
from kbe_graph.release.packing import CHECKSUM
from kbe_graph.release.unpacking import QuestionLine, read_lines, read_manifest
from kbe_graph.release.verify import verify_folder
from kbe_graph.types import Question, QuestionForm, Sample

REQUIRED = ("@context", "@type", "conformsTo", "name", "description", "license", "url", "datePublished", "distribution")
RESPONSIBLE = (
    *("rai:dataLimitations", "rai:dataBiases", "rai:personalSensitiveInformation"),
    *("rai:dataUseCases", "rai:dataSocialImpact", "rai:hasSyntheticData"),
)
"""The minimal fields of Croissant on responsible AI."""
CHANGED = ("revised", "uncertain", "withdrawn")  # statuses that have a reason
_GUID = re.compile(r"canary GUID [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # as BIG-bench writes it


def read_folder(folder: Path, statements: Mapping[str, str]) -> Audited:
    """Read a release from its folder, which may be foreign. Raises InputError and DatasetError."""
    manifest = read_manifest(folder)
    rows = {line.id: line for line, _ in read_lines(folder, manifest)}
    samples = {
        row.sample: Sample(row.sample, row.benchmark, row.split, row.question, row.answer, image=row.image)
        for row in rows.values()
    }
    dates = {place for row in rows.values() for place in row.dates.items()}
    pictures = ImageFolders((folder,))
    return Audited(
        manifest.id,
        "release",
        Selection([*map(_question, rows.values())], samples),
        statements,
        pictures={id_: own for id_, sample in samples.items() if (own := pictures.of(sample))},
        forms=[
            QuestionForm(id_, "choice", row.question, tuple(row.options), (row.answer,)) for id_, row in rows.items()
        ],
        settings=manifest.made.settings,
        licences={id_: row.licence for id_, row in rows.items() if row.licence},
        parts={id_: f"form {row.form}" for id_, row in rows.items()},
        dated={source for source, _ in dates} - {source for source, date in dates if date in {"", NOT_STATED}},
        folder=folder,
    )


def _question(row: QuestionLine) -> Question:
    key = tuple(triplet_of(edge.model_dump()) for edge in row.key)
    return Question(row.id, row.sample, row.run, row.hop, row.kind, row.question, row.answer, key, tuple(row.aliases))


@check
def canary(audited: Audited) -> Finding:
    """Find the files of a release, but for pictures and the checksum, that lack its canary."""
    if not (audited.folder and audited.manifest):
        return None
    mark = _GUID.search(audited.manifest.canary)
    files = [file for file in audited.folder.rglob("*") if file.is_file() and not file.is_symlink()]
    texts = [file for file in files if file.suffix not in IMAGE_ENDINGS and file.name != CHECKSUM]
    return share_of([file.name for file in texts if not mark or mark[0].encode() not in file.read_bytes()], texts)


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
    entries = audited.manifest.questions if audited.manifest else {}
    silent = [id_ for id_, entry in entries.items() if entry.status in CHANGED and not entry.reason.strip()]
    return share_of(silent, entries)


def _described(audited: Audited, names: Sequence[str]) -> Finding:
    """Find fields that the description in Croissant lacks, and the files that it has and the folder has not."""
    if audited.folder is None:
        return None
    described = audited.croissant
    parts = described.get("distribution")
    listed = [each for each in (parts if isinstance(parts, list) else ()) if isinstance(each, dict)]
    files = [str(each["contentUrl"]) for each in listed if "contentUrl" in each]
    missing = [name for name in names if described.get(name) in (None, "", [])]
    if not missing and (unstated := [name for name in names if described[name] == NOT_STATED]):
        return AuditOutcome("not stated", f"{', '.join(unstated)}: not stated")
    present = {file.relative_to(audited.folder).as_posix() for file in audited.folder.rglob("*")}
    missing += [url for url in files if "://" not in url and url not in present]
    return share_of(missing, [*names, *files])


CHECKS["croissant"] = partial(_described, names=REQUIRED)
CHECKS["responsible-ai"] = partial(_described, names=RESPONSIBLE)
CHECKS["replication"] = lambda audited: (
    AuditOutcome("pass", f"{len(audited.settings)} settings are kept") if audited.settings else None
)
