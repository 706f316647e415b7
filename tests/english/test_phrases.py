from kbe_graph.checks.question_text import flaw
from kbe_graph.english.reference import Phrase, fill, fits, sentence
from kbe_graph.evolve.rule_wording import nest
from kbe_graph.facts.pack import pack
from kbe_graph.facts.relation import phrases_for, question_of, relation_of

BIRD, BIRDS = Phrase("this bird"), Phrase("these birds", plural=True)
KETTLE, KETTLES = Phrase("this kettle"), Phrase("these kettles", plural=True)
RELATIONS = sorted(pack().relations)


def questions(relation: str, subject: Phrase) -> list[str]:
    asked_for = pack().relations[relation]
    forms = [form for form in asked_for.forms if fits(form, subject)]
    asked = [question_of(asked_for, fill(form, subject)) for form in phrases_for(asked_for, subject)]
    return [sentence(text) for text in (*asked, *(fill(form, subject).text for form in forms)) if text]


def test_every_relation_of_the_pack_makes_a_well_formed_question():
    for relation in RELATIONS:
        for subject in [KETTLE, KETTLES]:
            made = questions(relation, subject)
            assert made
            assert [(text, flaw(text)) for text in made if flaw(text)] == []
            assert all(subject.text in text and "{" not in text and "(" not in text for text in made)


def test_verbs_take_the_number_of_the_subject():
    form = "which family (does) {} belong to"
    assert fill(form, BIRD).text == "which family does this bird belong to"
    assert fill(form, BIRDS).text == "which family do these birds belong to"
    assert fill("the country that {} comes from", BIRDS).text == "the country that these birds come from"
    assert fill("the place where {} is made", BIRDS).text == "the place where these birds are made"


def test_each_relation_is_asked_for_with_its_own_word():
    def asked(relation: str, text: str, *, plural: bool = False) -> str:
        return question_of(relation_of(pack().relations, relation), Phrase(text, plural))

    assert asked("inventor", "the inventor of this item") == "who is the inventor of this item"
    assert asked("capital", "the capital of this country") == "what is the capital of this country"
    assert asked("young", "the young of this animal") == "what do you call the young of this animal"
    assert asked("members", "the members of this team", plural=True) == "what are the members of this team"
    assert asked("diet", "what this animal eats") == ""


def test_relations_nest_with_the_first_innermost():
    relations = [pack().relations[name] for name in ("country of origin", "capital")]
    texts = [phrase.text for phrase in nest(relations, (Phrase("this dish"),))]
    assert "the capital of the country of origin of this dish" in texts
