"""Audits a run, a benchmark or a release by every criterion, and writes the card."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from kbe_graph.audit.checks import CHECKS, SHOWN
from kbe_graph.audit.criteria import STATUSES, AuditOutcome, Share
from kbe_graph.audit.release_checks import read_folder
from kbe_graph.audit.subject import Audited, read_subject
from kbe_graph.brief import brief
from kbe_graph.errors import InputError
from kbe_graph.evaluate.evaluation import match_answers
from kbe_graph.evaluate.judging import SURE, Response
from kbe_graph.export.demands import NOT_STATED, SECTION, Criterion, criteria, read_statements
from kbe_graph.export.selection import Selection, select
from kbe_graph.extras import __version__
from kbe_graph.figures.outcomes import plain_row
from kbe_graph.files.whole import cannot_write, replacing, require_own
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import release_questions
from kbe_graph.release.unpacking import is_release, read_manifest, release_folder
from kbe_graph.scoring.prediction_files import read_predictions
from kbe_graph.text import on_one_line
from kbe_graph.types import form_id
from kbe_graph.web.pages import page_style, page_templates

WORST = ("fail", "not stated", "pass", "not applicable")  # of several shares
CARD = ("audit.md", "audit.html")
SOURCES = ("BetterBench", "2511.04703", "NIST", "NeurIPS", "KBE")
"""The collections of demands that the card counts."""


class AuditRow(NamedTuple):
    """A criterion and its outcome."""

    criterion: Criterion
    outcome: AuditOutcome

    @property
    def figure(self) -> str:
        """The figure and the first ids of what is at fault, on one line."""
        return on_one_line(": ".join(filter(None, (self.outcome.figure, ", ".join(self.outcome.at_fault[:SHOWN])))))


@brief("kind name questions counts", table="failures: criterion.id figure criterion.mend")
@dataclass(frozen=True, slots=True)
class Audit:
    """The audit of a run, a benchmark or a release: a row for each criterion, failures first.

    >>> audit = work.audit(run="demo")
    >>> audit.status("answers-given"), sum(audit.counts().values()) == len(audit.rows)
    ('pass', True)
    """

    name: str
    kind: str
    questions: int
    rows: Sequence[AuditRow]

    def counts(self, source: str = "") -> Mapping[str, int]:
        """Count the criteria by status, of one source or all."""
        counts = Counter(row.outcome.status for row in self.rows if source in row.criterion.source)
        return {status: counts[status] for status in STATUSES}

    @property
    def failures(self) -> Sequence[AuditRow]:
        """The rows that fail."""
        return [row for row in self.rows if row.outcome.status == "fail"]

    def unstated(self) -> Mapping[str, Sequence[str]]:
        """Group the ids of the criteria that are not stated by the reason.

        >>> "canary" in work.audit(run="demo").unstated()["words of the owner, in [datasheet] of kbe.toml"]
        True
        """
        reasons: dict[str, list[str]] = {}
        for row in self.rows:
            if row.outcome.status == "not stated":
                reasons.setdefault(row.outcome.figure, []).append(row.criterion.id)
        return reasons

    def status(self, criterion: str) -> str:
        """Return the status of a criterion."""
        return next(row.outcome.status for row in self.rows if row.criterion.id == criterion)

    def as_mapping(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON.

        >>> sorted(work.audit(run="demo").as_mapping())
        ['counts', 'kind', 'name', 'questions', 'rows']
        """
        return asdict(self) | {"counts": self.counts(), "rows": [plain_row(row) for row in self.rows]}

    def write(self, folder: Path, *, replace: bool = False) -> None:
        """Write the card as ``audit.md`` and ``audit.html`` into a folder; raises InputError.

        Files that are there and are no earlier card are replaced only if ``replace`` is set.
        """
        for name in CARD:
            require_own(folder / name, lambda text: "questions, checked by kbe " in text, replace=replace)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from None
        style = Markup(page_style("kbe_graph.audit", "templates/audit.css"))  # noqa: S704 - our own files
        for name in CARD:
            template = page_templates("kbe_graph.audit").get_template(name)
            with replacing(folder / name) as stream:
                stream.write(template.render(audit=self, version=__version__, style=style, sources=SOURCES))


