"""The tables of WikiVQABench: its published figures come out again, and every count is a plain count."""

import csv
import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from kbe_graph.datasets import read_benchmark
from kbe_graph.errors import InputError
from kbe_graph.extract.sample_graph import raw_question
from kbe_graph.types import Prediction, Question, QuestionForm, Sample
from kbe_graph.types.wiki import SampleOrigin, WikiItem, WikiStatement
from kbe_graph.wiki.table_files import TABLE_FORMATS, write_wiki_tables
from kbe_graph.wiki.tables import CorpusFigures, ObjectCount, PredicateCount, StepCount, WikiTables, wiki_tables

ASKED = 344
PUBLISHED = (75.6, 70.3, 66.3, 65.7, 64.0, 63.1, 60.2, 56.4, 54.7, 54.1, 46.5, 36.6, 32.3, 29.4, 24.7)
ROWS = (
    ("Which river is this?", "Seine", ("Loire", "Seine", "Rhine", "Rhone")),
    ("What type is this plane?", "A-18", ("A-18", "Boeing 747", "F-16", "Concorde")),
    ("How long is it?", "1300 kilometres", ("1,100 km", "900 kilometres", "1300 kilometres", "a mile")),
    ("When was he born?", "4 March 1890", ()),
    ("At which sea is it?", "North Sea", ("Red Sea", "North Sea")),
    ("Which country is it in?", "Seine", ("Seine", "Loire")),
)


def sample_of(number: int, row: tuple[str, str, Sequence[str]]) -> Sample:
    question, answer, choices = row
    return Sample(f"w/all/{number}", "w", "all", question, answer, choices=tuple(choices), image=f"{number}.jpg")


SAMPLES = [sample_of(number, row) for number, row in enumerate(ROWS)]
BY_ID = {sample.id: sample for sample in SAMPLES}
QUESTIONS = [raw_question(sample) for sample in SAMPLES]


def judged(
    model: str, question: Question, *, right: bool, variant: str = "options", judge: str = "alias"
) -> Prediction:
    verdict = "right" if right else "wrong"
    return Prediction(model, question.id, "an answer", variant=variant, verdict=verdict, judge=judge)  # type: ignore[arg-type]


def rows_of(tables: WikiTables, name: str) -> list[dict[str, object]]:
    return tables.as_mapping()[name]  # type: ignore[no-any-return]


def column(tables: WikiTables, name: str, key: str, value: str) -> dict[object, object]:
    return {row[key]: row[value] for row in rows_of(tables, name)}


def published(accuracies: Iterable[float]) -> WikiTables:
    samples = [sample_of(number, ROWS[0]) for number in range(ASKED)]
    questions = [raw_question(sample) for sample in samples]
    predictions = [
        judged(f"model {model}", questions[(place + 23 * model) % ASKED], right=place < round(ASKED * accuracy / 100))
        for model, accuracy in enumerate(accuracies)
        for place in range(ASKED)
    ]
    return wiki_tables({sample.id: sample for sample in samples}, questions, predictions)


def test_the_published_accuracies_give_the_published_mean_difficulty() -> None:
    tables = published(PUBLISHED)
    (mean,) = tables.answers.means
    right = [round(ASKED * accuracy / 100) for accuracy in PUBLISHED]
    assert round(15 - sum(PUBLISHED) / 100, 3) == 7.001  # by the printed per cent, which are rounded
    assert (mean.models, mean.questions, mean.mean) == (15, ASKED, 15 - sum(right) / ASKED)
    assert round(mean.mean, 1) == 7.0
    assert sum(bar.questions for bar in tables.answers.difficulty) == ASKED
    assert len(tables.answers.difficulty) == 16
    models = rows_of(tables, "models")
    assert [round(100 * float(str(row["accuracy"])), 1) for row in models] == list(PUBLISHED)
    third = models[2]
    assert [round(100 * float(str(third[end])), 1) for end in ("low", "high")] == [61.1, 71.1]


def test_first_words_and_answer_types_are_plain_counts() -> None:
    tables = wiki_tables(BY_ID, QUESTIONS)
    assert column(tables, "first-words", "first word", "questions") == {
        "Which": 2,
        "What": 1,
        "Who": 0,
        "When": 1,
        "Where": 0,
        "Other": 2,
    }
    assert column(tables, "answer-types", "answer type", "answers") == {
        "Descriptive": 4,
        "Numeric": 1,
        "Alphanumeric": 1,
    }
    assert column(tables, "answer-types", "answer type", "options") == {
        "Descriptive": 11,
        "Numeric": 3,
        "Alphanumeric": 2,
    }


