"""Images as data URIs, each encoded once so that every call sends the same bytes, and edits of images."""

import base64
import hashlib
import io
import json
import os
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.errors import PictureError, ResourceError
from kbe_graph.files.image import on_white, open_picture, read_picture
from kbe_graph.files.whole import private_file, private_folder
from kbe_graph.models.reply import LONGEST_NAME, CallFailed, WholeReply, read_body, read_usage

if TYPE_CHECKING:
    from aiohttp import FormData
    from PIL import Image


class Encoding(NamedTuple):
    """Longest side in pixels and JPEG quality (1 to 95) of the images that are sent."""

    side: int
    quality: int


class Images:
    """JPEG encoder for images with a limited longest side.

    Each encoded image is a file in ``folder``, so that another run, or another version of the encoder, sends the same
    bytes and an endpoint's prefix cache stays valid. The most recent images are also kept in memory, ``most_bytes`` in
    total, as several calls send the same one.
    """

    def __init__(self, folder: Path | None = None, *, most_bytes: int = 64 << 20) -> None:
        self._folder = folder
        self._most, self._size = most_bytes, 0
        self._uris: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()  # calls are encoded in several threads
        self._hashes: dict[tuple[str, int, int], str] = {}

    def sha256(self, path: Path) -> str:
        """Hash an image file; raises PictureError if it cannot be read."""
        try:
            state = path.stat()
            state_key = (str(path), state.st_size, state.st_mtime_ns)
            if state_key not in self._hashes:
                self._hashes[state_key] = hashlib.sha256(read_picture(path)).hexdigest()
        except OSError as error:
            raise PictureError(path, f"picture cannot be read ({error.strerror}); check the image folders") from None
        return self._hashes[state_key]

    def name(self, path: Path, encoding: Encoding) -> str:
        """Identify an image in a call's hash by its content and encoding."""
        return f"sha256:{self.sha256(path)}:{encoding.side}:{encoding.quality}"

    def holds(self, path: Path, encoding: Encoding) -> bool:
        """Whether the encoded image is in memory; raises PictureError if it cannot be read."""
        return self.name(path, encoding) in self._uris

    def uri(self, path: Path, encoding: Encoding) -> str:
        """Encode an image as a data URI; raises PictureError if it is not an image."""
        name = self.name(path, encoding)
        with self._lock:
            if name in self._uris:
                self._uris.move_to_end(name)
                return self._uris[name]
        uri = self._make(path, name, encoding)
        with self._lock:
            self._size += 0 if name in self._uris else len(uri)
            self._uris[name] = uri
            while self._size > self._most and len(self._uris) > 1:
                self._size -= len(self._uris.popitem(last=False)[1])
        return uri

    def _make(self, path: Path, name: str, encoding: Encoding) -> str:
        kept = self._folder / f"{name.removeprefix('sha256:').replace(':', '-')}.jpg" if self._folder else None
        if kept and kept.is_file():
            content = kept.read_bytes()
        else:
            content = encode_jpeg(path, encoding)
            if kept:
                _write(kept, content)
        return f"data:image/jpeg;base64,{base64.b64encode(content).decode('ascii')}"


def encode_jpeg(path: Path, encoding: Encoding) -> bytes:
    """Encode an image as a JPEG: upright, scaled down, transparent parts white.

    Raises PictureError if it is not an image.
    """
    from PIL import Image

    with open_picture(path, encoding.side) as image:
        image.thumbnail((encoding.side, encoding.side), Image.Resampling.LANCZOS)
        picture = on_white(image)
    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=encoding.quality)
    return stream.getvalue()


def _write(file: Path, content: bytes) -> None:
    temporary = file.with_suffix(f".{os.getpid()}-{get_ident()}.tmp")
    try:
        private_folder(file.parent)
        private_file(temporary).write_bytes(content)
        temporary.replace(file)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise ResourceError(
            f"cannot keep the picture {str(file)!r}: {error.strerror}; make room there, then run the same command again"
        ) from None


EDITS = "images/edits"
MOST_PICTURE_BYTES = 64_000_000  # per response: a 1536 x 1024 PNG in base64 has 3 to 8 million
LONGEST_ADDRESS = 4000  # characters of an image's address
_FAST = 1  # zlib's level: sending a larger body takes less time than compressing it further


@dataclass(frozen=True, slots=True)
class MaskedPicture:
    """RGB image to edit, and a mask of the same size (mode L) that is white where it may be changed."""

    picture: "Image.Image" = field(repr=False)
    mask: "Image.Image" = field(repr=False)

    @property
    def size(self) -> str:
        """Its width and height in the endpoint's format, ``1536x1024``."""
        return f"{self.picture.width}x{self.picture.height}"

    @property
    def names(self) -> tuple[str, str]:
        """The identifiers of image and mask in a call's hash, based on their pixels."""
        return _name(self.picture), _name(self.mask)

    def form(self, fields: Mapping[str, Any]) -> "FormData":
        """Build the form with image and mask as PNG; the mask is transparent where the image may be changed."""
        from aiohttp import FormData
        from PIL import Image, ImageOps

        mask = Image.new("RGBA", self.mask.size)
        mask.putalpha(ImageOps.invert(self.mask))
        form = FormData()
        for name, value in fields.items():
            form.add_field(name, value if isinstance(value, str) else json.dumps(value))
        for name, picture in (("image", self.picture), ("mask", mask)):
            form.add_field(name, _png(picture), filename=f"{name}.png", content_type="image/png")
        return form


def read_edit(raw: bytes) -> WholeReply:
    """Read the response of an ``images/edits`` endpoint; the text is the image in base64, or its address.

    Raises CallFailed for an HTML page, an error, a broken or oversized body, or a response without an image.
    """
    body = read_body(raw, MOST_PICTURE_BYTES)
    tokens = body.get("usage")
    tokens = tokens if isinstance(tokens, dict) else {}
    named = {"prompt_tokens": tokens.get("input_tokens"), "completion_tokens": tokens.get("output_tokens")}
    usage = read_usage({**named, **tokens})
    text = _picture(body.get("data"))
    if not text:
        names = ", ".join(sorted(map(str, body))) or "an empty object"
        raise CallFailed("no picture", names, raw=raw, usage=usage)
    return WholeReply(text, "stop", str(body.get("model") or "")[:LONGEST_NAME], usage)


def _picture(data: object) -> str:
    first = data[0] if isinstance(data, list) and data else None
    if not isinstance(first, dict):
        return ""
    content, address = first.get("b64_json"), first.get("url")
    if isinstance(content, str) and content:
        return content
    return address if isinstance(address, str) and len(address) <= LONGEST_ADDRESS else ""


def _name(picture: "Image.Image") -> str:
    head = f"{picture.mode}:{picture.width}x{picture.height}:".encode()
    return f"sha256:{hashlib.sha256(head + picture.tobytes()).hexdigest()}"


def _png(picture: "Image.Image") -> io.BytesIO:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=_FAST)
    stream.seek(0)
    return stream
