"""The operations on pictures, by the names that the command line has for them."""

from collections.abc import Mapping

from kbe_graph.perturb.operation import PictureOperation
from kbe_graph.perturb.pictures.invert import Invert
from kbe_graph.perturb.pictures.noise import Noise
from kbe_graph.perturb.pictures.outpaint import Outpaint
from kbe_graph.perturb.pictures.pad import Pad
from kbe_graph.perturb.pictures.re_encode import ReEncode
from kbe_graph.perturb.pictures.remove import Remove
from kbe_graph.perturb.pictures.style import Style

_ALL: tuple[PictureOperation, ...] = (
    ReEncode(),
    Pad(),
    Invert(),
    Noise(),
    Style(),
    Remove(),
    Outpaint(),
)
PICTURE_OPERATIONS: Mapping[str, PictureOperation] = {operation.name: operation for operation in _ALL}
