"""Image edits at an ``images/edits`` endpoint: the request form and the response parser."""

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kbe_graph.models.catalogue import Usage
from kbe_graph.models.completion import LONGEST_NAME, WholeReply, read_body, read_usage
from kbe_graph.models.failures import CallFailed, failure_of_status

if TYPE_CHECKING:
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

    def files(self) -> dict[str, bytes]:
        """Encode image and mask as PNG; the mask is transparent where the image may be changed."""
        from PIL import Image, ImageOps

        mask = Image.new("RGBA", self.mask.size)
        mask.putalpha(ImageOps.invert(self.mask))
        return {"image": _png(self.picture), "mask": _png(mask)}


def encode_form(fields: Mapping[str, Any], files: Mapping[str, bytes], content_type: str) -> bytes:
    """Encode a multipart form with PNG files; ``content_type`` is its header, which names the boundary."""
    from httpx2 import Request

    named = {name: (f"{name}.png", content, "image/png") for name, content in files.items()}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
    form = Request("POST", "http://localhost", data=texts, files=named, headers={"content-type": content_type})
    return form.read()


def read_edit(raw: bytes) -> WholeReply:
    """Read the response of an ``images/edits`` endpoint; the text is the image in base64, or its address.

    Raises CallFailed for an HTML page, an error, a broken or oversized body, or a response without an image.
    """
    body = read_body(raw, MOST_PICTURE_BYTES)
    if error := body.get("error"):
        code = error.get("code") if isinstance(error, dict) else None
        raise failure_of_status(code if isinstance(code, int) and code >= 400 else 400, {}, raw)
    usage = _usage(body.get("usage"))
    text = _picture(body.get("data"))
    if not text:
        failed = CallFailed("no picture", ", ".join(sorted(map(str, body))) or "an empty object", raw=raw)
        failed.usage = usage or Usage()
        raise failed
    return WholeReply(text, "stop", str(body.get("model") or "")[:LONGEST_NAME], usage)


def _picture(data: object) -> str:
    first = data[0] if isinstance(data, list) and data else None
    if not isinstance(first, dict):
        return ""
    content, address = first.get("b64_json"), first.get("url")
    if isinstance(content, str) and content:
        return content
    return address if isinstance(address, str) and len(address) <= LONGEST_ADDRESS else ""


def _usage(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    named = {"prompt_tokens": usage.get("input_tokens"), "completion_tokens": usage.get("output_tokens")}
    return read_usage({**named, **usage})


def _name(picture: "Image.Image") -> str:
    head = f"{picture.mode}:{picture.width}x{picture.height}:".encode()
    return f"sha256:{hashlib.sha256(head + picture.tobytes()).hexdigest()}"


def _png(picture: "Image.Image") -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG", compress_level=_FAST)
    return stream.getvalue()
