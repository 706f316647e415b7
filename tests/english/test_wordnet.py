from kbe_graph.english.wordnet import wordnet
from kbe_graph.files.resources import data

GIRAFFE = "wn30:02439033-n"
ANIMAL = "wn30:00015388-n"


def test_a_lemma_has_its_senses_most_frequent_first():
    senses = wordnet().synsets("dog")
    assert senses[0].lemmas == ("dog", "domestic dog", "Canis familiaris")
    assert senses[0].lexname == "noun.animal"
    assert [count for _, count in wordnet().senses("dog")] == sorted(
        (c for _, c in wordnet().senses("dog")), reverse=True
    )


def test_a_synset_is_found_by_its_id():
    synset = wordnet().synset(GIRAFFE)
    assert synset.lemmas == ("giraffe", "camelopard", "Giraffa camelopardalis")
    assert synset.gloss.startswith("tallest living quadruped")
    assert wordnet().synsets("giraffe") == (synset,)


def test_hypernyms_are_nearest_first_and_reach_the_top():
    above = [wordnet().synset(parent).lemmas[0] for parent in wordnet().hypernyms(GIRAFFE)]
    assert above[0] == "ruminant"
    assert above[-1] == "entity"
    assert wordnet().is_a(GIRAFFE, ANIMAL)
    assert wordnet().is_a(GIRAFFE, GIRAFFE)
    assert not wordnet().is_a(ANIMAL, GIRAFFE)


def test_morphy_finds_the_base_form() -> None:
    for word, base in [
        ("giraffes", "giraffe"),
        ("geese", "goose"),
        ("teddy bears", "teddy bear"),
        ("batteries", "battery"),
        ("buses", "bus"),
        ("glass", "glass"),
        ("motorcross", None),
        ("gas", "gas"),
    ]:
        assert wordnet().morphy(word) == base


def test_lookup_finds_the_name_its_base_or_its_head() -> None:
    for name, lemma, head in [
        ("The Giraffes", "giraffe", False),
        ("men", "man", False),
        ("glasses", "glasses", False),
        ("wings", "wing", False),
        ("cookies", "cookie", False),
        ("glass of water", "glass", True),
        ("blended beverages", "beverage", True),
        ("motorcross", "", False),
        ("", "", False),
    ]:
        found = wordnet().lookup(name)
        assert (found.lemma, found.head) == (lemma, head)
        assert bool(found.synsets) == bool(lemma)


def test_the_index_holds_all_of_wordnet_in_small_files():
    assert len([*wordnet().starting("")]) > 116_000
    assert all(file.stat().st_size < 2_000_000 for file in data("wordnet").iterdir())
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in data("wordnet").joinpath("LICENSE").read_text()
