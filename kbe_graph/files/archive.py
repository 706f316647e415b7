"""Zip archives of other programs: Inspect logs, with or without Zstandard compression, and workbooks."""

import os
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast
from zipfile import BadZipFile, ZipFile, ZipInfo

from kbe_graph.errors import DatasetError
from kbe_graph.files.bounds import MOST_RECORD, refuse_oversize
from kbe_graph.files.json_files import parse_json
from kbe_graph.files.opening import open_bytes

_ZSTANDARD = 93  # its method number in zip; Python's zipfile supports it from 3.14
_LOCAL_HEADER = 30

ARCHIVE_FAULTS = (BadZipFile, EOFError, zlib.error, struct.error, NotImplementedError, RuntimeError)
"""Exceptions that reading a broken archive may raise."""


def is_archive(head: bytes) -> bool:
    """Return True if the bytes start a zip archive, possibly an empty one."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def member_names(file: Path) -> tuple[str, ...]:
    """Return the names of an archive's members; raises DatasetError."""
    with open_archive(file) as archive:
        return tuple(archive.namelist())


def json_members(file: Path, names: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the named members of an archive, each with its JSON value; raises DatasetError."""
    with open_archive(file) as archive:
        for name in names:
            content = _content(file, archive, archive.getinfo(name))
            yield name, parse_json(Path(f"{file}: {name}"), content.decode("utf-8", "replace"))


@contextmanager
def open_archive(file: Path) -> Iterator[ZipFile]:
    """Open an archive; raises DatasetError if it is broken, or a decompression bomb."""
    try:
        with open_bytes(file) as stream, ZipFile(stream) as archive:
            size = stream.seek(0, os.SEEK_END)
            refuse_oversize(file, size, sum(member.file_size for member in archive.infolist()))
            yield archive
    except ARCHIVE_FAULTS as error:
        raise DatasetError(file, f"broken archive ({error}); fetch the file again") from None


def _content(file: Path, archive: ZipFile, member: ZipInfo) -> bytes:
    if member.file_size > MOST_RECORD:
        raise DatasetError(
            file, f"{member.filename!r} has {member.file_size:,} bytes; the limit for a sample is {MOST_RECORD:,}"
        )
    if member.compress_type == _ZSTANDARD:
        return _zstandard(cast("BinaryIO", archive.fp), member)
    return archive.read(member)


def _zstandard(stream: BinaryIO, member: ZipInfo) -> bytes:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor, ZstdError
    else:
        from backports.zstd import ZstdDecompressor, ZstdError

    stream.seek(member.header_offset)
    name, extra = struct.unpack("<26xHH", stream.read(_LOCAL_HEADER))
    stream.seek(name + extra, 1)
    packed = stream.read(member.compress_size)
    try:
        content = ZstdDecompressor().decompress(packed, member.file_size)
    except ZstdError as error:
        raise BadZipFile(str(error)) from None
    if zlib.crc32(content) != member.CRC:
        raise BadZipFile(f"{member.filename!r} fails its checksum")
    return content
