"""The classes and tables of WikiVQABench: its published figures come out again, and every count is a plain count."""

import os
from pathlib import Path

import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.types import Prediction, Question, Sample
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


def sample_of(number: int, row: tuple[str, str]) -> Sample:
    return Sample(f"w/all/{number}", "w", "all", *row, image=f"{number}.jpg")


SAMPLES = [sample_of(number, row) for number, row in enumerate(ROWS)]
BY_ID = {sample.id: sample for sample in SAMPLES}
QUESTIONS = [raw_question(sample) for sample in SAMPLES]


def judged(
    model: str, question: Question, *, right: bool, variant: str = "options", judge: str = "alias"
) -> Prediction:
    verdict = "right" if right else "wrong"
    return Prediction(model, question.id, "an answer", variant=variant, verdict=verdict, judge=judge)  # type: ignore[arg-type]


def test_a_question_counts_by_its_first_word() -> None:
    words = {
        "which river is this?": "Which",
        "What's this?": "What",
        "“Who is it?”": "Who",
        "When was it built?": "When",
        "Where is it?": "Where",
        "At which sea is it?": "Other",
        "Whose house is it?": "Other",
        "": "Other",
    }
    assert {question: first_word(question) for question in words} == words


NUMERIC = """
    747; 1300 kilometres; 1,300 km; 18,5 kg; −5 °C; +7; 12%; $5; £1.2 billion; 5 million euros; 5km; 130 km²; 3 metres
    per second; 120 km/h; 25 square miles; 2 cubic metres; 1.5 degrees Celsius; 1914–1918; 10:30; 5 feet; 12 years;
    5 MHz
"""
ALPHANUMERIC = "A-18; F-16 Fighting Falcon; D12.776.124; COVID-19; 20th century; 1990s; 3D; H2O"
DESCRIPTIVE = (
    "4 March 1890; Boeing 747; Paris; two metres; 3 legs; 50 Cent; 7 Up; 2001: A Space Odyssey; 100 metres hurdles"
)


def test_an_answer_has_one_type_by_its_signs() -> None:
    for answers, kind in ((NUMERIC, "Numeric"), (ALPHANUMERIC, "Alphanumeric"), (DESCRIPTIVE, "Descriptive")):
        texts = [" ".join(text.split()) for text in answers.split(";")]
        assert {text: answer_type(text) for text in texts} == dict.fromkeys(texts, kind)


def statement(datatype: str, text: str = "Paris") -> WikiStatement:
    return WikiStatement("s", "Q1", "P1", "relation", datatype, "other", text=text)


def test_the_datatype_or_the_kind_of_an_item_gives_the_category_whatever_the_words() -> None:
    datatypes = {
        "time": "Date/Time",
        "globe-coordinate": "Location",
        "external-id": "Knowledge Identifier",
        "string": "Knowledge Identifier",
        "quantity": "Other",
    }
    assert {name: answer_category("Which?", "Paris", statement(name)) for name in datatypes} == datatypes
    kinds = {
        ("Q5", "human"): "Person",
        ("Q15632617", "fictional human"): "Person",
        ("Q16521", "taxon"): "Knowledge Identifier",
        ("Q56061", "administrative territorial entity"): "Location",
        ("Q1549591", "big city"): "Location",
        ("Q484170", "commune of France"): "Location",
        ("Q23442", "island"): "Location",
        ("Q4022", "river"): "Location",
        ("Q578", "century"): "Date/Time",
        ("Q634", "planet"): "Object/Thing",
        ("Q7725634", "literary work"): "Object/Thing",
        ("Q33506", "museum"): "Object/Thing",
        ("Q1", "qwertyuiop"): "Object/Thing",
    }
    for (kind, label), category in kinds.items():
        item = WikiItem("Q0", kinds=(kind,), kind_labels=(label,))
        assert answer_category("Which?", "x", statement("wikibase-item"), item) == category, label
    assert answer_category("Which?", "Paris", statement("wikibase-item"), WikiItem("Q0")) == "Location"


