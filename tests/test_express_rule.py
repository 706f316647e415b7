import asyncio
import csv
import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from kbe_graph.errors import NoCandidate
from kbe_graph.express import RuleExpresser
from kbe_graph.express.rule import WORDS
from kbe_graph.express.wording import flaw, slips
from kbe_graph.knowledge.pack import pack
from kbe_graph.lexicon.english import english
from kbe_graph.types import IMAGE, Candidate, Entity, Fact, Question, Sample, SampleGraph, Triplet


def none() -> None:
    return None


PLAIN = RuleExpresser(pack(), run="first", parse=none)


def candidate(question: str, answer: str, fact: Fact, answers: tuple[str, ...] = ()) -> Candidate:
    sample = Sample("okvqa/val/1", "okvqa", "val", question, answer, answers or (answer,))
    key = (Triplet(IMAGE, "depicts", Entity(answer.upper())),)
    raw = Question("okvqa/val/1@raw/0", sample.id, "raw", 0, "raw", question, answer, key)
    return Candidate(sample, SampleGraph(sample.id, key, (), key), raw, fact)


def fact(relation: str, thing: str, aliases: tuple[str, ...] = ()) -> Fact:
    return Fact("a", "a", relation, "b", thing, "pack", aliases=aliases)


def hop(expresser: RuleExpresser, before: Candidate, following: Fact, seed: int = 1) -> Candidate:
    question = asyncio.run(expresser.express(before, seed))
    return replace(before, question=question, fact=following)


DALMATIAN = candidate("What breed of dog is this?", "dalmatian", fact("country of origin", "Croatia", ("Hrvatska",)))


def test_a_question_carries_its_key_answer_and_provenance():
    question = asyncio.run(PLAIN.express(DALMATIAN, 1))
    assert (question.id, question.hop, question.kind) == ("okvqa/val/1@first/1", 1, "explored")
    assert (question.answer, question.aliases, question.concept) == ("Croatia", ("Hrvatska",), "b")
    assert [triplet.id for triplet in question.key] == [
        "image|depicts|dalmatian",
        "dalmatian|country of origin|croatia",
    ]
    assert question.parent == "okvqa/val/1@raw/0"
    assert (question.provenance.maker, question.provenance.seed) == ("rule", 1)
    assert question.provenance.pattern.startswith("shown/")


def test_three_hops_nest_and_name_nothing_on_the_way():
    first = hop(PLAIN, DALMATIAN, fact("capital", "Zagreb"))
    second = hop(PLAIN, first, fact("largest lake", "Jarun"))
    third = asyncio.run(PLAIN.express(second, 1))
    texts = [first.question.text, second.question.text, third.text]
    assert all("dog" in text and text.endswith("?") and text.count("?") == 1 for text in texts)
    assert "capital" in texts[1]
    assert "capital" in texts[2]
    assert not any(name in text.lower() for text in texts for name in ("dalmatian", "croatia", "zagreb", "jarun"))
    assert third.difficulty == 4


def test_the_same_seed_gives_the_same_text_and_another_seed_another():
    texts = {PLAIN.word(DALMATIAN, seed).text for seed in range(20)}
    assert PLAIN.word(DALMATIAN, 5) == PLAIN.word(DALMATIAN, 5)
    assert len(texts) > 2


def test_a_wording_that_names_the_new_answer_gives_way_to_one_that_does_not():
    mexico = candidate("What country is this?", "mexico", fact("capital", "Mexico City"))
    with pytest.raises(NoCandidate) as refusal:
        PLAIN.word(replace(mexico, fact=fact("capital", "Country City")), 1)
    assert refusal.value.reason == "leak"
    assert all("city" not in PLAIN.word(mexico, seed).text.lower() for seed in range(10))


@pytest.mark.parametrize(
    "text",
    [
        "Which bone drives the man's left hand holding shown in this image?",
        "What is the bone in what drives what the man is riding?",
        "What is the state of the highest mountain in the countries colors the colors of the bus are?",
        "What is the craftsman for the material from which this bat is made of?",
        "What is the capital of the country where these animals are in?",
        "What is the tool of the appliance that is that stuffed animal inside?",
        "What is the country of origin of the dog breed of this dog?",
        "What is the longest river of the continent s of this bird?",
        "What is the country of origin of the cow that the brown one is?",
        "What is the alcoholic drink made from the fruit that are there the most of in the bowl?",
        "What is the native region of the type of flower which that could be?",
        "What is the number of sides of the shape of a stop sign in this image?",
        "What is the taxonomic family of the one of these fruits that has most water?",
    ],
)
def test_slips_are_seen(text: str):
    assert flaw(text)


