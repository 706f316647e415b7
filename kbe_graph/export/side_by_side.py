"""All formats in one folder, one beside the other."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kbe_graph.export.release import make_release
from kbe_graph.export.release_format import MARK, README, ReleaseFormat, readme_head, write_mark
from kbe_graph.export.selection import Selection
from kbe_graph.extras import has_extra
from kbe_graph.files.whole_folder import replacing_folder


def write_all(formats: Sequence[ReleaseFormat], folder: Path, selection: Selection) -> int:
    """Write a folder a format, and return the number of questions of the release; raises InputError.

    Formats without such a form of question are left out, and those whose extra is missing, which a warning says. Images
    go along as wanted where a format can, else as usual in it. README.md tells all of it.
    """
    release = make_release(selection, selection.images_as)
    wanted, lines = selection.images_as, []
    with replacing_folder(folder, MARK) as temporary:
        for release_format in formats:
            name = release_format.name
            if selection.form not in release_format.forms:
                lines.append(f"- {name}: not written, it has no questions of form {selection.form!r}.")
                continue
            if release_format.extra and not has_extra(release_format.extra):
                lines.append(f"- {name}: not written, it needs the extra {release_format.extra!r}.")
                continue
            images_as = release_format.images_as(wanted if wanted in release_format.images else "")
            (temporary / name).mkdir()
            count = release_format.fill(temporary / name, replace(release, images_as=images_as))
            lines.append(f"- [{name}]({name}/README.md): {count} questions, images: {images_as}.")
        write_mark(temporary, "all", release)
        (temporary / README).write_text(readme_head("all", release) + "\n".join(lines) + "\n", encoding="utf-8")
    return len(release.items)
