"""Release formats: folders for other programs, with a README on how to use them."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.export.release import Release, make_release
from kbe_graph.export.selection import Selection
from kbe_graph.extras import require_extra
from kbe_graph.files.resources import data
from kbe_graph.files.whole import replacing_folder
from kbe_graph.types import Form, ImagesAs

MARK = "release.json"  # marks a folder as written by an export
README = "README.md"

ONE_RIGHT = "one option of a question is right there"

LeftOut = Mapping[str, int]


class ReleaseFormat(NamedTuple):
    """A format: its purpose (for help texts), and the question forms and image modes it supports, the usual mode first.

    ``write`` fills a folder with a release, and returns the number of questions that it cannot hold, by reason, if any.
    ``data/export/NAME.md`` is its README; ``extra`` is the extra it needs, if any. ``most_images`` is the largest
    number of images per question, None for no limit.
    """

    name: str
    about: str
    forms: tuple[Form, ...]
    images: tuple[ImagesAs, ...]
    write: Callable[[Path, Release], LeftOut | None]
    extra: str = ""
    most_images: int | None = None

    def images_as(self, wanted: ImagesAs) -> ImagesAs:
        """Choose the image mode. Raises InputError for one that the format does not support."""
        if wanted and wanted not in self.images:
            raise InputError(f"{self.name} does not support images as {wanted!r}; it supports {', '.join(self.images)}")
        return wanted or self.images[0]

    def require_form(self, form: Form) -> None:
        """Raise InputError for a question form that the format does not support."""
        if form not in self.forms:
            why = f" ({ONE_RIGHT})" if form == "several" else ""
            raise InputError(
                f"{self.name} does not support questions of form {form!r}{why}; it supports {', '.join(self.forms)}"
            )

    def export(self, folder: Path, selection: Selection) -> int:
        """Write a selection as a folder in this format and return the number of questions; raises InputError."""
        self.require_form(selection.form)
        if self.extra:
            require_extra(self.extra)
        release = make_release(selection, self.images_as(selection.images_as), most_images=self.most_images)
        with replacing_folder(folder, MARK) as temporary:
            return self.fill(temporary, release)

    def fill(self, folder: Path, release: Release) -> int:
        """Write a release with its README into an existing folder, and return the number of questions."""
        unsupported = self.write(folder, release) or {}
        release = replace(release, left_out={**release.left_out, **unsupported})
        write_mark(folder, self.name, release)
        template = Template(data(f"export/{self.name}.md").read_text(encoding="utf-8"))
        group = [*release.groups][-1]
        usage = template.substitute(folder=folder.name, name=release.name, group=group, form=release.form)
        with (folder / README).open("a", encoding="utf-8") as stream:  # in some formats it begins with metadata
            stream.write(readme_head(self.name, release) + usage)
        return len(release.items) - sum(unsupported.values())


def write_mark(folder: Path, name: str, release: Release) -> None:
    """Write the file that marks the folder as an export, with the numbers of written and excluded questions."""
    summary = {"format": name, **release.summary()}
    (folder / MARK).write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def readme_head(name: str, release: Release) -> str:
    """Build the beginning of each README: the questions in the folder, and those left out."""
    counts = "\n".join(f"| {group} | {len(items)} |" for group, items in release.groups.items())
    left_out = "".join(f"- {count} questions were left out: {reason}.\n" for reason, count in release.left_out.items())
    return (
        f"# {release.name} for {name}\n\n{release.warning}\n\n"
        f"Questions of run `{release.run}` in the form `{release.form}`. "
        "Group hop0 holds the benchmark's own questions.\n\n"
        f"| group | questions |\n| --- | --- |\n{counts}\n\n"
        f"{_PERTURBED if any(item.operation for item in release.items) else ''}{left_out}\n"
    )


_PERTURBED = (
    "Groups such as hop0_pad hold perturbed questions, which have the same answers as the originals. Redistribute "
    "changed pictures only if the licence of the photo allows it. A JSON lines export with variants contains the "
    "recipes to recreate them.\n\n"
)


def left_out(folder: Path) -> LeftOut:
    """Read the numbers of questions left out of an export's folder, by reason; raises InputError."""
    try:
        summary: LeftOut = json.loads((folder / MARK).read_text(encoding="utf-8"))["left_out"]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"no export at {str(folder)!r} ({error}); name its folder") from None
    return summary
