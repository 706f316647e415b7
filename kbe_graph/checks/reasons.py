"""Explanations of every counted reason, and the choice of checks for a run."""

from collections.abc import Sequence
from typing import get_args

from kbe_graph.checks.chain import Cycle
from kbe_graph.checks.check import Check, Entry, Filters, FilterSettings, Group, Row
from kbe_graph.checks.fact import Blocked, Contradicted, Functional, Generic, Noun, Subject, Unsupported
from kbe_graph.checks.guessable import Guessable
from kbe_graph.checks.needed import ImageNotNeeded
from kbe_graph.checks.path import PATH_CHECKS, PathLeak, RelatedToOriginal
from kbe_graph.checks.people import Readable, Root
from kbe_graph.checks.question_text import Flaw, Instruction, WordedInstruction, WordedLeak
from kbe_graph.checks.registry import ALL, EVERY, CheckChoice, Scheme, build_checks
from kbe_graph.config import refuse_stranger
from kbe_graph.facts.pack import Pack

NOT_REPRESENTATIVE, NOT_VERIFIED = "not representative", "not verified"
BAD_ANSWER = "answer contradicted"
KNOWN, GUESSED, NOT_WORTH = "known without the picture", "guessed without the picture", "nothing worth asking"
_GIRAFFE = Row("What animal is this?", "giraffe")
_FACT = Row("What animal is this?", "giraffe", "giraffe", "habitat", "savanna")
_MAN = Row("Is he fast?", "horse", path="man > riding > horse")


def _entry(name: str, stage: Group, rule: str, refused: Row, passed: Row) -> Entry:
    return Entry(name, stage, rule, refused, passed)


