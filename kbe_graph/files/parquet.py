"""Reading of Parquet tables as records."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kbe_graph.errors import DatasetError
from kbe_graph.extras import require_extra
from kbe_graph.files.opening import BOUNDS, Bounds, Tally, open_bytes, refuse_oversize
from kbe_graph.files.record import Record
from kbe_graph.text import on_one_line, quoted

_BATCH = 64  # rows, each of which may contain an image
_IMAGES = 4  # how many times its size a file of images may contain: images hardly compress


def parquet_records(file: Path, bounds: Bounds = BOUNDS) -> Iterator[Record]:
    """Yield the rows of a Parquet table. Raises DatasetError; for too many rows or columns, before the first row."""
    require_extra("parquet")
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    with open_bytes(file) as stream:
        try:
            table = ParquetFile(stream)
            tally = _sized(file, table.metadata, bounds)
            header = table.schema_arrow.names
            if len(set(header)) < len(header):
                raise DatasetError(file, f"two columns have the same name: {quoted(header)}; rename one")
            for number, row in enumerate(_rows(table, tally), 1):
                yield Record(file, row, item=f"row {number}")
        except (ArrowException, OSError, UnicodeDecodeError) as error:
            raise DatasetError(file, f"broken Parquet ({on_one_line(str(error))}); fetch the file again") from None


def _sized(file: Path, metadata: Any, bounds: Bounds) -> Tally:
    """Count a table's cells, each list as one cell; raises DatasetError if there are too many.

    The metadata of single columns is not read: if it is corrupt, pyarrow crashes the process.
    """
    tally = Tally(file, bounds)
    tally.add(metadata.num_columns, metadata.num_rows)
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    refuse_oversize(file, file.stat().st_size, sum(group.total_byte_size for group in groups))
    return tally


def _rows(table: Any, tally: Tally) -> Iterator[dict[str, Any]]:
    most = max(tally.bounds.content, _IMAGES * tally.file.stat().st_size)
    for batch in map(_decoded, table.iter_batches(batch_size=_BATCH)):
        most -= batch.nbytes
        if most < 0:
            raise DatasetError(
                tally.file, f"has more than {tally.bounds.content:,} bytes in its cells; remove columns, or split it"
            )
        tally.add(0, 0, cells=sum(map(_members, batch.columns)))
        yield from batch.to_pylist()


def _members(array: Any) -> int:
    from pyarrow import types

    if types.is_list(array.type) or types.is_large_list(array.type):
        values = array.flatten()
        return len(values) + _members(values)
    return sum(map(_members, array.flatten())) if types.is_struct(array.type) else 0


def _decoded(batch: Any) -> Any:
    from pyarrow import schema

    plain = schema([(field.name, _plain_type(field.type)) for field in batch.schema])
    return batch if plain.equals(batch.schema) else batch.cast(plain)


def _plain_type(kind: Any) -> Any:
    from pyarrow import list_, struct, types

    if types.is_dictionary(kind):
        return kind.value_type
    if types.is_list(kind) or types.is_large_list(kind):
        return list_(_plain_type(kind.value_type))
    if types.is_struct(kind):
        return struct([(field.name, _plain_type(field.type)) for field in kind])
    return kind
