"""Extraction for the line by shapes: the graph of a sample, what is recognised in it, and a second look at that."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbe_graph.datasets.annotations import Annotations
from kbe_graph.datasets.view import Box, View
from kbe_graph.errors import NoCandidate, PictureError
from kbe_graph.evolve.shapes.asking import SURE, Again, IdentityForm, is_same_name, look_step, see_step
from kbe_graph.extract.sample_graph import unanswered_drop
from kbe_graph.files.image import on_white, open_picture, read_picture
from kbe_graph.files.whole import private_folder
from kbe_graph.steps.asker import NO_PICTURE, Asker, ReplyOrigin
from kbe_graph.steps.extractor import SOURCE, with_sources
from kbe_graph.steps.prompt import examples, prompt_hash
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Drop, Entity, Identity, Sample, SampleGraph, Triplet

MARGIN = 0.05  # of the picture, around a box
MOST_PARTS = 4
LEAST_SIDE, MOST_SIDE = 400, 1600  # pixels that a crop is enlarged to
UNSURE, NOT_SEEN_AGAIN, ANOTHER = "not sure", "a second look cannot tell", "a second look names another"


@dataclass(frozen=True, slots=True)
class SeeingExtractor:
    """Extractor that asks a model for the graph of a sample and for what it recognises, and looks again at that.

    ``crops`` is the folder for enlarged parts of pictures, and ``identities`` collects what was recognised.
    ``annotations`` may tell where things are that the model gives no box of.
    """

    asker: Asker
    crops: Path
    annotations: Annotations = field(default_factory=lambda: Annotations({}))
    identities: list[Identity] = field(default_factory=list)

    async def extract(self, sample: Sample) -> SampleGraph | Drop:
        """Extract the graph with the confirmed identities, or drop the sample."""
        if sample.question and (unanswered := unanswered_drop(sample)):
            return unanswered
        try:
            step = see_step(sample, language=self.asker.language, shown=examples("see"))
            (graph, form), origin = await self.asker.ask(step, sample)
        except NoCandidate as none:
            return Drop(sample.id, none.reason, none.detail)
        if isinstance(graph, Drop):
            return graph
        named = recognised(graph, form.identities)
        looked = await look_again(self.asker, self.crops, sample, named, self.annotations.of(sample))
        self.identities.extend(looked)
        asked = sample.with_answer(graph.answer, graph.question)
        return with_sources(asked, with_identities(graph, looked), origin)

    def prompt(self, sample: Sample) -> str:
        """Identify the prompts by their hashes, and note whether they include rationales."""
        hashes = (prompt_hash(step, self.asker.prompts) for step in ("see", "look"))
        return "+".join((*hashes, *(("rationales",) if sample.rationales else ())))


async def look_again(
    asker: Asker, crops: Path, sample: Sample, identities: Sequence[Identity], views: Sequence[View] = ()
) -> list[Identity]:
    """Ask again what things are, each in its part of the picture and without its name; refuse what is not confirmed.

    The parts, at most four, are written to the folder ``crops``. ``views`` are annotations of the picture.
    """
    sure = [each for each in identities if not each.reason]
    if not sure:
        return list(identities)
    pictures = tuple(asker.find(sample))
    try:
        sure = _in_annotated_boxes(sure, views, pictures[0]) if views else sure
        parts = list(dict.fromkeys(each.box for each in sure if each.box))[:MOST_PARTS]
        places = {each.number: parts.index(each.box) + 1 for each in sure if each.box in parts}
        files = [crop(pictures[0], box, crops) for box in parts]
        again, origin = await asker.ask(look_step(sure, places), sample, pictures=(pictures[0], *files))
    except NoCandidate as none:
        return [each if each.reason else replace(each, reason=none.reason) for each in identities]
    except PictureError:
        return [each if each.reason else replace(each, reason=NO_PICTURE) for each in identities]
    judged = {each.number: judge(each, look, origin) for each, look in zip(sure, again, strict=True)}
    return [judged.get(each.number, each) for each in identities]


def _in_annotated_boxes(identities: Sequence[Identity], views: Sequence[View], picture: Path) -> list[Identity]:
    """Give identities without a box that of the only annotated thing with the name of theirs."""
    with open_picture(picture) as image:
        sides = image.size * 2
    placed = []
    for each in identities:
        box = None if each.box else _only_box(fold(each.triplet.subject.name), views)
        shares = tuple(min(1.0, at / side) for at, side in zip(box, sides, strict=True)) if box else each.box
        placed.append(replace(each, box=shares))
    return placed


def _only_box(name: str, views: Sequence[View]) -> Box | None:
    named = ([thing.box for thing in view.things if thing.box and fold(thing.name) == name] for view in views)
    boxes = next(filter(None, named), [])
    return boxes[0] if len(boxes) == 1 else None


def recognised(graph: SampleGraph, forms: Sequence[IdentityForm], *, run: str = "") -> list[Identity]:
    """List what a reply recognises beyond what the graph holds, by its place; what the model doubts is refused."""
    present = {triplet.id for triplet in graph.visual}
    names = {end.key for triplet in graph.visual for end in (triplet.subject, triplet.object)}
    identities: dict[str, Identity] = {}
    for number, form in enumerate(forms, 1):
        triplet = identity_triplet(graph, form)
        if triplet.id not in present and triplet.object.key not in names:
            box = tuple(form.box) if _is_box(form.box) else ()
            reason = "" if form.p >= SURE else UNSURE
            own = Identity(graph.sample, number, triplet, form.p, box, reason=reason, names=tuple(form.names), run=run)
            identities.setdefault(triplet.id, own)
    return list(identities.values())


def identity_triplet(graph: SampleGraph, form: IdentityForm) -> Triplet:
    """Build the triplet of an identity, from the thing of the graph that goes by its name if there is one."""
    things = {fold(end.label): end for triplet in graph.visual for end in (triplet.subject, triplet.object)}
    thing = things.get(fold(form.s)) or Entity(form.s.strip().upper())
    return Triplet(thing, form.r.strip(), Entity(form.o.strip().upper()), evidence=form.e)


def with_identities(graph: SampleGraph, identities: Sequence[Identity]) -> SampleGraph:
    """Add the confirmed identities to what is seen, and that the image shows their things."""
    confirmed = [each.triplet for each in identities if not each.reason]
    seen = {end.key for triplet in graph.visual for end in (triplet.subject, triplet.object)}
    new = {
        each.subject.key: Triplet(IMAGE, "shows", each.subject) for each in confirmed if each.subject.key not in seen
    }
    return replace(graph, visual=(*graph.visual, *new.values(), *confirmed))


def judge(identity: Identity, again: Again, origin: ReplyOrigin) -> Identity:
    """Confirm an identity whose name the second look gives too, or refuse it."""
    triplet = replace(identity.triplet, source=f"{SOURCE} {origin.model}", source_ref=origin.call)
    looked = replace(identity, triplet=triplet, again=again.name, sure=min(identity.sure, again.sure or identity.sure))
    if not again.name or again.sure < SURE:
        return replace(looked, reason=NOT_SEEN_AGAIN)
    names = (triplet.object.name, *identity.names)
    same = any(is_same_name(name, again.name, triplet.subject.name) for name in names)
    return looked if same else replace(looked, reason=ANOTHER)


def _is_box(box: Sequence[float]) -> bool:
    return len(box) == 4 and box[0] < box[2] and box[1] < box[3]


def crop(picture: Path, box: Sequence[float], folder: Path) -> Path:
    """Cut a part out of a picture, enlarge it if it is small, and return the file; raises PictureError.

    ``box`` is in shares of width and height; a margin is added.
    """
    from PIL import Image  # slow to import

    content = hashlib.sha256(read_picture(picture))
    content.update(repr(tuple(box)).encode())
    file = folder / f"{content.hexdigest()[:32]}.png"
    if file.exists():
        return file
    with open_picture(picture) as image:
        (wide, high), (x, y) = image.size, (max(0.0, share - MARGIN) for share in box[:2])
        right, bottom = (min(1.0, share + MARGIN) for share in box[2:])
        part = on_white(image.crop((round(wide * x), round(high * y), round(wide * right), round(high * bottom))))
    if (scale := min(LEAST_SIDE / max(1, min(part.size)), MOST_SIDE / max(1, *part.size))) > 1:
        size = max(1, round(part.width * scale)), max(1, round(part.height * scale))
        part = part.resize(size, Image.Resampling.LANCZOS)
    try:
        private_folder(folder)
        whole = file.with_suffix(".part")
        part.save(whole, "PNG")
        whole.replace(file)
    except OSError as error:
        raise PictureError(file, f"cannot be written ({error.strerror})") from None
    return file
