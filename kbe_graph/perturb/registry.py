"""The picture and text operations by their command-line names."""

from collections.abc import Mapping

from kbe_graph.perturb.operation import PictureOperation, TextOperation
from kbe_graph.perturb.pictures.invert import Invert
from kbe_graph.perturb.pictures.noise import Noise
from kbe_graph.perturb.pictures.outpaint import Outpaint
from kbe_graph.perturb.pictures.pad import Pad
from kbe_graph.perturb.pictures.re_encode import ReEncode
from kbe_graph.perturb.pictures.remove import Remove
from kbe_graph.perturb.pictures.style import Style
from kbe_graph.perturb.words.context import IrrelevantContext, RelevantContext
from kbe_graph.perturb.words.lead_in import LeadIn
from kbe_graph.perturb.words.rephrase import ParaphraseByRule
from kbe_graph.perturb.words.substitute import Substitute

_PICTURES: tuple[PictureOperation, ...] = (
    ReEncode(),
    Pad(),
    Invert(),
    Noise(),
    Style(),
    Remove(),
    Outpaint(),
)
PICTURE_OPERATIONS: Mapping[str, PictureOperation] = {operation.name: operation for operation in _PICTURES}
_TEXTS: tuple[TextOperation, ...] = (
    Substitute(),
    ParaphraseByRule(),
    LeadIn(),
    RelevantContext(),
    IrrelevantContext(),
)

TEXT_OPERATIONS: Mapping[str, TextOperation] = {operation.name: operation for operation in _TEXTS}
"""Text operations in the best order for joining them, with contexts last."""
