from kbe_graph.english.words import frequency


def test_common_words_are_more_frequent_than_rare_ones():
    assert frequency("dog") > frequency("puppy") > frequency("cygnet") > frequency("leveret") > 0


def test_singular_and_plural_count_as_one():
    assert frequency("dogs") == frequency("dog")


def test_a_name_is_as_frequent_as_its_rarest_word():
    assert frequency("water buffalo") == frequency("buffalo")


def test_an_unknown_word_has_no_frequency():
    assert frequency("oenologyx") == 0
    assert frequency("") == 0