def test_without_a_statement_the_words_give_the_category() -> None:
    categories = {
        ("Where is it?", "Paris"): "Location",
        ("Which mountain?", "Mount Everest"): "Location",
        ("Who is it?", "Leo Tolstoy"): "Person",
        ("What is his job?", "architect"): "Person",
        ("What animal is it?", "giraffe"): "Object/Thing",
        ("When?", "4 March 1890"): "Date/Time",
        ("In what year was it built?", "1890"): "Date/Time",
        ("How many people live there?", "1890"): "Other",
        ("Which century?", "19th century"): "Date/Time",
        ("When?", "44 BC"): "Date/Time",
        ("Which day?", "2001-09-11"): "Date/Time",
        ("Which code?", "D12.776"): "Knowledge Identifier",
        ("How long?", "1300 kilometres"): "Other",
        ("What is it?", "Xyzzy Plugh"): "Other",
    }
    assert {each: answer_category(*each) for each in categories} == categories


def test_the_published_accuracies_come_out_again() -> None:
    samples = [sample_of(number, ROWS[0]) for number in range(ASKED)]
    questions = [raw_question(sample) for sample in samples]
    predictions = [
        judged(f"model {model:02}", questions[(place + 23 * model) % ASKED], right=place < round(ASKED * share / 100))
        for model, share in enumerate(PUBLISHED)
        for place in range(ASKED)
    ]
    tables = wiki_tables({sample.id: sample for sample in samples}, questions, predictions)
    accuracy = tables["accuracy"][tables["accuracy"]["by"] == "overall"]
    assert (100 * accuracy["accuracy"]).round(1).tolist() == list(PUBLISHED)
    assert [round(100 * accuracy[end].iloc[2], 1) for end in ("low", "high")] == [61.1, 71.1]
    failing = tables["difficulty"]
    assert round((failing["models that fail"] * failing["questions"]).sum() / ASKED, 1) == 7.0  # the published mean
    assert failing["questions"].sum() == ASKED


def test_first_words_answer_types_and_categories_are_plain_counts() -> None:
    river = WikiItem("Q1471", "Seine", kinds=("Q4022",), kind_labels=("river",))
    sources = {"w/all/0": AnswerSource(statement("wikibase-item"), river), "w/all/3": AnswerSource(statement("time"))}
    dropped = Question("d", "w/all/0", "r", 1, "explored", "Who is it?", "x", (), status="dropped", reason="leak")
    tables = wiki_tables(BY_ID, [*QUESTIONS, dropped], sources=sources)
    counts = {name: dict(zip(table[name], table["questions"], strict=True)) for name, table in tables.items()}
    assert counts["first word"] == {"Which": 2, "What": 1, "Who": 0, "When": 1, "Where": 0, "Other": 2}
    assert counts["answer type"] == {"Descriptive": 4, "Numeric": 1, "Alphanumeric": 1}
    assert {name: count for name, count in counts["category"].items() if count} == {
        "Location": 3,
        "Knowledge Identifier": 1,
        "Date/Time": 1,
        "Other": 1,
    }
    assert wiki_tables({}, []) == {}


def test_accuracy_is_split_by_each_class_and_by_predicate() -> None:
    predictions = [judged("m", question, right=number % 2 == 0) for number, question in enumerate(QUESTIONS)]
    sources = {"w/all/0": AnswerSource(statement("wikibase-item"))}
    table = wiki_tables(BY_ID, QUESTIONS, predictions, sources=sources)["accuracy"]
    split = {(row.by, row[3]): (row.questions, row.accuracy) for row in table.itertuples()}
    assert split["overall", "all"] == (6, 0.5)
    assert split["first word", "Which"] == (2, 0.5)
    assert split["answer type", "Numeric"] == (1, 1.0)
    assert split["predicate", "relation"] == (1, 1.0)


def test_the_released_columns_give_tables(tmp_path: Path) -> None:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds cases")
    file = Path(os.environ["KBE_DATA"]) / "cases" / "26-wikivqabench" / "wiki.parquet"
    samples = read_benchmark(file, benchmark="wiki", save_images=tmp_path).samples
    tables = wiki_tables({sample.id: sample for sample in samples}, map(raw_question, samples))
    assert tables["first word"]["questions"].sum() == len(samples)
    assert tables["category"].set_index("category").loc["Location", "questions"] == len(samples)
