from picture_cases import BALL, CAT, asked

from kbe_graph.datasets.view import Thing
from kbe_graph.perturb.eligible import first_reason
from kbe_graph.perturb.picture_edits import edit_operations, removable
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS

SIZE = (640, 480)
REMOVE = edit_operations(lambda *_: ({}, _[0]))["remove"]


def test_an_operation_refuses_questions_whose_answer_it_changes() -> None:
    for text, answer, refusing in [
        ("What animal is this?", "dog", ""),
        ("What color is the car?", "red", "invert style"),
        ("Which fruit has black spots?", "mango", "invert style"),
        ("What is on the plate?", "white rice", "invert style"),
        ("Is it night?", "yes", "invert style"),
        ("What time of day is it?", "morning", "invert style"),
        ("What kind of pasta is this?", "penne", "invert"),
        ("What kind of bear is this?", "grizzly", "invert"),
        ("What kind of animal is this?", "bear", ""),
        ("What breed is the dog?", "poodle", "invert"),
        ("Which country has this flag?", "canada", "invert style"),
        ("What is the monkey eating?", "banana", "invert"),
        ("What is the counter made of?", "granite", "invert"),
        ("What does the sign say?", "stop", "style"),
        ("What brand is the laptop?", "dell", "style"),
        ("Which team plays here?", "giants", "invert style"),
        ("What stands on the left?", "vase", "pad outpaint"),
        ("Where is the cat?", "top right corner", "pad outpaint"),
        ("What kind of photo is this?", "portrait", "pad outpaint style"),
        ("What was this picture taken with?", "phone", "pad outpaint style"),
        ("What lens was used?", "fisheye", "pad outpaint style"),
        ("What animal is in this picture?", "dog", ""),
        ("What does the bird on the board do?", "sing", ""),
    ]:
        refused = {
            name
            for name, operation in PICTURE_OPERATIONS.items()
            if first_reason(asked(text, answer), *operation.topics)
        }
        assert refused == set(refusing.split()), (text, answer, refusing)


def test_nothing_is_taken_out_where_things_are_counted() -> None:
    for text, answer in [
        ("How many cats are there?", "2"),
        ("Is this the only animal?", "yes"),
        ("What do both cats do?", "sleep"),
        ("Which cat is alone?", "black"),
        ("What is missing here?", "door"),
        ("What is beside the cat?", "three balls"),
    ]:
        assert first_reason(asked(text, answer, (CAT, BALL)), *REMOVE.topics) == "things are counted", (text, answer)


def test_nothing_is_taken_out_where_all_that_is_seen_tells_the_answer() -> None:
    for text in ["In which country is this cat?", "Where is the cat?", "What season is it?"]:
        assert first_reason(asked(text, "home", (CAT, BALL)), *REMOVE.topics) == "the whole scene is asked for", text


def test_choices_and_other_peoples_answers_tell_of_a_colour_too() -> None:
    assert first_reason(asked("What is it like?", "old", choices=("old", "green")), "colour")
    assert first_reason(asked("What is it like?", "old", answers=("old",) * 4 + ("grey",) * 3), "colour")


def names(text: str, answer: str, *things: Thing, **fields: tuple[str, ...]) -> list[str]:
    return [thing.name for thing, _ in removable(asked(text, answer, things, **fields), SIZE)]


def test_what_a_question_is_about_stays_and_the_rest_may_go() -> None:
    for text, answer, things in [
        ("What does the cat do?", "sleep", ["ball"]),
        ("What does the kitty do?", "sleep", ["ball"]),
        ("What does the animal do?", "sleep", ["ball"]),
        ("What does the cat play with?", "ball", []),
        ("What toy is beside the cats?", "doll", []),
        ("What object is this?", "lamp", []),
        ("What is the weather like?", "fine", []),
    ]:
        assert names(text, answer, CAT, BALL) == things, (text, answer, things)


def test_a_person_is_meant_by_a_pronoun() -> None:
    walker = Thing("3", "person", 3000, box=(500, 50, 540, 150))
    oven = Thing("1", "oven", 9000, box=(20, 20, 110, 120))
    assert names("What is the oven used for?", "heating", oven, walker) == ["person"]
    assert names("What does she put into the oven?", "bread", oven, walker) == []


def test_a_thing_that_is_tiny_or_large_or_touches_another_stays() -> None:
    for box in [(400, 300, 404, 304), (200, 200, 640, 480), (100, 100, 160, 160)]:
        assert names("What does the cat do?", "sleep", CAT, Thing("2", "ball", box=box)) == [], box


def test_the_hole_is_a_rim_larger_than_the_box_and_ends_with_the_picture() -> None:
    ((_, hole),) = removable(asked("What does the cat do?", "sleep", (CAT, BALL)), SIZE)
    assert hole == (390, 290, 450, 350)
    ((_, hole),) = removable(asked("A cat?", "yes", (CAT, Thing("2", "ball", box=(600, 440, 640, 480)))), SIZE)
    assert hole == (590, 430, 640, 480)
