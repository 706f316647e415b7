"""Extension of a picture by its own blurred edges, without adding objects."""

from typing import TYPE_CHECKING

from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, Move, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

_RATIO = 0.125
_BLUR = 0.25  # share of the border; keeps reflections unrecognisable, so that they are not counted


class Outpaint:
    """A border of the picture's blurred reflection; the picture itself stays identical."""

    name = "outpaint"
    says = "surrounded by its own blurred reflection, 12.5 % a side"
    is_exact = False
    is_drawn = False
    is_default = True
    is_control = False

    def refuse(self, original: Original) -> str:
        """Explain why the frame must stay: the question asks for a place in it, or how the picture was made."""
        return first_reason(original, "side", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Return the step with its ratio, which is not random."""
        return {"operation": self.name, "ratio": _RATIO}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture with its surroundings, which are the change."""
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
