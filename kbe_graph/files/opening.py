"""Files as bytes, lines and members of archives: regular files only, gzip decompressed, and bounded in size."""

import errno
import gzip
import hashlib
import io
import os
import re
import stat
import struct
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from kbe_graph.errors import DatasetError

MOST_RECORD = 1 << 26  # bytes of a line or an archive member: an image of 48 MB in base64
MOST_WHOLE = 1 << 28  # bytes of a file read at once: a picture, a sheet of verdicts, a fact pack
MOST_DOCUMENT = 1 << 30  # bytes of a benchmark in one JSON document
LEAST_UNPACKED, TIMES = 1 << 24, 250  # bytes; lines that repeat a long prompt compress by a factor of 136
MOST_TEXT, MOST_ID = 100_000, 1_000  # characters: a sentence parser stops at a million
MOST_LIST, MOST_TEXTS = 10 * MOST_TEXT, 10_000  # characters of a cell with a list; number of texts in a list
MOST_ROWS, MOST_CELLS = 1 << 20, 1 << 24  # of a table

_SNIFFED = 1 << 24  # bytes needed to recognise a file: its first line may contain an image
_BUFFER = 1 << 17
_LINE = re.compile(r"[^\r]*\r\n?|[^\r]+")
_BLANK = b"\xef\xbb\xbf \r\n"  # a byte order mark is not part of the text


def open_regular(file: Path) -> io.BufferedReader:
    """Open a file for reading bytes, without blocking; raises OSError, also for folders, pipes and devices."""
    stream = open(file, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK))  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "a pipe or a device, not a regular file")
    return stream


def read_whole(file: Path) -> bytes:
    """Return the raw bytes of a file; raises OSError, also for a folder and for more than ``MOST_WHOLE`` bytes."""
    with open_regular(file) as stream:
        content = stream.read(MOST_WHOLE + 1)
    if len(content) > MOST_WHOLE:
        raise OSError(errno.EFBIG, f"more than {MOST_WHOLE:,} bytes")
    return content


def read_text(file: Path) -> str:
    """Return the text of a file with LF line ends; raises OSError as ``read_whole`` does, and UnicodeDecodeError."""
    return io.StringIO(read_whole(file).decode("utf-8"), newline=None).read()


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file's raw bytes, read in chunks; raises OSError."""
    with open_regular(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def open_bytes(file: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading bytes, decompressing gzip; raises DatasetError if it cannot be read."""
    try:
        with open_regular(file) as raw:
            is_packed = raw.peek(2)[:2] == b"\x1f\x8b"
            with unpacked(file, raw) if is_packed else raw as stream:
                yield stream
    except FileNotFoundError:
        raise DatasetError(file, "no such file; check the path") from None
    except IsADirectoryError:
        raise DatasetError(file, "is a folder; give the file in it") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DatasetError(file, f"broken gzip ({error}); fetch the file again") from None
    except OSError as error:
        raise DatasetError(file, f"cannot be read ({error.strerror or error}); give a file that can be read") from None


def refuse_oversize(file: Path, size: int, content: int) -> None:
    """Raise DatasetError for a decompression bomb: a compressed file with far more content than its size suggests."""
    if content > max(LEAST_UNPACKED, TIMES * size):
        raise DatasetError(
            file, f"unpacks to more than {TIMES} times its size; fetch it again, or give it uncompressed"
        )


def refuse_bomb(file: Path) -> None:
    """Decompress a gzip file once, discarding the content; raises DatasetError for a decompression bomb."""
    with open_bytes(file) as stream:
        while isinstance(stream.raw, _Unpacked) and stream.read(_SNIFFED):
            pass


def unpacked(file: Path, packed: BinaryIO) -> io.BufferedReader:
    """Return the content of a gzip file as a stream; reading raises DatasetError for a decompression bomb."""
    return io.BufferedReader(_Unpacked(file, packed), _BUFFER)


class _Unpacked(gzip.GzipFile):
    """The content of a gzip file, limited to a multiple of its size: a megabyte may hold a gigabyte of zeros."""

    def __init__(self, file: Path, packed: BinaryIO) -> None:
        super().__init__(fileobj=packed)
        self._place, self._size = file, os.fstat(packed.fileno()).st_size

    def read(self, size: int | None = -1) -> bytes:
        content = super().read(size)
        refuse_oversize(self._place, self._size, self.tell())
        return content

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        at = super().seek(offset, whence)
        refuse_oversize(self._place, self._size, at)
        return at


def first_bytes(file: Path) -> bytes:
    """Return the beginning of a file, enough to recognise its format; raises DatasetError."""
    with open_bytes(file) as stream:
        return stream.read(_SNIFFED)


def first_line(head: bytes) -> str:
    """Return the first non-blank line of a file's beginning, stripped; empty if there is none."""
    return re.split(rb"[\r\n]", head.lstrip(_BLANK), maxsplit=1)[0].decode("utf-8", "replace").strip(" ")


def text_lines(file: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers; lines end with LF, CRLF or CR.

    Raises DatasetError if the text is not UTF-8, or a line is too long.
    """
    with open_bytes(file) as stream:
        number = 1
        for line in byte_lines(file, stream):
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"not UTF-8 text ({error.reason} at byte {error.start + 1}); save the file as UTF-8"
                raise DatasetError(file, problem, line=number) from None
            for match in _LINE.finditer(text):
                yield number, match[0]
                number += 1


def byte_lines(file: Path, stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the LF-terminated lines of a stream; raises DatasetError if one is too long."""
    number = 0
    while line := stream.readline(MOST_RECORD + 1):
        number += 1
        if len(line) > MOST_RECORD:
            raise DatasetError(
                file, f"has more than {MOST_RECORD:,} bytes, the limit for a line; split it", line=number
            )
        yield line


def is_archive(head: bytes) -> bool:
    """Return True if the bytes start a zip archive, possibly an empty one."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def read_members(file: Path, *names: str) -> dict[str, bytes]:
    """Return the content of an archive's named members, by all names; those not asked for are empty.

    Zip archives of other programs may be compressed with Zstandard, as Inspect's logs are. Raises DatasetError if the
    archive is broken, a decompression bomb, or has a member that is too large.
    """
    if sys.version_info >= (3, 14):
        from zipfile import BadZipFile, ZipFile
    else:
        from backports.zstd.zipfile import BadZipFile, ZipFile

    try:
        with open_bytes(file) as stream, ZipFile(stream) as archive:
            members = {member.filename: member.file_size for member in archive.infolist()}
            refuse_oversize(file, stream.seek(0, os.SEEK_END), sum(members.values()))
            for name in names:
                if members[name] > MOST_RECORD:
                    problem = f"{name!r} has {members[name]:,} bytes; the limit for a sample is {MOST_RECORD:,}"
                    raise DatasetError(file, problem)
            return {name: archive.read(name) if name in names else b"" for name in members}
    except (BadZipFile, EOFError, zlib.error, struct.error, NotImplementedError, RuntimeError) as error:
        raise DatasetError(file, f"broken archive ({error}); fetch the file again") from None
