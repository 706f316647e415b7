"""Multiple choice: one right option, with wrong ones from the graph or the benchmark (MDK12, question types)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import pow  # noqa: A004 - the float version
from random import Random
from string import ascii_uppercase

from kbe_graph.checks.chain import first_sense
from kbe_graph.english.names import as_written
from kbe_graph.english.words import kinds_of
from kbe_graph.errors import InputError, NoCandidate
from kbe_graph.facts.walk import Walk
from kbe_graph.forms.form_case import AnswerOption, FormCase, why_unsound
from kbe_graph.text import fold
from kbe_graph.types import RAW, QuestionForm, Sample, seed_of

TRUTHS = ("true", "false")
WRONG = 3  # wrong options next to the right one
MOST_AHEAD = Fraction(1, 4)  # greatest lead at which an option may be right again


class Balance:
    """Lead of each option, and how often each position was right, row by row.

    An option that is one of two right ones among six gains 1 - 2/6; as one of the wrong ones it loses 2/6. An option
    with a lead of 0 has been right exactly as often as guessing would predict.
    """

    def __init__(self, answers: Iterable[str] = (), wrong: int = WRONG) -> None:
        """Count in advance the answers of sets with one right option and ``wrong`` wrong ones."""
        self._ahead: dict[str, Fraction] = defaultdict(Fraction)
        self._places: dict[tuple[str, int], Counter[int]] = defaultdict(Counter)
        self.move(answers, Fraction(wrong, wrong + 1))

    def count(self, row: str, form: QuestionForm, false: Iterable[str] = ()) -> None:
        """Count a form; ``false`` is the wrong answer that a statement could hold."""
        if form.form == "fill":
            return
        options = form.options or TRUTHS
        self._places[row, len(options)].update(map(options.index, form.answers))
        share = Fraction(len(form.answers), len(options))
        if form.form == "several":
            self.move(form.answers, 1 - share)
        self.move((option for option in form.options if option not in form.answers), -share)
        self.move(false, -share)

    def move(self, names: Iterable[str], by: Fraction) -> None:
        """Raise the lead of options."""
        for name in names:
            self._ahead[fold(name)] += by

    def foremost(self, options: Iterable[AnswerOption], seed: str) -> list[AnswerOption]:
        """Order options by how much they should be wrong: largest lead first.

        Ties are broken by a draw with the seed that favours options that are often answers elsewhere.
        """
        return sorted(options, key=lambda option: (-self._ahead[fold(option.name)], _lot(option, seed)))

    def may_be_right(self, name: str) -> bool:
        """Return True if the option's lead is small enough that being right again does not give it away."""
        return self._ahead[fold(name)] <= MOST_AHEAD

    def places(self, row: str, size: int, seed: str, number: int = 1) -> list[int]:
        """Choose the positions of ``number`` right options: those used least in their row, ties broken by the seed."""
        used = self._places[row, size]
        return sorted(range(size), key=lambda place: (used[place], seed_of("place", seed, place)))[:number]


def _lot(option: AnswerOption, seed: str) -> float:
    lot = seed_of("option", seed, option.name) / 2**64
    return -pow(lot, 1 / (1 + option.weight))


def in_order(right: Sequence[str], wrong: Sequence[str], places: Sequence[int], seed: str) -> tuple[str, ...]:
    """Arrange the options: wrong ones shuffled with the seed, right ones at their positions."""
    options, answers, random = sorted(wrong), sorted(right), Random(seed_of("options", seed))
    random.shuffle(options)
    random.shuffle(answers)
    for place, answer in zip(sorted(places), answers, strict=True):
        options.insert(place, answer)
    return tuple(options)


BENCHMARK = "benchmark"
OF_A_MODEL = "no facts tell other answers, so a model must give its options"
TOO_FEW = "fewer than three sound options"
NOT_ASKED = ("linked", "seen")  # checks skipped for answers known to be right for another thing
MANY = 12  # minimum size of a kind to draw options from, if any kind is as large
_KEPT = 1 << 8  # chains of relations whose ends are kept
OptionFinder = Callable[[FormCase], Sequence[AnswerOption]]
"""Function that finds sound wrong options for a question; raises NoCandidate if there are fewer than three."""


