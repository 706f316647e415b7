import random
from collections import Counter

from kbe_graph.checks.assignment import Limits, Seat, assign


def assigned(choices, **limits):
    return assign(
        {sample: [Seat(answer) for answer in answers] for sample, answers in choices.items()}, Limits(**limits)
    )


def kept(choices, chosen):
    return Counter(choices[sample][place] for sample, place in chosen.items() if place is not None)


def test_each_sample_gets_its_first_choice_where_nothing_is_crowded():
    choices = {"a": ("carnivora", "puppy"), "b": ("italy",), "c": ("foal", "equidae")}
    assert assigned(choices) == {"a": 0, "b": 0, "c": 0}


def test_the_floor_is_always_allowed_and_the_rest_is_refused():
    choices = {f"s{number}": ("carnivora",) for number in range(10)}
    chosen = assigned(choices, share=0.03, floor=3)
    assert kept(choices, chosen) == {"carnivora": 3}
    assert sum(place is None for place in chosen.values()) == 7


def test_a_crowded_answer_gives_way_to_a_further_choice():
    choices = {f"s{number}": ("carnivora", f"answer {number}") for number in range(10)}
    chosen = assigned(choices, floor=3)
    assert Counter(chosen.values()) == {0: 3, 1: 7}


def test_one_that_was_served_moves_on_for_one_that_has_no_other_choice():
    choices = {f"rich {number}": ("carnivora", f"own {number}") for number in range(20)}
    choices |= {f"poor {number}": ("carnivora",) for number in range(3)}
    chosen = assigned(choices, floor=3)
    assert None not in chosen.values()
    assert all(chosen[f"poor {number}"] == 0 for number in range(3))


def test_answers_of_earlier_hops_count():
    choices = {"a": ("carnivora",), "b": ("carnivora",)}
    chosen = assigned(choices, floor=3, earlier={("order", "carnivora"): 2, ("order", "others"): 38})
    assert kept(choices, chosen) == {"carnivora": 1}


def test_an_answer_that_earlier_hops_used_up_is_not_asked_and_the_others_are():
    chosen = assigned({"a": ("carnivora",), "b": ("italy",)}, floor=3, earlier={("order", "carnivora"): 9})
    assert chosen == {"a": None, "b": 0}


def test_the_share_is_of_what_is_kept_in_the_end():
    choices = {f"s{number}": ("carnivora",) for number in range(300)}
    choices |= {f"t{number}": (f"answer {number}",) for number in range(100)}
    chosen = assigned(choices, share=0.1, floor=3)
    counts = kept(choices, chosen)
    assert counts["carnivora"] == 11
    assert counts["carnivora"] <= 0.1 * counts.total()
    assert counts["carnivora"] + 1 > 0.1 * (counts.total() + 1)


def test_the_order_of_the_samples_changes_nothing():
    draw = random.Random(0)
    names = [f"answer {number}" for number in range(30)]
    choices = {
        f"okvqa/val/{number}": tuple(draw.choices(names, weights=range(30, 0, -1), k=3)) for number in range(400)
    }
    shuffled = list(choices)
    draw.shuffle(shuffled)
    chosen = assigned(choices)
    assert chosen == assigned({sample: choices[sample] for sample in shuffled})
    counts = kept(choices, chosen)
    assert max(counts.values()) <= max(3, 0.03 * counts.total())


def test_no_samples_at_all():
    assert assigned({}) == {}
