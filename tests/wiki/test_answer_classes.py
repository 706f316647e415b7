"""The classes of questions and answers, each by cases that the rule must tell apart."""

import pytest

from kbe_graph.types.wiki import WikiItem, WikiStatement
from kbe_graph.wiki.answer_classes import answer_category, answer_type, first_word


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which river is this?", "Which"),
        ("which river is this?", "Which"),
        ("What's this?", "What"),
        ("“Who is it?”", "Who"),
        ("When was it built?", "When"),
        ("Where is it?", "Where"),
        ("At which sea is it?", "Other"),
        ("Whose house is it?", "Other"),
        ("In 1890, what was it?", "Other"),
        ("", "Other"),
    ],
)
def test_a_question_counts_by_its_first_word(question: str, word: str) -> None:
    assert first_word(question) == word


NUMERIC = """
    747; 1300 kilometres; 1,300 km; 18,5 kg; −5 °C; +7; 12%; $5; £1.2 billion; 5 million euros; 5km; 130 km²; 3 metres
    per second; 120 km/h; 25 square miles; 2 cubic metres; 1.5 degrees Celsius; 1914–1918; 10:30; 5 feet; 12 years;
    5 MHz
"""
ALPHANUMERIC = "A-18; F-16 Fighting Falcon; D12.776.124; COVID-19; 20th century; 1990s; 3D; H2O"
DESCRIPTIVE = (
    "4 March 1890; Boeing 747; Paris; two metres; 3 legs; 50 Cent; 7 Up; 2001: A Space Odyssey; 100 metres hurdles"
)


@pytest.mark.parametrize(
    ("answers", "kind"),
    [(NUMERIC, "Numeric"), (ALPHANUMERIC, "Alphanumeric"), (DESCRIPTIVE, "Descriptive")],
)
def test_an_answer_has_one_type_by_its_signs(answers: str, kind: str) -> None:
    texts = [" ".join(text.split()) for text in answers.split(";")]
    assert {text: answer_type(text) for text in texts} == dict.fromkeys(texts, kind)


def statement(datatype: str) -> WikiStatement:
    return WikiStatement("s", "Q1", "P1", "relation", datatype, "other", text="Paris")


@pytest.mark.parametrize(
    ("datatype", "category"),
    [
        ("time", "Date/Time"),
        ("globe-coordinate", "Location"),
        ("external-id", "Knowledge Identifier"),
        ("string", "Knowledge Identifier"),
        ("quantity", "Other"),
    ],
)
def test_the_datatype_tells_the_category_whatever_the_words(datatype: str, category: str) -> None:
    assert answer_category("Which?", "Paris", statement(datatype)) == (category, "statement")


@pytest.mark.parametrize(
    ("kind", "label", "category"),
    [
        ("Q5", "human", "Person"),
        ("Q15632617", "fictional human", "Person"),
        ("Q16521", "taxon", "Knowledge Identifier"),
        ("Q56061", "administrative territorial entity", "Location"),
        ("Q6256", "country", "Location"),
        ("Q1549591", "big city", "Location"),
        ("Q484170", "commune of France", "Location"),
        ("Q486972", "human settlement", "Location"),
        ("Q23442", "island", "Location"),
        ("Q4022", "river", "Location"),
        ("Q8502", "mountain", "Location"),
        ("Q578", "century", "Date/Time"),
        ("Q634", "planet", "Object/Thing"),
        ("Q7725634", "literary work", "Object/Thing"),
        ("Q4164871", "position", "Object/Thing"),
        ("Q33506", "museum", "Object/Thing"),
        ("Q1", "qwertyuiop", "Object/Thing"),
    ],
)
def test_the_kind_of_an_item_tells_its_category(kind: str, label: str, category: str) -> None:
    item = WikiItem("Q0", kinds=(kind,), kind_labels=(label,))
    assert answer_category("Which?", "x", statement("wikibase-item"), item) == (category, "statement")


@pytest.mark.parametrize("item", [WikiItem("Q0"), WikiItem("Q0", kinds=("Q1549591",), kind_labels=("",))])
def test_an_item_whose_kinds_have_no_label_is_told_by_its_words(item: WikiItem) -> None:
    assert answer_category("Which?", "Paris", statement("wikibase-item"), item) == ("Location", "words")


@pytest.mark.parametrize(
    ("question", "answer", "category"),
    [
        ("Where is it?", "Paris", "Location"),
        ("Which mountain?", "Mount Everest", "Location"),
        ("Who is it?", "Leo Tolstoy", "Person"),
        ("What is his job?", "architect", "Person"),
        ("What animal is it?", "giraffe", "Object/Thing"),
        ("What is it made of?", "steel", "Object/Thing"),
        ("When?", "4 March 1890", "Date/Time"),
        ("When?", "1890", "Date/Time"),
        ("In what year was it built?", "1890", "Date/Time"),
        ("How many people live there?", "1890", "Other"),
        ("Which century?", "19th century", "Date/Time"),
        ("When?", "44 BC", "Date/Time"),
        ("Which time?", "1990s", "Date/Time"),
        ("Which day?", "2001-09-11", "Date/Time"),
        ("Which code?", "D12.776", "Knowledge Identifier"),
        ("Which one?", "3rd", "Knowledge Identifier"),
        ("How long?", "1300 kilometres", "Other"),
    ],
)
def test_without_a_statement_the_words_tell_the_category(question: str, answer: str, category: str) -> None:
    assert answer_category(question, answer) == (category, "words")


def test_words_in_no_dictionary_are_other_and_said_to_be_unknown() -> None:
    assert answer_category("What is it?", "Xyzzy Plugh") == ("Other", "")
