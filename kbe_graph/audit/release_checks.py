"""Reads a release from its folder, and checks the folder: canary, hashes, statuses, description in Croissant."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from kbe_graph.audit.checks import CHECKS, NONE, check
from kbe_graph.audit.criteria import Finding, Share
from kbe_graph.audit.subject import Audited
from kbe_graph.errors import DatasetError
from kbe_graph.export.release import MARK, README
from kbe_graph.export.selection import Selection
from kbe_graph.figures.outcomes import answers_frame
from kbe_graph.files.image import IMAGE_ENDINGS
from kbe_graph.files.opening import read_text, text_lines
from kbe_graph.files.record import parse_json
from kbe_graph.release.contents import triplet_of
from kbe_graph.release.packing import CHECKSUM
from kbe_graph.release.verify import read_manifest, verify_folder
from kbe_graph.types import Question, QuestionForm, Sample

CROISSANT = "croissant.json"
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
    rows: list[Mapping[str, Any]] = []
    questions, samples = [], {}
    for name in sorted({Path(entry.file).name for entry in manifest.questions.values()} - {""}):
        for number, line in text_lines(folder / name):
            try:
                row = parse_json(folder / name, line, line=number)
                questions.append(_question(row))
                samples[row["sample"]] = _sample(row)
                rows.append(row)
            except (LookupError, TypeError, AttributeError) as error:
                raise DatasetError(folder / name, f"not the line of a question ({error!r})", line=number) from None
    undated = {source for row in rows for source, date in row["dates"].items() if date in {"", "not stated"}}
    texts = {name: str(value) for name, value in _document(folder, CROISSANT).items() if value}
    texts |= {"datasheet": README} if (folder / README).is_file() else {}
    return Audited(
        manifest.id,
        "release",
        Selection(questions, samples),
        answers_frame((), {}, {}),
        texts | statements,
        {row["sample"]: files for row in rows if (files := _inside(folder, [*row["pictures"]]))},
        [_form(row) for row in rows if row["options"]],
        settings=_document(folder, MARK).get("made", {}).get("settings", {}),
        licences={row["id"]: row["licence"] for row in rows if row["licence"]},
        parts={row["id"]: f"form {row['form']}" for row in rows},
        dated=frozenset({source for row in rows for source in row["dates"]} - undated),
        folder=folder,
    )


def _question(row: Mapping[str, Any]) -> Question:
    texts = [row[name] for name in ("id", "sample", "run", "hop", "kind", "question", "answer")]
    return Question(*texts, tuple(map(triplet_of, row["key"])), tuple(row["aliases"]), shape=row.get("shape", ""))


def _sample(row: Mapping[str, Any]) -> Sample:
    texts = [row[name] for name in ("sample", "benchmark", "split", "question", "answer")]
    return Sample(*texts, image=row["image"])


def _form(row: Mapping[str, Any]) -> QuestionForm:
    return QuestionForm(row["id"], "choice", row["question"], tuple(row["options"]), (row["answer"],))


def _inside(folder: Path, names: Sequence[str]) -> list[Path]:
    files = [folder / name for name in names]
    return [file for file in files if file.is_file() and folder.resolve() in file.resolve().parents]


def _document(folder: Path | None, name: str) -> Mapping[str, Any]:
    """Read a JSON object of a folder; empty if there is none."""
    file = folder / name if folder else None
    content = parse_json(file, read_text(file)) if file and file.is_file() else {}
    return content if isinstance(content, dict) else {}


@check
def canary(audited: Audited) -> Finding:
    """Find the files of a release, but for pictures and the checksum, that lack its canary."""
    mark = str(_document(audited.folder, MARK).get("canary", "")).rpartition(" ")[2].encode()
    files = [file for file in audited.folder.rglob("*") if file.is_file()] if audited.folder else []
    texts = [file for file in files if file.suffix not in IMAGE_ENDINGS and file.name != CHECKSUM]
    bare = [file.name for file in texts if not mark or mark not in file.read_bytes()]
    return Share(len(bare), len(texts), bare)


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
    return Share(len(silent), len(entries), silent)


def _lacking(audited: Audited, names: Sequence[str]) -> Finding:
    described = _document(audited.folder, CROISSANT)
    missing = [name for name in names if described.get(name) in (None, "", [])]
    return Share(len(missing), len(names), missing) if audited.folder else None


CHECKS["croissant"] = partial(_lacking, names=REQUIRED)
CHECKS["responsible-ai"] = partial(_lacking, names=RESPONSIBLE)
