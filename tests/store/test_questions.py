"""Questions with keys and candidates, on every engine."""

from dataclasses import asdict, fields, replace
from itertools import pairwise

import pytest
from drawn_graphs import dense, save
from specimens import (
    BIRD,
    COLOUR,
    DEPICTS,
    EXTRACTION,
    GIRAFFE,
    NEAR,
    RUN,
    SAMPLE,
    SECOND_TREE,
    colour_graph,
    family,
    giraffe_graph,
    load,
    raw,
)

from kbe_graph.errors import InputError, StoreError
from kbe_graph.store import CandidateRow, CycleRow, Evolved, Store
from kbe_graph.store.nodes import StoredGuess
from kbe_graph.types import (
    IMAGE,
    VERDICTS,
    Entity,
    Extraction,
    Guess,
    Question,
    RunRecord,
    SampleGraph,
    Triplet,
    question_id,
)


def no_path(run: str = "first") -> Evolved:
    id_ = question_id(COLOUR.id, run, 0)
    return Evolved(
        Question(id_, COLOUR.id, run, 0, "reselected", "", "", (), status="dropped", reason="no path to a noun")
    )


def test_a_question_comes_back_with_key_provenance_and_aliases(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    (found,) = store.questions(run="first")
    asked = family().question
    assert asked == found
    assert [(one.source, one.source_ref, one.evidence) for one in asked.key] == [
        (one.source, one.source_ref, one.evidence) for one in found.key
    ]
    assert [one.object.concept for one in found.key] == ["wn30:02439033-n", "wn30:1"]


def test_a_question_saved_anew_replaces_key_triplets_and_candidates(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    question = replace(family().question, status="dropped", reason="blind", key=())
    store.save_questions([Evolved(question, (CandidateRow("a", "b", "c", "dropped", "leak"),))])
    assert [question] == store.questions(run="first", status=None)
    assert store.status("first")["runs"]["first"]["candidates"] == {
        "hop 1": {"dropped": 1, "dropped by reason": {"leak": 1}}
    }
    edges = store.query_text("MATCH (:Entity)-[e:TEXTUAL|KEY]->() WHERE e.run = 'first' RETURN count(e) AS edges")
    assert edges.rows == ((0,),)


def test_what_a_second_model_said_comes_back_goes_with_its_question_and_is_checked(store: Store) -> None:
    load(store)
    evolved = family()
    store.save_questions([evolved])
    (inspection,) = store.inspections(sample=SAMPLE.id)
    assert (inspection.text, inspection.no) == (evolved.question.text, ("publish",))
    assert store.inspections(run="other") == store.inspections(hop=2) == []
    store.connection.alone("MATCH (i:Inspection) SET i.path = 'x'")
    with pytest.raises(StoreError, match="has a 'path' that this program does not write"):
        store.inspections()
    store.save_questions([Evolved(evolved.question)])
    assert store.inspections() == []


def test_guesses_and_alternatives_come_back_go_with_their_question_and_are_checked(store: Store) -> None:
    load(store)
    evolved = family()
    store.save_questions([evolved])
    first, second = store.guesses(sample=SAMPLE.id)
    assert evolved.guesses == tuple(guess_as_asked(guess) for guess in (first, second))
    assert (first.question, first.run, first.hop, first.kind) == (evolved.question.id, "first", 1, "explored")
    assert [first.position, second.position] == [0, 1]
    assert store.guesses(run="other") == store.guesses(hop=2) == store.guesses(sample=COLOUR.id) == []
    assert store.guesses(run="first", hop=1) == store.guesses(samples=[COLOUR.id, SAMPLE.id, SAMPLE.id], hop=1)
    assert store.guesses(samples=[]) == store.guesses(sample=SAMPLE.id, run="other") == []
    assert store.alternatives([evolved.question.id, "nothing"]) == {evolved.question.id: evolved.alternatives}
    edges = "MATCH (:Question)-[a:ALTERNATIVE {root: 'HORSE'}]->(e:Entity) RETURN e.name, a.answer"
    assert store.query_text(edges).rows == (("GIRAFFE", "Equidae"),)
    store.connection.alone("MATCH (g:Guess) SET g.right = 'x'")
    store.connection.alone("MATCH (:Question)-[a:ALTERNATIVE]->() SET a.answer = 7")
    with pytest.raises(StoreError, match="has a 'right' that this program does not write"):
        store.guesses()
    with pytest.raises(StoreError, match=r"alternative of question .* has a 'answer' that this program does not write"):
        store.alternatives([evolved.question.id])
    store.save_questions([evolved._replace(guesses=evolved.guesses[:1], alternatives=evolved.alternatives[1:])])
    assert len(store.guesses()) == 1
    assert store.alternatives([evolved.question.id])[evolved.question.id] == evolved.alternatives[1:]
    store.save_questions([Evolved(evolved.question)])
    assert store.guesses() == []
    assert store.alternatives([evolved.question.id]) == {}


def guess_as_asked(guess: StoredGuess) -> Guess:
    """A guess without the place that it is kept at."""
    return Guess(**{field.name: getattr(guess, field.name) for field in fields(Guess)})


def test_guesses_of_a_run_at_raw_questions_replace_its_own_alone(store: Store) -> None:
    load(store)
    asked = [raw(SAMPLE, giraffe_graph()), raw(COLOUR, colour_graph())]
    first, second = (
        Guess("What is it?", "giraffe", "cow", right=False, model="m"),
        Guess("What is it?", "giraffe", "giraffe", right=True),
    )
    store.save_guesses("first", [(asked[0], [first, second]), (asked[1], [first])])
    store.save_guesses("second", [(asked[0], [second])])
    assert [(one.run, one.kind, one.question, one.position) for one in store.guesses(run="first")] == [
        ("first", "raw", asked[0].id, 0),
        ("first", "raw", asked[0].id, 1),
        ("first", "raw", asked[1].id, 0),
    ]
    store.save_guesses("first", [(asked[0], [second]), (asked[1], [])])
    assert [guess_as_asked(one) for one in store.guesses(run="first")] == [second]
    assert [guess_as_asked(one) for one in store.guesses(run="second")] == [second]
    graphs = [giraffe_graph(), colour_graph()]
    store.save_graphs(graphs, asked)
    assert len(store.guesses()) == 2


def test_each_condition_narrows(store: Store) -> None:
    load(store)
    store.save_questions([family(), no_path()])
    names = [one.id for one in store.questions(status=None)]
    assert names == [f"{SAMPLE.id}@first/1", f"{SAMPLE.id}@raw/0", f"{COLOUR.id}@first/0", f"{COLOUR.id}@raw/0"]
    assert names[0:2] + names[3:] == [one.id for one in store.questions()]
    assert names[2:] == [one.id for one in store.questions(samples=[COLOUR.id], status=None)]
    assert [names[2]] == [one.id for one in store.questions(hop=0, run="first", status="dropped")]
    assert [names[0]] == [one.id for one in store.questions(hop=1)]
    assert [names[0]] == [one.id for one in store.questions(run="first", samples=[SAMPLE.id, COLOUR.id])]


def test_an_explored_triplet_grows_the_textual_graph_but_not_the_samples_own(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    assert giraffe_graph() == store.graphs([SAMPLE.id])[SAMPLE.id]
    table = store.query_text(
        "MATCH (:Entity {name: 'GIRAFFE'})-[e:TEXTUAL {hop: 1}]->(o) "
        "RETURN e.run AS run, e.source AS source, o.name AS name"
    )
    assert table.rows == (("first", "pack", "GIRAFFIDAE"),)


def test_runs_do_not_change_what_each_other_wrote(store: Store) -> None:
    load(store)
    here, there = family(), family("second", "GIRAFFIDAE.")
    store.save_questions([here])
    store.save_questions([there])
    assert [here.question] == store.questions(run="first")
    assert [there.question] == store.questions(run="second")
    names = [one.key[-1].object.name for one in store.questions(hop=1)]
    assert names == ["GIRAFFIDAE", "GIRAFFIDAE."]


def test_an_object_closes_a_cycle_where_it_is_a_subject_or_the_answer(store: Store) -> None:
    load(store)
    store.save_questions([family()])
    question = family().question.id
    names = ["giraffe", "giraffidae", "image", "tree", "mammal"]
    rows = [CycleRow(question, SAMPLE.id, name) for name in names]
    assert store.cycles(rows) == ["giraffe", "giraffidae", "image", "", ""]
    assert store.cycles([]) == []


def test_an_object_that_the_samples_own_graph_leads_back_from_closes_a_cycle(store: Store) -> None:
    things = [Entity(f"THING {place}") for place in range(40)]
    chain = [Triplet(subject, "beside", object_) for subject, object_ in pairwise(things)]
    back, told = Triplet(things[-1], "around", GIRAFFE), Triplet(BIRD, "colour", GIRAFFE, "textual")
    away = Triplet(GIRAFFE, "near", SECOND_TREE)
    store.save_samples([SAMPLE])
    graph = SampleGraph(SAMPLE.id, (DEPICTS, *chain, back, away), (told,), (DEPICTS,))
    store.save_graphs([graph], [raw(SAMPLE, graph)])
    names = ["thing 0", "bird", "tree", "giraffe"]
    rows = [CycleRow(question_id(SAMPLE.id, "raw", 0), SAMPLE.id, name) for name in names]
    assert store.cycles(rows) == ["giraffe", "giraffe", "", "giraffe"]


def test_the_way_back_is_looked_for_in_a_dense_graph_too(store: Store) -> None:
    sample, graph = dense()
    lonely = Triplet(IMAGE, "depicts", Entity("KITE"))
    graph = replace(graph, visual=(*graph.visual, lonely), key=(lonely,))
    save(store, [(sample, graph)])
    row = CycleRow(question_id(sample.id, "raw", 0), sample.id, "thing 3")
    assert store.cycles([row] * 3) == [""] * 3


def test_runs_keep_their_settings(store: Store) -> None:
    other = RunRecord("other", 2**70)
    store.save_run(other)
    store.save_run(RUN)
    store.save_run(RUN)
    assert [RUN, other] == store.runs()
    store.require_run("first")
    store.require_run(None)
    with pytest.raises(InputError, match="no run 'third'; the runs are first, other"):
        store.require_run("third")


def test_status_counts_by_stage_hop_and_reason(store: Store) -> None:
    load(store)
    store.save_questions([family(), no_path()])
    assert store.status("first") == {
        "samples": {"extracted": 2},
        "paths": {"presupposed": 0, "unconfirmed": 0, "last resort": 0},
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


def test_status_counts_what_was_named_without_the_picture_by_row_of_the_run_that_asked(store: Store) -> None:
    load(store)
    again = family()
    reselected = Question(f"{COLOUR.id}@first/0", COLOUR.id, "first", 0, "reselected", "?", "tree", (DEPICTS, NEAR))
    guesses = [Guess("?", "tree", "tree", right=right, model=model) for right, model in ((True, "n"), (False, "m"))]
    store.save_questions([again, family("second")._replace(guesses=()), Evolved(reselected, guesses=tuple(guesses))])
    store.save_run(replace(RUN, name="second"))
    store.save_guesses("first", [(raw(SAMPLE, giraffe_graph()), guesses[:1]), (raw(COLOUR, colour_graph()), guesses)])
    named = store.status("first")["runs"]["first"]["named without the picture"]
    assert list(named) == ["raw", "re-selected", "hop 1"]
    assert named["raw"] == {"asked": 3, "right": 2, "share": 0.667, "by": ["m", "n"]}
    assert named["re-selected"] == {"asked": 2, "right": 1, "share": 0.5, "by": ["m", "n"]}
    assert "named without the picture" not in store.status("second")["runs"]["second"]
