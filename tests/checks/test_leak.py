from dataclasses import replace

from filter_cases import case, decide

from kbe_graph.checks.check import Row
from kbe_graph.checks.question_text import Leak, WordedLeak, leak_in

HABITAT = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")


def test_an_object_that_shares_no_word_with_what_is_known_is_kept():
    assert decide(Leak(), HABITAT).keep


def test_an_object_that_shares_a_word_with_the_question_is_refused():
    decision = decide(Leak(), Row("What kind of bear is this?", "panda", "panda", "family", "bear family"))
    assert (decision.reason, decision.detail) == ("leak", "bear")


def test_an_object_that_shares_a_lemma_with_a_node_of_the_path_is_refused():
    row = Row("What is grown here?", "wine", "grape", "product", "grapes", path="grape > product > wine")
    assert decide(Leak(), row).detail == "grape"


def test_the_examples_are_refused():
    assert not decide(Leak(), Leak.refused).keep
    assert not decide(WordedLeak(), WordedLeak.refused).keep


def test_a_text_must_not_name_the_new_answer_nor_an_alias_of_it():
    candidate = case(HABITAT)
    assert leak_in(candidate, "In which savannas does this animal live?") == "savanna"
    aliased = replace(candidate, fact=replace(candidate.fact, aliases=("grassy plain",)))
    assert leak_in(aliased, "What grassy plain is the home of this animal?") == "grassy plain"


def test_a_demonym_gives_its_country_away() -> None:
    for text, answer, word in [
        ("What is the country of the German city that this is in?", "Germany", "German"),
        ("Which capital is that of the country the Italian dish comes from?", "Italy", "Italian"),
        ("What is the country of the city that this American bus is in?", "Japan", ""),
    ]:
        row = Row("What city is this?", "springfield", "springfield", "country", answer)
        assert leak_in(case(row), text) == word


def test_an_adjective_gives_its_country_away_that_shares_no_stem_with_it():
    row = Row("What cow is this?", "holstein", "holstein", "country of origin", "Netherlands")
    candidate = case(row)
    linked = replace(candidate, fact=replace(candidate.fact, object_id="wn30:08949093-n"))
    assert leak_in(linked, "What is the country of origin of the Dutch cow in this image?") == "Dutch"


def test_a_number_is_no_empty_word_where_it_is_the_answer():
    row = Row("What has only one wheel?", "unicycle", "unicycle", "number of wheels", "one")
    assert leak_in(case(row), "What is the number of wheels on what has only one wheel?") == "one"


def test_a_text_must_not_name_the_old_answer_in_any_form():
    candidate = case(HABITAT)
    assert leak_in(candidate, "What is the habitat of giraffes?") == "giraffe"
    assert leak_in(candidate, "What is the habitat of this animal?") == ""


def test_what_the_benchmark_asked_may_be_said_again_but_not_a_node_between():
    row = Row(
        "What breed of dog is this?",
        "bulldog",
        "England",
        "capital",
        "London",
        path="bulldog > country of origin > England",
    )
    candidate = case(row)
    assert leak_in(candidate, "What is the capital of the country of origin of this breed of dog?") == ""
    assert leak_in(candidate, "What is the capital of England, home of this breed of dog?") == "england"


def test_any_answer_that_people_gave_is_hidden():
    candidate = case(HABITAT)
    several = replace(candidate, sample=replace(candidate.sample, answers=("giraffe", "giraffe", "camel")))
    assert leak_in(several, "What is the habitat of this camel?") == "camel"


def test_a_question_that_names_its_whole_answer_leaks():
    row = Row("What is the name of the bridge the cars are on?", "bridge", "bridge", "inventor", "Joe")
    assert leak_in(case(row), "Who is the inventor of the bridge the cars are on?") == "bridge"


def test_a_question_leaks_no_answer_of_whose_words_it_has_only_the_large_ones():
    row = Row("Which vitamin is this food known for?", "vitamin a", "vitamin a", "chemical name", "retinol")
    assert leak_in(case(row), "What is the chemical name of the vitamin that this food is known for?") == ""
    assert leak_in(case(row), "What is the chemical name of vitamin A?") == "vitamin a"


def test_the_word_of_the_relation_may_stand_in_the_object():
    row = Row("What country is this?", "tanzania", "tanzania", "largest lake", "Lake Victoria")
    assert decide(Leak(), row).keep


def test_the_class_that_is_asked_for_gives_no_name_away_but_a_part_of_a_compound_does() -> None:
    for text, thing, word in [
        ("At which artery is the pulse of this animal felt?", "radial artery", ""),
        ("Which large river crosses the home of this animal?", "Colorado River", ""),
        ("On what ocean does the home of this animal lie?", "Pacific Ocean", ""),
        ("Which artery of this animal is the radial one?", "radial artery", "radial"),
        ("Which artery of this animal does the vet press?", "artery", "artery"),
        ("What kind of river does this animal drink from?", "jungle river", "river"),
        ("At what kind of stand is a book about this animal sold?", "newsstand", "stand"),
        ("In what attachment at the side does this animal ride?", "sidecar", "side"),
        ("What covers the floor where the pet of this animal lies?", "carpet", ""),
        ("In which land is this animal found?", "Portland", ""),
    ]:
        assert leak_in(case(HABITAT._replace(relation="seen with", object=thing)), text) == word
