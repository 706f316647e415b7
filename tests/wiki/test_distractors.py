"""Wrong options: values of other items that cannot be right, years and amounts by rule, and what guesses get."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from wiki_cases import ARCHITECTS, asks, bridge, bridges, dated, described, person, pool_of, says

from kbe_graph.forms.form_case import AnswerOption
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.page_questions import with_choices
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion
from kbe_graph.wiki.wrong_options import wrong_options, year_options

FORTH = bridge(90, "Forth Bridge")
ANSWER = says(FORTH, "P84", "Kim Orr", "Q91")
OTHERS = set(ARCHITECTS) - {"Ada Lind"}


def names(world: Sequence[Described], *more: Described, text: str = "Who was the architect?", of=(ANSWER,)) -> set[str]:
    """Return the names of the options for the first statement of the bridge."""
    each = described(FORTH, of)
    return {option.name for option in pool_of([*world, *more, each]).options(asks(each, text), each)}


def test_options_are_values_of_the_property_of_other_items_of_the_kind() -> None:
    tower = {"kinds": ("Q12518",), "kind_labels": ("tower",)}
    towers = [bridge(number, f"Tower {number}", **tower) for number in range(50, 60)]
    world = [described(each, [says(each, "P84", f"Nat {each.label}")]) for each in towers]
    assert names([*bridges(), *world]) == set(ARCHITECTS)
    assert names(bridges(2)) == set()


def test_what_is_linked_with_the_item_in_either_way_is_no_option() -> None:
    for other in (
        says(FORTH, "P287", "Ada Lind"),
        says(FORTH, "P84", "Ada Lind", best=False),
        says(FORTH, "P84", "Ada Lind", current=False, reasons=("ended",)),
    ):
        assert "Ada Lind" not in names(bridges(), of=[ANSWER, other]), other
    architect = WikiItem("Q-Ada Lind", "Ada Lind")
    assert names(bridges(), described(architect, [says(architect, "P800", "Forth Bridge", FORTH.id)])) == OTHERS


def test_what_is_above_or_below_the_answer_is_no_option() -> None:
    places = ("Fife", "Oslo", "Bern", "Lyon", "Graz", "Ghent", "Pavia", "Scotland")
    fife, leven = WikiItem("Q-Fife", "Fife"), WikiItem("Q91", "Leven")
    above = described(fife, [says(fife, "P131", "Scotland")]), described(leven, [says(leven, "P131", "Fife")])
    found = names(bridges(8, "P131", places), *above, text="Where?", of=[says(FORTH, "P131", "Leven", "Q91")])
    assert found == set(places) - {"Fife", "Scotland"}


def test_what_is_of_another_kind_than_the_answer_or_has_a_name_in_common_is_no_option() -> None:
    human = person(0, "")
    firm = WikiItem("Q-Ada Lind", "Ada Lind", kinds=("Q4830453",), kind_labels=("business",))
    people = [described(replace(human, id=f"Q-{name}", label=name), []) for name in (*ARCHITECTS[1:], "Kim Orr")]
    answer = says(FORTH, "P84", "Kim Orr", "Q-Kim Orr")
    assert names(bridges(), described(firm, []), *people, of=[answer]) == OTHERS
    orr = WikiItem("Q91", "Kim Orr", aliases=("The Builder",))
    other = WikiItem("Q-Ada Lind", "Ada Lind", aliases=("the builder",))
    assert names(bridges(), described(orr, []), described(other, [])) == OTHERS


def test_an_option_is_not_like_the_answer_or_another_and_not_named_by_question_or_item() -> None:
    for name in ("kim orr", "Orr", "Sir Kim Orr", "Kim Orr junior"):
        assert name not in names(bridges(12, names=(*ARCHITECTS, name))), name
    options = names(bridges(12, names=(*ARCHITECTS, "Lind", "ada lind")))
    assert len(options & {"Ada Lind", "Lind", "ada lind"}) == 1
    world = bridges(13, names=(*ARCHITECTS, "Forth", "Red Wall"))
    assert names(world, text="Who built the wall?") == set(ARCHITECTS)


def test_years_are_two_to_thirty_apart_none_is_in_the_future_and_the_right_one_has_any_rank() -> None:
    for seed in range(300):
        options = year_options(2010, 2026, seed=str(seed))
        assert len(options) == 3
        years = sorted((2010, *options))
        assert all(2 <= later - earlier <= 30 for earlier, later in pairwise(years))
        assert years[-1] <= 2026
    ranks = Counter(sum(year < 1890 for year in year_options(1890, 2026, seed=str(seed))) for seed in range(4000))
    assert set(ranks) == {0, 1, 2, 3}
    assert all(900 < count < 1100 for count in ranks.values())


def test_years_lie_within_the_life_of_the_thing_and_not_before_any_of_its_kind() -> None:
    def year(item: WikiItem, property_id: str, number: int) -> WikiStatement:
        return dated(item, property_id, str(number), f"+{number}-00-00T00:00:00Z", 9)

    others = [described(item, [year(item, "P1619", 1870 + place)]) for place, item in enumerate(map(bridge, range(6)))]
    opened, life = year(FORTH, "P1619", 1890), [year(FORTH, "P571", 1882), year(FORTH, "P576", 1899)]
    for statements, first, last in (([opened, *life], 1882, 1899), ([opened], 1870, 2100)):
        own = described(FORTH, statements)
        for number in range(20):
            made = replace(asks(own, answer="1890"), picture=str(number))
            years = [int(each.name) for each in wrong_options(made, own, pool_of([*others, own]))]
            assert all(first <= each <= last for each in years), (statements, years)


def drafts(number: int, answer: str, wrong: Sequence[str]) -> list[MadeQuestion]:
    made = replace(asks(described(FORTH, [ANSWER])), wrong=tuple(map(AnswerOption, wrong)))
    return [replace(made, picture=str(n), answer=answer.format(n)) for n in range(number)]


def test_an_answer_that_is_right_wherever_it_is_an_option_is_left_out() -> None:
    assert len(with_choices(drafts(20, "Kim Orr", ARCHITECTS), Counter())) == 3


def test_the_order_of_options_hangs_on_the_question_alone() -> None:
    made = drafts(40, "Kim Orr {}", ARCHITECTS[:3])
    questions = with_choices(made, Counter())
    assert questions == with_choices(made[::-1], Counter())
    assert {each.choices.index(each.answer) for each in questions} == {0, 1, 2, 3}
