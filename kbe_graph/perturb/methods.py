"""Operations by name: alone, joined by ``+``, or as a method of the papers puts them together."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.perturb.operation import PictureOperation, TextOperation
from kbe_graph.perturb.registry import PICTURE_OPERATIONS, TEXT_OPERATIONS

CONTROL = "re-encode"
"""The operation that changes nothing which can be seen: by it the others are measured."""
BY_MODEL = ("add", "expand")
"""Operations on pictures that only a model makes."""
FORM = "form"
"""Stands for the other forms of a question, which have a gold answer of their own."""
METHODS: Mapping[str, str] = {
    "mdk12": "pad+invert+noise+style",
    "mdk12-text": "substitute+paraphrase",
    "vlb-v1": "add",
    "vlb-v2": "remove",
    "vlb-v3": "expand",
    "vlb-l1": "substitute",
    "vlb-l2": "paraphrase",
    "vlb-l3": "context-relevant",
    "vlb-l4": "context-irrelevant",
}
"""What MDK12-Bench (Dynamic-K) and VLB do to pictures and words, by the operations of here."""


class Composition(NamedTuple):
    """Operations that make one variant, in the order in which they are done, pictures first; ``name`` is as asked."""

    name: str
    pictures: tuple[PictureOperation, ...] = ()
    texts: tuple[TextOperation, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether a seed decides anything."""
        return any(each.is_drawn for each in self.pictures) or any(each.is_drawn for each in self.texts)


def read_compositions(
    names: Sequence[str], pictures: Mapping[str, PictureOperation], texts: Mapping[str, TextOperation]
) -> list[Composition]:
    """Return the compositions that the names stand for, each once: ``pad``, ``pad+lead-in``, ``mdk12``.

    Raises InputError for a name that is none, and for an operation that a name has twice.

    >>> [composition.name for composition in read_compositions(["pad+noise"], PICTURE_OPERATIONS, {})]
    ['pad+noise']
    """
    check_names(names, pictures, texts)
    return [_read(name, pictures, texts) for name in dict.fromkeys(names)]


def check_names(names: Sequence[str], pictures: Collection[str], texts: Collection[str]) -> None:
    """Raise InputError for a name that stands for no operation among these, or for one twice."""
    for name in names:
        _check(name, pictures, texts)


def operation_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names of all operations that these names stand for.

    >>> sorted(operation_names(["mdk12-text", "pad"]))
    ['pad', 'paraphrase', 'substitute']
    """
    return frozenset(operation for name in names for operation in _parts(name))


def methods_within(names: Collection[str]) -> tuple[str, ...]:
    """Return the methods all of whose operations are among these.

    >>> methods_within(["substitute", "paraphrase"])
    ('mdk12-text', 'vlb-l1', 'vlb-l2')
    """
    return tuple(method for method in METHODS if operation_names([method]) <= set(names))


def is_operation(name: str) -> bool:
    """Return True if a name can stand for operations, done by rule or by a model.

    >>> is_operation("pad+lead-in"), is_operation("blnd")
    (True, False)
    """
    return operation_names([name]) <= {*PICTURE_OPERATIONS, *BY_MODEL, *TEXT_OPERATIONS}


def _parts(name: str) -> list[str]:
    return [operation for part in name.split("+") for operation in METHODS.get(part, part).split("+")]


def _check(name: str, pictures: Collection[str], texts: Collection[str]) -> None:
    parts = _parts(name)
    for part in parts:
        if part in BY_MODEL and part not in pictures:
            raise InputError(f"operation {part!r} needs a model; name one, or leave the operation out")
        if part not in pictures and part not in texts:
            every = ", ".join([*dict.fromkeys((*pictures, *BY_MODEL, *texts, *METHODS))])
            raise InputError(f"no operation {part!r}; choose from {every}; join several with '+', as in pad+noise")
    if len(set(parts)) < len(parts):
        raise InputError(f"{name!r} repeats an operation; name each once")


def _read(name: str, pictures: Mapping[str, PictureOperation], texts: Mapping[str, TextOperation]) -> Composition:
    parts = _parts(name)
    return Composition(
        name,
        tuple(pictures[part] for part in parts if part in pictures),
        tuple(texts[part] for part in parts if part in texts),
    )
