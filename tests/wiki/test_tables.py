"""The classes and tables of WikiVQABench: its published figures come out again, and every count is a plain count."""

import pandas as pd

from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.types import Sample
from kbe_graph.types.wiki import WikiItem, WikiStatement
from kbe_graph.wiki.tables import AnswerSource, answer_category, answer_type, first_word, wiki_tables

ASKED = 344
PUBLISHED = (75.6, 70.3, 66.3, 65.7, 64.0, 63.1, 60.2, 56.4, 54.7, 54.1, 46.5, 36.6, 32.3, 29.4, 24.7)
ROWS = (
    ("Which river is this?", "Seine"),
    ("What type is this plane?", "A-18"),
    ("How long is it?", "1300 kilometres"),
    ("When was he born?", "4 March 1890"),
    ("At which sea is it?", "North Sea"),
    ("Which country is it in?", "Seine"),
)
QUESTIONS = [raw_question(Sample(f"w/all/{n}", "w", "all", *row, image=f"{n}.jpg")) for n, row in enumerate(ROWS)]
NOBODY = pd.DataFrame(columns=["model", "question", "image", "right"])
TYPES = {
    "Numeric": "747; 1,300 km; −5 °C; +7; 12%; £1.2 billion; 5km; 130 km²; 120 km/h; 1.5 degrees Celsius; 10:30",
    "Alphanumeric": "A-18; F-16 Fighting Falcon; D12.776.124; COVID-19; 20th century; 1990s; H2O",
    "Descriptive": "4 March 1890; Boeing 747; Paris; two metres; 50 Cent; 7 Up; 2001: A Space Odyssey",
}
CATEGORIES = {
    ("Which mountain?", "Mount Everest"): "Location",
    ("Who is it?", "Leo Tolstoy"): "Person",
    ("What is his job?", "architect"): "Person",
    ("What animal is it?", "giraffe"): "Object/Thing",
    ("When?", "4 March 1890"): "Date/Time",
    ("In what year was it built?", "1890"): "Date/Time",
    ("How many people live there?", "1890"): "Other",
    ("Which century?", "19th century"): "Date/Time",
    ("Which day?", "2001-09-11"): "Date/Time",
    ("Which code?", "D12.776"): "Knowledge Identifier",
    ("How long?", "1300 kilometres"): "Other",
    ("What is it?", "Xyzzy Plugh"): "Other",
}
KINDS = {
    ("Q5", "human"): "Person",
    ("Q15632617", "fictional human"): "Person",
    ("Q16521", "taxon"): "Knowledge Identifier",
    ("Q484170", "commune of France"): "Location",
    ("Q4022", "river"): "Location",
    ("Q578", "century"): "Date/Time",
    ("Q33506", "museum"): "Object/Thing",
    ("Q1", "qwertyuiop"): "Object/Thing",
}


def statement(datatype: str) -> WikiStatement:
    return WikiStatement("s", "Q1", "P1", "relation", datatype, "other", text="Paris")


def test_questions_and_answers_are_classified_by_their_words() -> None:
    words = {"What's this?": "What", "“Who is it?”": "Who", "Whose house is it?": "Other", "": "Other"}
    assert {question: first_word(question) for question in words} == words
    for kind, answers in TYPES.items():
        assert {text: answer_type(text) for text in answers.split("; ")} == dict.fromkeys(answers.split("; "), kind)
    assert {each: answer_category(*each) for each in CATEGORIES} == CATEGORIES


def test_the_kind_of_an_item_or_the_datatype_gives_the_category_whatever_the_words() -> None:
    for (kind, label), category in KINDS.items():
        item = WikiItem("Q0", kinds=(kind,), kind_labels=(label,))
        assert answer_category("Which?", "x", AnswerSource(statement("wikibase-item"), item)) == category, label
    bare = AnswerSource(statement("wikibase-item"), WikiItem("Q0"))
    assert answer_category("Which?", "Paris", bare) == "Location"
    assert answer_category("Which?", "Paris", AnswerSource(statement("time"))) == "Date/Time"


def test_the_published_accuracies_come_out_again() -> None:
    samples = [Sample(f"w/all/{n}", "w", "all", *ROWS[0], image=f"{n}.jpg") for n in range(ASKED)]
    questions = [raw_question(sample) for sample in samples]
    answers = [
        (f"model {model:02}", questions[(place + 23 * model) % ASKED], place < round(ASKED * share / 100))
        for model, share in enumerate(PUBLISHED)
        for place in range(ASKED)
    ]
    rows = [(model, question.id, question.sample, float(right)) for model, question, right in answers]
    tables = wiki_tables(questions, pd.DataFrame(rows, columns=NOBODY.columns), {})
    accuracy = tables["accuracy"][tables["accuracy"]["by"] == "overall"]
    assert (100 * accuracy["accuracy"]).round(1).tolist() == list(PUBLISHED)
    assert [round(100 * accuracy[end].iloc[2], 1) for end in ("low", "high")] == [61.1, 71.1]
    failing = tables["difficulty"]
    assert round((failing["models that fail"] * failing["questions"]).sum() / ASKED, 1) == 7.0  # the published mean
    assert failing["questions"].sum() == ASKED


def test_classes_are_plain_counts_and_accuracy_is_split_by_each_and_by_predicate() -> None:
    river = WikiItem("Q1471", "Seine", kinds=("Q4022",), kind_labels=("river",))
    sources = {"w/all/0": AnswerSource(statement("wikibase-item"), river)}
    rows = [("m", question.id, question.sample, float(n % 2 == 0)) for n, question in enumerate(QUESTIONS)]
    tables = wiki_tables(QUESTIONS, pd.DataFrame(rows, columns=NOBODY.columns), sources)
    counts = {name: dict(zip(tables[name][name], tables[name]["questions"], strict=True)) for name in list(tables)[:3]}
    assert counts["first word"] == {"Which": 2, "What": 1, "Who": 0, "When": 1, "Where": 0, "Other": 2}
    assert counts["answer type"] == {"Descriptive": 4, "Numeric": 1, "Alphanumeric": 1}
    assert sum(counts["category"].values()) == len(QUESTIONS)
    split = {(row.by, row[3]): (row.questions, row.accuracy) for row in tables["accuracy"].itertuples()}
    assert split["overall", "all"] == (6, 0.5)
    assert split["first word", "Which"] == (2, 0.5)
    assert split["answer type", "Numeric"] == split["predicate", "relation"] == (1, 1.0)
    assert wiki_tables([], NOBODY, {}) == {}