def audit_subject(audited: Audited) -> Audit:
    """Check a subject by every criterion."""
    rows = [AuditRow(criterion, _outcome(audited, criterion)) for criterion in criteria()]
    rows.sort(key=lambda row: STATUSES.index(row.outcome.status))
    return Audit(audited.name, audited.kind, len(audited.questions), rows)


def _outcome(audited: Audited, criterion: Criterion) -> AuditOutcome:
    """Judge what a check finds, or what the owner states instead. Nothing passes that had nothing to look at."""
    finding = CHECKS[criterion.id](audited) if criterion.id in CHECKS else None
    if isinstance(finding, AuditOutcome):
        return finding
    if finding is not None:
        shares = {"": finding} if isinstance(finding, Share) else finding
        outcomes = {name: share.outcome(criterion.limit) for name, share in shares.items()}
        outcomes = dict(sorted(outcomes.items(), key=lambda each: WORST.index(each[1].status)))
        figure = "; ".join(f"{name} {own.figure}".strip() for name, own in outcomes.items())
        at_fault = tuple(id_ for own in outcomes.values() for id_ in own.at_fault)
        large = [name for name, share in shares.items() if not share.is_small or outcomes[name].status == "fail"]
        return AuditOutcome(min((outcomes[name].status for name in large or shares), key=WORST.index), figure, at_fault)
    words = audited.statements.get(criterion.id) or audited.croissant.get(criterion.field)
    if words and words != NOT_STATED:
        return AuditOutcome("pass", f"stated: {words}")
    return AuditOutcome("not stated", f"words of the owner, in [{SECTION}] of kbe.toml")


def read_audited(
    access: GraphAccess, *, run: str | None, benchmark: str | None, release: str | None, incomplete: bool = False
) -> Audited:
    """Read a run with the raw questions, by default the newest, a benchmark as loaded, or a release.

    Raises InputError for a name that is not there, and for more than one.
    """
    if sum(name is not None for name in (run, benchmark, release)) > 1:
        raise InputError("audit one thing at a time: a run, a benchmark or a release")
    statements = partial(read_statements, access.folder.config)
    if release is not None:
        return _released(access, release, statements)
    chosen = None if benchmark else access.choose_run(run, incomplete=incomplete)
    selection = select(access.store, run=chosen, benchmark=benchmark, loaded=True)
    name = benchmark or chosen or access.folder.path.resolve().name
    kind = "benchmark" if benchmark else "run" if chosen else "workspace"
    return read_subject(access, selection, kind, chosen, name, statements(name))


def with_answers(audited: Audited, file: Path, model: str | None) -> Audited:
    """Add the answers of a file, judged by the rule that ``evaluate`` takes by default.

    Raises InputError and DatasetError.
    """
    pairs = {id_: (audited.samples[each.sample], each) for id_, each in audited.questions.items()}
    rows = read_predictions(file, model=model or "")
    taken = match_answers(file, rows, [*pairs.values()], lambda _: audited.options).predictions
    answers = {each.id: each for each in audited.predictions}
    for each in taken:
        sample, question = pairs[each.question]
        response = Response(each, question, sample, audited.options.get(form_id(each.question, each.variant)))
        answers[each.id] = each.with_verdict(SURE, "right" if response.is_right_by(SURE) else "wrong")
    return replace(audited, predictions=[*answers.values()])


def _released(access: GraphAccess, place: str, statements: Callable[[str], Mapping[str, str]]) -> Audited:
    if is_release(place):
        own = release_folder(place)
        return read_folder(own, statements(read_manifest(own).id.partition("@")[0]))
    release = access.store.release(place)
    selection = Selection(release_questions(access, place), {each.id: each for each in access.store.samples()})
    audited = read_subject(access, selection, "release", release.run, release.id, statements(release.name))
    forms = {each.question: f"form {each.form}" for each in access.store.released(release)}
    folder = access.folder.path / "releases" / f"{release.name}-{release.version}"
    return replace(audited, parts=forms, folder=folder if folder.is_dir() else None)
