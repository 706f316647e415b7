"""What the filters of the gallery show, and how many questions stand behind each of their values."""

from kbe_graph.review_pages.listing import QUIET, Listing, ReviewCard, filter_counts, read_listing

CARDS = [
    ReviewCard("a", "a", "hop 1", "", "", "The maker", ("reviewers differ", "a fact without a source"), "open"),
    ReviewCard("b", "b", "hop 2", "", "", "capital", ("a fact without a source",), "approved"),
    ReviewCard("c", "c", "hop 2", "", "", "maker of", (), "open"),
]


def _ids(listing: Listing) -> str:
    return "".join(card.id for card in CARDS if listing.takes(card))


def test_each_filter_narrows() -> None:
    assert _ids(Listing()) == "abc"
    assert _ids(Listing(state="open")) == "ac"
    assert _ids(Listing(hop="hop 2", sign="a fact without a source")) == "b"
    assert _ids(Listing(sign=QUIET)) == "c"
    assert _ids(Listing(relation="MAKER")) == "ac"


def test_counts_are_those_that_a_value_would_show() -> None:
    listing = Listing(state="open", relation="maker")
    for name, counts in filter_counts(CARDS, listing).items():
        for value, count in counts.items():
            assert count == len(_ids(listing._replace(**{name: value})))


def test_the_most_frequent_sign_stands_first_and_empty_values_are_left_out() -> None:
    counts = filter_counts(CARDS, Listing())
    assert [*counts["sign"]] == ["", "a fact without a source", "reviewers differ", QUIET]
    assert [*counts["state"]] == ["", "open", "approved"]


def test_a_list_is_read_from_an_address() -> None:
    assert read_listing({"state": "open", "other": "x"}) == Listing(state="open")
    assert read_listing({"list-hop": "hop 1"}, "list-").values == {"hop": "hop 1"}
