"""An edit requested from a model, and its result, from which only pixels within the mask are used."""

import hashlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kbe_graph.errors import PictureError, ResourceError
from kbe_graph.files.image import decode_base64
from kbe_graph.files.pixels import on_white, require_picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

SIZES = ((1024, 1024), (1536, 1024), (1024, 1536))
"""Sizes that ``images/edits`` servers support, as width and height."""

GREY = 127
_FEATHER_AT = 640  # pixels of the shorter side at which seam widths are given


@dataclass(frozen=True, slots=True)
class ModelEdit:
    """An RGB picture, the box to change (left, top, right, bottom; whole pixels), and the prompt.

    With ``outside``, everything except the box may change. ``feather`` is the width of the seam in pixels, which lies
    within the change.
    """

    picture: "Image.Image"
    box: tuple[int, int, int, int]
    prompt: str
    outside: bool = False
    feather: int = 3

    def mask(self) -> "Image.Image":
        """Draw the mask, white where the picture may change."""
        from PIL import Image

        mask = Image.new("L", self.picture.size, 255 if self.outside else 0)
        mask.paste(0 if self.outside else 255, self.box)
        return mask


class ModelPicture(NamedTuple):
    """A picture edited by a model: its bytes, the hash under which its call is kept, and the model."""

    content: bytes
    call: str
    model: str

    def as_step(self) -> dict[str, Any]:
        """Return the fields that identify it in a recipe."""
        return {"model": self.model, "call": self.call, "sha256": hashlib.sha256(self.content).hexdigest()}


class PictureEditor(Protocol):
    """Interface of editors that use a model; no edit is paid for twice."""

    def edit(self, edit: ModelEdit) -> ModelPicture:
        """Return the model's picture, in the frame of ``frame_of``.

        Raises ReplyError if this edit yields no usable picture; other errors end the run.
        """

    def kept(self, call: str) -> bytes:
        """Return the kept picture of a call; raises ResourceError if it is missing."""


class PictureFrame(NamedTuple):
    """A size that the server supports, and the box in it that holds the picture."""

    size: tuple[int, int]
    place: tuple[int, int, int, int]

    def letterbox(self, picture: "Image.Image", ground: int) -> "Image.Image":
        """Scale the picture to its box, on a background of one grey."""
        from PIL import Image

        x, y, right, bottom = self.place
        framed = Image.new(picture.mode, self.size, (ground,) * 3 if picture.mode == "RGB" else ground)
        framed.paste(picture.resize((right - x, bottom - y), Image.Resampling.LANCZOS), (x, y))
        return framed

    def crop_back(self, framed: "Image.Image", size: tuple[int, int]) -> "Image.Image":
        """Crop the picture out of its frame and restore its size."""
        from PIL import Image

        return framed.crop(self.place).resize(size, Image.Resampling.LANCZOS)


def frame_of(size: tuple[int, int], sizes: Sequence[tuple[int, int]] = SIZES) -> PictureFrame:
    """Return the frame whose aspect is closest to a picture of this size, with the picture centred.

    >>> frame_of((640, 480))
    PictureFrame(size=(1536, 1024), place=(85, 0, 1450, 1024))
    """
    aspect = math.log(size[0] / size[1])
    width, height = min(sizes, key=lambda size: abs(math.log(size[0] / size[1]) - aspect))
    scale = min(width / size[0], height / size[1])
    wide, high = max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
    x, y = (width - wide) // 2, (height - high) // 2
    return PictureFrame((width, height), (x, y, x + wide, y + high))


def paste_back(edit: ModelEdit, content: bytes) -> "tuple[Image.Image, NDArray[np.bool_]]":
    """Combine the picture with the model's pixels inside the mask; also returns where pixels may differ.

    Outside the mask, every pixel is the original's, whatever the model changed. Raises PictureError.
    """
    from PIL import Image

    framed = read_framed(content)
    frame = frame_of(edit.picture.size, (framed.size,))
    alpha = _alpha(edit)
    cropped = frame.crop_back(framed, edit.picture.size)
    return Image.composite(cropped, edit.picture, Image.fromarray(alpha)), alpha > 0


def read_framed(content: bytes) -> "Image.Image":
    """Decode a model's picture as RGB; raises PictureError if invalid."""
    from PIL import Image

    require_picture(content, "the picture of the reply")
    with Image.open(io.BytesIO(content)) as picture:
        return on_white(picture)


def decode_picture(text: str) -> bytes:
    """Decode a base64 picture; raises PictureError."""
    try:
        return decode_base64(text)
    except ValueError as error:
        raise PictureError("the picture of the reply", f"{error}; use another endpoint") from None


def verified(content: bytes, sha256: str, call: str) -> bytes:
    """Return a call's kept picture; raises ResourceError if it is not the one of the recipe."""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ResourceError(
            f"the kept picture of call {call[:12]!r} does not match the recipe (sha256 {sha256[:12]!r}); "
            "import the calls of the workspace that made the recipe, or make the variant again"
        )
    return content


def feather_of(picture: "Image.Image", pixels: int) -> int:
    """Scale a width given for a picture of 640 pixels to this picture, at least 1."""
    return max(1, round(pixels * min(picture.size) / _FEATHER_AT))


def _alpha(edit: ModelEdit) -> "NDArray[np.uint8]":
    """Return the opacity of the model's picture per pixel: 0 outside the change, rising to 255 across the seam.

    If the change reaches the picture's edge, there is no seam on that side.
    """
    import numpy as np

    x, y, right, bottom = edit.box
    width, height = edit.picture.size
    distance = _way_out if edit.outside else _way_in
    rows = _softened(distance(height, y, bottom), edit.feather)
    columns = _softened(distance(width, x, right), edit.feather)
    return (np.maximum if edit.outside else np.minimum).outer(rows, columns)


def _softened(way: "NDArray[np.float64]", feather: int) -> "NDArray[np.uint8]":
    """Return the opacity (of 255) at a given depth within the change."""
    import numpy as np

    return np.asarray(np.round(255 * np.clip(way / (feather + 1), 0, 1)), dtype=np.uint8)


def _way_in(length: int, start: int, end: int) -> "NDArray[np.float64]":
    """Return the depth of each position of a line within a stretch, 0 outside."""
    import numpy as np

    places = np.arange(length, dtype=float)
    from_start = places - start + 1 if start > 0 else np.full(length, np.inf)
    to_end = end - places if end < length else np.full(length, np.inf)
    return np.asarray(np.clip(np.minimum(from_start, to_end), 0, None))


def _way_out(length: int, start: int, end: int) -> "NDArray[np.float64]":
    """Return the distance of each position of a line from a stretch, 0 within."""
    import numpy as np

    places = np.arange(length, dtype=float)
    return np.asarray(np.clip(np.maximum(start - places, places - end + 1), 0, None))
