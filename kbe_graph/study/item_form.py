"""The form on which people judge items: its content, its HTML file, and the answers read back from downloads."""

import base64
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from kbe_graph.errors import PictureError
from kbe_graph.files.image import ImageFolders
from kbe_graph.files.json_files import AS_TEXTS
from kbe_graph.files.opening import first_bytes, first_line
from kbe_graph.files.record import Record
from kbe_graph.files.records import section_source
from kbe_graph.files.whole import replacing
from kbe_graph.models.images import Encoding, Images
from kbe_graph.types import Sample, Triplet
from kbe_graph.types.graph import UNSOURCED
from kbe_graph.web.pages import page_style, page_templates

PACKAGE = "kbe_graph.study"
PICTURE = Encoding(side=640, quality=75)
LONGEST = 86_400.0  # seconds on an item
USUAL = 60.0  # seconds on an item, assumed before anybody has answered


class FormPicture(NamedTuple):
    """A picture of an item: its address, and that of the full size, empty if the picture is embedded in the file."""

    source: str
    full: str = ""


class FormOption(NamedTuple):
    """An answer option: its letter and text, whether it is right, and the flag on it."""

    letter: str
    text: str
    right: bool
    flag: str = ""


ORIGINS = {
    "scene graph": "annotated in the picture",
    "caption": "stated in the caption",
    "detection": "detected in the picture",
    "presupposed": "presupposed by the question",
    "question": "from a raw question and its answer",
    UNSOURCED: "no source: check it yourself",
}
"""Descriptions of the triplet sources whose names are not self-explanatory."""
ADDRESSES = {
    r"https?://\S+": r"\g<0>",
    r"geonames:(\d+)": r"https://www.geonames.org/\1",
    r"ncbi:(\d+)": r"https://www.ncbi.nlm.nih.gov/datasets/taxonomy/\1/",
    r"(Q\d+)(?:[$-].*)?": r"https://www.wikidata.org/wiki/\1",
}
"""URL templates for references into sources, keyed by the pattern of the reference."""


class FormStep(NamedTuple):
    """A triplet of a key path in words, with its source."""

    id: str
    subject: str
    relation: str
    object: str
    graph: str
    source: str = ""
    source_ref: str = ""
    evidence: str = ""
    unsourced: bool = False

    def __str__(self) -> str:
        """Return the triplet in words."""
        return f"({self.subject}, {self.relation}, {self.object})"

    @property
    def origin(self) -> str:
        """The source in plain words."""
        return ", ".join(ORIGINS.get(each, each) for each in self.source.split(", "))

    @property
    def address(self) -> str:
        """The URL at which the fact can be looked up, empty for a source without one."""
        match = next(filter(None, (re.fullmatch(place, self.source_ref) for place in ADDRESSES)), None)
        return match.expand(ADDRESSES[match.re.pattern]) if match else ""


class FormQuestion(NamedTuple):
    """A question of an item; ``words`` is its text in parts, each flagged if new."""

    words: Sequence[tuple[str, bool]]
    answer: str
    aliases: Sequence[str] = ()
    options: Sequence[FormOption] = ()
    path: Sequence[FormStep] = ()

    @property
    def text(self) -> str:
        """The whole text."""
        return " ".join(words for words, _ in self.words)


class FormChain(NamedTuple):
    """The chain that leads to a question: its text in parts, each flagged if new, and the ids of ``new`` triplets.

    ``earlier`` are the previous questions (row, text, answer), ``lines`` models' statements on it.
    """

    words: Sequence[tuple[str, bool]] = ()
    new: frozenset[str] = frozenset()
    earlier: Sequence[tuple[str, str, str]] = ()
    lines: Sequence[str] = ()


class ItemForm(NamedTuple):
    """An item to judge: its content, and what is ``asked`` by column, to be answered with one of ``words``.

    ``helps`` explains some of the columns. ``decides`` asks for a verdict too. ``blind`` asks for the answer before the
    key is shown; ``pick`` is that answer. ``opinions`` are the words given so far. ``missing`` names the images for
    items without pictures. ``signs`` are signs of doubt: like models' statements, they are collapsed until the item is
    ``decided``.
    """

    id: str
    questions: Sequence[FormQuestion]
    asked: Mapping[str, str]
    words: Sequence[str]
    pictures: Sequence[FormPicture] = ()
    missing: str = ""
    version: str = ""
    decides: bool = False
    blind: bool = False
    pick: str = ""
    remark: tuple[str, str] = ("note", "Note (if something is wrong)")
    chain: FormChain = FormChain()
    helps: Mapping[str, str] = {}
    decided: bool = False
    signs: Sequence[str] = ()
    opinions: Mapping[str, str] = {}
    reason: str = ""


