"""Inversion of a picture's colours (MDK12-Bench, colour space transfer)."""

from typing import TYPE_CHECKING

from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image


class Invert:
    """Replacement of each channel of a pixel by 255 minus its value."""

    name = "invert"
    says = "each colour turned into its opposite"
    is_exact = True
    is_drawn = False
    is_default = True
    is_control = False

    def refuse(self, original: Original) -> str:
        """Explain why colours must stay: the question is about a colour, the light, or a thing known by its colour."""
        return first_reason(original, "colour", "light", "stuff", "species")

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Return the step, which has no random parameters."""
        return {"operation": self.name}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:  # noqa: ARG002
        """Return the negative of the picture."""
        from PIL import ImageOps

        return Edited(ImageOps.invert(picture))
