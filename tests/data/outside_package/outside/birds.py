"""A benchmark format."""

from collections.abc import Iterator

from kbe_graph import Sample
from kbe_graph.datasets.format import Format, ReadOptions, SampleRow
from kbe_graph.files.records import RecordSource


def matches(source: RecordSource) -> bool:
    """Return whether a file has the three fields."""
    return {"photo", "asked", "seen"} <= set(source.fields)


def rows(source: RecordSource, options: ReadOptions) -> Iterator[SampleRow]:
    """Give the samples."""
    del options
    for number, record in enumerate(source.records(), 1):
        photo, answer = record.text("photo"), record.text("seen")
        sample = Sample(str(number), "", "", record.text("asked"), answer, (answer,), photo, photo.partition(".")[0])
        yield SampleRow(record, sample)


BIRDS = Format("birds: 'photo', 'asked' and 'seen'", matches, rows)
