"""The HTML sheet for offline review: the form of ``kbe review`` as a single file for a browser."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from kbe_graph.errors import InputError
from kbe_graph.files.record import Record
from kbe_graph.review.given_verdict import read_verdict
from kbe_graph.review.review_form import review_form
from kbe_graph.review.sheet import Given, Items, require_given
from kbe_graph.study.item_form import FormFile, form_answers, stored_pictures, write_forms
from kbe_graph.study.study_files import rater_of
from kbe_graph.types import RAW

ABOUT = (
    "Each item shows a picture, a question about it, and the answer. Approve the question if everything is right, "
    "reject it if not, or revise its wording.\n"
    "The key path leads fact by fact from what the picture shows to the answer. Mark any fact that is wrong.\n"
    "The criteria are seven short questions about each item. Criteria and reason are optional, and most useful "
    "when you reject a question."
)


def write_html_sheet(file: Path, items: Items) -> int:
    """Write questions as forms in one file, with embedded images, and return their number; raises InputError."""
    pictures = {item.sample.id: item.pictures for item in items}
    forms = [
        review_form(
            item.item,
            item.chain,
            pictures=stored_pictures(pictures, item.sample.id),
            missing=", ".join(filter(None, item.sample.images)),
            blind=item.blind,
        )
        for item in items
    ]
    if not forms:
        raise InputError("no questions to write; name another run or benchmark")
    digest = hashlib.sha256("\n".join(f"{form.id} {form.version}" for form in forms).encode()).hexdigest()
    return write_forms(
        file, FormFile("review", f"review-{digest[:10]}", "Review", ABOUT, forms, _source(items)), pictures
    )


def _source(items: Items) -> str:
    names = (
        f"raw questions of {item.sample.benchmark}" if item.question.run == RAW else f"run {item.question.run}"
        for item in items
    )
    return ", ".join(dict.fromkeys(names))


def read_html_sheet(file: Path, reviewer: str = "") -> list[Given]:
    """Read the decisions downloaded from a form (JSON); questions without a verdict are skipped.

    A file that names nobody belongs to ``reviewer``, or else to the person that it is named after. Raises DatasetError
    with file, answer and field.
    """
    return require_given(file, _decisions(file, reviewer))


def _decisions(file: Path, reviewer: str) -> Iterator[Given]:
    for record in form_answers(file, "review"):
        if not record.has("verdict"):
            continue
        try:
            given = read_verdict([*_pairs(record)])
        except InputError as error:
            raise record.error(str(error)) from None
        own = reviewer if reviewer and not record.optional("rater") else rater_of(record)
        yield Given(
            record,
            record.text("id"),
            given.version,
            own,
            given.verdict,
            given.opinions,
            given.revision,
            record.optional("time"),
        )


def _pairs(record: Record) -> Iterator[tuple[str, str]]:
    for name, value in record.fields.items():
        yield from ((name, str(each)) for each in (value if isinstance(value, list) else [value]))
