"""The review report as text and tables, for a terminal and for files."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from kbe_graph.review.review_report import PAPER, ReviewReport
from kbe_graph.statistics.intervals import Measurement
from kbe_graph.statistics.rater_agreement import AgreementRow

KAPPAS = ("Cohen's kappa", "Fleiss' kappa")


class ReviewTable(NamedTuple):
    """A table of the report: its name, title, columns, and rows whose cells may be measurements."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    def text_rows(self) -> list[tuple[Any, ...]]:
        """Format the rows for reading: a measurement with its interval in one cell."""
        return [tuple(cell.in_words(0) if isinstance(cell, Measurement) else cell for cell in row) for row in self.rows]

    @property
    def notes(self) -> list[str]:
        """The distinct reasons why figures or intervals are missing."""
        cells = [cell for row in self.rows for cell in row if isinstance(cell, Measurement) and cell.note]
        return list(dict.fromkeys(f"{cell.measure}: {cell.note}" for cell in cells))

    def flat(self) -> "ReviewTable":
        """Convert the table for a file: a measurement becomes three columns, value (shares 0 to 1), low and high."""
        measured = {place for row in self.rows for place, cell in enumerate(row) if isinstance(cell, Measurement)}
        columns = [
            (column, f"{column} low", f"{column} high") if place in measured else (column,)
            for place, column in enumerate(self.columns)
        ]
        rows = tuple(tuple(flat for cell in row for flat in _flat(cell)) for row in self.rows)
        return self._replace(columns=tuple(column for own in columns for column in own), rows=rows)


def _flat(cell: object) -> tuple[object, ...]:
    return (cell.value, cell.low, cell.high) if isinstance(cell, Measurement) else (cell,)


def review_tables(report: ReviewReport) -> list[ReviewTable]:
    """Build the tables of the report that have rows."""
    tables = (
        _acceptance(report),
        _opinions(report),
        _agreement(report),
        _trust(report),
        _block_list(report),
        _examples(report),
    )
    return [table for table in tables if table.rows]


def _acceptance(report: ReviewReport) -> ReviewTable:
    columns = ("by", "name", "questions", "approved", "revised", "rejected", "disputed", "share")
    return ReviewTable("acceptance", "Acceptance", columns, tuple((*row,) for row in report.acceptance))


def _opinions(report: ReviewReport) -> ReviewTable:
    columns = ("criterion", "yes", "no", "unsure", "share")
    return ReviewTable("opinions", "Opinions by criterion", columns, tuple((*row,) for row in report.opinions))


def _agreement(report: ReviewReport) -> ReviewTable:
    asked: dict[str, dict[str, AgreementRow]] = {}
    for row in report.agreement:
        asked.setdefault(row.between, {})[row.measure] = row
    kappa = next((name for name in KAPPAS for rows in asked.values() if name in rows), KAPPAS[0])
    measures = ("percent", kappa, "alpha", "AC1")
    rows = tuple(
        (name, own["percent"].items, *(Measurement(*own[measure][1:]) for measure in measures))
        for name, own in asked.items()
    )
    columns = ("asked", "questions", *measures)
    return ReviewTable("agreement", "Agreement of the first two reviewers of a question", columns, rows)


def _trust(report: ReviewReport) -> ReviewTable:
    columns = ("model", "complaint", "people", "questions", "complaints", "bad", "precision", "recall", "kappa")
    rows = tuple((*row[:6], row.precision, row.recall, row.kappa) for row in report.trust)
    return ReviewTable("trust", "Complaints of models compared with people", columns, rows)


def _block_list(report: ReviewReport) -> ReviewTable:
    title = (
        f"Proposal: relations for a block list (significantly under {report.limit:.0%} approved, "
        f"{report.least} or more questions)"
    )
    columns = ("relation", "questions", "approved", "share")
    return ReviewTable("block_list", title, columns, tuple((*row,) for row in report.relations))


def block_list_lines(report: ReviewReport) -> list[str]:
    """List the ``kbe.toml`` lines that block proposed and already blocked relations; empty without proposals."""
    if not report.relations:
        return []
    relations = sorted({*(report.blocked or ()), *(proposal.relation for proposal in report.relations)})
    setting = f"blocked_relations = [{', '.join(map(_quoted, relations))}]"
    return [setting] if report.blocked is not None else ["[filters]", setting]


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _examples(report: ReviewReport) -> ReviewTable:
    counts = Counter(example.prompt for example in report.examples)
    numbers = ", ".join(f"{count} for {prompt}" for prompt, count in sorted(counts.items()))
    rows = tuple(
        (each.prompt, each.question, each.text, each.answer, "; ".join(each.reasons), ", ".join(each.criteria))
        for each in report.examples
    )
    columns = ("prompt", "question", "text", "answer", "reasons", "criteria")
    return ReviewTable("bad_examples", f"Proposal: bad examples for prompts ({numbers})", columns, rows)


def review_lines(report: ReviewReport) -> Iterator[str]:
    """Yield the report in words, one line per finding, or a single line if nothing was reviewed."""
    counts = report.counts
    if not counts.questions:
        yield "no questions reviewed yet"
        return
    yield (
        f"{counts.questions} questions reviewed by {counts.reviewers} people: {counts.approved} approved, "
        f"{counts.revised} revised, {counts.rejected} rejected, {counts.disputed} disputed"
    )
    if counts.reviewed_per_kept is not None:
        yield f"{counts.reviewed_per_kept:.1f} reviewed per kept question (WikiVQABench: {PAPER})"
    if time := report.time:
        yield (
            f"{time.median:.0f} seconds per decision (median; middle half {time.lower:.0f} to {time.upper:.0f}), "
            f"{time.hours:.1f} hours in total"
        )
    if picks := report.picks:
        yield (
            f"of {picks.picks} blind answers, {picks.right.in_words(0)} per cent are right and "
            f"{picks.ambiguous.in_words(0)} per cent are another option that is also right"
        )
    if not report.agreement:
        yield "no question has two reviewers, so there is no agreement to compute"