class SoundOptions:
    """Finder of sound wrong options: the answers for other things that the image could have shown, then facts."""

    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._objects: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for fact in walk.pack.facts:
            if fact.review != "rejected" and not walk.pack.relations[fact.relation].protected:
                self._objects[fact.relation][fact.subject_id].append(fact.object_id)

    def __call__(self, case: FormCase) -> list[AnswerOption]:
        """Find the benchmark's own wrong options, or the sound ones of the nearest kind that has enough.

        Raises NoCandidate if none has.
        """
        if case.question.run == RAW and case.sample.choices:
            own = _own_choice(case)
            return [AnswerOption(name) for name in own.options if name not in own.answers]
        others = distinct(_alternatives(case))
        if len(others) >= WRONG:
            return others
        relations = case.chain.relations
        if not case.question.explored or not self._walk.pack.relations.keys() >= set(relations):
            raise NoCandidate(OF_A_MODEL, ", ".join(relations))
        most = len(others)
        for pool in self._pools(case):
            sound = distinct(option for option in pool if not why_unsound(option, case))
            if len(sound) >= WRONG:
                return sound
            most = max(most, len(sound))
        raise NoCandidate(TOO_FEW, f"{most} for {case.question.answer!r}")

    def _pools(self, case: FormCase) -> Iterator[Iterator[AnswerOption]]:
        """Give the ends of the question's relations from other things of its first answer's kinds, nearest first."""
        ends = self._ends_by_kind(case.chain.relations)
        kinds = (*kinds_of(case.chain.concepts[0]), "")
        large = [kind for kind in kinds if len(ends.get(kind, ())) >= MANY] or [""]
        for kind in large:
            counts = sorted(ends.get(kind, {}).items())
            yield (AnswerOption(self._walk.label(end), end, count) for end, count in counts)

    @lru_cache(_KEPT)  # noqa: B019 - lives as long as the forms are made
    def _ends_by_kind(self, relations: Sequence[str]) -> Mapping[str, Counter[str]]:
        """Count the ends of a chain of relations, by the kind of the thing it starts from; "" means all kinds."""
        pools: dict[str, Counter[str]] = defaultdict(Counter)
        for start in self._objects[relations[0]]:
            ends = [start]
            for relation in relations:
                ends = [*dict.fromkeys(end for each in ends for end in self._objects[relation].get(each, ()))]
            for kind in (*kinds_of(start), ""):
                pools[kind].update(ends)
        return pools


def _alternatives(case: FormCase) -> Iterator[AnswerOption]:
    """Give the sound answers that a question would have if the image showed another thing, each right for that."""
    for other in case.alternatives:
        if other.answer and fold(other.root) != fold(case.question.start.name):
            option = AnswerOption(as_written(other.answer), first_sense(other.answer))
            if not why_unsound(option, case, but=NOT_ASKED):
                yield option


def distinct(options: Iterable[AnswerOption]) -> list[AnswerOption]:
    """Remove options that repeat a name or concept, or that are a more general kind of another option.

    "Tree" is not offered next to "oak": if oak is right, so is tree.
    """
    seen: set[str] = set()
    kept: list[AnswerOption] = []
    for option in options:
        keys = {fold(option.name), option.concept or fold(option.name)}
        if not keys & seen:
            kept.append(option)
        seen |= keys
    above = {kind for option in kept for kind in kinds_of(option.concept)[1:]}
    return [option for option in kept if option.concept not in above]


def choice_of(case: FormCase, sound: OptionFinder, balance: Balance) -> QuestionForm:
    """Convert a question to multiple choice; raises NoCandidate, with the reason to count, if that is impossible.

    A raw question keeps the benchmark's own options, except those that annotators accepted as answers.
    """
    if case.question.run == RAW and case.sample.choices:
        return _own_choice(case)
    id_, answer = case.question.id, case.question.answer
    wrong = [option.name for option in balance.foremost(sound(case), id_)[:WRONG]]
    form = _form(case, in_order([answer], wrong, balance.places(case.row, WRONG + 1, id_), id_), answer, "rule")
    balance.count(case.row, form)
    return replace(form, facts=_facts(case, form))


