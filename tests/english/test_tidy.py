from kbe_graph.english.patterns import misspelled, tidy
from kbe_graph.files.resources import data, rows

CASES = {
    "What  kind of fruit is this ?": "what kind of fruit is this",
    "whats on the plate": "what is on the plate",
    "What holiday do you think this is?": "what holiday this is",
    "Can you guess the model of bicycle shown in this picture?": "name the model of bicycle shown in this picture",
    "Can you tell me what fruit this is?": "what fruit this is",
    "What other types of pizza could i have?": "what other types of pizza could I have",
    "Which us city is shown?": "which US city is shown",
    "What animal known as 'mans best friend' is this?": "what animal known as man's best friend is this",
    "In this image, who is winning?": "who is winning in this image",
    "What country is is this?": "what country is this",
    "What TV brand is this?": "what TV brand is this",
    "WHAT is this?": "what is this",
    "In what country was this photo taken in?": "what country is this",
    "What occupation is the womans?": "what occupation is the woman's",
}


def test_what_people_type_is_tidied() -> None:
    for question, text in CASES.items():
        assert tidy(question) == text


def test_words_that_are_no_english_are_found() -> None:
    for text, word in {
        "what is the three whelled vehicle": "whelled",
        "what continent s this bird is found on": "s",
        "what backround is this": "backround",
        "what smartphone app is on the Boeing": "",
        "what is in a wolf's den": "",
    }.items():
        assert misspelled(text) == word


def test_each_slip_of_the_pen_is_mended():
    for _, (written, meant) in rows(data("question/spelling.tsv"), ("written", "meant")):
        assert tidy(f"Is {written} here?") == f"is {meant} here"
