"""The one screen of ``kbe status``: every line of it follows from the counts."""

from typing import Any

from specimens import family, load

from kbe_graph.show.status import read_status, screen
from kbe_graph.store import Store

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
    "faulty": {"candidates": 60, "faulty": 9, "left": 30, "faulty left": 1},
}
COUNTS: dict[str, Any] = {
    "samples": {"dropped": 30, "dropped by reason": {"no visual triplet": 30}, "extracted": 50, "loaded": 20},
    "graphs": [GRAPHS],
    "paths": {"presupposed": 12, "unconfirmed": 9, "last resort": 1},
    "parts": {"Pos_T1": 40, "Pos_F": 10},
    "runs": {"r": RUN},
}
RULES = {"leak": "a question must not name its answer", "no fact": "there must be a fact"}
SCREEN = """
samples
  loaded 100 20 of them need 'kbe extract'
  with a graph 50 50 % shares are of all loaded samples
  the others: no visual triplet 30, waits for a graph 20
  50 from annotations (c.tsv), text parsed with en_core_web_sm 3.8.0, kbe 0.1
  presupposed 12 12 % by the question; annotations confirm 3
  last resort 1 1 % the path goes through the most salient thing
  answer is a noun 40 40 % the 10 others, such as 'yes', are re-selected
run r
  with a root 44 44 % of 50; 4 ask about another thing in the image
  the others: no path to a noun 6
  hop 1 20 20 % of 44
  the others: no fact 10, leak 6, cycle 4, other reasons 4
  facts used 20 33 % of 60 candidates; 10 passed but not drawn
  the others: leak 20, cycle 10
  faulty facts 15.0 % of all candidates, 3.3 % after the checks
  faulty: several right answers, or answerable without the image or the new fact
rules behind the most frequent reasons
  leak: a question must not name its answer
  no fact: there must be a fact
all counts: kbe status --all; all reasons, with examples: kbe filters"""


def shown(*arguments: Any) -> list[str]:
    return [" ".join(" ".join((*line.cells, line.text)).split()) for line in screen(*arguments)]


def test_the_screen_tells_each_stage_with_its_share_and_its_worst_reasons() -> None:
    assert " ".join(" ".join(shown(COUNTS, RULES)).split()) == " ".join(SCREEN.split())


def test_models_and_what_known_facts_say_of_them_are_told() -> None:
    rates = {"grounded": 3, "unsupported": 1, "grounded rate": 0.75, "unsupported rate": 0.25}
    run = RUN | {"models": {"generator": "one (a)", "judge": "two (b)"}, "grounding": {"taken": rates}}
    text = " ".join(" ".join(shown(COUNTS | {"runs": {"r": run}}, RULES)).split())
    assert "models generator: one (a) judge: two (b)" in text
    assert "grounding, taken grounded 3 (75 %) unsupported 1 (25 %)" in text


def test_what_nobody_measured_is_told_as_such() -> None:
    def faulty(**counts: int) -> str:
        run = RUN | {"faulty": {"candidates": 0, "faulty": 0, "left": 0, "faulty left": 0} | counts}
        return " ".join(" ".join(shown(COUNTS | {"runs": {"r": run}}, RULES)).split())

    assert "faulty facts not measured: this needs known facts, and all 60 candidates come from a model" in faulty()
    assert "faulty:" not in faulty()
    some = faulty(candidates=20, faulty=5, left=10)
    assert "faulty facts 25.0 % of 20 measured of 60, 0.0 % after the checks" in some


def test_a_run_tells_how_often_it_is_guessed_by_its_words() -> None:
    shares = {"hop 1": {"relation": 0.02, "chain": 0.02, "nearest": 0.0241}, "hop 2": {"nearest": 0.0}}
    guesses = {"samples": 700, "guessed from": 500, "shares": shares}

    def told(of_run: object) -> str:
        return " ".join(" ".join(shown(COUNTS | {"runs": {"r": RUN | {"guesses": of_run}}}, RULES)).split())

    line = "guessed blind hop 1 2.4 %, hop 2 0.0 % (by the nearest questions' words; see kbe guess)"
    assert f"{line} facts used" in told(guesses)
    without = guesses | {"shares": {"hop 1": {"relation": 0.02}}}
    assert "guessed blind not computed without the extra [guess]" in told(without)
    small = "guessed blind not computed below 500 samples; see kbe guess"
    assert small in told({"samples": 57, "guessed from": 500})


def test_a_run_tells_how_often_models_named_the_answer_without_the_picture() -> None:
    named = {
        "raw": {"asked": 25, "right": 8, "share": 0.32, "by": ["m"]},
        "hop 1": {"asked": 3, "right": 1, "share": 0.333, "by": ["m", "n"]},
    }
    text = " ".join(
        " ".join(shown(COUNTS | {"runs": {"r": RUN | {"named without the picture": named}}}, RULES)).split()
    )
    assert "guesses named without the picture by m, n: raw 32.0 % of 25, hop 1 33.3 % of 3; kept or dropped" in text


def test_a_run_tells_how_many_questions_rest_on_unsourced_facts() -> None:
    hops = [{"samples": 8, "effective_chains": 4.0, "unsourced": 2}, {"samples": 2, "effective_chains": 2.0}]
    run = RUN | {"variety": hops}
    text = " ".join(" ".join(shown(COUNTS | {"runs": {"r": run}}, RULES)).split())
    assert "unsourced 2 20 % rest on a fact without a source" in text


def test_a_workspace_without_samples_is_told_what_to_do() -> None:
    empty: dict[str, Any] = {"samples": {}, "graphs": [], "parts": {"Pos_T1": 0, "Pos_F": 0}, "runs": {}}
    assert shown(empty, {}) == ["no samples yet; load a benchmark with 'kbe load FILE'"]


def test_each_run_is_told_by_itself(embedded_store: Store) -> None:
    load(embedded_store)
    embedded_store.save_questions([family(), family("other")])
    lines = shown(read_status(embedded_store), {"generic": "not too broad"})
    assert [line for line in lines if line.startswith("run ")] == ["run first", "run other"]
    assert sum(line.startswith("hop 1") for line in lines) == 2
    assert "generic: not too broad" in lines
    only = shown(read_status(embedded_store, "other"), {})
    assert [line for line in only if line.startswith("run ")] == ["run other"]
