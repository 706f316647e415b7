"""Operations by name: single, joined by ``+``, or as combined by the methods of the papers."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.perturb.operation import TextOperation
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS, PictureOperation
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS

CONTROL = "re-encode"
"""The operation without visible change, the baseline of the others."""
BY_MODEL = ("add", "remove", "expand")
"""Picture operations that require a model."""
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
"""The methods of MDK12-Bench (Dynamic-K) and VLB, expressed by the operations of this package."""


class Composition(NamedTuple):
    """Operations that make one variant, in order of execution, pictures first; ``name`` is the requested name."""

    name: str
    pictures: tuple[PictureOperation, ...] = ()
    texts: tuple[TextOperation, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether the result depends on the seed."""
        return any(each.is_drawn for each in self.pictures) or any(each.is_drawn for each in self.texts)


def read_compositions(
    names: Sequence[str], pictures: Mapping[str, PictureOperation], texts: Mapping[str, TextOperation]
) -> list[Composition]:
    """Parse names such as ``pad``, ``pad+lead-in`` or ``mdk12`` to distinct compositions.

    Raises InputError for an unknown name, and for an operation that occurs twice in a name.

    >>> [composition.name for composition in read_compositions(["pad+noise"], PICTURE_OPERATIONS, {})]
    ['pad+noise']
    """
    check_names(names, pictures, texts)
    return [_read(name, pictures, texts) for name in dict.fromkeys(names)]


def check_names(names: Sequence[str], pictures: Collection[str], texts: Collection[str]) -> None:
    """Raise InputError for a name with an unknown or repeated operation."""
    for name in names:
        _check(name, pictures, texts)


def operation_names(names: Sequence[str]) -> frozenset[str]:
    """Return the names of all operations in ``names``, with methods resolved.

    >>> sorted(operation_names(["mdk12-text", "pad"]))
    ['pad', 'paraphrase', 'substitute']
    """
    return frozenset(operation for name in names for operation in _parts(name))


def methods_within(names: Collection[str]) -> tuple[str, ...]:
    """Return the methods whose operations are all in ``names``.

    >>> methods_within(["substitute", "paraphrase"])
    ('mdk12-text', 'vlb-l1', 'vlb-l2')
    """
    return tuple(method for method in METHODS if operation_names([method]) <= set(names))


def is_operation(name: str) -> bool:
    """Return True if a name denotes known operations, rule-based or by a model.

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
