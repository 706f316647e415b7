"""Takes predictions in that another harness, or anybody, wrote into a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from kbe_graph.errors import InputError
from kbe_graph.evaluate.prediction_files import read_predictions
from kbe_graph.evaluate.question_match import Matching, match_predictions
from kbe_graph.export.selection import select
from kbe_graph.models.catalogue import kin_of
from kbe_graph.types import FORMS, Form, Variant, form_id
from kbe_graph.workspace.forming import forms_by_id

if TYPE_CHECKING:
    from kbe_graph.store import Store


def take_predictions(
    store: "Store",
    file: Path,
    run: str | None,
    *,
    model: str,
    format: str | None,  # noqa: A002
    form: Form = "open",
) -> Matching:
    """Save the predictions of a file that answer the raw questions and those of a run, and return how they match.

    ``form`` is the form in which was asked what the file does not say it of. Raises DatasetError, and InputError where
    no id in the file is that of a question, or a question has no such form.
    """
    variant: Variant = "image" if form == "open" else form
    predictions = read_predictions(file, model=model, format=format, variant=variant).predictions
    questions = select(store, run=run).questions
    matching = match_predictions(predictions, questions)
    if not matching.predictions:
        ids = [prediction.question for prediction in predictions]
        raise InputError(
            f"{file}: no prediction answers a question of run {run or 'raw'!r}; ids here look like {ids[0]!r}, those "
            f"of questions like {questions[0].id!r}"
        )
    asked = [(prediction.question, prediction.variant) for prediction in matching.predictions]
    forms = forms_by_id(store, run, (variant for _, variant in asked))
    for question, variant in asked:
        if variant in FORMS and form_id(question, variant) not in forms:
            raise InputError(
                f"{file}: {question!r} has no form {variant!r}; make it with 'kbe forms', or say with --form in which "
                "form the questions were asked"
            )
    families = {prediction.model: kin_of(prediction.model) for prediction in matching.predictions}
    store.save_predictions(matching.predictions, families)
    return matching
