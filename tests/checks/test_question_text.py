"""Checks of the words of a question."""

from dataclasses import replace

from filter_cases import case, decide
from hostile_cases import HOSTILE, PLAIN_WHEN_READ

from kbe_graph.checks.check import Row
from kbe_graph.checks.question_text import Clumsy, Instruction, Leak, WordedInstruction, instruction_in, leak_in
from kbe_graph.text import on_one_line

HABITAT = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")


def test_an_object_that_shares_a_lemma_with_a_node_of_the_path_is_refused():
    row = Row("What is grown here?", "wine", "grape", "product", "grapes", path="grape > product > wine")
    assert decide(Leak(), row).detail == "grape"


def test_a_text_must_not_name_the_new_answer_nor_an_alias_of_it():
    candidate = case(HABITAT)
    assert leak_in(candidate, "In which savannas does this animal live?") == "savanna"
    aliased = replace(candidate, fact=replace(candidate.fact, aliases=("grassy plain",)))
    assert leak_in(aliased, "What grassy plain is the home of this animal?") == "grassy plain"


def test_a_demonym_gives_its_country_away() -> None:
    for text, answer, word in [
        ("What is the country of the German city that this is in?", "Germany", "German"),
        ("Which capital is that of the country the Italian dish comes from?", "Italy", "Italian"),
        ("What is the country of the city that this American bus is in?", "Japan", ""),
    ]:
        row = Row("What city is this?", "springfield", "springfield", "country", answer)
        assert leak_in(case(row), text) == word


def test_what_the_benchmark_asked_may_be_said_again_but_not_a_node_between():
    row = Row(
        "What breed of dog is this?",
        "bulldog",
        "England",
        "capital",
        "London",
        path="bulldog > country of origin > England",
    )
    candidate = case(row)
    assert leak_in(candidate, "What is the capital of the country of origin of this breed of dog?") == ""
    assert leak_in(candidate, "What is the capital of England, home of this breed of dog?") == "england"


def test_a_question_leaks_no_answer_of_whose_words_it_has_only_the_large_ones():
    row = Row("Which vitamin is this food known for?", "vitamin a", "vitamin a", "chemical name", "retinol")
    assert leak_in(case(row), "What is the chemical name of the vitamin that this food is known for?") == ""
    assert leak_in(case(row), "What is the chemical name of vitamin A?") == "vitamin a"


def test_the_class_that_is_asked_for_gives_no_name_away_but_a_part_of_a_compound_does() -> None:
    for text, thing, word in [
        ("At which artery is the pulse of this animal felt?", "radial artery", ""),
        ("Which large river crosses the home of this animal?", "Colorado River", ""),
        ("On what ocean does the home of this animal lie?", "Pacific Ocean", ""),
        ("Which artery of this animal is the radial one?", "radial artery", "radial"),
        ("Which artery of this animal does the vet press?", "artery", "artery"),
        ("What kind of river does this animal drink from?", "jungle river", "river"),
        ("At what kind of stand is a book about this animal sold?", "newsstand", "stand"),
        ("In what attachment at the side does this animal ride?", "sidecar", "side"),
        ("What covers the floor where the pet of this animal lies?", "carpet", ""),
        ("In which land is this animal found?", "Portland", ""),
    ]:
        assert leak_in(case(HABITAT._replace(relation="seen with", object=thing)), text) == word


RIDING = Row("What is he riding?", "skateboard", "skateboard", "invented in", "California")


def detail(text: str, raw: str = RIDING.question) -> str:
    return Clumsy().decide(replace(case(RIDING._replace(question=raw)), text=text)).detail


def test_an_earlier_question_is_not_quoted() -> None:
    for text, raw in [
        ("In which state was what is he riding invented?", "What is he riding?"),
        ("What is the capital of what country's flag is flying?", "What country's flag is flying?"),
        ("What are what do these animals wear on their feet made of?", "What do these animals wear on their feet?"),
        ("Who invented what type of sign is visible?", "What type of sign is visible?"),
    ]:
        assert detail(text, raw) == raw


def test_what_a_reader_stumbles_over_is_told() -> None:
    for text, wrong in [
        ("Who made what it is that what answers this?", "what it is that what"),
        ("What is the maker of the thing of the man called?", "the thing of the"),
        ("Where is the hall for what the orange box is used for?", "for what the orange box is used for?"),
        ("What is the bones of this animal called?", "is the bones of"),
        ("What are the bone of this animal called?", "are the bone of"),
        ("What is the young of this birds?", "this birds"),
        ("What fuel moves what lifts what stands where the man who paid waits?", "5 clauses"),
        (f"What is the name of this {'very ' * 20}old animal?", "28 words"),
        ("What is the glass of these scissors called?", ""),
        ("What are the sheep in this field called when young?", ""),
    ]:
        assert detail(text) == wrong


# what is hidden in these falls away as they are read, and what is left is a plain word
SOUND = (
    "What team does this player # 30 play for?",
    "Which sign must the drivers obey?",
    "What is written on the front of the bus?",
    "In what language is the word on this sign written?",
    "What would you use to print a photo?",
    "Is this a 4 x 4?",
    "Which rules does the man ignore?",
    "What comes 24/7?",
    "Who answers the phone: a man or a woman?",
)


def test_a_hostile_text_is_no_question_no_answer_and_no_fact() -> None:
    for hostile in HOSTILE:
        if hostile.name in PLAIN_WHEN_READ:
            assert on_one_line(hostile.text).isalpha()
            continue
        places = ("question", "answer", "object", "relation")
        refused = [Instruction().decide(case(Instruction.passed._replace(**{place: hostile.text}))) for place in places]
        worded = WordedInstruction().decide(case(WordedInstruction.passed._replace(text=hostile.text)))
        assert {decision.reason for decision in refused} == {Instruction.name}, hostile.name
        assert worded.reason == WordedInstruction.name, hostile.name


def test_a_question_about_a_picture_passes() -> None:
    for text in SOUND:
        assert instruction_in(text) == "", text
