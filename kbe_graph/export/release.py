"""A release: the questions of an export as items; and the formats for other programs, folders with a README."""

import hashlib
import json
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from shlex import quote
from string import Template
from typing import Any, NamedTuple

from kbe_graph.errors import InputError, PictureError
from kbe_graph.export.jsonl import key_record, review_record
from kbe_graph.export.selection import Origin, Picture, PictureFinder, Selection
from kbe_graph.extras import require_extra
from kbe_graph.files.opening import read_text
from kbe_graph.files.resources import data, rows
from kbe_graph.files.whole import files_in, replacing_folder
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.text import id_number, quoted
from kbe_graph.types import RAW, TWIN, Form, ImagesAs, Question, QuestionForm, Review, Sample

PEOPLE = 10  # answers per question in benchmarks of the VQA family
SEVERAL_IMAGES = "several images, of which this format has one"
NO_IMAGE = "no image of it in the workspace's image folders"
# parts of a name by which a harness recognises another benchmark
_TRAPS = re.compile(
    "textvqa|chartqa|ocrvqa|gqa|docvqa|infovqa|mmbench|ccbench|circular|mmcr|mmt|mmsci|mmvp|mmmu|video|openended"
)


@dataclass(frozen=True, slots=True)
class ReleaseItem:
    """A question as released: in the requested form, with its images if they are included.

    ``form`` is the question as asked; a statement has the options True and False. ``operation`` is the perturbation, if
    any; ``origin`` is the origin of its sample, if known.
    """

    sample: Sample
    question: Question
    form: QuestionForm
    pictures: tuple[Picture, ...] = ()
    operation: str = ""
    origin: Origin | None = None

    @property
    def id(self) -> str:
        """The question's id, the same in every format and export."""
        return self.question.id

    @property
    def number(self) -> int:
        """The id as a number, for formats that need one: a raw question's own if numeric, or else a hash."""
        source = self.source_id
        own = self.question.run == RAW and not self.question.parent and re.fullmatch("[0-9]{1,14}", source)
        return int(source) if own else id_number(self.id)

    @property
    def source_id(self) -> str:
        """The id of the sample in the benchmark."""
        return self.sample.id.split("/", 2)[-1]

    @property
    def group(self) -> str:
        """The hop as a name: ``hop0`` for the benchmark's questions, ``hop0_reselected`` for re-selected ones.

        Perturbed questions form separate groups: ``hop0_pad``.
        """
        return _group(self.question) + (f"_{self.operation.replace('+', '_')}" if self.operation else "")

    @property
    def names(self) -> tuple[str, ...]:
        """All right names of the answer, or all right options; the answer first."""
        return tuple(option for option in self.form.options if option in self.form.answers) or self.form.answers

    @property
    def answer(self) -> str:
        """The right answer in the question's form."""
        return self.names[0]

    def people(self, enough: int) -> tuple[str, ...]:
        """List the annotators' answers or, without them, each name as often as full credit requires.

        That is ``enough`` times, or more if the list would have fewer than ten entries.
        """
        if self.question.kind == "raw" and self.form.form == "open" and len(self.sample.answers) > 1:
            return self.sample.answers
        times, more = divmod(max(PEOPLE, enough * len(self.names)), len(self.names))
        return tuple(name for place, name in enumerate(self.names) for _ in range(times + (place < more)))

    @property
    def licence(self) -> str:
        """The licences of the knowledge sources on the key path, without the benchmark's."""
        names = licences()
        sources = dict.fromkeys(triplet.source for triplet in self.question.key)
        return "; ".join(f"{source}: {names[source]}" for source in sources if source in names)

    @property
    def key(self) -> list[dict[str, str]]:
        """The key path from IMAGE to the answer, each triplet with its source."""
        return [key_record(triplet) for triplet in self.question.key]

    def metadata(self) -> dict[str, Any]:
        """Build the fields besides text and answer, for a format's metadata columns."""
        several = {"more_image_names": list(self.sample.more_images)} if self.sample.more_images else {}
        origin = {"origin": json.dumps(self.origin, ensure_ascii=False)} if self.origin else {}
        shaped = {"shape": self.question.shape, "depth": self.question.difficulty} if self.question.shape else {}
        return {
            "sample": self.sample.id,
            "source_id": self.source_id,
            "benchmark": self.sample.benchmark,
            "benchmark_split": self.sample.split,
            "hop": self.question.hop,
            "group": self.group,
            "kind": self.question.kind,
            "run": self.question.run,
            "parent": self.question.parent,
            "image_name": self.sample.image,
            "form": self.form.form,
            "licence": self.licence,
            **several,
            **origin,
            **shaped,
        }


