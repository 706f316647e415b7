"""Rows that list several questions about one picture, such as Visual Genome's ``qas`` and Visual7W's ``qa_pairs``."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

from kbe_graph.datasets.format import CONVERSATIONS, FIELDS, has_name
from kbe_graph.datasets.view import record_parts
from kbe_graph.files.record import BadRows, Record
from kbe_graph.files.records import LOOKED, RecordSource
from kbe_graph.text import quoted


def each_question(source: RecordSource, mapped: Mapping[str, str], bad: BadRows) -> RecordSource:
    """Give each question of a row's list as a row of its own, with the row's other fields where it has none itself.

    A source with a column of questions, or without such a list, stays as it is. Raises DatasetError for several lists.
    """
    if "question" in mapped or has_name(source.fields, "question"):
        return source
    first = [*islice(source.records(), LOOKED)]
    names = dict.fromkeys(name for record in first for name in record.fields if name not in CONVERSATIONS)
    lists = [name for name in names if any(_asks(record.fields.get(name)) for record in first)]
    if not lists:
        return source
    if len(lists) > 1:
        raise first[0].error(f"{quoted(lists, 5)} each list questions; write one of these lists as the file")
    (column,) = lists

    def rows() -> Iterator[Record]:
        for record in source.records():
            parts: list[Record] = []
            with bad:
                parts = record_parts(record, column)
            if not parts and has_name(record.fields, "question"):  # a row that asks its own question
                yield record
            for part in parts:
                own = column, *(FIELDS["id"] if has_name(part.fields, "id") else ())
                outer = {name: value for name, value in record.fields.items() if name not in own}
                yield replace(part, fields={**outer, **part.fields})

    asked = next(rows())
    return replace(source, fields=tuple(asked.fields), records=rows)


def _asks(cell: object) -> bool:
    return isinstance(cell, list) and any(isinstance(part, dict) and has_name(part, "question") for part in cell)
