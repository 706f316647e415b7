"""The export formats: the package's own, those for other programs, and those of plug-ins."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from kbe_graph.export.harness_formats import AOKVQA_FILE, EVALSCOPE, INSPECT, LABEL_STUDIO, OKVQA_FILES, VLMEVALKIT_TSV
from kbe_graph.export.hugging_face import HUGGINGFACE, LMMS_EVAL
from kbe_graph.export.jsonl import is_export, write_jsonl
from kbe_graph.export.naturalbench import NATURALBENCH
from kbe_graph.export.release import MARK, README, SEVERAL_IMAGES, ReleaseFormat, make_release, readme_head, write_mark
from kbe_graph.export.selection import Selection
from kbe_graph.extras import has_extra
from kbe_graph.files.whole import replacing_folder
from kbe_graph.plugins import Registry
from kbe_graph.types import Form


class Export(NamedTuple):
    """A format: its description (for help texts), and its writer, which returns the number of questions.

    ``is_folder`` marks formats that write a folder; it holds only kept questions, with their images. ``require_form``
    raises InputError for a question form that the format does not support. ``is_own`` knows a file of the format by how
    it begins; others are only replaced if the user says so.
    """

    about: str
    write: Callable[[Path, Selection], int]
    is_folder: bool = False
    require_form: Callable[[Form], None] = lambda _: None
    is_own: Callable[[str], bool] = lambda _: False


RELEASE_FORMATS = (
    VLMEVALKIT_TSV,
    LMMS_EVAL,
    INSPECT,
    HUGGINGFACE,
    OKVQA_FILES,
    AOKVQA_FILE,
    EVALSCOPE,
    LABEL_STUDIO,
    NATURALBENCH,
)
"""The formats for other programs."""


def write_all(formats: Sequence[ReleaseFormat], folder: Path, selection: Selection) -> int:
    """Write a folder for each format, and return the number of questions of the release; raises InputError.

    Formats without this question form are skipped, and those with a missing extra too, with a warning. Images are
    stored as requested if the format allows it, otherwise in its usual way. README.md lists the result.
    """
    release, lines, limited = make_release(selection, selection.images_as), [], Counter[str]()
    with replacing_folder(folder, MARK, replace=selection.replace) as temporary:
        for each in formats:
            reason = "" if selection.form in each.forms else f"does not support questions of form {selection.form!r}"
            if not reason and each.extra and not has_extra(each.extra):
                reason = f"needs the extra {each.extra!r}"
            own = release.with_images(each.most_images)
            if not reason and (several := len(release.items) - len(own.items)):
                limited[f"{each.name}: {SEVERAL_IMAGES}"] = several
            if not (reason or own.items):
                reason = "allows one image per question"
            if reason:
                lines.append(f"- {each.name}: not written, because it {reason}.")
                continue
            images_as = each.images_as(selection.images_as if selection.images_as in each.images else "")
            (temporary / each.name).mkdir()
            count = each.fill(temporary / each.name, replace(own, images_as=images_as))
            lines.append(f"- [{each.name}]({each.name}/README.md): {count} questions, images: {images_as}.")
        whole = replace(release, left_out={**release.left_out, **limited})
        write_mark(temporary, "all", whole)
        (temporary / README).write_text(readme_head("all", whole) + "\n".join(lines) + "\n", encoding="utf-8")
    return len(release.items)


EXPORTS: Registry[Export] = Registry(
    "export format",
    "kbe_graph.exports",
    {
        "jsonl": Export(
            "Write one JSON line per question to FILE, raw questions (hop 0) first.", write_jsonl, is_own=is_export
        ),
        **{
            form.name: Export(form.about, form.export, is_folder=True, require_form=form.require_form)
            for form in RELEASE_FORMATS
        },
        "all": Export(
            "Write a folder with all of these formats, each in a subfolder.",
            partial(write_all, RELEASE_FORMATS),
            is_folder=True,
        ),
    },
)
