"""Questions with one answer are gone on from in turn, so that the same words do not come with the same answer."""

from kbe_graph.evolve.turns import turns_of


def test_each_answer_has_its_turns_whatever_the_order_of_the_samples() -> None:
    ends = {f"s{number}": ("taxonomic family", ("felidae", "canidae")[number % 2]) for number in range(10)}
    turns = turns_of(ends)
    assert turns == turns_of(dict(reversed(ends.items())))
    for answer in ("felidae", "canidae"):
        assert sorted(turns[sample] for sample, end in ends.items() if end[-1] == answer) == [0, 1, 2, 3, 4]


def test_the_turns_of_another_relation_are_its_own() -> None:
    assert turns_of({"a": ("capital", "rome"), "b": ("largest city", "rome")}) == {"a": 0, "b": 0}
