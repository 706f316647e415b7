"""The selection of a workspace's questions for an export, and their images."""

import base64
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from kbe_graph.errors import InputError, PictureError
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.files.image import ImageFolders, publish_picture, read_picture, save_image
from kbe_graph.review.consequences import Reviewed, given_out, reasons_out
from kbe_graph.review.errata import Corrections, corrections
from kbe_graph.review.state import QuestionState, first_version, question_states, read_items
from kbe_graph.store import Store
from kbe_graph.store.connection import damaged
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.text import fold, in_order
from kbe_graph.types import (
    RAW,
    Alternative,
    Form,
    ImagesAs,
    PagePicture,
    Progress,
    Question,
    QuestionForm,
    QuestionVariant,
    Review,
    Sample,
    SampleOrigin,
    WikiItem,
    WikiStatement,
    sample_of_question,
)

Origin = Mapping[str, Any]
"""An origin as plain values for JSON."""


def with_origins(selection: "Selection", store: Store) -> "Selection":
    """Add the origins of samples, known of those from Wikipedia: the image with its rights, page, item and statements.

    A perturbed question has the origin of its original's sample.
    """
    parents = {id_: sample_of_question(variant.question) for id_, variant in selection.variants.items()}
    origins = store.origins(sorted({parents.get(each.sample, each.sample) for each in selection.questions}))
    if not origins:
        return selection
    pictures = {picture.id: picture for picture in store.pictures(ids=[each.picture for each in origins.values()])}
    items = store.items([each.item for each in origins.values()])
    known = store.statements([id_ for each in origins.values() for id_ in each.statements])
    records = {
        sample: _origin_record(
            origin,
            pictures[origin.picture],
            items[origin.item],
            [known[id_] for id_ in origin.statements if id_ in known],
        )
        for sample, origin in origins.items()
    }
    of_variants = {id_: records[sample] for id_, sample in parents.items() if sample in records}
    return replace(selection, origins=records | of_variants)


def _origin_record(
    origin: SampleOrigin, picture: PagePicture, item: WikiItem, statements: Sequence[WikiStatement]
) -> Origin:
    fields = ("id", "property_id", "relation", "target", "text", "raw")
    return {
        "picture": picture.image,
        **{name: getattr(picture, name) for name in ("caption", "author", "licence", "licence_url", "page", "title")},
        "item": item.id,
        **{f"item_{name}": getattr(item, name) for name in ("label", "revision", "fetched", "source")},
        "statements": [{name: getattr(statement, name) for name in fields} for statement in statements],
        "maker": origin.maker,
        "prompt": origin.prompt,
        "calls": list(origin.calls),
    }


UNKNOWN = "unknown"
OFTEN = 1_000  # questions between two progress reports


class Picture(NamedTuple):
    """An image file of the workspace, and its name in an export: a hash of its content, equal for equal images."""

    file: Path
    name: str

    @property
    def mime(self) -> str:
        """The media type of the image, such as ``image/jpeg``."""
        ending = self.name.rpartition(".")[2]
        return f"image/{'jpeg' if ending == 'jpg' else ending}"

    def read(self) -> bytes:
        """Read the image as published: upright and without metadata. Raises PictureError if it is unreadable."""
        return publish_picture(self.file)

    def base64(self) -> str:
        """Encode the image in base64, on one line."""
        return base64.b64encode(self.read()).decode()

    def data_url(self) -> str:
        """Encode the image as a data URL."""
        return f"data:{self.mime};base64,{self.base64()}"

    def place(self, folder: Path, images_as: ImagesAs, name: str = "") -> str:
        """Copy or link the image into the folder, unless it exists there, and return its name in it.

        A file with metadata or a rotation is always copied.
        """
        target = folder / (name or self.name)
        if not target.exists():
            folder.mkdir(parents=True, exist_ok=True)
            content = self.read()
            if images_as == "link" and content == read_picture(self.file):
                target.symlink_to(self.file.resolve())
            else:
                target.write_bytes(content)
        return target.name


class PictureFinder:
    """A finder of samples' images in given folders; each file is read once."""

    def __init__(self, folders: ImageFolders) -> None:
        self._folders = folders
        self._names: dict[Path, str] = {}

    def find(self, sample: Sample) -> tuple[Picture, ...]:
        """Find the sample's images; empty if the folders lack one. Raises PictureError if one is unreadable."""
        return tuple(map(self._picture, self._folders.of(sample)))

    def _picture(self, file: Path) -> Picture:
        if file not in self._names:
            try:
                self._names[file] = save_image(publish_picture(file), None)
            except (PictureError, ValueError):
                self._names[file] = ""
        if not self._names[file]:
            raise PictureError(file, "not a picture that can be read")
        return Picture(file, self._names[file])


class TopShare(NamedTuple):
    """Share of the commonest answer among questions of the same run and hop with the same last relation, or chain."""

    relation: float
    chain: float


