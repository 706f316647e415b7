"""Each kind that the rules speak of holds what is meant, and each of its synsets is needed for it."""

import csv
import re
from pathlib import Path

from kbe_graph.english.wordnet import wordnet
from kbe_graph.english.words import kind
from kbe_graph.facts.relation import relations

PACKAGE = Path(__file__).parents[2] / "kbe_graph"
# A noun for each synset of the kind, which no other synset of the kind holds; a number tells its sense.
NOUNS = {
    "fabric": "silk",
    "animal": "giraffe",
    "appliance": "dishwasher",
    "area": "bathroom",
    "birth, faith, age or sex": (
        "Italian, aborigine, native#2, Christian, priest, woman, guy, parent, kid, Indian, Palestinian, Egyptian, "
        "Zionist, gay, heterosexual, bisexual, paraplegic, old person, thief"
    ),
    "body part": "hand",
    "clergy": "priest",
    "city": "Paris",
    "clothing": "shirt",
    "computer mouse": "mouse#4",
    "continent": "Asia",
    "conveyance": "train",
    "counted all the same": "pepperoni, cocktail, bagel, loaf, pretzel, handkerchief",
    "country": "Italy",
    "edible fruit": "apple",
    "food": "milk, broccoli#2",
    "footwear": "boot",
    "furniture": "chair",
    "ground": "street, hill, river",
    "instrumentality": "computer",
    "musical instrument": "guitar",
    "nation": "nation",
    "not counted": "ink, pork, silk, iron, leather, tennis, physics, French, rain, flour, flu, spaghetti#2",
    "organism": "dog",
    "people": "nation#2",
    "person": "child",
    "protected attribute": "Hebrews, race#3, nationality, Christianity, church, masculinity",
    "place": "Italy#1, hill, river, island#1, settlement#2, country#1, seaport, Everest",
    "role": (
        "waiter, doctor, finalist, actor, painter, referee, tourist, physicist, programmer, connoisseur, merchant, "
        "policeman, hero, writer, pupil, driver, gladiator, samurai, explorer, snowboarder"
    ),
    "room": "kitchen",
    "sport": "tennis, snowboarding",
    "sports gear": "golf club, mallet, ball, skateboard, ski, athlete, piste, frisbee",
    "state": "Texas",
    "structure": "house",
    "titled": "symphony, album, movie, fairy tale, poem, magazine, brand, team, fictional character, video game, ship",
    "toilet fixture": "toilet#2",
    "toy": "doll",
    "unit": "kilometer, hour, decade",
    "vegetable": "broccoli#2",
    "vehicle": "car, train",
    "visible place": "city, street, bathroom, hill, river, house, store, airport, Asia, parquet, ballpark, sky",
    "with the": "Nile, Pacific, Caribbean, Sahara, Alps, Philippines#2, Persian Gulf, Bosporus",
}


def rows() -> list[dict[str, str]]:
    with (PACKAGE / "data" / "kinds.tsv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def concept(noun: str) -> str:
    name, _, sense = noun.partition("#")
    return wordnet().synsets(name)[int(sense or 1) - 1].id


def test_a_synset_is_told_by_its_lemma_and_definition():
    for row in rows():
        synset = wordnet().synset(row["synset"])
        assert row["lemma"] in synset.lemmas, row["name"]
        assert synset.definition == row["definition"], row["name"]


def test_every_synset_of_a_kind_is_needed():
    spare = []
    for row in rows():
        nouns = [concept(noun) for noun in NOUNS[row["name"]].split(", ")]
        others = kind(row["name"]) - {row["synset"]}
        if all({one, *wordnet().hypernyms(one)} & others for one in nouns):
            spare.append(row["lemma"])
    assert spare == []


def test_every_kind_is_asked_for_by_a_rule():
    code = "\n".join(file.read_text(encoding="utf-8") for file in PACKAGE.rglob("*.py"))
    asked = {
        *re.findall(r'"([a-z, ]+)"', code),
        *(name for one in relations().values() for name in (*one.subject, *one.object)),
    }
    assert {row["name"] for row in rows()} - asked == set()