STATEMENTS = (
    WikiStatement("s1", "Q90", "P206", "next to", "wikibase-item", "item", target="Q1471", text="Seine"),
    WikiStatement("s2", "Q1", "P17", "country", "wikibase-item", "item", target="Q142", text="France"),
    WikiStatement("s3", "Q2", "P569", "", "time", "time", text="4 March 1890"),
    WikiStatement("s4", "Q3", "P672", "MeSH tree code", "external-id", "text", text="A-18"),
    WikiStatement("s5", "Q4", "P2043", "length", "quantity", "quantity", text="1300 kilometres", unit="kilometre"),
)
ORIGINS = (
    SampleOrigin("w/all/0", "p", "Q90", ("s2", "s1", "s5")),
    SampleOrigin("w/all/3", "p", "Q2", ("s3",)),
    SampleOrigin("w/all/1", "p", "Q3", ("s4", "absent")),
    SampleOrigin("w/all/2", "p", "Q4", ("s5",)),
)
ITEMS = (WikiItem("Q1471", "Seine", kinds=("Q4022",), kind_labels=("river",)),)
CORPUS = CorpusFigures(ORIGINS, STATEMENTS, ITEMS)


def test_categories_come_from_the_statement_that_the_answer_is_the_value_of_and_say_so() -> None:
    tables = wiki_tables(BY_ID, QUESTIONS, corpus=CORPUS)
    rows = {row["category"]: row for row in rows_of(tables, "categories")}
    told = {name: (row["by statement"], row["by words"], row["not known"]) for name, row in rows.items()}
    assert told == {
        "Object/Thing": (0, 0, 0),
        "Location": (1, 2, 0),
        "Knowledge Identifier": (1, 0, 0),
        "Person": (0, 0, 0),
        "Date/Time": (1, 0, 0),
        "Other": (1, 0, 0),
    }
    assert sum(int(str(row["answers"])) for row in rows.values()) == len(QUESTIONS)


def test_accuracy_is_split_by_each_class_and_by_predicate() -> None:
    predictions = [judged("m", question, right=number % 2 == 0) for number, question in enumerate(QUESTIONS)]
    tables = wiki_tables(BY_ID, QUESTIONS, predictions, corpus=CORPUS)
    split = {(row.by, row.name): (row.questions, row.accuracy) for row in tables.answers.accuracy}
    assert split["overall", "all"] == (6, 0.5)
    assert split["first word", "Which"] == (2, 0.5)
    assert split["answer type", "Numeric"] == (1, 1.0)
    assert split["category", "Date/Time"] == (1, 0.0)
    assert split["predicate", "next to"] == (1, 1.0)
    assert split["predicate", "P569"] == (1, 0.0)
    assert len([by for by, _ in split if by == "predicate"]) == 4
    by_word = rows_of(tables, "accuracy-by-first-word")
    assert [row["first word"] for row in by_word] == ["Which", "What", "When", "Other"]
    assert by_word[0] == {"first word": "Which", "questions": 2, "m": 0.5}


def test_an_answer_that_a_model_lacks_leaves_its_question_out_of_the_histogram_alone() -> None:
    predictions = [judged("a", question, right=True) for question in QUESTIONS]
    predictions += [judged("b", question, right=False) for question in QUESTIONS[:4]]
    tables = wiki_tables(BY_ID, QUESTIONS, predictions)
    (mean,) = tables.answers.means
    assert (mean.questions, mean.mean, mean.by_none, mean.by_all) == (4, 1.0, 0, 0)
    assert column(tables, "models", "model", "questions") == {"a": 6, "b": 4}


def test_one_judge_and_one_variant_are_shown_and_named() -> None:
    first = QUESTIONS[0]
    predictions = [
        *(judged("m", question, right=True) for question in QUESTIONS),
        judged("m", first, right=False, variant="image", judge="gpt"),
    ]
    tables = wiki_tables(BY_ID, QUESTIONS, predictions)
    assert (tables.answers.judge, tables.answers.variant) == ("alias", "options")
    other = wiki_tables(BY_ID, QUESTIONS, predictions, judge="gpt", variant="image")
    assert [row.accuracy for row in other.answers.accuracy if row.by == "overall"] == [0.0]
    with pytest.raises(InputError, match="no judged answer has the variant 'blind'; choose from 'options'"):
        wiki_tables(BY_ID, QUESTIONS, predictions, variant="blind")


def test_guessing_at_options_pays_as_much_as_it_does() -> None:
    tables = wiki_tables(BY_ID, QUESTIONS, corpus=CorpusFigures(objects=(ObjectCount("Q1471", "Seine", 9),)))
    shares = {row["guessed by"]: row["share"] for row in rows_of(tables, "guesses")}
    assert set(shares) == {"chance", "commonest", "longest", "position", "similar", "popular"}
    assert shares["chance"] == round((3 / 4 + 2 / 2) / 5, 4)
    # Seine is right twice; of the other options the corpus knows nothing
    assert shares["popular"] == round((2 + 1 / 4 + 1 / 4 + 1 / 2) / 5, 4)