OTHERS = (
    _entry(
        "no visual triplet",
        "sample",
        "an annotation of the image must show something that the key path can start from",
        Row("What is the theme of this room?", "hawaii"),
        _GIRAFFE,
    ),
    _entry(
        BAD_ANSWER,
        "sample",
        "a model that sees the picture must not judge the benchmark's answer to be wrong, or not an answer at all",
        Row("What colour is the sign?", "white car"),
        _GIRAFFE,
    ),
    _entry(
        "no picture",
        "sample",
        "a model needs the picture: it must be a readable file in one of the image folders",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "no path to a noun",
        "re-selection",
        "a path in the sample's graph must lead from IMAGE to a noun other than the original answer",
        Row("Is he fast?", "yes", path="man"),
        _MAN,
    ),
    _entry(
        "the model asks for no path",
        "re-selection",
        "a model that is given a path must find a question that only one thing in the picture answers",
        Row("Is he fast?", "yes", path="man > next to > horse"),
        _MAN,
    ),
    _entry(
        "path search timed out",
        "re-selection",
        "the search for paths must finish within the time limit",
        Row("Is he fast?", "yes", path="man"),
        _MAN,
    ),
    _entry(
        "no fact",
        "fact",
        "the knowledge source must have a fact about the answer",
        Row("What is this?", "doohickey"),
        _GIRAFFE,
    ),
    _entry(
        NOT_WORTH,
        "fact",
        "a model that proposes facts must find one worth asking about; otherwise the chain ends",
        Row("What does the sign mean?", "caution"),
        _GIRAFFE,
    ),
    _entry(
        KNOWN,
        "fact",
        "a model that does not see the picture must not guess the answer to the question that a chain starts from",
        Row("What do the stripes of this animal look like?", "stripes"),
        _GIRAFFE,
    ),
    _entry(
        "reply: cut",
        "fact",
        "the model's reply must be complete; one that is truncated at the maximum length is unusable",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "reply: refused",
        "fact",
        "the model must not decline to answer",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "reply: invalid",
        "fact",
        "the model's reply must have the requested format and follow the rules of the step",
        _GIRAFFE,
        _GIRAFFE,
    ),
    _entry(
        "no noun phrase",
        "question",
        "it must be possible to turn the first question into a noun phrase that stands for its answer",
        Row("Total eclipse of the what?", "sun"),
        _GIRAFFE,
    ),
    _entry(
        "no phrase for the relation",
        "question",
        'the name of a relation outside the packaged table must be a noun, so that it can be worded as "the R of"',
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
        "the model must judge the object to be the representative one (KBE, answer filter)",
        Row("What flag is that?", "japan", "japan", "famous city", "Kyoto"),
        Row("What flag is that?", "japan", "japan", "capital", "Tokyo"),
    ),
    _entry(
        GUESSED,
        "question",
        "a model that does not see the picture must not guess the answer (runs in which a model writes)",
        Row("What is he typing on?", "keyboard", "keyboard", "layout", "QWERTY", "Which layout has his keyboard?"),
        _CAPITAL,
    ),
    _entry(
        NOT_VERIFIED,
        "fact",
        "the model that gives a second opinion must judge the fact to be right (--verify)",
        Row("What flag is that?", "japan", "japan", "capital", "Kyoto"),
        Row("What flag is that?", "japan", "japan", "capital", "Tokyo"),
    ),
    _entry(
        "verdict: wrong fact",
        "question",
        "the second model must judge every explored fact to be true of the thing that the question means (--verify)",
        _CAPITAL._replace(object="Kyoto"),
        _CAPITAL,
    ),
    _entry(
        "verdict: bad grammar",
        "question",
        "the second model must judge the question to be correct in its language (--verify)",
        _CAPITAL._replace(text="What the capital of country of that flag?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: leak",
        "question",
        "the second model must find that the text names neither the answer nor anything on the way to it (--verify)",
        _CAPITAL._replace(text="What is the capital of Nippon, whose flag that is?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: odd path",
        "question",
        "the second model must find that each triplet of the path makes sense and that the answer follows (--verify)",
        Row("What is she riding?", "bus", "bus", "season", "summer", "What is the season of what she is riding?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: other answers",
        "question",
        "the second model must find exactly one right answer: the one given (--verify)",
        _CAPITAL._replace(relation="famous city", text="What is a famous city of the country of that flag?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: no image needed",
        "question",
        "the second model must find that the answer cannot be guessed without the picture (--verify)",
        Row("What dish is this?", "pizza", "pizza", "country of origin", "Italy", "Which country is this dish from?"),
        _CAPITAL,
    ),
    _entry(
        "verdict: not fit to publish",
        "question",
        "the second model must find that a careful benchmark author would publish the question (--verify)",
        _CAPITAL._replace(text="What is the capital of the state whose banner that depicted cloth is?"),
        _CAPITAL,
    ),
)


SUM = frozenset(check.name for check in (Functional, Generic, ImageNotNeeded))
"""The checks that decide whether an object is representative if no model is asked."""
PAPER = frozenset({Noun.name, Cycle.name, NOT_REPRESENTATIVE, WordedLeak.name})
"""The three parts of the paper's answer filter, and its condition on the words of a new question."""
FIXED = frozenset(
    {
        *(check.name for check in (Instruction, Subject, WordedInstruction, PathLeak)),
        *(check.name for check in (Readable, Root, Flaw)),
        *(check.name for check in PATH_CHECKS if check.is_fixed),
        *(Blocked.name, Contradicted.name, Unsupported.name, NOT_VERIFIED),
    }
)
"""Checks of every run: against instructions, for what rules need to word a question, and those set by options."""


def explanations() -> tuple[Entry, ...]:
    """List all reasons by stage, and within a stage in the order in which they occur."""
    checks = build_checks(Pack((), {}), FilterSettings(), Scheme(demand="require")).all
    paths = (
        Entry(check.name, "re-selection", check.rule, check.refused, check.passed)
        for check in (*PATH_CHECKS, RelatedToOriginal, PathLeak)
    )
    entries = (*paths, *map(_entry_of, checks), _entry_of(Guessable), *OPINIONS)
    asked = (entry._replace(filters=_filters(entry.name)) for entry in entries)
    return tuple(sorted((*OTHERS, *asked), key=lambda entry: get_args(Group).index(entry.stage)))


def _filters(name: str) -> Filters:
    if name in FIXED:
        return "always"
    return "paper" if name in PAPER | SUM else "all"


def _entry_of(check: Check | type[Guessable]) -> Entry:
    return Entry(check.name, check.stage, check.rule, check.refused, check.passed)


def choose_checks(text: str, *, facts_known: bool) -> CheckChoice:
    """Parse the choice of checks (``paper``, ``all`` or names), and add those that every run needs.

    ``facts_known`` means that no model proposes the facts: then three checks decide whether an object is
    representative, otherwise the model does. Raises ConfigError for an unknown name and suggests the nearest one.
    """
    if text == ALL:
        return EVERY
    names = [entry.name for entry in explanations() if entry.filters]
    chosen = PAPER if text == "paper" else {_full_name(part.strip(), names) for part in text.split(",")}
    by_sum = SUM if facts_known and NOT_REPRESENTATIVE in chosen else frozenset()
    words = text if text == "paper" else ", ".join(name for name in names if name in chosen)
    return CheckChoice(words, FIXED | chosen | by_sum)


def _full_name(part: str, names: Sequence[str]) -> str:
    with_word = [name for name in names if part in name.split()]
    name = with_word[0] if len(with_word) == 1 and part not in names else part
    refuse_stranger("`filters`", name, names, further={word for each in names for word in each.split()})
    return name
