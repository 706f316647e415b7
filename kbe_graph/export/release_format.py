"""What a release is written as: a folder in a format of another program, with a README that says how to use it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.export.picture import ImagesAs
from kbe_graph.export.release import Release, make_release
from kbe_graph.export.selection import Selection
from kbe_graph.extras import require_extra
from kbe_graph.files.resources import data
from kbe_graph.files.whole_folder import replacing_folder
from kbe_graph.types import Form

MARK = "release.json"  # what tells a folder that an export wrote
README = "README.md"

ONE_RIGHT = "one option of a question is right there"

LeftOut = Mapping[str, int]


class ReleaseFormat(NamedTuple):
    """A format: what it is for (help texts), the forms and the ways of images it can say, the usual way first.

    ``write`` fills a folder with a release, and returns by reason how many questions the format cannot say.
    ``data/export/NAME.md`` is its README; ``extra`` names the extra that it needs, if any.
    """

    name: str
    about: str
    forms: tuple[Form, ...]
    images: tuple[ImagesAs, ...]
    write: Callable[[Path, Release], LeftOut]
    extra: str = ""

    def images_as(self, wanted: ImagesAs) -> ImagesAs:
        """Return how images go along; raises InputError where the format cannot say it so."""
        if wanted and wanted not in self.images:
            raise InputError(f"{self.name} cannot have images as {wanted!r}; it takes {', '.join(self.images)}")
        return wanted or self.images[0]

    def require_form(self, form: Form) -> None:
        """Raise InputError where the format has no such form of question."""
        if form not in self.forms:
            why = f" ({ONE_RIGHT})" if form == "several" else ""
            raise InputError(f"{self.name} has no questions of form {form!r}{why}; it takes {', '.join(self.forms)}")

    def export(self, folder: Path, selection: Selection) -> int:
        """Write a selection as a folder of this format and return the number of questions; raises InputError."""
        self.require_form(selection.form)
        if self.extra:
            require_extra(self.extra)
        release = make_release(selection, self.images_as(selection.images_as))
        with replacing_folder(folder, MARK) as temporary:
            return self.fill(temporary, release)

    def fill(self, folder: Path, release: Release) -> int:
        """Write a release into a folder that is there, with README, and return the number of questions."""
        unsaid = self.write(folder, release)
        release = replace(release, left_out={**release.left_out, **unsaid})
        write_mark(folder, self.name, release)
        with (folder / README).open("a", encoding="utf-8") as stream:  # some formats begin theirs with settings
            stream.write(readme_head(self.name, release))
            stream.write(_template(self.name).substitute(folder=folder.name, name=release.name, **_example(release)))
        return len(release.items) - sum(unsaid.values())


def _template(name: str) -> Template:
    return Template(data(f"export/{name}.md").read_text(encoding="utf-8"))


def _example(release: Release) -> dict[str, str]:
    return {"group": [*release.groups][-1], "form": release.form}


def write_mark(folder: Path, name: str, release: Release) -> None:
    """Write what tells the folder as an export of this format, with what came along and what did not."""
    summary = {"format": name, **release.summary()}
    (folder / MARK).write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def readme_head(name: str, release: Release) -> str:
    """Return how each README begins: what is in the folder, and what is not."""
    counts = "\n".join(f"| {group} | {len(items)} |" for group, items in release.groups.items())
    left_out = "".join(f"- {count} questions were left out: {reason}.\n" for reason, count in release.left_out.items())
    return (
        f"# {release.name} for {name}\n\n{release.warning}\n\n"
        f"Questions of the run `{release.run}`, in the form `{release.form}`; hop0 are the benchmark's own.\n\n"
        f"| group | questions |\n| --- | --- |\n{counts}\n\n{left_out}\n"
    )


def left_out(folder: Path) -> LeftOut:
    """Return by reason how many questions did not come into an export's folder; raises InputError."""
    try:
        summary: LeftOut = json.loads((folder / MARK).read_text(encoding="utf-8"))["left_out"]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"no export at {str(folder)!r} ({error}); name its folder") from None
    return summary
