"""Image edits at an ``images/edits`` endpoint: the request form and the response parser."""

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kbe_graph.models.reply import LONGEST_NAME, CallFailed, WholeReply, read_body, read_usage

if TYPE_CHECKING:
    from aiohttp import FormData
    from PIL import Image

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
