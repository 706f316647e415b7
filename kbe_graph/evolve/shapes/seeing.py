"""Extraction for the line by shapes: the graph of a sample, what is recognised in it, and a second look at that."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbe_graph.errors import NoCandidate, PictureError
from kbe_graph.evolve.shapes.asking import SURE, Again, SeeForm, is_same_name, look_step, see_step
from kbe_graph.extract.sample_graph import unanswered_drop
from kbe_graph.files.image import on_white, open_picture, read_picture
from kbe_graph.files.whole import private_folder
from kbe_graph.steps.asker import NO_PICTURE, Asker, ReplyOrigin
from kbe_graph.steps.extractor import SOURCE, with_sources
from kbe_graph.steps.prompt import prompt_hash
from kbe_graph.text import fold
from kbe_graph.types import IMAGE, Drop, Entity, Identity, Sample, SampleGraph, Triplet

MARGIN = 0.05  # of the picture, around a box
LEAST_SIDE = 32  # pixels of a crop
UNSURE, NOT_SEEN_AGAIN, ANOTHER = "not sure", "a second look cannot tell", "a second look names another"


@dataclass(frozen=True, slots=True)
class SeeingExtractor:
    """Extractor that asks a model for the graph of a sample and for what it recognises, and looks again at that.

    ``crops`` is the folder for enlarged parts of pictures, and ``identities`` collects what was recognised.
    """

    asker: Asker
    crops: Path
    identities: list[Identity] = field(default_factory=list)

    async def extract(self, sample: Sample) -> SampleGraph | Drop:
        """Extract the graph with the confirmed identities, or drop the sample."""
        if unanswered := unanswered_drop(sample):
            return unanswered
        try:
            step = see_step(sample, language=self.asker.language, shown=self.asker.examples("see"))
            (graph, form), origin = await self.asker.ask(step, sample)
        except NoCandidate as none:
            return Drop(sample.id, none.reason, none.detail)
        if isinstance(graph, Drop):
            return graph
        looked = await self._look_again(sample, recognised(sample, graph, form))
        self.identities.extend(looked)
        confirmed = [each.triplet for each in looked if not each.reason]
        named = replace(graph, visual=(*graph.visual, *confirmed))
        return with_sources(sample.with_answer(graph.answer), named, origin)

    def prompt(self, sample: Sample) -> str:
        """Identify the prompts by their hashes, and note whether they include rationales."""
        hashes = (prompt_hash(step, self.asker.prompts) for step in ("see", "look"))
        return "+".join((*hashes, *(("rationales",) if sample.rationales else ())))

    async def _look_again(self, sample: Sample, identities: Sequence[Identity]) -> list[Identity]:
        sure = [each for each in identities if not each.reason]
        if not sure:
            return list(identities)
        pictures = tuple(self.asker.find(sample))
        parts = {each.box: each.number for each in reversed(sure) if each.box}
        crops = {each.number: list(parts).index(each.box) + 1 for each in sure if each.box}
        try:
            files = [crop(pictures[0], box, self.crops) for box in parts]
            again, origin = await self.asker.ask(look_step(sure, crops), sample, pictures=(pictures[0], *files))
        except NoCandidate as none:
            return [each if each.reason else replace(each, reason=none.reason) for each in identities]
        except PictureError:
            return [each if each.reason else replace(each, reason=NO_PICTURE) for each in identities]
        judged = {each.number: judge(each, look, origin) for each, look in zip(sure, again, strict=True)}
        return [judged.get(each.number, each) for each in identities]


def recognised(sample: Sample, graph: SampleGraph, form: SeeForm) -> list[Identity]:
    """List the identities of a reply that name a thing of the graph; what the model itself doubts is refused."""
    things = {fold(end.label): end for triplet in graph.visual for end in (triplet.subject, triplet.object)}
    boxes = {fold(each.s): tuple(each.box) for each in reversed(form.crops) if _is_box(each.box)}
    present = {triplet.id for triplet in graph.visual}
    identities: dict[str, Identity] = {}
    for each in form.identities:
        thing = things.get(fold(each.s))
        if thing is None or thing == IMAGE:
            continue
        triplet = Triplet(thing, each.r.strip(), Entity(each.o.strip().upper()), evidence=each.e)
        if triplet.id in present or triplet.object.key in things:
            continue
        reason = "" if each.p >= SURE else UNSURE
        number = len(identities) + 1
        identities.setdefault(
            triplet.id, Identity(sample.id, number, triplet, each.p, boxes.get(fold(each.s), ()), reason=reason)
        )
    return list(identities.values())


def judge(identity: Identity, again: Again, origin: ReplyOrigin) -> Identity:
    """Confirm an identity whose name the second look gives too, or refuse it."""
    triplet = replace(identity.triplet, source=f"{SOURCE} {origin.model}", source_ref=origin.call)
    looked = replace(identity, triplet=triplet, again=again.name, sure=min(identity.sure, again.sure or identity.sure))
    if not again.name or again.sure < SURE:
        return replace(looked, reason=NOT_SEEN_AGAIN)
    return (
        looked
        if is_same_name(triplet.object.name, again.name, triplet.subject.name)
        else replace(looked, reason=ANOTHER)
    )


def _is_box(box: Sequence[float]) -> bool:
    return box[0] < box[2] and box[1] < box[3]


def crop(picture: Path, box: Sequence[float], folder: Path) -> Path:
    """Cut a part out of a picture, in its own pixels, and return the file; raises PictureError.

    ``box`` is in shares of width and height; a margin is added.
    """
    content = hashlib.sha256(read_picture(picture))
    content.update(repr(tuple(box)).encode())
    file = folder / f"{content.hexdigest()[:32]}.png"
    if file.exists():
        return file
    with open_picture(picture) as image:
        (wide, high), (x, y) = image.size, (max(0.0, share - MARGIN) for share in box[:2])
        right, bottom = (min(1.0, share + MARGIN) for share in box[2:])
        part = on_white(image.crop((round(wide * x), round(high * y), round(wide * right), round(high * bottom))))
        if (least := min(part.size)) < LEAST_SIDE:
            part = part.resize((part.width * LEAST_SIDE // max(1, least), part.height * LEAST_SIDE // max(1, least)))
    try:
        private_folder(folder)
        whole = file.with_suffix(".part")
        part.save(whole, "PNG")
        whole.replace(file)
    except OSError as error:
        raise PictureError(file, f"cannot be written ({error.strerror})") from None
    return file