KEYS = {
    "a": "approve and go to the next question",
    "x": "reject",
    "r": "revise the question, answer, other right answers or options",
    "Ctrl Enter": "save the revision",
    "1 … 7": "set a criterion to yes, no, unsure or empty",
    "y": "set all empty criteria to yes",
    "w": "write the reason",
    "f": "go to the next option's flag; Space changes it",
    "u": "undo my last decision",
    "n p": "next, previous question",
    "?": "show these shortcuts",
    "Esc": "leave a field, or cancel the revision",
}
"""The keyboard shortcuts of a form with verdicts."""


class FormFile(NamedTuple):
    """Forms in one file: ``kind`` is study or review, ``name`` identifies the file's content.

    ``about`` is the instruction, ``source`` the origin of the questions.
    """

    kind: str
    name: str
    title: str
    about: str
    forms: Sequence[ItemForm]
    source: str = ""

    @property
    def extent(self) -> str:
        """The number of items, and the estimated minutes."""
        thing = "pair" if len(self.forms[0].questions) > 1 else "question"
        number, minutes = len(self.forms), math.ceil(len(self.forms) * USUAL / 60)
        things, time = (f"{count} {noun}{'s' * (count != 1)}" for count, noun in ((number, thing), (minutes, "minute")))
        return f"{things}, about {time}"

    @property
    def keys(self) -> Mapping[str, str]:
        """The keyboard shortcuts, including those of a form without verdicts."""
        more = {"g": "go to the next open item", "d": "download"}
        if self.forms[0].decides:
            return KEYS | more
        words = self.forms[0].words
        first = {" ".join(word[0] for word in words): f"answer {' or '.join(words)} to the first open question"}
        return first | {"j k": "next, previous item"} | {key: KEYS[key] for key in ("w", "u", "?", "Esc")} | more


def form_step(triplet: Triplet) -> FormStep:
    """Convert a triplet for a form."""
    return FormStep(
        triplet.id,
        triplet.subject.label,
        triplet.relation,
        triplet.object.label,
        triplet.graph,
        triplet.source,
        triplet.source_ref,
        triplet.evidence,
        triplet.unsourced,
    )


def stored_pictures(pictures: Mapping[str, Sequence[str]], sample: str) -> tuple[FormPicture, ...]:
    """List the pictures of a sample among those embedded in a file."""
    return tuple(FormPicture(f"{sample} {number}") for number, _ in enumerate(pictures.get(sample, ())))


def sample_pictures(samples: Iterable[Sample], folders: ImageFolders) -> dict[str, list[str]]:
    """Encode the pictures of samples as scaled-down data URLs, omitting those that cannot be read."""
    files = {sample.id: folders.find_all(sample.images, sample.image_id) for sample in samples}
    pictures = {id_: [url for file in own if (url := _data_url(file))] for id_, own in files.items()}
    return {id_: urls for id_, urls in pictures.items() if urls}


def _data_url(file: Path) -> str:
    try:
        return Images().uri_now(file, PICTURE)
    except PictureError:
        return ""


def write_forms(file: Path, forms: FormFile, pictures: Mapping[str, Sequence[str]]) -> int:
    """Write forms as one HTML file that works offline, and return their number; raises InputError.

    A browser stores the answers until they are downloaded. ``pictures`` are data URLs by sample. All texts are escaped,
    and only the package's own script may run.
    """
    from markupsafe import Markup

    style = page_style(PACKAGE, "static/form.css")
    script = "".join(_static(name) for name in ("form.js", "sheet.js"))
    urls = {f"{sample} {number}": url for sample, own in pictures.items() for number, url in enumerate(own)}
    values = {"style": Markup(style), "script": Markup(script)}  # noqa: S704 - our own files
    hashes = {"style_hash": _hash(style), "script_hash": _hash(script)}
    page = page_templates(PACKAGE).get_template("sheet.html").render(file=forms, pictures=urls, **values, **hashes)
    with replacing(file) as stream:
        stream.write(page)
    return len(forms.forms)


def _static(name: str) -> str:
    from importlib.resources import files

    return files(PACKAGE).joinpath("static", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"


def is_form_file(file: Path) -> bool:
    """Return True for a form's download: a JSON object that is not a row of a table."""
    line = first_line(first_bytes(file))
    if not line.startswith("{"):
        return False
    try:
        return "answers" in AS_TEXTS.decode(line)
    except (ValueError, RecursionError):
        return True


def form_answers(file: Path, kind: str) -> Iterator[Record]:
    """Yield the answers in the download of a form of this kind, each with the form's name and the rater.

    Raises DatasetError with file, answer and field.
    """
    source = section_source(file, "answers", each="answer")
    head = {name: source.head[name] for name in (kind, "rater") if name in source.head}
    for record in source.records():
        answer = Record(file, {**record.fields, **head}, item=record.item)
        answer.text(kind)
        yield answer


def seconds_of(text: str) -> float:
    """Parse the seconds in a form, at most a day; anything invalid counts as 0."""
    try:
        seconds = float(text or 0)
    except ValueError:
        return 0.0
    return round(min(max(seconds, 0.0), LONGEST), 1) if math.isfinite(seconds) else 0.0
