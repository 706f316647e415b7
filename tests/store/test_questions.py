"""Questions with keys and candidates, on every engine."""

from dataclasses import asdict, replace

from specimens import (
    COLOUR,
    EXTRACTION,
    SAMPLE,
    family,
    load,
)

from kbe_graph.store import CandidateRow, CycleRow, Evolved, Store
from kbe_graph.types import (
    VERDICTS,
    Extraction,
    Question,
    question_id,
)


def no_path(run: str = "first") -> Evolved:
    id_ = question_id(COLOUR.id, run, 0)
    return Evolved(
        Question(id_, COLOUR.id, run, 0, "reselected", "", "", (), status="dropped", reason="no path to a noun")
    )


def test_a_question_comes_back_with_key_provenance_and_aliases(full: Store) -> None:
    (found,) = full.questions(run="first")
    asked = family().question
    assert asked == found
    assert [(one.source, one.source_ref, one.evidence) for one in asked.key] == [
        (one.source, one.source_ref, one.evidence) for one in found.key
    ]
    assert [one.object.concept for one in found.key] == ["wn30:02439033-n", "wn30:1"]


def test_a_question_saved_anew_replaces_key_triplets_and_candidates(full: Store) -> None:
    question = replace(family().question, status="dropped", reason="blind", key=())
    full.save_questions([Evolved(question, (CandidateRow("a", "b", "c", "dropped", "leak"),))])
    assert [question] == full.questions(run="first", status=None)
    assert full.status("first")["runs"]["first"]["candidates"] == {
        "hop 1": {"dropped": 1, "dropped by reason": {"leak": 1}}
    }
    edges = full.query_text("MATCH (:Entity)-[e:TEXTUAL|KEY]->() WHERE e.run = 'first' RETURN count(e) AS edges")
    assert edges.rows == ((0,),)


def test_runs_do_not_change_what_each_other_wrote(store: Store) -> None:
    load(store)
    here, there = family(), family("second", "GIRAFFIDAE.")
    store.save_questions([here])
    store.save_questions([there])
    assert [here.question] == store.questions(run="first")
    assert [there.question] == store.questions(run="second")
    names = [one.key[-1].object.name for one in store.questions(hop=1)]
    assert names == ["GIRAFFIDAE", "GIRAFFIDAE."]


def test_an_object_closes_a_cycle_where_it_is_a_subject_or_the_answer(full: Store) -> None:
    question = family().question.id
    names = ["giraffe", "giraffidae", "image", "tree", "mammal"]
    rows = [CycleRow(question, SAMPLE.id, name) for name in names]
    assert full.cycles(rows) == ["giraffe", "giraffidae", "image", "", ""]
    assert full.cycles([]) == []


def test_status_counts_by_stage_hop_and_reason(store: Store) -> None:
    load(store)
    store.save_questions([family(), no_path()])
    assert store.status("first") == {
        "samples": {"extracted": 2},
        "parts": {"Pos_T1": 1, "Pos_F": 1},
        "graphs": [asdict(extraction) | {"samples": 1} for extraction in (Extraction(), EXTRACTION)],
        "runs": {
            "first": {
                "state": "complete",
                "parts": {"Pos_T1": 1, "Pos_F": 1, "Pos_T2": 0, "Pos_T": 1},
                "questions": {
                    "hop 0": {"dropped": 1, "dropped by reason": {"no path to a noun": 1}},
                    "hop 1": {"kept": 1},
                },
                "candidates": {"hop 1": {"dropped": 1, "dropped by reason": {"generic": 1}, "kept": 1}},
                "verdicts": {"questions": 1, "yes": dict.fromkeys(VERDICTS, 1.0) | {"publish": 0.0}},
                "named without the picture": {"hop 1": {"asked": 2, "right": 1, "share": 0.5, "by": ["m"]}},
            }
        },
    }


def test_what_is_kept_with_a_question_comes_back_and_goes_with_it(store: Store) -> None:
    load(store)
    evolved = family()
    store.save_questions([evolved])
    (inspection,) = store.inspections(sample=SAMPLE.id)
    assert (inspection.text, inspection.no) == (evolved.question.text, ("publish",))
    guesses = store.guesses(samples=[SAMPLE.id])
    assert [(guess.guess, guess.right) for guess in guesses] == [(each.guess, each.right) for each in evolved.guesses]
    assert (guesses[0].question, guesses[0].hop, guesses[0].kind) == (evolved.question.id, 1, "explored")
    assert store.guesses(run="other") == store.guesses(hop=2) == store.guesses(samples=[COLOUR.id]) == []
    assert store.alternatives([evolved.question.id, "nothing"]) == {evolved.question.id: evolved.alternatives}
    store.save_questions([Evolved(evolved.question)])
    assert (store.inspections(), store.guesses(), store.alternatives([evolved.question.id])) == ([], [], {})
