"""The control operation, which measures the effect of re-encoding alone."""

import io
from typing import TYPE_CHECKING

from kbe_graph.perturb.operation import Edited, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image

_QUALITY = 95


class ReEncode:
    """JPEG encoding at quality 95, without any other change."""

    name = "re-encode"
    says = "the control: coded as JPEG once more, at quality 95, and nothing else"
    is_exact = True
    is_drawn = False
    is_default = True
    is_control = True

    def refuse(self, original: Original) -> str:  # noqa: ARG002
        """Return no reason; every answer is kept."""
        return ""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Return the step with its quality, which is not random."""
        return {"operation": self.name, "quality": _QUALITY}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture as decoded from the JPEG."""
        from PIL import Image

        stream = io.BytesIO()
        picture.save(stream, "JPEG", quality=step["quality"], subsampling=0)
        with Image.open(stream) as coded:
            return Edited(coded.convert("RGB"))