def test_a_form_given_for_a_question_counts_in_place_of_the_options_of_its_sample() -> None:
    form = QuestionForm(QUESTIONS[0].id, "choice", "Which?", ("Seine", "Po"), ("Seine",), "benchmark")
    tables = wiki_tables(BY_ID, QUESTIONS[:1], forms=[form])
    assert sum(map(int, map(str, column(tables, "answer-types", "answer type", "options").values()))) == 2


def test_dropped_questions_are_in_no_table() -> None:
    dropped = Question("d", "w/all/0", "r", 1, "explored", "Who is it?", "x", (), status="dropped", reason="leak")
    assert wiki_tables(BY_ID, [*QUESTIONS, dropped]) == wiki_tables(BY_ID, QUESTIONS)


def test_questions_alone_have_no_tables_of_answers_and_nothing_has_no_tables() -> None:
    names = [table.name for table in wiki_tables(BY_ID, QUESTIONS).tables]
    assert names == ["first-words", "answer-types", "categories", "guesses"]
    assert wiki_tables({}, []).tables == ()
    assert wiki_tables({}, []).markdown() == ""


def test_steps_predicates_and_objects_are_printed_as_they_are_given() -> None:
    corpus = CorpusFigures(
        steps=[
            StepCount("pictures with an item", 15, 20, {"dead link": 1, "no item": 4}),
            StepCount("accepted by people", 344, 2369),
        ],
        predicates=[PredicateCount("P31", "instance of", 40, 30, 25, 20)],
        objects=[ObjectCount("Q5", "a|b", 12)],
    )
    text = wiki_tables({}, [], corpus=corpus).markdown()
    assert "| pictures with an item | 20 | 15 | 0.7500 | 0.5313 | 0.8881 | no item 4; dead link 1 |\n" in text
    assert "| accepted by people | 2369 | 344 | 0.1452 | 0.1316 | 0.1600 |  |\n" in text
    assert "| P31 | instance of | 40 | 30 | 25 | 20 |\n" in text
    assert "| Q5 | a\\|b | 12 |  |\n" in text


def test_a_long_table_is_cut_in_markdown_alone_and_says_so() -> None:
    objects = [ObjectCount(f"Q{number}", "thing", 1) for number in range(50)]
    tables = wiki_tables({}, [], corpus=CorpusFigures(objects=objects))
    assert tables.markdown().endswith("\n30 more rows.\n")
    assert len(rows_of(tables, "objects")) == 50


def test_all_formats_are_written_and_hold_the_same_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    predictions = [judged(model, question, right=model == "=b") for model in ("a", "=b") for question in QUESTIONS]
    tables = wiki_tables(BY_ID, QUESTIONS, predictions, corpus=CORPUS)
    write_wiki_tables(tables, {name: tmp_path / name for name in TABLE_FORMATS})
    assert json.loads((tmp_path / "json").read_text(encoding="utf-8")) == json.loads(json.dumps(tables.as_mapping()))
    with (tmp_path / "csv" / "models.csv").open(encoding="utf-8") as stream:
        assert [row["model"] for row in csv.DictReader(stream)] == ["'=b", "a"]
    assert "Knowledge Identifier & 1" in (tmp_path / "latex" / "categories.tex").read_text(encoding="utf-8")
    assert (tmp_path / "markdown").read_text(encoding="utf-8") == tables.markdown()
    assert {file.name for file in (tmp_path / "figures").iterdir()} == {
        f"{name}.{ending}" for name in ("accuracy", "difficulty") for ending in ("svg", "png")
    }


def test_an_unknown_format_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown table format 'word'; use json, csv"):
        write_wiki_tables(wiki_tables(BY_ID, QUESTIONS), {"json": tmp_path / "a", "word": tmp_path / "b"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["wiki.jsonl", "wiki.parquet"])
def test_the_released_columns_give_tables_that_a_count_gives(name: str, tmp_path: Path) -> None:
    if "KBE_DATA" not in os.environ:
        pytest.skip("KBE_DATA is not set: the folder that holds cases")
    file = Path(os.environ["KBE_DATA"]) / "cases" / "26-wikivqabench" / name
    samples = read_benchmark(file, benchmark="wiki", save_images=tmp_path).samples
    tables = wiki_tables({sample.id: sample for sample in samples}, map(raw_question, samples))
    words = Counter(sample.question.split()[0] for sample in samples)
    known = {"Which", "What", "Who", "When", "Where"}
    others = sum(count for word, count in words.items() if word not in known)
    counted = column(tables, "first-words", "first word", "questions")
    assert counted == {**{word: words[word] for word in known}, "Other": others}
    assert column(tables, "answer-types", "answer type", "options")["Descriptive"] == 4 * len(samples)
    assert column(tables, "categories", "category", "by words")["Location"] == len(samples)
