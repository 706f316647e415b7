"""Replies are read where they mark an answer or are an option, and never as another option than the one said."""

import json
from pathlib import Path

from kbe_graph.scoring.reply_reading import ReadAnswer, read_option, read_reply

REPLIES = Path(__file__).parent / "replies.jsonl"
CHOICES = ("ball", "frisbee", "a", "fishing rod", "-5", "5", "C++")
OPTIONS = {
    "B": "frisbee", "b.": "frisbee", "(B)": "frisbee", "**B**": "frisbee", "B. frisbee": "frisbee",
    "B) a frisbee": "frisbee", "Answer: (B) frisbee.": "frisbee", "The answer is B.": "frisbee", "Frisbee": "frisbee",
    r"\boxed{\text{B}}": "frisbee", "<think>A?</think> <answer>B</answer>": "frisbee", '{"answer": "B"}': "frisbee",
    "I see it.\nFinal answer: B": "frisbee", "a": "a", "-5": "-5", "5": "5", "$5": "", "+5": "", "c++": "C++", "C#": "",
    "Choice B": "frisbee", "- B": "frisbee", "B!": "frisbee", "**B**. frisbee": "frisbee", "B (frisbee)": "frisbee",
    "The correct option is B.": "frisbee", "Option B is correct.": "frisbee", "It flies. So the answer is B": "frisbee",
    "B\n\nThe disc is flat.": "frisbee", "It is flat.\n\n**B**": "frisbee", "### Final answer\n\nB": "frisbee",
    "答案是B。": "frisbee", "La réponse est B.": "frisbee", "Die Antwort ist: B": "frisbee", "A.\nB.": "",
    "The answer is A. Wait. The answer is B.": "", "The answer is A.\nB": "", "B is not correct.": "",
    "A. ball.\nB. frisbee.": "", "frisbee. It is a ball.": "",
    "The options are as follows:\nB": "", "B\nThat is wrong.": "", "Answer:\nA\nB": "", "Neither A nor B is right.": "",
    "B. ball": "", "B. something else": "", "A or B": "", "H": "", "a dog": "", "It is not B.": "",
    "The answer is not B.": "", "Answer: A\nAnswer: B": "", "Answer: A\nWait, B.": "", r"\boxed{A}, no \boxed{B}": "",
}  # fmt: skip
MARKED = {
    "<answer>owl</answer>": "marked", r"It is \boxed{owl}": "marked", '{"answer": "owl"}': "marked",
    "It hoots.\nFinal answer: owl.": "marked", "The answer is **owl**.": "marked",
    "**Final Answer:**\n\nowl": "marked", "It hoots. The answer is owl.": "marked", "Respuesta: owl": "marked",
    "**owl**": "marked", "owl": "whole",
}  # fmt: skip


def test_a_reply_is_read_as_the_option_that_it_is_or_marks() -> None:
    for reply, option in OPTIONS.items():
        assert read_reply(reply, CHOICES).text == option, reply
    assert read_reply("ball", ("ball", "Ball")) == ReadAnswer("ball", "text")
    assert read_option("BALL", ("ball", "Ball")).text == ""
    assert read_reply("B", ("ball", "Ball")) == ReadAnswer("Ball", "letter")
    assert read_reply("B", ("B", "A")).text == "B"
    for reply, options, option in [
        ("The answer is 4.", ("4", "-4"), "4"),
        ("−4", ("4", "-4"), "-4"),
        ("x>2", ("x < 2", "x > 2"), "x > 2"),
        ("> 5 m", ("≤ 5 m", "> 5 m", "5 m"), "> 5 m"),
        ("The point is at (-2, 3).", ("(2, -3)", "(2, 3)", "(-2, 3)"), "(-2, 3)"),
        ("The point is not at (2, 3).", ("(2, -3)", "(2, 3)"), ""),
        ("The cat beside it is a dog.", ("cat", "dog"), ""),
        ("It is -5.", ("5", "6"), ""),
        ("Answer: cat, because it has whiskers", ("dog", "cat"), "cat"),
        ("Answer: B, as the ears of a dog hang.", ("dog", "cat"), "cat"),
        ("Answer: cat. It could also be a dog.", ("dog", "cat"), ""),
        ("Answer: cat, since it meows. No, dog.", ("dog", "cat"), ""),
        ("cat, because", ("dog", "cat, because"), "cat, because"),
        ("Yes, it is.", ("Yes", "No"), "Yes"),
        ("No, the man isn't.", ("Yes", "No"), "No"),
        ("10²", ("10^2", "102"), "10^2"),
        ("102", ("10²", "100"), ""),
        ("1/2", ("½", "⅓"), "½"),
        ("1000", ("1,000", "10,000"), "1,000"),
    ]:
        assert read_reply(reply, options).text == option, reply


def test_no_reply_is_read_as_another_option_than_a_person_reads() -> None:
    rows = [json.loads(line) for line in REPLIES.read_text(encoding="utf-8").splitlines()]
    answers = [(row["reply"], read_reply(row["reply"], row["options"]).text, row["answer"]) for row in rows]
    assert [answer for answer in answers if answer[1] not in {"", answer[2]}] == []
    assert sum(bool(read) for _, read, _ in answers) >= 233


def test_a_marked_answer_is_read_without_its_marks() -> None:
    for reply, rule in MARKED.items():
        assert read_reply(reply) == ReadAnswer("owl", rule), reply
    assert read_reply("The man rides a horse.").text == "The man rides a horse."
    for reply, rule in ((" ", "empty"), ("<think>a cow", "unread"), ("I cannot answer that.", "refused")):
        assert read_reply(reply) == ReadAnswer("", rule), reply


def test_hostile_replies_are_read_at_once() -> None:
    for part in ("<think>", "<|channel|>final", "{", "<answer>", "final ", r"\boxed{", "answer is ", "(A) ", "*"):
        for options in ((), ("swan", "owl")):
            read_reply(part * (20_000 // len(part)), options)
