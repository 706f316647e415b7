"""A terminal that a file's content is written to: shown, and not obeyed."""

import codecs
import io
import os
from typing import BinaryIO, cast

from kbe_graph.errors import InputError
from kbe_graph.text import visible


class Terminal(io.TextIOWrapper):
    """Text for a terminal: what would act on it is an escape that can be read."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(os.fdopen(descriptor, "wb"), encoding="utf-8", newline="\n", line_buffering=True)
        self._bytes = _Bytes(self)

    def write(self, text: str) -> int:
        """Write a text; lines may end as those of spreadsheets do."""
        return super().write(visible(text.replace("\r\n", "\n")))

    @property
    def buffer(self) -> BinaryIO:
        """Takes text as bytes; raises InputError for bytes that are none."""
        return cast("BinaryIO", self._bytes)


class _Bytes(io.RawIOBase):
    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def writable(self) -> bool:
        return True

    def write(self, content: object, /) -> int:
        data = bytes(cast("bytes", content))
        try:
            self._terminal.write(self._decoder.decode(data))
        except UnicodeDecodeError:
            raise InputError("what is written is no text for a terminal; write it to a file, or into a pipe") from None
        return len(data)
