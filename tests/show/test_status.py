"""The one screen of ``kbe status``: every line of it follows from the counts."""

from typing import Any

from kbe_graph.show.status import screen

GRAPHS = {
    "by": "annotations",
    "parser": "en_core_web_sm 3.8.0",
    "version": "0.1",
    "files": [["c.tsv", "a1"]],
    "samples": 50,
}
RUN: dict[str, Any] = {
    "parts": {"Pos_T1": 40, "Pos_F": 10, "Pos_T2": 4, "Pos_T": 44},
    "questions": {
        "hop 0": {"dropped": 6, "dropped by reason": {"no path to a noun": 6}, "kept": 4},
        "hop 1": {
            "dropped": 24,
            "dropped by reason": {"no fact": 10, "leak": 6, "cycle": 4, "rare": 3, "person": 1},
            "kept": 20,
        },
    },
    "candidates": {
        "hop 1": {"dropped": 30, "dropped by reason": {"leak": 20, "cycle": 10}, "kept": 20, "not drawn": 10}
    },
}
COUNTS: dict[str, Any] = {
    "samples": {"dropped": 30, "dropped by reason": {"no visual triplet": 30}, "extracted": 50, "loaded": 20},
    "graphs": [GRAPHS],
    "parts": {"Pos_T1": 40, "Pos_F": 10},
    "runs": {"r": RUN},
}
SCREEN = """
samples
  loaded 100 20 of them need 'kbe extract'
  with a graph 50 50 % shares are of all loaded samples
  the others: no visual triplet 30, waits for a graph 20
  50 from annotations, text parsed with en_core_web_sm 3.8.0, kbe 0.1
  answer is a noun 40 40 % the 10 others, such as 'yes', are re-selected
run r
  with a root 44 44 % of 50
  the others: no path to a noun 6
  hop 1 20 20 % of 44
  the others: no fact 10, leak 6, cycle 4, other reasons 4
  facts used 20 33 % of 60 candidates; 10 passed but not drawn
  the others: leak 20, cycle 10
all counts: kbe status --all; what each reason means, with examples: kbe filters"""


def shown(*arguments: Any) -> list[str]:
    return [" ".join(" ".join((*line.cells, line.text)).split()) for line in screen(*arguments)]


def test_the_screen_tells_each_stage_with_its_share_and_its_worst_reasons() -> None:
    assert " ".join(" ".join(shown(COUNTS)).split()) == " ".join(SCREEN.split())


def test_a_run_tells_its_guesses_and_its_models() -> None:
    run = RUN | {
        "named without the picture": {"raw": {"asked": 25, "right": 8, "share": 0.32, "by": ["m"]}},
        "models": {"generator": "one (a)", "judge": "two (b)"},
    }
    text = " ".join(" ".join(shown(COUNTS | {"runs": {"r": run}})).split())
    for words in (
        "guesses named without the picture: raw 32.0 % of 25; kept or dropped",
        "models generator: one (a) judge: two (b)",
    ):
        assert words in text


def test_a_workspace_without_samples_is_told_what_to_do() -> None:
    empty: dict[str, Any] = {"samples": {}, "graphs": [], "parts": {"Pos_T1": 0, "Pos_F": 0}, "runs": {}}
    assert shown(empty) == ["no samples yet; load a benchmark with 'kbe load FILE'"]