TRUTHS = ("True", "False")
LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


@dataclass(frozen=True, slots=True)
class Release:
    """The items of an export in order, with the facts about the release.

    ``name`` is suitable for file and task names. ``canary`` is a GUID derived from the run and its content.
    ``left_out`` counts the excluded questions by reason. ``guesses`` are the answers of the ``guesser`` without the
    image, to these and other questions of the run, and ``reviews`` the decisions of reviewers, both by question id.
    ``statements`` are those of the owner.
    """

    name: str
    run: str
    form: Form
    items: Sequence[ReleaseItem]
    canary: str
    images_as: ImagesAs = ""
    left_out: Mapping[str, int] = field(default_factory=dict)
    guesses: Mapping[str, Sequence[StoredGuess]] = field(default_factory=dict)
    guesser: str = ""
    reviews: Mapping[str, Sequence[Review]] = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)

    @property
    def warning(self) -> str:
        """The canary sentence that each file contains."""
        return (
            "This is benchmark data for evaluation only; do not train models on it. "
            f"To detect it in training data, search for this canary: kbe-graph canary GUID {self.canary}"
        )

    @property
    def has_several_images(self) -> bool:
        """Whether any question is about more than one image."""
        return any(item.sample.more_images for item in self.items)

    @property
    def more_columns(self) -> dict[str, str]:
        """The columns of tables, with their types, that only some releases have."""
        origin = {"origin": "string"} if any(item.origin for item in self.items) else {}
        shaped = {"shape": "string", "depth": "int64"} if any(item.question.shape for item in self.items) else {}
        return ({"more_image_names": "list"} if self.has_several_images else {}) | origin | shaped

    @property
    def groups(self) -> Mapping[str, Sequence[ReleaseItem]]:
        """The items by hop, with the names from ``ReleaseItem.group``, in order."""
        items = defaultdict(list)
        for item in self.items:
            items[item.group].append(item)
        return dict(sorted(items.items()))

    def with_images(self, most: int | None) -> "Release":
        """Leave out, and count, the questions about more than ``most`` images (None: no limit)."""
        items = [item for item in self.items if most is None or len(item.sample.images) <= most]
        several = {SEVERAL_IMAGES: len(self.items) - len(items)} if len(items) < len(self.items) else {}
        return replace(self, items=items, left_out={**self.left_out, **several})

    def require_items(self) -> None:
        """Raise InputError if no question is left."""
        if not self.items and not self.left_out:
            raise InputError("no question to export; load a benchmark (`kbe load`), and evolve it")
        if not self.items:
            reasons = ", ".join(f"left out {count}: {reason}" for reason, count in self.left_out.items())
            raise InputError(
                f"no question to export ({reasons}); load again with the pictures' folder (`images`), export with "
                "`images_as` none or in another `form`, or take back the decision (`review`) or erratum, if it was one"
            )

    def require_numbers(self) -> None:
        """Raise InputError if two items have the same number."""
        counts = Counter(item.number for item in self.items)
        if twice := [item for item in self.items if counts[item.number] > 1]:
            first = twice[0]
            other = next(item for item in twice[1:] if item.number == first.number)
            same = first.sample.benchmark == other.sample.benchmark
            remedy = "load its splits into two workspaces" if same else "export one of them (`benchmark`)"
            raise InputError(f"{first.id!r} and {other.id!r} have the same number; {remedy}")

    def summary(self) -> dict[str, Any]:
        """Build the content of the file ``release.json``."""
        guesses = [guess for own in self.guesses.values() for guess in own]
        asked = Counter(map(_group, guesses))
        right = Counter(_group(guess) for guess in guesses if guess.right)
        records = {item.id: review_record(item.id, self.reviews.get(item.id, ())) for item in self.items}
        reviewed = {id_: record for id_, record in records.items() if record}
        named = {group: {"asked": asked[group], "right": right[group]} for group in self.groups} if guesses else {}
        return {
            "name": self.name,
            "canary": self.canary,
            "run": self.run,
            "form": self.form,
            "questions": {group: len(items) for group, items in self.groups.items()},
            "wordings": {item.id: item.question.text for item in self.items if not item.operation},
            "left_out": dict(self.left_out),
            "images": self.images_as,
            **({"reviewed": reviewed} if reviewed else {}),
            **({NAMED: named, "guesser": self.guesser} if named else {}),
        }


def _group(of: Question | StoredGuess) -> str:
    return {"reselected": "hop0_reselected", TWIN: TWIN}.get(of.kind, f"hop{of.hop}")


