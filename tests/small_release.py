"""A few questions in every shape that exports encounter, with small pictures, made without a graph."""

from dataclasses import replace
from pathlib import Path

from PIL import Image as Pictures

from kbe_graph.export.selection import Selection
from kbe_graph.files.image import ImageFolders
from kbe_graph.types import IMAGE, RAW, Entity, Form, ImagesAs, Question, QuestionForm, Sample, Triplet, question_id

RUN = "seed-0"
_ANSWERS = ("giraffe", "train", "orange", "umbrella")
_COLORS = ("red", "green", "blue", "white")


def small_selection(folder: Path, *, form: Form = "open", images_as: ImagesAs = "", several: bool = False) -> Selection:
    """Build four samples with hops 0 to 3 and their pictures in the folder.

    Seven of ten people gave the answer. With ``several``, the first two samples also have the picture of the last. The
    odd names are None, 007, =1+1 and [a].
    """
    samples = [_sample(folder, number) for number in range(len(_ANSWERS))]
    if several:
        samples[:2] = [replace(sample, more_images=(samples[-1].image,)) for sample in samples[:2]]
    questions = [question for hop in zip(*map(_questions, samples), strict=True) for question in hop]
    return Selection(
        questions,
        {sample.id: sample for sample in samples},
        form=form,
        forms={} if form == "open" else {question.id: question_form(question, form) for question in questions},
        folders=ImageFolders((folder,)),
        images_as=images_as,
    )


def _sample(folder: Path, number: int) -> Sample:
    name = f"COCO_val2014_{number + 1:012d}.jpg"
    folder.mkdir(parents=True, exist_ok=True)
    Pictures.new("RGB", (32, 24), _COLORS[number]).save(folder / name)
    answer = _ANSWERS[number]
    return Sample(
        f"okvqa/val/{1000 + number}",
        "okvqa",
        "val",
        f"What is in picture {number}?",
        answer,
        (answer,) * 7 + ("thing",) * 3,
        name,
        str(number + 1),
    )


def _questions(sample: Sample) -> list[Question]:
    number = sample.image_id
    odd = {1: "None", 2: "007", 3: "=1+1", 4: "[a]"}[int(number)]
    depicts = Triplet(IMAGE, "depicts", Entity(sample.answer.upper()), source="scene graph")
    knows = Triplet(depicts.object, "kind", Entity(odd), "textual", "WordNet", "wn30:1-n")
    raw = Question(question_id(sample.id, RAW, 0), sample.id, RAW, 0, "raw", sample.question, sample.answer, (depicts,))
    texts = {1: f"What kind is it in {number}?", 2: f"=1+1 is the code of {number}?", 3: f"Which part has {number}?"}
    evolved = [
        replace(
            raw,
            id=question_id(sample.id, RUN, hop),
            run=RUN,
            hop=hop,
            kind="explored",
            text=text,
            answer=odd if hop == 1 else f"answer {hop} of {number}",
            aliases=(f"name {hop} of {number}", f"word {hop} of {number}"),
            key=(depicts, knows),
        )
        for hop, text in texts.items()
    ]
    return [raw, *evolved]


def question_form(question: Question, form: Form) -> QuestionForm:
    """Convert a question to another form."""
    wrong = (f"wrong 1 of {question.id}", f"wrong 2 of {question.id}", "dog")
    if form == "true-false":
        right = "true" if question.hop % 2 else "false"
        return QuestionForm(question.id, form, f"{question.text} It is {question.answer}.", answers=(right,))
    if form == "fill":
        return QuestionForm(question.id, form, f"{question.text} It is ___.", answers=(question.answer,))
    answers = (question.answer, wrong[2]) if form == "several" else (question.answer,)
    place = question.hop
    options = [*wrong]
    options.insert(place, question.answer)
    return QuestionForm(question.id, form, question.text, tuple(options), answers)
