"""The questions of a benchmark, drawn from drafts: varied properties, kinds and answers, and options hard to guess."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.forms.form_case import AnswerOption
from kbe_graph.forms.multiple_choice import TOO_FEW, WRONG, Balance, in_order
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.wiki.rule_question import Drafted
from kbe_graph.wiki.wiki_sample import MadeQuestion

TOO_OFTEN = "its answer is right too often"
BEYOND = "more than are wanted of a picture"
OFTEN, MOST_RIGHT = 4, 0.36  # an answer right this often, and in more than this share of its sets, is refused


def draw_questions(
    drafts: Mapping[str, Sequence[Drafted]], refused: Counter[str], *, most: int, seed: int = 0
) -> list[MadeQuestion]:
    """Choose at most ``most`` questions per picture, spreading properties, kinds and answers, and give them options.

    In each round, every picture contributes the question whose property, kind and property, and answer have been used
    least. No property of an item is asked twice. What is left out is counted in ``refused`` by reason. The result
    depends on the pictures and the seed, not on the order of pictures.
    """
    waiting = {picture: list(each) for picture, each in drafts.items()}
    order = sorted(waiting, key=lambda picture: seed_of("picture", seed, picture))
    used, chosen = Counter[tuple[str, ...]](), list[Drafted]()
    for _ in range(most):
        for picture in order:
            free = [draft for draft in waiting[picture] if not used[_fact(draft.made)]]
            if free:
                draft = min(free, key=lambda draft: (_wear(draft.made, used), seed_of("draw", seed, draft.made.seed)))
                waiting[picture].remove(draft)
                used.update((_fact(draft.made), *_traits(draft.made)))
                chosen.append(draft)
    refused[BEYOND] += sum(map(len, waiting.values()))
    return with_choices(chosen, refused, seed=seed)


def _fact(made: MadeQuestion) -> tuple[str, ...]:
    return ("fact", made.item, made.statement.property_id)


def _traits(made: MadeQuestion) -> tuple[tuple[str, ...], ...]:
    name = made.statement.property_id
    return (("property", name), ("class", made.called, name), ("answer", made.answer))


def _wear(made: MadeQuestion, used: Counter[tuple[str, ...]]) -> int:
    return sum(used[trait] for trait in _traits(made))


def with_choices(drafts: Sequence[Drafted], refused: Counter[str], *, seed: int = 0) -> list[MadeQuestion]:
    """Turn drafts into questions with four options if possible; drafts whose answer is guessable are dropped."""
    by_seed = {f"{seed}|{draft.made.seed}": draft for draft in drafts}
    choices = balanced_choices(ChoiceDraft(name, draft.made.answer, draft.wrong) for name, draft in by_seed.items())
    questions: list[MadeQuestion] = []
    for name, draft in by_seed.items():
        options = choices.get(name, ())
        reason = "" if options else TOO_FEW if len(draft.wrong) < WRONG else TOO_OFTEN
        if reason == TOO_OFTEN or (reason and draft.choice_only):
            refused[reason] += 1
        else:
            questions.append(replace(draft.made, choices=options, open=reason))
    return sorted(questions, key=lambda made: (made.picture, made.statement.property_id))


class ChoiceDraft(NamedTuple):
    """A question before its options are chosen: a seed, its answer, and the sound wrong options."""

    seed: str
    answer: str
    wrong: Sequence[AnswerOption]


def balanced_choices(drafts: Iterable[ChoiceDraft]) -> dict[str, tuple[str, ...]]:
    """Choose four options for each question, by its seed, in seeded order.

    Wrong options that are right elsewhere more often than they are wrong are preferred. Questions with fewer than three
    sound options, or whose answer is right so often that guessing it pays, are left out.
    """
    ready = sorted((each for each in drafts if len(each.wrong) >= WRONG), key=lambda each: seed_of("choice", each.seed))
    balance = Balance(each.answer for each in ready)
    drawn = {each.seed: [option.name for option in balance.draw(each.wrong, each.seed)] for each in ready}
    return {
        each.seed: in_order([each.answer], drawn[each.seed], [seed_of("place", each.seed) % (WRONG + 1)], each.seed)
        for each in _without_guessable(ready, drawn)
    }


def _without_guessable(ready: Sequence[ChoiceDraft], drawn: Mapping[str, Sequence[str]]) -> list[ChoiceDraft]:
    right = Counter(fold(each.answer) for each in ready)
    wrong = Counter(fold(name) for names in drawn.values() for name in names)
    kept: list[ChoiceDraft] = []
    for each in reversed(ready):
        name = fold(each.answer)
        if right[name] >= OFTEN and right[name] > MOST_RIGHT * (right[name] + wrong[name]):
            right[name] -= 1
            wrong.subtract(map(fold, drawn[each.seed]))
        else:
            kept.append(each)
    return kept
