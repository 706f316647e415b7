import json

from kbe_graph.english.reading import read
from kbe_graph.english.wordnet import wordnet
from kbe_graph.facts.walk import link
from kbe_graph.files.resources import data as data_file

LEAST = 0.88


def test_the_question_chooses_the_sense() -> None:
    for question, answer, lemma, definition in [
        ("What meat comes from this animal?", "beef", "beef", "meat from an adult"),
        ("What language is this?", "german", "German", "the standard German language"),
        ("What fruit is this?", "kiwi", "kiwi", "fuzzy brown egg-shaped fruit"),
        ("What animal is this?", "kiwi", "kiwi", "nocturnal flightless bird"),
        ("What kitchen appliance is this?", "microwaves", "microwave", "kitchen appliance"),
        ("Who throws the ball?", "pitcher", "pitcher", "(baseball) the person"),
        ("What operating system is on this computer?", "windows", "Windows", "(trademark) an operating system"),
        ("What kind of hat is that?", "cowboy", "cowboy hat", "a hat with a wide brim"),
        ("What country is this?", "china", "China", "a communist nation"),
        ("What kind of drink is it?", "blended beverages", "beverage", "any liquid suitable for drinking"),
    ]:
        found = link(question, answer)
        assert lemma in wordnet().synset(found.concept).lemmas
        assert found.gloss.startswith(definition)
        assert 0 < found.confidence <= 1


def test_a_name_is_no_word_of_another_kind() -> None:
    for question, answer in [
        ("What model of computer is this?", "apple"),
        ("What make of car is this?", "mustang"),
        ("What kind of car is this?", "jaguar"),
        ("What kind of truck is this?", "ram"),
        ("What vehicle is it?", "beetle"),
        ("What type of laptop is this?", "dell"),
        ("What kind of airplane is this?", "hornet"),
        ("Which phone does the man hold?", "blackberry"),
        ("What shoes is she wearing?", "puma"),
        ("What store is this?", "target"),
        ("What restaurant is this?", "subway"),
        ("What kind of beer?", "tiger"),
        ("Which song is it?", "yellow"),
        ("What operating system is this?", "leopard"),
    ]:
        assert not link(question, answer).concept, (question, answer)


def test_what_wordnet_lists_beside_its_kind_is_linked() -> None:
    for question, answer, lemma in [
        ("What type of boat is this?", "sailboat", "sailboat"),
        ("What style of hat is he wearing?", "baseball cap", "baseball cap"),
        ("Which clock tower is this?", "big ben", "Big Ben"),
        ("What kind of pastry is this?", "donuts", "doughnut"),
        ("What type of transportation is this?", "airplane", "airplane"),
        ("What orange topping is on the pizza?", "carrots", "carrot"),
        ("What kind of utensil is this?", "fork", "fork"),
    ]:
        assert lemma in wordnet().synset(link(question, answer).concept).lemmas


def _accuracy(folder):
    rows = json.loads((folder / "wsd.json").read_text())
    gold = {int(place): senses for place, senses in json.loads((folder / "wsd_gold.json").read_text()).items()}
    right = 0
    for place, numbers in gold.items():
        answer = rows[place]["a"]
        senses = dict.fromkeys(
            synset.id for name in (answer, wordnet().base(answer) or "") for synset in wordnet().synsets(name)
        )
        wanted = {list(senses)[number] for number in numbers}
        right += link(rows[place]["q"], answer).concept in wanted
    return right / len(gold)


def test_ambiguous_answers_are_linked(data):
    assert _accuracy(data / "nlp") >= LEAST


def test_each_usual_sense_is_one_of_wordnet():
    rows = [line.split("\t") for line in data_file("seen.tsv").read_text().splitlines() if not line.startswith("#")]
    assert len(rows) > 300
    assert all(wordnet().gloss(concept).startswith(gloss) for _, concept, _, gloss in rows if concept != "-")


def test_which_countrys_flag_asks_for_a_country() -> None:
    assert "France" in wordnet().synset(link("Which country's airline is this?", "France").concept).lemmas
    assert "leopard" in wordnet().synset(link("What animal's skin is this?", "leopard").concept).lemmas
    assert [read(f"What {thing} is this?").asks_for for thing in ("children's movie", "athlete's last name")] == [
        "children's movie",
        "athlete's last name",
    ]
