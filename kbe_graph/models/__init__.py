"""Client for OpenAI-style endpoints: call cache, rate limits, retries and cost accounting."""

from kbe_graph.models.call_store import CallStore, summary
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.cost import Budget
from kbe_graph.models.direct_model import DirectModel
from kbe_graph.models.images import Images
from kbe_graph.models.loop import run
from kbe_graph.models.request import Check, Model, Reply, Request
from kbe_graph.models.settings import ModelBook, ModelSettings

__all__ = [
    "Budget",
    "CallStore",
    "Check",
    "DirectModel",
    "Images",
    "Model",
    "ModelBook",
    "ModelSettings",
    "Reply",
    "Request",
    "Usage",
    "run",
    "summary",
]
