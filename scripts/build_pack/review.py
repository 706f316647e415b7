"""Joins the verdicts of those who read the facts to the rows they speak of."""

from collections.abc import Iterable, Iterator, Mapping

from row import Row

from kbe_graph.facts.pack import REVIEW, FactVerdict, Key


def merged(rows: Iterable[Row], verdicts: Mapping[Key, FactVerdict]) -> Iterator[tuple[str, ...]]:
    """Yield the fields of each row with its verdict, or ``auto`` where nobody has read it."""
    for row in rows:
        verdict = verdicts.get(row.key)
        yield row.fields(REVIEW[verdict.word], verdict.also) if verdict else row.fields("auto")