def top_shares(questions: Iterable[Question]) -> dict[str, TopShare]:
    """Compute the TopShare of each explored question that was kept, by question id."""
    groups: dict[str, tuple[object, object]] = {}
    answers: dict[object, Counter[str]] = defaultdict(Counter)
    for question in questions:
        if question.kind == "explored" and question.status == "kept":
            chain = tuple(triplet.relation for triplet in question.explored)
            last, whole = ((question.run, question.hop, part) for part in (chain[-1:], chain))
            groups[question.id] = last, whole
            for group in {last, whole}:
                answers[group][fold(question.answer)] += 1
    shares = {group: round(max(counts.values()) / counts.total(), 4) for group, counts in answers.items()}
    return {id_: TopShare(*(shares[group] for group in own)) for id_, own in groups.items()}


@dataclass(frozen=True, slots=True)
class Selection:
    """Questions in export order, their samples by id, and the model families of each run.

    ``top_shares`` holds, for each kept explored question, the share of the most frequent answer to its relations.
    ``variants`` are the perturbed questions among them, by id. ``form`` is the requested question form, and ``forms``
    holds the questions in it by question id, unless it is open. ``guesses`` are the run's guesses without the image,
    and ``alternatives`` those that the words allow, both by question id; ``guesser`` names the guessing model.
    ``left_out`` counts the questions that reviewers' decisions and errata exclude, by reason; ``reviews`` are the
    decisions on the others, by question id, and ``errata`` what errata did. ``origins`` are the known origins of
    samples, by sample. ``folders`` are the only places that images are read from, and ``images_as`` is their mode in
    the export (empty: the format's usual one). ``progress`` is called while the questions are read;
    ``statements`` are the owner's, of what only the owner knows. ``replace`` allows to replace what others wrote.
    """

    questions: Sequence[Question]
    samples: Mapping[str, Sample]
    families: Mapping[str, str] = field(default_factory=dict)
    top_shares: Mapping[str, TopShare] = field(default_factory=dict)
    form: Form = "open"
    forms: Mapping[str, QuestionForm] = field(default_factory=dict)
    variants: Mapping[str, QuestionVariant] = field(default_factory=dict)
    guesses: Mapping[str, Sequence[StoredGuess]] = field(default_factory=dict)
    alternatives: Mapping[str, tuple[Alternative, ...]] = field(default_factory=dict)
    guesser: str = ""
    origins: Mapping[str, Origin] = field(default_factory=dict)
    folders: ImageFolders = field(default_factory=lambda: ImageFolders(()))
    images_as: ImagesAs = ""
    progress: Progress = lambda *_: None
    left_out: Mapping[str, int] = field(default_factory=dict)
    reviews: Mapping[str, Sequence[Review]] = field(default_factory=dict)
    errata: Corrections = field(default_factory=dict)
    statements: Mapping[str, str] = field(default_factory=dict)
    replace: bool = False

    def __iter__(self) -> Iterator[tuple[Sample, Question]]:
        """Iterate over the questions with their samples, and report progress."""
        for number, question in enumerate(self.questions):
            if not number % OFTEN:
                self.progress("export", number, len(self.questions))
            yield self.samples[question.sample], question
        self.progress("export", len(self.questions), len(self.questions))


def select(
    store: Store,
    *,
    run: str | None = None,
    benchmark: str | None = None,
    everything: bool = False,
    loaded: bool = False,
    hops: Collection[int] | None = None,
    reviewed: Reviewed = "not-rejected",
) -> Selection:
    """Select the raw questions, then those of a run, optionally only some ``hops`` and one benchmark.

    ``everything`` includes dropped questions, ``loaded`` the raw questions of samples without a graph. ``reviewed``
    says which reviewed questions to include, each in its last version; what errata mend is mended, and what they
    withdraw is left out. With ``everything``, all are included as generated. Raises StoreError, and InputError for a
    benchmark that was not loaded, and for hops without a question.
    """
    store.require_questions()
    names = (RAW,) if run is None else (RAW, run)
    status = None if everything else "kept"
    questions = [question for name in names for question in store.questions(run=name, status=status)]
    samples = {sample.id: sample for sample in store.samples()}
    if any(question.sample not in samples for question in questions):
        raise damaged(store.connection.place, "samples of its questions are missing")
    if loaded:
        questions = _with_loaded(questions, samples.values())
    if benchmark is not None:
        if all(sample.benchmark != benchmark for sample in samples.values()):
            raise store.no_benchmark(benchmark)
        questions = [question for question in questions if samples[question.sample].benchmark == benchmark]
    if hops is not None:
        require_hops(hops, questions)
        questions = [question for question in questions if question.run == RAW or question.hop in hops]
    families = {record.name: dict(record.settings).get("families", "") for record in store.runs()}
    selection = Selection(questions, samples, families, top_shares(questions))
    return selection if everything else _corrected(store, _left_by_people(store, selection, names, reviewed))


