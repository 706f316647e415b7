"""The operations on words by their names: a line each."""

from collections.abc import Mapping

from kbe_graph.perturb.operation import TextOperation
from kbe_graph.perturb.words.context import IrrelevantContext, RelevantContext
from kbe_graph.perturb.words.lead_in import LeadIn
from kbe_graph.perturb.words.rephrase import ParaphraseByRule
from kbe_graph.perturb.words.substitute import Substitute

_OPERATIONS: tuple[TextOperation, ...] = (
    Substitute(),
    ParaphraseByRule(),
    LeadIn(),
    RelevantContext(),
    IrrelevantContext(),
)

TEXT_OPERATIONS: Mapping[str, TextOperation] = {operation.name: operation for operation in _OPERATIONS}
"""Each operation on words, in the order in which joined ones are best done: a context last."""
