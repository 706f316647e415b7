from dataclasses import replace

from specimens import family, load

from kbe_graph.show.status import FilterEffect, RefusalCount, faulty_counts, faulty_shares, filter_effects
from kbe_graph.store import Store


def test_a_filter_takes_faulty_candidates_away() -> None:
    refused = [
        RefusalCount("image not needed", 2, 2),
        RefusalCount("rare", 1, 0),
        RefusalCount("", 2, 1),
        RefusalCount("leak", 1, 1),
    ]
    assert list(filter_effects(refused, ("rare", "image not needed"))) == [
        FilterEffect("rare", 6, 4, 5, 4),
        FilterEffect("image not needed", 5, 4, 3, 2),
    ]


def test_the_shares_of_a_run_are_told_for_the_filters_that_refused_something(embedded_store: Store) -> None:
    load(embedded_store)
    question, (kept, refused), *_ = family()
    kept, refused = replace(kept, faulty=False), replace(refused, faulty=False)
    faulty = replace(refused, faulty=True)
    embedded_store.save_questions([family()._replace(question=question, candidates=(kept, faulty, faulty, refused))])
    assert faulty_shares(embedded_store, "first") == {"generic": "50.0 % before, 0.0 % after"}


def test_what_nobody_measured_counts_as_neither(embedded_store: Store) -> None:
    load(embedded_store)
    question, (kept, refused), *_ = family()
    some = (replace(kept, faulty=False), refused, replace(refused, faulty=True))
    embedded_store.save_questions([family()._replace(question=question, candidates=some)])
    assert [each.faulty for each in embedded_store.candidates(run="first")] == [False, None, True]
    assert faulty_counts(embedded_store, "first") == {"candidates": 2, "faulty": 1, "left": 1, "faulty left": 0}