def _corrected(store: Store, selection: Selection) -> Selection:
    made = corrections(store, selection.questions)
    if not made:
        return selection
    mended = (made.get(first_version(each.id), (each, ""))[0] for each in selection.questions)
    questions = [each for each in mended if each]
    left_out = {**selection.left_out, "withdrawn by errata": len(selection.questions) - len(questions)}
    shares = top_shares(questions)
    return replace(selection, questions=questions, top_shares=shares, left_out=+Counter(left_out), errata=made)


def require_hops(hops: Collection[int], questions: Iterable[Question]) -> None:
    """Raise InputError, with the hops that there are, if there are questions, but none of these hops."""
    present = sorted({question.hop for question in questions})
    if present and not {*present}.intersection(hops):
        asked = "-".join(map(str, dict.fromkeys((min(hops), max(hops)))))
        raise InputError(f"no question of hop {asked}; the hops are {', '.join(map(str, present))}")


def _left_by_people(store: Store, selection: Selection, runs: Iterable[str], reviewed: Reviewed) -> Selection:
    reviews = {run: store.reviews(run=run) for run in runs}
    if reviewed != "approved" and not any(reviews.values()):
        return selection
    chosen: dict[str, Question] = {}
    reasons: dict[str, str] = {}
    decisions: dict[str, list[Review]] = defaultdict(list)
    for run, own in reviews.items():
        items = read_items(store, run=None if run == RAW else run)
        states = question_states(items, own)
        chosen |= given_out(items, states, reviewed)
        reasons |= reasons_out(items, states, reviewed)
        for first, counted in _decided(states):
            decisions[first] += counted
    questions = [chosen[question.id] for question in selection.questions if question.id in chosen]
    return replace(
        selection,
        questions=questions,
        top_shares=top_shares(questions),
        left_out=Counter(reasons[each.id] for each in selection.questions if each.id in reasons),
        reviews={each.id: own for each in questions if (own := decisions[first_version(each.id)])},
    )


def _decided(states: Mapping[str, QuestionState]) -> Iterator[tuple[str, list[Review]]]:
    for id_, state in states.items():  # an id without a number is no decision of its own: the reviser's approval
        yield first_version(id_), [review for review in state.counted if not review.id.endswith("|")]


def without_held_back(selection: Selection, store: Store, *, keep: Collection[str] = ()) -> Selection:
    """Leave out the questions that a release holds back, but those to ``keep`` (ids), and count them by release."""
    held = {id_: name for id_, name in store.held_back().items() if id_ not in keep}
    apart = [name for question in selection.questions if (name := held.get(first_version(question.id)))]
    kept = [question for question in selection.questions if first_version(question.id) not in held]
    left_out = Counter(selection.left_out) + Counter(f"held back by release {name}" for name in apart)
    return replace(selection, questions=kept, left_out=left_out) if apart else selection


def with_guesses(selection: Selection, store: Store, run: str | None) -> Selection:
    """Add a run's guesses without the image, and the alternatives that the words allow, to a selection."""
    guesses: dict[str, list[StoredGuess]] = defaultdict(list)
    for guess in store.guesses(run=run) if run else ():
        guesses[guess.question].append(guess)
    alternatives = store.alternatives([question.id for question in selection.questions if question.run != RAW])
    settings = next((dict(record.settings) for record in store.runs() if record.name == run), {})
    return replace(
        selection, guesses=guesses, alternatives=alternatives, guesser=guesser_of(settings) if guesses else ""
    )


def with_variants(selection: Selection, variants: Iterable[QuestionVariant]) -> Selection:
    """Append perturbed questions to a selection, each with its own id and image."""
    originals = {question.id: question for question in selection.questions}
    own = {variant.id: variant for variant in variants if variant.question in originals}
    questions, samples = list(selection.questions), dict(selection.samples)
    for id_, variant in own.items():
        original = originals[variant.question]
        questions.append(replace(original, id=id_, text=variant.text, sample=id_, parent=original.id))
        samples[id_] = variant.with_picture_of(selection.samples[original.sample])
    return replace(selection, questions=questions, samples=samples, variants=own)


def guesser_of(settings: Mapping[str, str]) -> str:
    """Name the guesser in a run's settings, and say whether it belongs to the generator's family."""
    guesser, family = settings.get("guesser", ""), _family(settings.get("guesser", ""))
    if not guesser or "generator" not in settings:
        return guesser
    of_generator = _family(settings["generator"])
    if guesser == settings["generator"] or family == of_generator != UNKNOWN:
        return f"{guesser}, of the generator's own family"
    return guesser if UNKNOWN in {family, of_generator} else f"{guesser}, of another family than the generator"


def _family(model: str) -> str:
    return model.rpartition("(")[2].rstrip(")")


def _with_loaded(questions: Sequence[Question], samples: Iterable[Sample]) -> list[Question]:
    raw = {question.sample: question for question in questions if question.run == RAW}
    raw |= {sample.id: raw_question(sample) for sample in samples if sample.question and sample.id not in raw}
    others = (question for question in questions if question.run != RAW)
    return [*sorted(raw.values(), key=lambda question: in_order(question.id)), *others]
