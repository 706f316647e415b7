"""Coloured salt-and-pepper noise (MDK12-Bench)."""

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
_ROWS = 256  # per block, which limits the memory for large pictures


class Noise:
    """Bright and dark pixels of random colours over a share of the picture."""

    name = "noise"
    says = "coloured salt and pepper on 1 to 10 % of the pixels, at most 5 % where lettering is asked for"
    is_exact = True
    is_drawn = True
    is_default = True
    is_control = False

    def refuse(self, original: Original) -> str:  # noqa: ARG002
        """Return no reason; if lettering is asked for, fewer pixels are drawn instead."""
        return ""

    def draw(self, original: Original, picture: "Image.Image", rng: "np.random.Generator") -> Step:  # noqa: ARG002
        """Draw the share of pixels, and the seed of their positions and colours."""
        most = _MOST_ON_LETTERS if first_reason(original, "lettering") else _MOST
        density = round(float(rng.uniform(_LEAST, most)), 4)
        return {"operation": self.name, "density": density, "seed": int(rng.integers(1 << 32))}

    def apply(self, picture: "Image.Image", step: Step) -> Edited:
        """Return the picture with the noise, and the pixels it covers."""
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
