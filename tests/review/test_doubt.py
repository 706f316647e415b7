"""The order in which questions are looked at: what is most doubtful first."""

from dataclasses import replace
from pathlib import Path

from review_cases import FIRST, SECOND, decide, filled_desk, states_of
from specimens import family

from kbe_graph.review.doubt import AGAINST_KEY, SIGNS, Doubt, doubtful_first, doubts
from kbe_graph.review.state import read_items
from kbe_graph.store import Store
from kbe_graph.store.nodes import CandidateRow
from kbe_graph.types import UNSOURCED, Prediction


def ranked(store: Store) -> list[Doubt]:
    """Rank the questions of the run."""
    return doubts(store, read_items(store, run="first"), states_of(store), "first")


def test_each_sign_of_what_is_stored_counts_with_its_weight(embedded_store: Store, tmp_path: Path) -> None:
    desk = filled_desk(embedded_store, tmp_path)
    kept = CandidateRow("taxonomic family", "Giraffidae", "wn30:1", "kept", faulty=True)
    question = family().question
    key = (*question.key[:-1], replace(question.key[-1], source=UNSOURCED))
    embedded_store.save_questions([family()._replace(question=replace(question, key=key), candidates=(kept,))])
    decide(desk, FIRST, "approve")
    decide(desk, FIRST, "reject", "Bo")
    for verdicts, fails in (
        (("wrong", "wrong"), False),
        (("wrong", "wrong", "wrong"), True),
        (("wrong", "right", "wrong"), False),
    ):
        predictions = [Prediction(f"m{n}", FIRST, "no", verdict=each, judge="alias") for n, each in enumerate(verdicts)]  # type: ignore[arg-type]
        embedded_store.save_predictions(predictions)
        first, second = ranked(embedded_store)
        assert (first.question, second.question, second.score) == (FIRST, SECOND, 0)
        assert ("all models fail it" in first.signs) == fails, verdicts
        by_models = {"all models fail it", AGAINST_KEY}
        assert {*first.signs} - by_models == SIGNS.keys() - by_models - {"guessed without the picture"}
        assert (AGAINST_KEY in first.signs) == (len(verdicts) == 2 or fails)
        assert first.score == sum(SIGNS[sign] for sign in first.signs)


def test_those_that_need_a_reviewer_come_first_and_results_on_earlier_words_do_not_count(
    embedded_store: Store, tmp_path: Path
) -> None:
    desk = filled_desk(embedded_store, tmp_path)
    before = {doubt.question: doubt.signs for doubt in ranked(embedded_store)}
    items = read_items(embedded_store, run="first")
    reworded = [item._replace(question=replace(item.question, text="Reworded?")) for item in items]
    after = doubts(embedded_store, reworded, states_of(embedded_store), "first")
    assert {doubt.signs for doubt in after} <= {(), *before.values()}
    assert all("an inspector says no" not in doubt.signs for doubt in after)
    decide(desk, FIRST, "approve")
    states = states_of(embedded_store)
    assert [item.question.id for item in doubtful_first(items, states, ranked(embedded_store))] == [SECOND, FIRST]
