"""Reads the predictions of any harness."""

from pathlib import Path
from typing import NamedTuple, cast

from kbe_graph.errors import DatasetError, InputError
from kbe_graph.evaluate.evalscope_predictions import EVALSCOPE_PREDICTIONS
from kbe_graph.evaluate.harness_predictions import INSPECT_LOG, LMMS_SAMPLES, VLMEVALKIT_TABLE
from kbe_graph.evaluate.plain_predictions import AOKVQA_DICTIONARY, OKVQA_RESULTS, OWN
from kbe_graph.evaluate.prediction_source import PredictionFormat, PredictionRow, open_predictions
from kbe_graph.files.format_registry import Registry
from kbe_graph.files.record import MOST_ID
from kbe_graph.text import name_fault
from kbe_graph.types import FORMS, Prediction, Variant

PREDICTION_FORMATS: Registry[PredictionFormat] = Registry(
    "prediction format",
    "kbe_graph.prediction_formats",
    {
        "inspect": INSPECT_LOG,
        "vlmevalkit": VLMEVALKIT_TABLE,
        "lmms-eval": LMMS_SAMPLES,
        "evalscope": EVALSCOPE_PREDICTIONS,
        "okvqa": OKVQA_RESULTS,
        "aokvqa": AOKVQA_DICTIONARY,
        "kbe": OWN,
    },
)


class Predictions(NamedTuple):
    """The predictions of a file in its order, the format they were read in, and the ids whose asking failed.

    The ids are those of the file: ``match_predictions`` finds the questions.
    """

    predictions: tuple[Prediction, ...]
    format: str
    failed: tuple[str, ...] = ()


def read_predictions(
    file: Path,
    *,
    format: str | None = None,  # noqa: A002 - the option's name
    model: str = "",
    run: int = 1,
    variant: Variant = "image",
) -> Predictions:
    """Read a file of predictions, gzip or not (an archive or a workbook is packed already).

    ``format`` is a name of ``PREDICTION_FORMATS``, else recognised from the content. ``model``, ``run`` and
    ``variant`` hold for what says none; a form as ``variant`` also for what says no more than that there were options.
    Raises DatasetError naming file, line and field, InputError for a format that
    is not there and where neither the file nor ``model`` names who answered.
    """
    source = open_predictions(file)
    fields = source.fields or [item.section or item.key for item in source.first]
    name = format or PREDICTION_FORMATS.recognise(source, file=file, fields=fields)
    predictions, failed = [], []
    for row in PREDICTION_FORMATS.require(name).rows(source):
        _check(row, row.model or model)
        if row.text is None:
            failed.append(row.id)
        else:
            predictions.append(_prediction(row, row.text, model, run, variant))
    if not predictions:
        raise DatasetError(file, f"holds no prediction, {len(failed)} askings failed; give a file with predictions")
    return Predictions(tuple(predictions), name, tuple(failed))


def _check(row: PredictionRow, model: str) -> None:
    row.record.refuse_long("id", [row.id], MOST_ID)
    row.record.refuse_long("answer", [row.text or ""])
    row.record.refuse_long("model", [model], MOST_ID)
    if not model:
        raise InputError(f"{row.record.file} does not say which model answered; give its name")
    for field, value in (("id", row.id), ("model", model)):
        if fault := name_fault(value):
            raise row.record.error(f"{field} {value!r} {fault}")
    if row.run == 0:
        raise row.record.error("'run' is 0; the first asking is 1")


def _prediction(row: PredictionRow, text: str, model: str, run: int, variant: Variant) -> Prediction:
    is_unsaid = not row.variant or (row.variant == "options" and variant in FORMS)
    return Prediction(
        row.model or model,
        row.id,
        text,
        run=row.run or run,
        variant=variant if is_unsaid else cast("Variant", row.variant),
        tokens=row.tokens,
    )
