"""Questions by rule: what is asked of which picture, and why nothing is asked."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import pytest
from wiki_cases import bridge, bridges, dated, described, measured, person, picture, pool_of, says

from kbe_graph.errors import NoCandidate
from kbe_graph.forms.multiple_choice import WRONG
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.page_questions import draft_question, draw_questions, rule_drafts
from kbe_graph.wiki.wiki_sample import Described, MadeQuestion, wiki_sample

FORTH = bridge(90, "Forth Bridge", kind_labels=("cantilever bridge", "railway bridge"))


def question(
    item: WikiItem, statements: Sequence[WikiStatement], world: Sequence[Described] = (), **changes: object
) -> MadeQuestion:
    """Return the question for the first statement of an item, in a world of others."""
    each = described(item, statements, **changes)
    return draft_question(each, statements[0].property_id, pool_of([*world, each]))


def refusal(item: WikiItem, *statements: WikiStatement, world: Sequence[Described] = (), **changes: object) -> str:
    """Return the reason why the first statement of an item gives no question."""
    with pytest.raises(NoCandidate) as refused:
        question(item, statements, world, **changes)
    return refused.value.reason


def drawn(
    world: Sequence[Described], refused: Counter[str] | None = None, *, most: int = 3, seed: int = 0
) -> list[MadeQuestion]:
    """Return the questions of a world."""
    counts, pool = Counter() if refused is None else refused, pool_of(world)
    drafts = {each.picture.id: list(rule_drafts(each, pool, counts)) for each in world}
    return draw_questions(drafts, counts, most=most, seed=seed)


def test_what_hardly_anybody_knows_by_sight_is_not_asked_about() -> None:
    composer = person(91, "Ludwig van Beethoven")
    burial = says(composer, "P119", "Highgate Cemetery")
    assert refusal(replace(composer, sitelinks=19), burial) == "hardly known"
    assert question(replace(composer, sitelinks=20), [burial]).answer == "Highgate Cemetery"
    assert refusal(replace(FORTH, sitelinks=4), says(FORTH, "P84", "Ada Lind")) == "hardly known"


def test_a_statement_that_is_worth_no_question_is_refused_with_its_reason() -> None:
    for property_id, text, reason in (
        ("P186", "steel", "seen in the picture"),
        ("P421", "UTC+1", "metadata"),
        ("P190", "Utrecht", "several may be right"),
        ("P140", "Zoroastrianism", "protected"),
        ("P19", "Bonn", "private"),
        ("P184", "Ada Lind", "not asked of this kind"),
        ("P4000", "Ada Lind", "not in the table of questions"),
        ("P84", "Forth Company", "the item's name tells the answer"),
        ("P84", "Bridget Bridges", "the words tell the answer"),
        ("P84", "list of architects", "a value that no answer can say"),
    ):
        assert refusal(FORTH, says(FORTH, property_id, text)) == reason, property_id
    city = bridge(95, "Utopia", kinds=("Q515",), kind_labels=("city",))
    assert refusal(city, measured(city, "P1082", "1300", "person")) == "changes with time"


def test_a_property_with_another_value_that_holds_is_refused() -> None:
    lind, nameless = says(FORTH, "P84", "Ada Lind"), says(FORTH, "P84", "", reasons=("value without a label",))
    lower = says(FORTH, "P84", "Bo Falk", best=False, reasons=("not the best rank",))
    assert refusal(FORTH, lind, nameless) == refusal(FORTH, lind, lower) == "several may be right"
    assert question(FORTH, [lind, replace(lower, current=False)]).answer == "Ada Lind"
    opened = dated(FORTH, "P1619", "4 March 1890", "+1890-03-04T00:00:00Z")
    made = question(FORTH, [opened, dated(FORTH, "P1619", "1890", "+1890-00-00T00:00:00Z", 9)])
    assert made.text == "In what year was the bridge in this image officially opened?"
    assert (made.answer, made.aliases) == ("1890", ("4 March 1890",))
    later = dated(FORTH, "P1619", "1891", "+1891-00-00T00:00:00Z", 9)
    assert refusal(FORTH, opened, later) == "several may be right"


def test_an_answer_that_half_of_the_kind_has_is_told_by_the_kind() -> None:
    world = bridges(8, "P84", ("Ada Lind", "Ada Lind", "Bo Falk"))
    assert refusal(FORTH, says(FORTH, "P84", "Ada Lind"), world=world) == "the kind tells the answer"
    assert question(FORTH, [says(FORTH, "P84", "Bo Falk")], world).answer == "Bo Falk"


def test_a_picture_is_asked_about_where_it_shows_the_item_alone() -> None:
    statement = says(FORTH, "P88", "North British Railway")
    for caption in ("Trains cross the Forth Bridge", "Forth Bridge Visitor Centre", "Forth Bridge's paint", ""):
        refused = refusal(FORTH, statement, is_main=False, caption=caption)
        assert refused == "the picture may not show the item", caption
    for caption in ("Forth Bridge at night", "View of the Forth Bridge, 1910"):
        assert question(FORTH, [statement], is_main=False, caption=caption)
    composer = person(91, "Ludwig van Beethoven")
    for caption in ("Beethoven with Goethe in Teplitz", "Beethoven (left) at the piano"):
        refused = refusal(composer, says(composer, "P184", "Haydn"), caption=caption)
        assert refused == "the picture may show several people", caption


def test_questions_have_four_options_with_the_answer_at_any_place_or_are_open() -> None:
    questions = drawn(bridges(40))
    assert {len(each.choices) for each in questions} == {WRONG + 1}
    assert all(each.choices.count(each.answer) == 1 for each in questions)
    assert {each.choices.index(each.answer) for each in questions} == {0, 1, 2, 3}
    assert [each.text for each in questions if "Crossing" in each.text] == []
    assert [each.choices for each in drawn(bridges(3))] == [()] * 3
    refused: Counter[str] = Counter()
    assert drawn(bridges(3, "P131"), refused) == []  # only options make one answer right
    assert refused["fewer than three sound options"] == 3


def test_a_made_question_is_the_raw_one_of_a_sample() -> None:
    made = question(FORTH, [says(FORTH, "P88", "North British Railway", "Q94")])
    sample, graph, raw, origin = wiki_sample(made, picture(FORTH), FORTH, "wiki")
    assert (raw.text, raw.answer, raw.concept, raw.hop) == (made.text, made.answer, "wd:Q94", 0)
    assert [triplet.relation for triplet in raw.key] == ["depicts", "commissioned by"]
    assert raw.end.concept == "wd:Q94"
    assert sample.id == graph.sample == raw.sample == origin.sample
    assert origin.statements == (made.statement.id,)
