"""Removal of an object that is irrelevant to the question (VLB, V2)."""

from typing import TYPE_CHECKING

from kbe_graph.datasets.view import Box
from kbe_graph.extras import require_package
from kbe_graph.perturb.eligible import first_reason, removable
from kbe_graph.perturb.operation import Edited, NotEligible, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from PIL import Image


class Remove:
    """Removal of an object, whose place is filled with patches of its surroundings (PatchMatch)."""

    name = "remove"
    says = "a thing that the question is not about taken out; off by default: most places look mended"
    is_exact = False
    is_drawn = True
    is_default = False
    is_control = False

    def refuse(self, original: Original) -> str:
        """Explain why all objects must stay: they are counted, all are relevant, or have no boxes; empty if allowed."""
        if reason := first_reason(original, "counting", "scene"):
            return reason
        if not any(thing.box for thing in original.objects or ()):
            return "no annotation tells where things are"
        return ""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:
        """Draw an object; raises NotEligible if none can be removed."""
        things = removable(original, picture.size)
        if not things:
            raise NotEligible("nothing stands alone that can be taken out")
        thing, hole = things[int(rng.integers(len(things)))]
        seed = int(rng.integers(1 << 31))
        return {"operation": self.name, "object": thing.id, "name": thing.name, "hole": list(hole), "seed": seed}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture without the object; raises ResourceError if the extra is not installed."""
        import numpy as np
        from PIL import Image

        require_package("perturb", "patchmatch_cython")
        from patchmatch_cython import inpaint_pyramid

        x, y, end, bottom = step["hole"]
        changed = np.zeros((picture.height, picture.width), dtype=bool)
        changed[y:bottom, x:end] = True
        around = _surroundings(step["hole"], picture.size)
        crop = np.ascontiguousarray(np.asarray(picture)[around])
        pixels = np.array(picture)
        filled = inpaint_pyramid(crop, changed[around], seed=step["seed"])
        pixels[changed] = filled[changed[around]]
        return Edited(Image.fromarray(pixels), changed, gone=(step["object"],))


def _surroundings(hole: Box, size: tuple[int, int]) -> tuple[slice, slice]:
    """Return the rows and columns of a hole, extended by its size on each side."""
    x, y, end, bottom = map(int, hole)
    width, height = end - x, bottom - y
    return slice(max(0, y - height), min(size[1], bottom + height)), slice(max(0, x - width), min(size[0], end + width))
