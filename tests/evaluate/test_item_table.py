"""The questions of an evaluation as items, from predictions."""

import json

import numpy as np

from kbe_graph.figures.outcomes import answers_frame
from kbe_graph.figures.results import item_table, memory_table
from kbe_graph.types import Entity, Prediction, Question, Sample, Triplet

EDGE = Triplet(Entity("IMAGE", noun=False), "depicts", Entity("DOG"))


def question(number: int, edges: int = 1, **further: object) -> Question:
    id_ = f"b/s/{number}"
    return Question(f"{id_}@raw/0", id_, "raw", 0, "raw", "What?", "dog", (EDGE,) * edges, **further)


def sample(number: int, answers: tuple[str, ...] = ()) -> Sample:
    return Sample(f"b/s/{number}", "b", "s", "What?", "dog", answers, image_id=f"{number // 2}")


def predictions(matrix: np.ndarray, variant: str = "image", text: str = "dog") -> list[Prediction]:
    return [
        Prediction(f"model {model}", question(number).id, text, variant=variant, verdict="right" if cell else "wrong")
        for model, row in enumerate(matrix)
        for number, cell in enumerate(row)
        if not np.isnan(cell)
    ]


def by_id(values: list) -> dict:
    return {value.id: value for value in values}


def test_items_tell_difficulty_and_which_to_review() -> None:
    matrix = np.array([[1, 1, 1, 0, 1], [1, 1, 0, 0, np.nan], [1, 0, 0, 1, 0.0]])
    questions = by_id([question(number, 1 + number) for number in range(5)])
    frame = answers_frame(predictions(matrix), questions, by_id([sample(number) for number in range(5)]))
    table = item_table(frame)
    assert table.items["failing"].tolist() == [0, 1, 2, 2, 1]
    assert table.items["models"].tolist() == [3, 3, 3, 3, 2]
    assert table.histogram == (1, 1, 2, 0)
    assert table.negative["question"].tolist() == ["b/s/3@raw/0"]
    assert table.edges["all"].rows == 5
    assert table.edges["all"].low is None
    assert "NaN" not in json.dumps(table.summary())


def test_of_two_askings_the_first_judged_counts() -> None:
    id_ = question(0).id
    asked = [
        Prediction("m", id_, "dog", run=1),
        Prediction("m", id_, "dog", run=2, verdict="wrong"),
        Prediction("m", id_, "dog", run=3, verdict="right"),
    ]
    table = item_table(answers_frame(asked, by_id([question(0)]), by_id([sample(0)])))
    assert table.items["failing"].tolist() == [1]
    none = answers_frame([], {}, {})
    assert (len(item_table(none).items), memory_table(none)) == (0, [])
