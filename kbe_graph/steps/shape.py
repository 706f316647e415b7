"""Shapes of questions: how a key subgraph is built from what is seen and known, each told to a model in a text."""

from dataclasses import dataclass

from kbe_graph.files.resources import prompt
from kbe_graph.plugins import Registry

NAMES = ("identify", "fact", "join", "select", "compare", "bridge back")


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape: its name, and the text by which a model drafts it.

    The statement ``answers`` tells the answer set of every shape: ``compares`` says that its answer is the thing whose
    number is first, otherwise what fits all triplets. Another package adds one under the entry point group
    ``kbe_graph.shapes``.
    """

    name: str
    text: str
    compares: bool = False


def shapes() -> Registry[Shape]:
    """List the shapes by name, those of other packages included."""
    own = {name: Shape(name, prompt(f"shapes/{name.replace(' ', '_')}").strip(), name == "compare") for name in NAMES}
    return Registry("shape", "kbe_graph.shapes", own)
