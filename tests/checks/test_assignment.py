"""What each sample gets, where the answers of a relation and of a chain are shared out as well."""

import random
from collections import Counter, defaultdict

from kbe_graph.checks.assignment import Following, Limits, Onward, Seat, assign
from kbe_graph.checks.concentration import Concentration
from kbe_graph.checks.guessable import Guessable, balanced, choose, foreseeable
from kbe_graph.checks.thresholds import FilterSettings
from kbe_graph.types import Decision

BALANCED = Limits(share=1.0, group_share=0.2, answers=5)


def seats(relation, answers):
    return {f"{relation}/{place}": (Seat(answer, (relation,)),) for place, answer in enumerate(answers)}


def kept(choices, chosen):
    return [choices[sample][place] for sample, place in chosen.items() if isinstance(place, int)]


def test_an_answer_holds_at_most_a_fifth_of_its_relation():
    choices = seats("capital", ["paris"] * 30 + [f"city {number}" for number in range(20)])
    counts = Counter(seat.answer for seat in kept(choices, assign(choices, BALANCED)))
    assert counts["paris"] == 5
    assert counts.total() == 25
    assert counts["paris"] + 1 > 0.2 * (counts.total() + 1)


def test_a_relation_with_few_answers_is_not_asked_and_its_samples_get_what_else_they_have():
    wheels = {f"s{number}": [Seat(("two", "four")[number % 2], ("wheels",))] for number in range(40)}
    makers = {f"s{number}": [*wheels[f"s{number}"], Seat(f"maker {number}", ("maker",))] for number in range(6)}
    chosen = assign(wheels | makers, BALANCED)
    assert {sample for sample, place in chosen.items() if place is not None} == set(makers)
    assert all(chosen[sample] == 1 for sample in makers)


def test_a_relation_that_could_have_enough_answers_is_offered_first_before_it_is_closed():
    peaks = {f"p{number}": [Seat(f"peak {number}", ("peak",))] for number in range(4)}
    capitals = {f"c{number}": [Seat(f"capital {number}", ("capital",))] for number in range(5)}
    both = {"both": [Seat("capital 5", ("capital",)), Seat("peak 4", ("peak",))]}
    chosen = assign(peaks | capitals | both, BALANCED)
    assert None not in chosen.values()
    assert chosen["both"] == 1


def test_a_chain_is_balanced_within_its_relation():
    choices = {
        f"{before}/{number}": (Seat(f"{before} {min(number, 1)}", (before, "capital")),)
        for before in ("country of origin", "country", "continent", "state", "only neighbour")
        for number in range(10)
    }
    counts = Counter((*seat.chain, seat.answer) for seat in kept(choices, assign(choices, BALANCED)))
    assert len(counts) == 10
    assert set(counts.values()) == {1}


def test_no_question_is_lost_that_another_choice_would_save():
    choices = seats("young", [f"young {number}" for number in range(5)])
    choices |= {"both": (Seat("young 0", ("young",)), Seat("sound 0", ("sound",)))}
    choices |= seats("sound", [f"sound {number}" for number in range(1, 5)])
    assert None not in assign(choices, BALANCED).values()


def words_or_families(ends):
    """Samples that can be asked for a word, which leads nowhere, or for a family, whose largest species is told."""
    onward = [Onward(1, (Following("largest species", end),)) for end in ends]
    seats = [
        (Seat(f"word {number}", ("word",)), Seat(f"family {number}", ("family",), onward=each))
        for number, each in enumerate(onward)
    ]
    return {str(number): each for number, each in enumerate(seats)}


def test_what_leads_on_is_served_first_where_the_next_hop_could_be_asked():
    several = words_or_families([f"species {number}" for number in range(5)])
    assert set(assign(several, BALANCED).values()) == {1}
    one = words_or_families(["tiger"] * 5)
    assert set(assign(one, BALANCED).values()) == {0}


def test_no_more_lead_on_than_the_next_hop_can_share_out():
    ends = ["tiger"] * 10 + [f"species {number}" for number in range(4)]
    chosen = assign(words_or_families(ends), BALANCED)
    families = Counter(end for end, place in zip(ends, chosen.values(), strict=True) if place == 1)
    assert families == Counter({"tiger": 1} | {f"species {number}": 1 for number in range(4)})


def test_the_order_of_the_samples_changes_nothing_and_the_limits_hold():
    draw = random.Random(3)
    relations = [f"relation {number}" for number in range(12)]
    choices = {
        f"okvqa/val/{number}": tuple(
            Seat(f"{relation} {int(draw.paretovariate(1))}", (*draw.choices(relations[:3]), relation))
            for relation in draw.choices(relations, weights=range(12, 0, -1), k=3)
        )
        for number in range(500)
    }
    shuffled = list(choices)
    draw.shuffle(shuffled)
    chosen = assign(choices, BALANCED)
    assert chosen == assign({sample: choices[sample] for sample in shuffled}, BALANCED)
    groups = defaultdict(Counter)
    for seat in kept(choices, chosen):
        for group in seat.groups[:-1]:
            groups[group][seat.answer] += 1
    assert sum(counts.total() for counts in groups.values()) > 300
    for group, counts in groups.items():
        assert max(counts.values()) <= max(1, 0.2 * counts.total()), group
        assert len(group) > 1 or len(counts) >= 5, group


def test_the_first_guess_is_not_asked_and_what_is_rarer_is():
    answers = ["italy"] * 4 + ["japan", "mexico", "france", "china", "india", "spain"]
    choices = {str(number): (Seat(answer, ("country of origin",), "food"),) for number, answer in enumerate(answers)}
    settings = FilterSettings()
    assert {seat.answer for seat in foreseeable(choices, settings)} == {"italy"}
    chosen = choose(choices, balanced(Limits(1.0), choices, settings))
    assert {seat.answer for seat in kept(choices, chosen)} == set(answers) - {"italy"}
    few = {sample: choices[sample] for sample in list(choices)[:4]}
    assert not foreseeable(few, settings)


def test_what_guessing_alone_refuses_is_told_from_what_is_too_common_at_all():
    choices = seats("capital", ["paris"] * 8) | seats("currency", [f"money {number}" for number in range(20)])
    limits = Limits(share=0.03, floor=3, group_share=0.2, answers=5)
    reasons = Counter(choice.reason for choice in choose(choices, limits).values() if isinstance(choice, Decision))
    assert reasons == {Concentration.name: 5, Guessable.name: 3}


def test_the_answers_of_earlier_hops_are_answers_of_their_relation():
    choices = seats("capital", ["oslo", "paris"])
    assert set(assign(choices, BALANCED).values()) == {None}
    earlier = {("capital", city): 1 for city in ("rome", "bern", "lima")}
    limits = Limits(share=1.0, group_share=0.2, answers=5, earlier=earlier)
    assert set(assign(choices, limits).values()) == {0}


def test_a_question_of_the_benchmark_and_a_reselected_one_for_the_same_noun_share_their_answers() -> None:
    animals = ("felidae", "canidae", "equidae", "bovidae", "ursidae")
    choices = {
        f"{animal} {number}": [Seat(animal, ("taxonomic family",), "animal", reselected=number > 0)]
        for animal in animals
        for number in range(3)
    }
    assert None not in assign(choices, BALANCED).values()
    birds = {f"bird {number}": [Seat("laridae", ("taxonomic family",), "bird")] for number in range(3)}
    chosen = assign(choices | birds, BALANCED)
    assert sum(chosen[sample] is not None for sample in birds) == 1
