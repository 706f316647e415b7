from dataclasses import replace

from filter_cases import case

from kbe_graph.checks.check import Row
from kbe_graph.checks.question_text import Clumsy

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


def test_what_is_said_in_a_clause_of_its_own_is_no_quote() -> None:
    for text, raw in [
        (
            "Who repairs the kind of footwear that the walker is wearing?",
            "What kind of footwear is the walker wearing?",
        ),
        ("Which tool does the person use who leads visitors here?", "Who leads visitors here?"),
        ("In which state was the thing that he is riding invented?", "What is he riding?"),
        (
            "What is the young of the national animal of the country whose flag is flying called?",
            "What flag is flying?",
        ),
    ]:
        assert detail(text, raw) == ""


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
