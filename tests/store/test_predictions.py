"""What models answered, in the graph, on every engine."""

from dataclasses import replace

from specimens import SAMPLE

from kbe_graph.store import Store
from kbe_graph.types import RAW, Prediction, Vote, question_id

EVOLVED, OWN = question_id(SAMPLE.id, "first", 1), question_id(SAMPLE.id, RAW, 0)
ANSWERED = Prediction("llava", EVOLVED, "Giraffidae ‘tall’", 2, "blind", "Which?", 7, "right", "majority")
VOTED = replace(ANSWERED, votes=(Vote("alias: strict", "right"), Vote("gpt", "wrong")))
BARE = Prediction("llava", OWN, "a giraffe")


def test_predictions_come_back_as_they_were(full: Store) -> None:
    full.save_predictions([VOTED, BARE], {"llava": "llama"})
    assert full.predictions(run="first") == [VOTED]
    assert full.predictions(run=RAW, model="llava") == [BARE]
    assert full.predictions(run=RAW, model="other") == []
    rows = full.query_text("MATCH (m:Model)-[a:ANSWERED]->(q:Question) RETURN m.name, m.family, a.verdict, q.hop").rows
    assert sorted(rows) == [("llava", "llama", "", 0), ("llava", "llama", "right", 1)]


def test_the_verdicts_of_several_judges_come_back_and_one_of_an_older_program_is_read(full: Store) -> None:
    both = VOTED.with_verdict("gpt: 5", "wrong").with_verdict("alias", "right")
    full.save_predictions([both])
    assert full.predictions(run="first") == [both]
    assert [vote.judge for vote in both.verdicts] == ["alias", "gpt: 5", "majority"]
    with full.connection.session(write=True) as session:
        session.run("MATCH ()-[a:ANSWERED]->() REMOVE a.other_verdicts").consume()
    assert full.predictions(run="first") == [replace(both, other_verdicts=())]
