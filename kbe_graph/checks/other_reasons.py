"""Counted reasons that are no check's refusal of a candidate: nothing came of a sample, a path, an answer or a call."""

from kbe_graph.checks.entry import Entry, Group
from kbe_graph.checks.row import Row

NOT_REPRESENTATIVE, NOT_VERIFIED = "not representative", "not verified"
_GIRAFFE = Row("What animal is this?", "giraffe")
_FACT = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")
_MAN = Row("Is he fast?", "horse", path="man > riding > horse")


def _entry(name: str, stage: Group, rule: str, refused: Row, passed: Row) -> Entry:
    return Entry(name, stage, rule, (), refused, passed)


OTHERS = (
    _entry(
        "no visual triplet",
        "sample",
        "an annotation of the image must show something that the key can start from",
        Row("What is the theme of this room?", "hawaii"),
        _GIRAFFE,
    ),
    _entry(
        "no picture",
        "sample",
        "a model that is asked about a picture must be shown it: a readable file in the folders that were named",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "no path to a noun",
        "re-selection",
        "a path from IMAGE in the sample's graph must end in a noun that is not the old answer",
        Row("Is he fast?", "yes", path="man"),
        _MAN,
    ),
    _entry(
        "the model asks for no path",
        "re-selection",
        "a model that is shown a path must find a question that one thing in the picture answers",
        Row("Is he fast?", "yes", path="man > next to > horse"),
        _MAN,
    ),
    _entry(
        "path search timed out",
        "re-selection",
        "the search for paths must end in the time that is allowed",
        Row("Is he fast?", "yes", path="man"),
        _MAN,
    ),
    _entry(
        "no fact",
        "fact",
        "the knowledge source must tell a fact of the answer",
        Row("What is this?", "doohickey"),
        _GIRAFFE,
    ),
    _entry(
        "reply: cut",
        "fact",
        "the reply of a model must be whole; one that is cut at its greatest length cannot be used",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "reply: refused",
        "fact",
        "a model must answer; one that declines tells nothing",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "reply: invalid",
        "fact",
        "the reply of a model must have the form that was asked for and keep its rules",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "no noun phrase",
        "question",
        "a noun phrase must stand for the first answer, made from the question that it answers",
        Row("Total eclipse of the what?", "sun"),
        _GIRAFFE,
    ),
    _entry(
        "no phrase for the relation",
        "question",
        'a relation that the packaged table does not know must have a noun as its name, for "the R of"',
        _FACT._replace(relation="found in"),
        _FACT,
    ),
)

_CAPITAL = Row(
    "What flag is that?", "japan", "japan", "capital", "Tokyo", "What is the capital of the country of that flag?"
)

OPINIONS = (
    _entry(
        NOT_REPRESENTATIVE,
        "fact",
        "the model that is asked must call the object the representative one (KBE, answer filter)",
        Row("What flag is that?", "japan", "japan", "famous city", "Kyoto"),
        Row("What flag is that?", "japan", "japan", "capital", "Tokyo"),
    ),
    _entry(
        NOT_VERIFIED,
        "fact",
        "the model that gives the second opinion must call the fact right (--verify)",
        Row("What flag is that?", "japan", "japan", "capital", "Kyoto"),
        Row("What flag is that?", "japan", "japan", "capital", "Tokyo"),
    ),
    _entry(
        "verdict: wrong fact",
        "question",
        "the second model must call every explored fact true, of the thing that the question means (--verify)",
        _CAPITAL._replace(object="Kyoto"),
        _CAPITAL,
    ),
    _entry(
        "verdict: bad grammar",
        "question",
        "the second model must call the question correct in its language (--verify)",
        _CAPITAL._replace(text="What the capital of country of that flag?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: leak",
        "question",
        "the second model must find that the words name neither the answer nor a thing on the way (--verify)",
        _CAPITAL._replace(text="What is the capital of Nippon, whose flag that is?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: odd path",
        "question",
        "the second model must find each triplet of the path sensible, and that the answer follows (--verify)",
        Row("What is she riding?", "bus", "bus", "season", "summer", "What is the season of what she is riding?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: other answers",
        "question",
        "the second model must find one right answer, the one given (--verify)",
        _CAPITAL._replace(relation="famous city", text="What is a famous city of the country of that flag?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: no image needed",
        "question",
        "the second model must find that nobody guesses the answer without the picture (--verify)",
        Row("What dish is this?", "pizza", "pizza", "country of origin", "Italy", "Which country is this dish from?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: not fit to publish",
        "question",
        "the second model must find that a careful maker of benchmarks would publish the question (--verify)",
        _CAPITAL._replace(text="What is the capital of the state whose banner that depicted cloth is?"),
        _CAPITAL,
    ),
)
