"""Wrong options: values of other items that cannot be right, years and amounts by rule, and what guesses get."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from wiki_cases import ARCHITECTS, asks, bridge, bridges, described, measured, person, pool_of, says

from kbe_graph.facts.pack import pack
from kbe_graph.forms.form_case import AnswerOption
from kbe_graph.types import WikiItem
from kbe_graph.wiki.page_questions import with_choices
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion
from kbe_graph.wiki.wrong_options import DistractorPool, amount_options, packaged_items, wrong_options, year_options

FORTH = bridge(90, "Forth Bridge")
ANSWER = says(FORTH, "P84", "Kim Orr", "Q91")


def names(world: Sequence[Described], each: Described, text: str = "Who was the architect?") -> set[str]:
    """Return the names of the options for the first statement of an item."""
    options = pool_of([*world, each]).options(asks(each, text), each)
    return {option.name for option in options}


def test_options_are_values_of_the_property_of_other_items_of_the_kind() -> None:
    towers = [
        described(tower := bridge(number, f"Tower {number}", kinds=("Q12518",), kind_labels=("tower",)), [
            says(tower, "P84", f"Nat Tower{number}")
        ])
        for number in range(50, 60)
    ]  # fmt: skip
    assert names([*bridges(), *towers], described(FORTH, [ANSWER])) == set(ARCHITECTS)


def test_where_few_of_a_kind_have_values_there_are_fewer_than_three_options() -> None:
    assert names(bridges(2), described(FORTH, [ANSWER])) == set()


def test_what_the_item_is_linked_with_by_any_statement_is_no_option() -> None:
    for other in (
        says(FORTH, "P287", "Ada Lind"),
        says(FORTH, "P84", "Ada Lind", best=False),
        says(FORTH, "P84", "Ada Lind", current=False, reasons=("ended",)),
    ):
        assert "Ada Lind" not in names(bridges(), described(FORTH, [ANSWER, other])), other


def test_what_names_the_item_as_its_value_is_no_option() -> None:
    architect = WikiItem("Q-Ada Lind", "Ada Lind")
    world = [*bridges(), described(architect, [says(architect, "P800", "Forth Bridge", FORTH.id)])]
    assert names(world, described(FORTH, [ANSWER])) == set(ARCHITECTS) - {"Ada Lind"}


def test_what_is_above_or_below_the_answer_is_no_option() -> None:
    places = ("Fife", "Oslo", "Bern", "Lyon", "Graz", "Ghent", "Pavia", "Scotland")
    fife, leven = WikiItem("Q-Fife", "Fife"), WikiItem("Q91", "Leven")
    world = [
        *bridges(8, "P131", places),
        described(fife, [says(fife, "P131", "Scotland")]),
        described(leven, [says(leven, "P131", "Fife")]),
    ]
    answer = says(FORTH, "P131", "Leven", "Q91")
    assert names(world, described(FORTH, [answer]), "Where?") == set(places) - {"Fife", "Scotland"}


def test_what_is_of_another_kind_than_the_answer_is_no_option() -> None:
    firm = WikiItem("Q-Ada Lind", "Ada Lind", kinds=("Q4830453",), kind_labels=("business",))
    people = [person_named(name) for name in (*ARCHITECTS[1:], "Kim Orr")]
    world = [*bridges(), described(firm, []), *people]
    answer = says(FORTH, "P84", "Kim Orr", "Q-Kim Orr")
    assert names(world, described(FORTH, [answer])) == set(ARCHITECTS) - {"Ada Lind"}


def person_named(name: str) -> Described:
    """Return a human whose id is made of the name."""
    human = person(0, name)
    return described(WikiItem(f"Q-{name}", name, kinds=human.kinds, kind_labels=human.kind_labels), [])


def test_an_option_is_not_like_the_answer_or_another_option() -> None:
    for name in ("kim orr", "Orr", "Sir Kim Orr", "Kim Orr junior"):
        assert name not in names(bridges(12, names=(*ARCHITECTS, name)), described(FORTH, [ANSWER])), name
    options = names(bridges(12, names=(*ARCHITECTS, "Lind", "ada lind")), described(FORTH, [ANSWER]))
    assert len(options & {"Ada Lind", "Lind", "ada lind"}) == 1


def test_an_option_is_not_named_by_the_question_or_the_item() -> None:
    world = bridges(13, names=(*ARCHITECTS, "Forth", "Red Wall"))
    assert names(world, described(FORTH, [ANSWER]), "Who built the wall?") == set(ARCHITECTS)


def test_what_has_a_name_in_common_with_the_answer_is_no_option() -> None:
    answer = WikiItem("Q91", "Kim Orr", aliases=("The Builder",))
    other = WikiItem("Q-Ada Lind", "Ada Lind", aliases=("the builder",))
    world = [*bridges(), described(answer, []), described(other, [])]
    assert names(world, described(FORTH, [ANSWER])) == set(ARCHITECTS) - {"Ada Lind"}


def test_the_packaged_facts_are_items_of_a_pool_where_a_corpus_is_small() -> None:
    denmark = bridge(35, "Denmark", kinds=("Q6256",), kind_labels=("country",))
    case = described(denmark, [says(denmark, "P36", "Copenhagen", "Q1748")])
    pool = DistractorPool([(denmark, case.statements), *packaged_items(pack())])
    options = pool.options(asks(case, "What is the capital?"), case)
    capitals = {fact.object for fact in pack().facts if fact.relation == "capital"}
    assert len(options) >= 3
    assert {option.name for option in options} <= capitals - {"Copenhagen"}


# --- years and amounts


def test_years_are_two_to_thirty_apart_and_none_is_in_the_future() -> None:
    for seed in range(300):
        options = year_options(2010, 2026, seed=str(seed))
        assert len(options) == 3
        years = sorted((2010, *options))
        assert all(2 <= later - earlier <= 30 for earlier, later in pairwise(years))
        assert years[-1] <= 2026


def test_the_right_year_has_any_rank() -> None:
    ranks = Counter(sum(year < 1890 for year in year_options(1890, 2026, seed=str(seed))) for seed in range(4000))
    assert set(ranks) == {0, 1, 2, 3}
    assert all(900 < count < 1100 for count in ranks.values())


def test_amounts_keep_the_digits_and_stand_apart() -> None:
    for number in ("1300", "6051.8", "2.4", "0.0067", "7"):
        for seed in range(50):
            options = amount_options(Decimal(number), seed=str(seed))
            amounts = sorted((Decimal(number), *options))
            assert len(options) == 3
            assert all(later > earlier for earlier, later in pairwise(amounts)), number
            assert amounts[0] > 0
            exponent = Decimal(number).normalize().as_tuple().exponent
            assert all(int(each.normalize().as_tuple().exponent) >= int(exponent) for each in options), number


def test_what_other_items_have_shows_which_amount_is_likely() -> None:
    lengths = [described(each := bridge(n), [measured(each, "P2043", str(100 + n), "metre")]) for n in range(1, 12)]
    length = measured(FORTH, "P2043", "112", "metre")
    case = described(FORTH, [length])
    for seed in range(20):
        made = replace(asks(case, answer="112 metres"), picture=str(seed))
        options = wrong_options(made, case, pool_of(lengths))
        assert all(int(option.name.split()[0]) < 112 for option in options)


# --- guesses


def drafts(number: int, answer: str, wrong: Sequence[str]) -> list[MadeQuestion]:
    options = tuple(map(AnswerOption, wrong))
    made = asks(described(FORTH, [ANSWER]), answer=answer)
    return [replace(made, picture=str(n), answer=answer.format(n), wrong=options) for n in range(number)]


def test_an_answer_that_is_right_wherever_it_is_an_option_is_left_out() -> None:
    assert len(with_choices(drafts(20, "Kim Orr", ARCHITECTS), Counter())) == 3


def test_the_order_of_options_hangs_on_the_question_alone() -> None:
    made = drafts(40, "Kim Orr {}", ARCHITECTS[:3])
    questions = with_choices(made, Counter())
    assert questions == with_choices(made[::-1], Counter())
    assert {each.choices.index(each.answer) for each in questions} == {0, 1, 2, 3}
