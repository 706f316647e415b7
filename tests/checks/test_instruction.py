"""Text that is addressed to a model is kept out of a run; the questions of benchmarks are not taken for it."""

from filter_cases import case
from hostile_cases import HOSTILE, PLAIN_WHEN_READ

from kbe_graph.checks.question_text import Instruction, WordedInstruction, instruction_in
from kbe_graph.text import on_one_line

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


def test_the_corpus_holds_sixty_texts_of_many_tricks_and_languages() -> None:
    assert len({hostile.text for hostile in HOSTILE}) == len({hostile.name for hostile in HOSTILE}) >= 60
    assert len({hostile.language for hostile in HOSTILE}) >= 8
    assert len({hostile.trick for hostile in HOSTILE}) >= 8


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
