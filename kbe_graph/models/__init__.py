"""The room of the models: an OpenAI-style endpoint is asked, its calls are kept, paced and paid for."""

from kbe_graph.models.budget import Budget
from kbe_graph.models.calls import CallStore
from kbe_graph.models.direct import DirectModel
from kbe_graph.models.images import Images
from kbe_graph.models.request import Check, Model, Reply, Request, Usage
from kbe_graph.models.run import run
from kbe_graph.models.settings import Capabilities, ModelBook, ModelSettings
from kbe_graph.models.summary import summary

__all__ = [
    "Budget",
    "CallStore",
    "Capabilities",
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
