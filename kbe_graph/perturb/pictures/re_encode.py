"""The control: the cost of coding a picture once more."""

import io
from typing import TYPE_CHECKING

from kbe_graph.perturb.operation import Edited, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

_QUALITY = 95


class ReEncode:
    """Codes a picture as JPEG once, at quality 95, and changes nothing else."""

    name = "re-encode"
    says = "the control: coded as JPEG once more, at quality 95, and nothing else"
    is_exact = True
    is_drawn = False
    is_default = True
    is_control = True

    def refuse(self, original: Original) -> str:  # noqa: ARG002
        """Return no reason: it keeps every answer."""
        return ""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Return the step with its quality; nothing is drawn."""
        return {"operation": self.name, "quality": _QUALITY}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture as the JPEG shows it."""
        from PIL import Image

        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=step["quality"], subsampling=0)
        with Image.open(stream) as coded:
            return Edited(coded.convert("RGB"))
