"""Names that somebody gives hold nothing that a terminal obeys and nothing that is not seen."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kbe_graph.datasets.benchmark import read_benchmark
from kbe_graph.errors import InputError
from kbe_graph.evaluate.judging import read_judge
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.folder import create_folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import ModelBook
from kbe_graph.progress import Reporter
from kbe_graph.review.review_desk import check_reviewer
from kbe_graph.scoring.prediction_files import read_predictions
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_session

CONTROL, HIDDEN = "a line break or another control character", "an invisible character"
BAD = {
    "a\x1b[2Jb": CONTROL,
    "a\nb": CONTROL,
    "a\u202eb": CONTROL,
    "a\u200bb": HIDDEN,
    "a\U000e0041b": HIDDEN,
}


def predictions(model: str, folder: Path) -> object:
    (folder / "said.jsonl").write_text(json.dumps({"id": "1", "answer": "x"}) + "\n", encoding="utf-8")
    return read_predictions(folder / "said.jsonl", model=model)


def benchmark(name: str, folder: Path, *, split: str = "val") -> object:
    row = {"question_id": 1, "image": "1.jpg", "question": "What is this?", "answer": "a dog"}
    (folder / "b.jsonl").write_text(json.dumps(row) + "\n")
    return read_benchmark(folder / "b.jsonl", benchmark=name, split=split)


def language(name: str, folder: Path) -> object:
    access = GraphAccess(create_folder(folder), None, Reporter())
    with open_session(ModelOptions(language=name), access) as session:
        return session.language


GIVEN: dict[str, Callable[[str, Path], object]] = {
    "run": lambda name, _: RunOptions(name),
    "judge": lambda name, _: read_judge(f"paper:{name}"),
    "model": lambda name, _: ModelBook({"model": name, "key": "k"}, environ={}).settings_for("draft"),
    "family": lambda name, _: ModelBook({"model": "m", "key": "k", "family": name}, environ={}).settings_for("draft"),
    "reviewer": lambda name, _: check_reviewer(name),
    "model of a file": predictions,
    "benchmark": benchmark,
    "split": lambda name, folder: benchmark("own", folder, split=name),
    "language": language,
}


def test_a_name_that_could_act_or_hide_is_refused_wherever_it_is_given(tmp_path: Path) -> None:
    for kind, give in GIVEN.items():
        for name, fault in BAD.items():
            with pytest.raises(InputError, match=f"contains {fault}; remove it") as caught:
                give(name, tmp_path)
            assert name not in str(caught.value), kind
