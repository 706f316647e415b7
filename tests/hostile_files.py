"""Small files that expand to large ones, and special files; each is made in a moment."""

import gzip
import os
import signal
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from zipfile import ZIP_DEFLATED, ZipFile

MB = 1 << 20
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _socket(file: Path) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(os.path.relpath(file))  # an absolute path may be too long for a socket


NO_FILES: Mapping[str, Callable[[Path], None]] = {
    "pipe": os.mkfifo,
    "device": lambda file: file.symlink_to("/dev/zero"),
    "socket": _socket,
    "folder": Path.mkdir,
    "loop": lambda file: file.symlink_to(file.name),
    "dangling": lambda file: file.symlink_to("nowhere"),
}
"""Special files in place of a file, by name; reading a pipe or the device would never end."""


@contextmanager
def ends_soon() -> Iterator[None]:
    """Raise TimeoutError in a block that would wait for ever, so that its test fails."""

    def late(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(number, frame)

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def gzip_of(file: Path, *parts: bytes) -> Path:
    """Write a gzip file of ``parts``."""
    with gzip.open(file, "wb") as stream:
        for part in parts:
            stream.write(part)
    return file


def workbook(file: Path, *sheet: str, texts: str = "", dimension: str = "", styles: str = "") -> Path:
    """Write a workbook with a sheet 'Answers' of this XML, below a header of 'index' and 'prediction'."""
    relation = f'<Relationship Id="rId1" Type="{_OFFICE}/%s" Target="%s"/>'
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/sheet.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        f'<Override PartName="/xl/texts.xml" ContentType="{_TYPE}.sharedStrings+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}">{relation % ("officeDocument", "xl/workbook.xml")}'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
        '<sheet name="Answers" sheetId="1" r:id="rId1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">{relation % ("worksheet", "sheet.xml")}'
        "</Relationships>",
        "xl/sheet.xml": f'<worksheet xmlns="{_MAIN}">{dimension}<sheetData><row r="1">{cell("A1", "index")}'
        f"{cell('B1', 'prediction')}</row>{''.join(sheet)}</sheetData></worksheet>",
        "xl/texts.xml": f'<sst xmlns="{_MAIN}">{texts}</sst>',
    }
    if styles:
        parts["xl/styles.xml"] = f'<styleSheet xmlns="{_MAIN}"><cellXfs>{styles}</cellXfs></styleSheet>'
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file


def cell(place: str, text: str) -> str:
    """Build a cell that holds a text."""
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'
