"""The formats that questions are written in: ours, those of other programs, and those of plug-ins."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.export.aokvqa_file import AOKVQA_FILE
from kbe_graph.export.evalscope_files import EVALSCOPE
from kbe_graph.export.hugging_face import HUGGINGFACE
from kbe_graph.export.inspect_files import INSPECT
from kbe_graph.export.jsonl import write_jsonl
from kbe_graph.export.label_studio import LABEL_STUDIO
from kbe_graph.export.lmms_tasks import LMMS_EVAL
from kbe_graph.export.selection import Selection
from kbe_graph.export.side_by_side import write_all
from kbe_graph.export.vlmevalkit_table import VLMEVALKIT_TSV
from kbe_graph.export.vqa_files import OKVQA_FILES
from kbe_graph.plugins import registry
from kbe_graph.types import Form


class Export(NamedTuple):
    """A format: what it holds (for help texts), and what writes it and returns its number of questions.

    ``is_folder`` tells that a folder is written; it holds kept questions alone, with their images. ``require_form``
    raises InputError for a form of question that the format does not have.
    """

    about: str
    write: Callable[[Path, Selection], int]
    is_folder: bool = False
    require_form: Callable[[Form], None] = lambda _: None


RELEASE_FORMATS = (
    VLMEVALKIT_TSV,
    LMMS_EVAL,
    INSPECT,
    HUGGINGFACE,
    OKVQA_FILES,
    AOKVQA_FILE,
    EVALSCOPE,
    LABEL_STUDIO,
)
"""The formats of other programs."""

EXPORTS: Mapping[str, Export] = {
    "jsonl": Export("Write one JSON line a question to FILE, the raw questions (hop 0) first.", write_jsonl),
    **{
        form.name: Export(form.about, form.export, is_folder=True, require_form=form.require_form)
        for form in RELEASE_FORMATS
    },
    "all": Export(
        "Write a folder of each of these, side by side.", partial(write_all, RELEASE_FORMATS), is_folder=True
    ),
}
"""Our own formats by name."""


def exports() -> Mapping[str, Export]:
    """Return all formats by name, those of plug-ins (``kbe_graph.exports``) among them."""
    return registry("kbe_graph.exports", EXPORTS)


def export_of(name: str) -> Export:
    """Return the format of this name; raises InputError."""
    rows = exports()
    if name not in rows:
        raise InputError(f"no export {name!r}; there are {', '.join(rows)}")
    return rows[name]
