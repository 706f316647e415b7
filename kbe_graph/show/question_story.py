"""A question prepared for display in reports, the explorer, notebooks, terminals and review."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from importlib.resources import files
from typing import NamedTuple, TypeVar

from kbe_graph.figures.outcomes import row_of
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import StoredGuess, StoredInspection
from kbe_graph.types import VERDICTS, Alternative, Question, Triplet, Vote
from kbe_graph.web.pages import page_templates

NO_ANSWER = "no answer"
Q = TypeVar("Q", "JudgedAnswer", StoredInspection, StoredGuess)


class DrawnStep(NamedTuple):
    """A step of a drawn path: its classes in HTML, its text, the source of a relation, and the name of an entity."""

    kind: str
    text: str = ""
    title: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class KeyPath:
    """A key path: the triplets that lead from IMAGE to an answer, in order (KBE, section 3.1).

    The last ``hops`` of them were explored. As text it is one line; a notebook draws it.

    >>> question = work.questions(run="demo", hop=1)[0]
    >>> print(KeyPath(question.key, hops=question.hop))
    IMAGE -[...
    """

    key: tuple[Triplet, ...]
    hops: int = 0

    def __str__(self) -> str:
        text = ""
        for step in self.drawn():
            match step.kind.partition(" ")[0]:
                case "gap":
                    text += "; "
                case "edge":
                    text += f" -[{step.text}]-> "
                case _:
                    text += step.text
        return text

    def drawn(self) -> Iterator[DrawnStep]:
        """Yield entities and relations for a page; a visual, a textual and an explored relation differ in class."""
        end = ""
        for place, triplet in enumerate(self.key):
            if triplet.subject.key != end:
                if place:
                    yield DrawnStep("gap")
                yield DrawnStep("node", triplet.subject.label, name=triplet.subject.name)
            is_explored = place >= len(self.key) - self.hops and triplet.graph != "visual"
            means = f"{triplet.graph}, explored" if is_explored else triplet.graph
            title = ", ".join(filter(None, (means, triplet.source, triplet.grounds)))
            relation = f"{triplet.relation} ({triplet.source})" if triplet.unsourced else triplet.relation
            yield DrawnStep(f"edge {triplet.graph}{' explored' if is_explored else ''}", relation, title)
            yield DrawnStep(f"node {triplet.graph}", triplet.object.label, name=triplet.object.name)
            end = triplet.object.key

    def _repr_html_(self) -> str:
        return card("path", self)


def card(macro: str, *values: object) -> str:
    """Return a card of ``card.html`` with its style, for a notebook; all text in it is escaped."""
    template = page_templates().get_template("card.html")
    style = files("kbe_graph.web").joinpath("static/card.css").read_text(encoding="utf-8")
    return f'<div class="kbe-card"><style>{style}</style>{getattr(template.module, macro)(*values)}</div>'


class JudgedAnswer(NamedTuple):
    """A model's answer to a question, and a judge's verdict on it (empty: not judged)."""

    question: str
    model: str
    variant: str
    run: int
    text: str
    verdict: str
    judge: str

    def by_each_judge(self, others: Iterable[Vote]) -> list["JudgedAnswer"]:
        """Return a copy of the answer for each judge, its own and ``others``, sorted by judge."""
        verdicts = sorted([(self.judge, self.verdict), *others])
        return [self._replace(judge=judge, verdict=verdict) for judge, verdict in verdicts]


@dataclass(frozen=True, slots=True)
class QuestionStory:
    """A question of a chain, with the facts and words it adds, and models' verdicts and answers.

    ``new`` are the triplets of its key that no earlier question of the chain has; ``before`` is the text of the
    previous question. ``inspections`` are a second model's verdicts, ``guesses`` answers without the picture.
    """

    question: Question
    new: tuple[Triplet, ...] = ()
    before: str = ""
    inspections: tuple[StoredInspection, ...] = ()
    answers: tuple[JudgedAnswer, ...] = ()
    guesses: tuple[StoredGuess, ...] = ()
    alternatives: tuple[Alternative, ...] = ()

    @property
    def row(self) -> str:
        """The row of figures it belongs to: raw, re-selected, or its hop."""
        return row_of(self.question.kind, self.question.hop)

    @property
    def is_dropped(self) -> bool:
        """Whether it was dropped."""
        return self.question.status == "dropped"

    @property
    def rule(self) -> str:
        """The rule that dropped it, in words; empty for a reason without one."""
        return reason_rules().get(self.question.reason, "")

    @property
    def path(self) -> KeyPath:
        """The key path to its answer."""
        return KeyPath(self.question.key, self.question.hop)

    @property
    def notes(self) -> list[str]:
        """What it is a twin of, a line for each verdict of a second model and each guess, and one for alternatives."""
        notes = [f"twin of {self.question.twin_of}, of {self.question.sample}"] if self.question.twin_of else []
        notes += [_verdict_text(inspection) for inspection in self.inspections]
        notes += [_guess_text(guess) for guess in self.guesses]
        others = "; ".join(f"{each.root}: {each.answer or NO_ANSWER}" for each in self.alternatives)
        return [*notes, f"if the picture showed {others}"] if others else notes

    @property
    def words(self) -> list[tuple[str, bool]]:
        """The pieces of its text, each flagged if the previous question lacks it."""
        return new_words(self.before, self.question.text)


def question_stories(
    questions: Sequence[Question],
    inspections: Iterable[StoredInspection] = (),
    answers: Iterable[JudgedAnswer] = (),
    guesses: Iterable[StoredGuess] = (),
    alternatives: Mapping[str, tuple[Alternative, ...]] | None = None,
) -> Iterator[QuestionStory]:
    """Yield the stories of a chain's questions, in the order of the chain; ``alternatives`` are by question id."""
    inspected, answered, guessed = _by_question(inspections), _by_question(answers), _by_question(guesses)
    seen: set[str] = set()
    before = ""
    for question in questions:
        new = tuple(triplet for triplet in question.key if triplet.id not in seen)
        verdicts, given, named = (
            tuple(inspected[question.id]),
            tuple(answered[question.id]),
            tuple(guessed[question.id]),
        )
        others = (alternatives or {}).get(question.id, ())
        yield QuestionStory(question, new, before, verdicts, given, named, others)
        seen.update(triplet.id for triplet in question.key)
        before = question.text or before


def _by_question(values: Iterable[Q]) -> dict[str, list[Q]]:
    groups: dict[str, list[Q]] = defaultdict(list)
    for value in values:
        groups[value.question].append(value)
    return groups


@cache
def reason_rules() -> dict[str, str]:
    """Map each reason of a refusal to the rule behind it."""
    from kbe_graph.checks import explanations  # slow to import, and most stories need none

    return {entry.name: entry.rule for entry in explanations()}


def _verdict_text(inspection: StoredInspection) -> str:
    if not inspection.no:
        return f"{inspection.model} says yes to all {len(VERDICTS)}"
    return f"{inspection.model} says no to {', '.join(inspection.no)}: {inspection.text} {inspection.answer}"


def _guess_text(guess: StoredGuess) -> str:
    by = f" by {guess.model}" if guess.model else ""
    if guess.right:
        return f"{NAMED}{by}: {guess.text} {guess.answer}"
    return f"not {NAMED}{by}: {guess.guess or NO_ANSWER}"


def new_words(before: str, text: str) -> list[tuple[str, bool]]:
    """Split a text into pieces, each flagged if ``before`` lacks it; nothing is new if ``before`` is empty.

    >>> new_words("What is it?", "What colour is it?")
    [('What', False), ('colour', True), ('is it?', False)]
    """
    old, new = before.split(), text.split()
    if not old:
        return [(text, False)]
    bare = [[word.strip("?.,") for word in words] for words in (old, new)]
    matcher = SequenceMatcher(None, bare[0], bare[1], autojunk=False)
    return [
        (" ".join(new[start:end]), tag != "equal") for tag, _, _, start, end in matcher.get_opcodes() if end > start
    ]
