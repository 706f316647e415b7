"""Border of one colour around a rescaled picture (MDK12-Bench, spatial expansion)."""

from typing import TYPE_CHECKING

from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, Move, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

_RATIO, _SCALE, _GREYS = (0.1, 0.2), (1.05, 1.15), (0, 128, 255)


class Pad:
    """A black, grey or white background behind the picture, both scaled to slightly above the original size."""

    name = "pad"
    says = "a black, grey or white border of 10 to 20 % a side, then scaled to 1.05 to 1.15 of the first size"
    is_exact = True
    is_drawn = True
    is_default = True
    is_control = False

    def refuse(self, original: Original) -> str:
        """Explain why the frame must stay: the question asks for a place in it, or how the picture was made."""
        return first_reason(original, "side", "picture making")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the border's share of width and height, its grey, and the scale."""
        return {
            "operation": self.name,
            "ratio": round(float(rng.uniform(*_RATIO)), 4),
            "grey": int(rng.choice(_GREYS)),
            "scale": round(float(rng.uniform(*_SCALE)), 4),
        }

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture on its background, scaled."""
        from PIL import Image

        width, height = picture.size
        border = round(width * step["ratio"]), round(height * step["ratio"])
        ground = Image.new("RGB", (width + 2 * border[0], height + 2 * border[1]), (step["grey"],) * 3)
        ground.paste(picture, border)
        size = max(1, round(width * step["scale"])), max(1, round(height * step["scale"]))
        x, y = size[0] / ground.width, size[1] / ground.height
        return Edited(ground.resize(size, Image.Resampling.LANCZOS), move=Move((x, y), (border[0] * x, border[1] * y)))