def test_every_row_of_the_table_of_slips_finds_its_example_and_no_question_that_was_read_as_good():
    sheet = Path(__file__).parents[1] / "docs" / "quality" / "sheet.tsv"
    with sheet.open(encoding="utf-8", newline="") as lines:
        good = [row["question"] for row in csv.DictReader(lines, delimiter="\t") if row["all in order"] == "yes"]
    assert len(slips()) > 50
    assert len(good) > 100
    assert [(text, flaw(text)) for text in good if flaw(text)] == []


def test_a_question_that_needs_no_image_is_refused():
    with pytest.raises(NoCandidate) as refusal:
        asyncio.run(PLAIN.express(candidate("Is this a dog or a cat?", "dog", fact("young", "puppy")), 1))
    assert refusal.value.reason == "either-or question"


@pytest.mark.parametrize(
    "question",
    [
        "What kind of seeds on the bun?",
        "What does this bird named as?",
        "What is one ingredient of these?",
        "What holiday would the teddy bear be sold at malls?",
    ],
)
def test_a_question_that_makes_no_noun_phrase_and_is_not_well_formed_is_refused(question: str):
    with pytest.raises(NoCandidate) as refusal:
        PLAIN.word(candidate(question, "albatross", fact("taxonomic family", "Diomedeidae")), 1)
    assert refusal.value.reason == "no noun phrase"


def test_a_question_that_makes_no_noun_phrase_is_quoted_and_its_answer_called_x():
    wording = PLAIN.word(
        candidate("What do you call a group of these cows?", "herd", fact("taxonomic family", "Bovidae")), 1
    )
    assert wording.text.startswith('If X is the answer to "What do you call a group of these cows?", what is the ')
    assert wording.text.endswith(" of X?")
    assert wording.pattern.startswith("referring/")


def test_relations_that_do_not_go_together_do_not_in_the_quoted_form_either():
    before = hop(
        PLAIN,
        candidate("What do you call a group of these cows?", "herd", fact("maker", "cowboy")),
        fact("product", "x"),
    )
    with pytest.raises(NoCandidate) as refusal:
        PLAIN.word(before, 1)
    assert refusal.value.reason == "relations do not go together"


def test_a_food_is_no_material():
    asked = candidate("What is the red condiment made of?", "tomatoes", fact("native region", "South America"))
    end = replace(asked.question.key[0], object=Entity("TOMATOES", concept="wn30:07734017-n"))
    food = replace(
        asked, question=replace(asked.question, key=(end,)), graph=SampleGraph(asked.sample.id, (end,), (), (end,))
    )
    assert not any("material" in PLAIN.word(food, seed).text for seed in range(8))
    assert any("material" in PLAIN.word(asked, seed).text for seed in range(8))


def test_a_chain_that_began_with_a_reselected_path_is_worded_from_the_path():
    man, horse = Entity("MAN"), Entity("HORSE")
    visual = (Triplet(IMAGE, "depicts", man), Triplet(man, "riding", horse), Triplet(IMAGE, "depicts", Entity("SKY")))
    graph = SampleGraph("s", visual, (), visual[2:])
    sample = Sample("s", "okvqa", "val", "Is he fast?", "yes", ("yes",))
    wording = PLAIN.word_reselected(sample, graph, visual[:2], 1)
    parent = Question("s@first/0", "s", "first", 0, "reselected", wording.text, "horse", visual[:2])
    one = Candidate(sample, graph, parent, fact("young", "foal"))
    assert wording.text == "What animal is the man in this image riding?"
    assert "the animal" in PLAIN.word(one, 1).text
    assert "man" in PLAIN.word(one, 1).text
    assert "horse" not in PLAIN.word(one, 1).text


def test_questions_have_the_length_that_was_asked_for(data: Path):
    if english() is None:
        pytest.skip("no spaCy English model is installed")
    words: dict[int, list[int]] = {1: [], 2: [], 3: []}
    expresser = RuleExpresser(pack(), run="r")
    for question, answer in samples(data):
        here = candidate(question, answer, fact("country of origin", "Zembla"))
        try:
            for following in (fact("capital", "Oniro"), fact("largest lake", "Quux"), fact("currency", "zloty")):
                here = hop(expresser, here, following)
                words[here.question.hop].append(len(here.question.text.split()))
        except NoCandidate:
            continue
    assert len(words[1]) > 150
    for hops, found in words.items():
        assert WORDS[hops] * 0.85 < sum(found) / len(found) < WORDS[hops] * 1.15


def samples(data: Path) -> list[tuple[str, str]]:
    with gzip.open(data / "okvqa" / "val_dev_half.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines][:250]
    return [(row["question"], Counter(row["answers"]).most_common(1)[0][0]) for row in rows]
