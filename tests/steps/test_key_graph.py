"""Graphs and keys as a model writes them, the paper's own among them: what they mean is found, in the right order."""

import json
import re

from kbe_graph.steps.extractor import ExtractedTriplets, extract_step, key_step
from kbe_graph.steps.reply_text import StepReply
from kbe_graph.types import Drop, Sample, SampleGraph

WOODPECKER = Sample("b/s/1", "b", "s", "What kind of birds are those?", "woodpecker")
BIRDS = """V1: (IMAGE, depict, BIRDS)
V2: (BIRDS, are on, TREE TRUNK)
V3: (BIRDS, have color, red and black)
T1: (WOODPECKER, type of, BIRD)
T2: (TREE TRUNK, made of, WOOD)"""
CAT = Sample("b/s/2", "b", "s", "How many teeth does this animal use to have?", "26")
TEETH = """V1: (IMAGE, depict, CAT)
V2: (CAT, have color, beige)
V3: (CAT, is in state, RELAXED)
T1: (ANIMAL, typically have, TEETH)
T2: (CAT, category of, ANIMAL)
T3: (CAT, usually have, 26 TEETH)"""


def extracted(sample: Sample, lines: str) -> ExtractedTriplets:
    """Read a reply with the triplets of these lines."""
    graphs: dict[str, list[dict[str, str]]] = {"V": [], "T": []}
    for letter, *words in re.findall(r"^([VT])\d: \((.*), (.*), (.*)\)$", lines, re.MULTILINE):
        graphs[letter].append(dict(zip("sro", words, strict=True)))
    reply = json.dumps({"visual": graphs["V"], "textual": graphs["T"]})
    return extract_step(sample).read(StepReply(reply))


def graph(sample: Sample, triplets: str, key: str) -> SampleGraph | Drop:
    return key_step(sample, extracted(sample, triplets)).read(StepReply(json.dumps({"key": key.split(", ")})))


def key_of(sample: Sample, triplets: str, key: str) -> list[str]:
    made = graph(sample, triplets, key)
    assert isinstance(made, SampleGraph)
    return [f"{triplet.subject.name} {triplet.relation} {triplet.object.name}" for triplet in made.key]


def test_the_answer_may_be_a_subject_alone_and_the_key_in_any_order() -> None:
    for key in ["V1, V3, T1", "T1, V3, V1", "V1, V1, V3, T1"]:
        assert key_of(WOODPECKER, BIRDS, key) == [
            "IMAGE depict BIRDS",
            "BIRDS have color red and black",
            "WOODPECKER type of BIRD",
        ], key


def test_a_number_may_come_with_its_noun() -> None:
    assert key_of(CAT, TEETH, "V1, T3") == ["IMAGE depict CAT", "CAT usually have 26"]


def test_what_means_the_answer_goes_by_its_name() -> None:
    for name, answer, answers in [
        ("DOGS", "dog", ()),
        ("BROWN DOG", "dog", ()),
        ("PUPPY", "dog", ("dog", "puppy", "pet")),
        ("DOG", "dogs", ()),
    ]:
        sample = Sample("b/s/3", "b", "s", "What is on the sofa?", answer, answers)
        triplets = f"V1: (IMAGE, depicts, SOFA)\nV2: (SOFA, carries, {name})\nT1: ({name}, is kept by, PEOPLE)"
        made = extracted(sample, triplets)
        assert [triplet.object.name for triplet in made.visual] == ["SOFA", answer.upper()], (name, answer, answers)
        assert made.textual[0].subject.name == answer.upper(), (name, answer, answers)


def test_a_node_is_a_noun_by_its_words() -> None:
    made = extracted(CAT, TEETH)
    assert isinstance(made, ExtractedTriplets)
    nouns = {triplet.object.name: triplet.object.noun for triplet in (*made.visual, *made.textual)}
    assert nouns == {"CAT": True, "beige": False, "RELAXED": False, "TEETH": True, "ANIMAL": True, "26": False}
