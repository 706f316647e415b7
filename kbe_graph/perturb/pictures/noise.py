"""Coloured salt and pepper over a picture (MDK12-Bench)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.operation import Edited, Original, Step

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL import Image

_LEAST, _MOST, _MOST_ON_LETTERS = 0.01, 0.10, 0.05
_SALT, _SHADES = 180, 76  # salt is 180 to 255 in each channel, pepper 0 to 75
_ROWS = 256  # at a time, so that a large picture takes no more memory than a small one


class Noise:
    """Puts bright and dark pixels of random colour over a share of the picture."""

    name = "noise"
    says = "coloured salt and pepper on 1 to 10 % of the pixels, at most 5 % where lettering is asked for"
    is_exact = True
    is_drawn = True
    is_default = True
    is_control = False

    def refuse(self, original: Original) -> str:  # noqa: ARG002
        """Return no reason: where lettering is asked for, fewer pixels are drawn."""
        return ""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the share of the pixels, and the seed of their places and colours."""
        most = _MOST_ON_LETTERS if first_reason(original, "lettering") else _MOST
        density = round(float(rng.uniform(_LEAST, most)), 4)
        return {"operation": self.name, "density": density, "seed": int(rng.integers(1 << 32))}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture with the noise, and the pixels that it covers."""
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
    """Give 64 bits a pixel, some rows at a time: numpy keeps these, not its distributions, the same for ever."""
    import numpy as np

    stream, (width, height) = np.random.PCG64(seed), size
    for top in range(0, height, _ROWS):
        rows = min(_ROWS, height - top)
        yield top, stream.random_raw(rows * width).reshape(rows, width)