def make_release(selection: Selection, images_as: ImagesAs) -> Release:
    """Build the release of a selection. Raises InputError if no question is left.

    Questions without the requested form, or with a missing or unreadable image are left out and counted.
    """
    left_out = Counter(selection.left_out)
    items = list(_items(selection, images_as, left_out))
    run = next((item.question.run for item in items if item.question.run != RAW), RAW)
    canary = _canary(run, items)
    release = Release(
        _name(run, canary),
        run,
        selection.form,
        items,
        canary,
        images_as,
        dict(left_out),
        selection.guesses,
        selection.guesser,
        selection.reviews,
        selection.statements,
    )
    release.require_items()
    return release


def _items(selection: Selection, images_as: ImagesAs, left_out: Counter[str]) -> Iterator[ReleaseItem]:
    finder = PictureFinder(selection.folders)
    unreadable: list[str] = []
    for sample, question in selection:
        form = selection.forms.get(question.id)
        try:
            pictures = () if images_as == "none" else finder.find(sample)
        except PictureError:
            unreadable.append(", ".join(sample.images))
            continue
        if selection.form != "open" and form is None:
            left_out[f"no form {selection.form!r}"] += 1
        elif images_as != "none" and not pictures:
            left_out[NO_IMAGE] += 1
        else:
            variant = selection.variants.get(question.id)
            operation, origin = variant.operation if variant else "", selection.origins.get(sample.id)
            yield ReleaseItem(sample, question, _as_asked(question, form), pictures, operation, origin)
    if unreadable:
        left_out[f"an image that cannot be read: {quoted(dict.fromkeys(unreadable), 3)}"] = len(unreadable)


def _as_asked(question: Question, form: QuestionForm | None) -> QuestionForm:
    if form is None:
        names = tuple(dict.fromkeys((question.answer, *question.aliases)))
        return QuestionForm(question.id, "open", question.text, answers=names)
    if form.form == "true-false":
        return replace(form, options=TRUTHS, answers=(form.answers[0].capitalize(),))
    return form


def _canary(run: str, items: Sequence[ReleaseItem]) -> str:
    content = hashlib.sha256(run.encode())
    for item in items:
        for part in (item.id, item.form.text, *item.form.options, *item.names):
            content.update(part.encode(errors="surrogatepass") + b"\0")
    return str(uuid.uuid5(uuid.NAMESPACE_URL, content.hexdigest()))


def _name(run: str, canary: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", run.lower()).strip("_")[:40]
    return f"kbe_{canary[:8]}" if not name or _TRAPS.search(name) else f"kbe_{name}"


@cache
def licences() -> Mapping[str, str]:
    """Load the licence of each knowledge source."""
    return dict(fields for _, fields in rows(data("export/licences.tsv"), ("source", "licence")))


MARK = "release.json"  # marks a folder as written by an export
README = "README.md"

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
            why = " (one option of a question is right there)" if form == "several" else ""
            raise InputError(
                f"{self.name} does not support questions of form {form!r}{why}; it supports {', '.join(self.forms)}"
            )

    def export(self, folder: Path, selection: Selection) -> int:
        """Write a selection as a folder in this format and return the number of questions; raises InputError."""
        self.require_form(selection.form)
        if self.extra:
            require_extra(self.extra)
        release = make_release(selection, self.images_as(selection.images_as)).with_images(self.most_images)
        release.require_items()
        with replacing_folder(folder, MARK, replace=selection.replace) as temporary:
            return self.fill(temporary, release)

    def fill(self, folder: Path, release: Release) -> int:
        """Write a release with its README into an existing folder, and return the number of questions."""
        unsupported = self.write(folder, release) or {}
        release = replace(release, left_out={**release.left_out, **unsupported})
        write_mark(folder, self.name, release)
        template = Template(data(f"export/{self.name}.md").read_text(encoding="utf-8"))
        group = [*release.groups][-1]
        run = "" if release.run == RAW else f" --run {quote(release.run)}"
        usage = template.substitute(folder=folder.name, name=release.name, group=group, form=release.form, run=run)
        with (folder / README).open("a", encoding="utf-8") as stream:  # in some formats it begins with metadata
            stream.write(readme_head(self.name, release) + usage)
        return len(release.items) - sum(unsupported.values())


def write_mark(folder: Path, name: str, release: Release) -> None:
    """Write the file that marks the folder as an export: its files, and the numbers of questions and of those left out.

    It is written last but for the README.
    """
    files = sorted({*files_in(folder), README})
    summary = {"format": name, **release.summary(), "files": files}
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
        summary: LeftOut = json.loads(read_text(folder / MARK))["left_out"]
    except (OSError, ValueError, KeyError) as error:
        raise InputError(f"no export at {str(folder)!r} ({error}); name its folder") from None
    return summary
