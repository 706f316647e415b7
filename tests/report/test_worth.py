from dataclasses import replace

from specimens import family, load

from kbe_graph.report.worth import Refused, Worth, faulty_shares, worth
from kbe_graph.store import Store


def test_a_filter_is_worth_the_faulty_share_it_takes_away() -> None:
    refused = [Refused("image not needed", 2, 2), Refused("rare", 1, 0), Refused("", 2, 1), Refused("leak", 1, 1)]
    assert list(worth(refused, ("rare", "image not needed"))) == [
        Worth("rare", 6, 4, 5, 4),
        Worth("image not needed", 5, 4, 3, 2),
    ]


def test_the_shares_of_a_run_are_told_for_the_filters_that_refused_something(embedded_store: Store) -> None:
    load(embedded_store)
    question, (kept, refused), _ = family()
    faulty = replace(refused, faulty=True)
    embedded_store.save_questions([family()._replace(question=question, candidates=(kept, faulty, faulty, refused))])
    assert faulty_shares(embedded_store, "first") == {"generic": "50.0 % before, 0.0 % after"}