def _facts(case: FormCase, form: QuestionForm) -> tuple[str, ...]:
    roots = {fold(other.answer): other.root for other in reversed(case.alternatives)}
    wrong = [option for option in form.options if option not in form.answers]
    if not roots.keys() >= set(map(fold, wrong)):
        return ()
    relations, last = " > ".join(case.chain.relations), case.question.key[-1]
    facts = {option: f"{roots[fold(option)]} | {relations} | {option} | alternative" for option in wrong}
    start, source = case.question.start.label, f"{last.source} {last.source_ref}".rstrip()
    return tuple(facts.get(option, f"{start} | {relations} | {option} | {source}") for option in form.options)


def accepted_choices(case: FormCase) -> list[str]:
    """Find the benchmark's wrong options that annotators gave as answers, and that are therefore right as well."""
    right, choice = set(map(fold, case.names)), fold(case.sample.choice_of(case.question.answer))
    return [name for name in case.sample.choices if fold(name) in right and fold(name) != choice]


def _own_choice(case: FormCase) -> QuestionForm:
    right, accepted = case.sample.choice_of(case.question.answer), accepted_choices(case)
    options = tuple(dict.fromkeys(choice for choice in case.sample.choices if choice and choice not in accepted))
    if [fold(option) for option in options].count(fold(right)) != 1:
        raise NoCandidate("no choice is the answer", repr(right))
    if len(options) < WRONG:
        raise NoCandidate(TOO_FEW, f"{len(options) - 1} of the benchmark's own")
    return _form(case, options, right, BENCHMARK)


def _form(case: FormCase, options: tuple[str, ...], answer: str, maker: str) -> QuestionForm:
    right = next(option for option in options if fold(option) == fold(answer))
    return QuestionForm(case.question.id, "choice", case.question.text, options, (right,), maker)


LEAST, MOST = 2, 4  # right options
TOO_OFTEN = "its options are right, or wrong, too often"
ONE_RIGHT = "one right answer"


def several_of(
    case: FormCase, sound: OptionFinder, right_names: Callable[[FormCase], Sequence[str]], balance: Balance
) -> QuestionForm:
    """Build a question with all right options, as ``right_names`` lists them, among three wrong ones.

    Raises NoCandidate if only one is right.
    """
    right = right_names(case)
    if len(right) < LEAST:
        raise NoCandidate(ONE_RIGHT, repr(case.question.answer))
    if len(right) > MOST:
        raise NoCandidate("too many right answers", f"{len(right)}")
    options = sound(case)
    if not all(map(balance.may_be_right, right)):
        raise NoCandidate(TOO_OFTEN, ", ".join(right))
    id_ = case.question.id
    wrong = [option.name for option in balance.foremost(options, id_)[:WRONG]]
    ordered = in_order(right, wrong, balance.places(case.row, len(right) + len(wrong), id_, len(right)), id_)
    form = QuestionForm(id_, "several", f"{case.question.text} Choose all that are right.", ordered, tuple(right))
    balance.count(case.row, form)
    return form


INSTRUCTION = "Answer with the letter of the right option."


def shuffled(sample: Sample) -> tuple[str, ...]:
    """Reorder a sample's choices, always in the same way, drawn from the sample's ID.

    Raises InputError unless there are two different choices, as there is no other order.
    """
    if len(set(sample.choices)) < 2:
        raise InputError(f"{sample.id}: the choices are {sample.choices!r}; a rotation needs two different ones")
    random, choices = Random(seed_of("options", sample.id)), list(sample.choices)
    while tuple(choices) == sample.choices:
        random.shuffle(choices)
    return tuple(choices)


def choice_prompt(text: str, choices: Sequence[str]) -> str:
    """Build the prompt of a question with options: the question, one lettered option per line, and the instruction.

    Raises InputError for fewer than two options or more than there are letters.
    """
    if not 2 <= len(choices) <= len(ascii_uppercase):
        raise InputError(f"{text!r} has {len(choices)} options; there must be 2 to {len(ascii_uppercase)}")
    lines = (f"{letter}. {choice}" for letter, choice in zip(ascii_uppercase, choices, strict=False))
    return "\n".join((text, *lines, INSTRUCTION))
