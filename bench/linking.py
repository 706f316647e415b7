"""Simulated models of known skill: linking over three generations, selection, leaked anchors, forms and mini sets.

Prints how often intervals hold the true value, and how wrong the same figures are without the method, each with its
95 % interval over the draws: ``python bench/linking.py``, about a minute on two cores; ``python bench/linking.py
linking`` for some of them. Each process has one thread: with more, the small matrices take four times as long.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import spearmanr
from threadpoolctl import threadpool_limits

from kbe_graph.release.mini import agreement, mini
from kbe_graph.release.parallel import FormRow, parallel_forms
from kbe_graph.statistics.linking import link
from kbe_graph.statistics.splits import held_out_scores

Floats = NDArray[np.float64]
MODELS, GENERATIONS, ANCHORS = 8, 3, 100
HARDER = 0.6  # logits, by which questions and models move from one generation to the next
SPREAD = 1.2  # of difficulties


class World(NamedTuple):
    """Answers of three generations of models to three releases, with what they were drawn from."""

    answers: Floats
    held: NDArray[np.bool_]
    generation: NDArray[np.int64]
    skills: Floats
    chances: Floats


def world(seed: int, size: int, *, chosen: bool = False, slopes: float = 0.0, models: int = MODELS) -> World:
    """Draw a world; anchors are drawn, or with ``chosen`` drawn from the half that fewer of the models solved."""
    draw = np.random.default_rng(seed)
    questions = size + (GENERATIONS - 1) * (size - ANCHORS)
    release = np.concatenate([np.zeros(ANCHORS, dtype=int), np.repeat(range(GENERATIONS), size - ANCHORS)])
    hard = draw.normal(HARDER * release, SPREAD)
    generation = np.repeat(np.arange(GENERATIONS), models)
    skills = draw.normal(HARDER * generation, 0.6)
    chances = expit(np.exp(draw.normal(0, slopes, questions)) * (skills[:, None] - hard))
    right = (draw.random(chances.shape) < chances).astype(float)
    held = np.array([release == number for number in range(GENERATIONS)])
    for number in range(1, GENERATIONS):
        pool = np.flatnonzero(held[number - 1])
        solved = right[generation == number - 1][:, pool].sum(axis=0) + draw.random(len(pool))
        pool = pool[np.argsort(solved)[: len(pool) // 2]] if chosen else pool
        held[number, draw.choice(pool, ANCHORS, replace=False)] = True
    return World(np.where(held[generation], right, np.nan), held, generation, skills, chances)


def linked_error(seed: int, size: int, **given: float) -> list[float]:
    """Return coverage across generations, within, and of equated accuracy; and errors with linking and without."""
    drawn = world(seed, size, **given)  # type: ignore[arg-type]
    linked = link(drawn.answers, drawn.held)
    alone = np.concatenate([_alone(drawn, number) for number in range(GENERATIONS)])
    across, within, wrong, unlinked = [], [], [], []
    for first, second in ((a, b) for a in range(len(drawn.skills)) for b in range(a)):
        true = drawn.skills[first] - drawn.skills[second]
        span = linked.difference(first, second)
        (within if drawn.generation[first] == drawn.generation[second] else across).append(
            span.low <= true <= span.high
        )
        if drawn.generation[first] != drawn.generation[second]:
            wrong.append(abs(span.value - true))
            unlinked.append(abs(alone[first] - alone[second] - true))
    later = drawn.generation > 0
    share = drawn.chances[:, drawn.held[0]].mean(axis=1)
    inside = [row.low <= true <= row.high for row, true in zip(linked.equated, share, strict=True)]
    equated = np.array([row.value for row in linked.equated]) - share
    raw = np.nanmean(drawn.answers, axis=1) - share
    return [
        *(100 * np.mean(part) for part in (across, within, np.array(inside)[later])),
        *(float(np.mean(part)) for part in (wrong, unlinked)),
        *(100 * float(np.abs(part[later]).mean()) for part in (equated, raw)),
        float(linked.model == "2pl"),
        float(any(anchor.drifted for anchor in linked.anchors)),
    ]


def _alone(drawn: World, number: int) -> Floats:
    """Return the skills of a generation fitted on its own release, each with a zero of its own."""
    rows, columns = drawn.generation == number, drawn.held[number]
    own = link(drawn.answers[np.ix_(rows, columns)], np.ones((1, int(columns.sum())), dtype=bool))
    return np.array([skill.value for skill in own.skills])


def leaked_error(seed: int, models: int) -> list[float]:
    """Let an anchor leak that old models find hard; return whether it is found, and whether a clean one is accused."""
    drawn = world(seed, 600, models=models)
    rows, held = drawn.generation < 2, drawn.held[:2]
    answers, draw = drawn.answers[rows], np.random.default_rng(seed)
    anchors = np.flatnonzero(held.all(axis=0))
    solved = answers[:models, anchors].sum(axis=0) + draw.random(ANCHORS)
    leaked = int(anchors[np.argsort(solved)[draw.integers(ANCHORS // 4)]])
    answers[models:, leaked] = draw.random(models) < 0.97
    drifted = {anchor.question for anchor in link(answers, held).anchors if anchor.drifted}
    return [100.0 * (leaked in drifted), 100.0 * bool(drifted - {leaked})]


def selection_error(seed: int, askings: int, *, band: bool) -> list[float]:
    """Return in points what the score on the choosing answers, and on held-out ones, is off the true score."""
    draw = np.random.default_rng(seed)
    chances = np.repeat(expit(np.linspace(-0.5, 1, 3)[:, None] - draw.normal(0, SPREAD, 3000)), askings, axis=0)
    answers = (draw.random(chances.shape) < chances).astype(float)
    true: dict[bool, list[Floats]] = {
        False: [],
        True: [],
    }  # of rows that took no part in a choice, and of those that did

    def choose(rows: Floats) -> NDArray[np.bool_]:
        share = rows.mean(axis=0)
        chosen: NDArray[np.bool_] = (share >= 0.3) & (share <= 0.6) if band else share < 0.5
        took_part = np.array([(rows == row).all(axis=1).any() for row in answers])
        for side, own in true.items():
            own.append(np.where(took_part == side, chances[:, chosen].mean(axis=1), np.nan))
        return chosen

    scores = held_out_scores(answers, choose, models=[*np.repeat(["a", "b", "c"], askings)])
    held_true, naive_true = (
        np.nanmean(np.array(true[side]).reshape(-1, 3, askings), axis=(0, 2)) for side in (False, True)
    )
    naive, held = (np.array([row.value for row in part]) for part in (scores.naive, scores.held_out))
    inside = [row.low <= value <= row.high for row, value in zip(scores.held_out, held_true, strict=True)]
    return [
        *(100 * float(each.mean()) for each in (naive - naive_true, held - held_true)),
        100 * float(np.mean(inside)),
    ]


def forms_error(seed: int, size: int) -> list[float]:
    """Return how two forms, matched by six models, rank and score twelve later ones, and so for the mini set."""
    draw = np.random.default_rng(seed)
    hard, skills = draw.normal(0, SPREAD, size), np.concatenate([np.linspace(-1, 1, 6), draw.uniform(-1.5, 1.5, 12)])
    chances = expit(skills[:, None] - hard)
    answers = (draw.random(chances.shape) < chances).astype(float)
    rows = [
        FormRow(
            str(number),
            frozenset({f"picture {draw.integers(size)}", f"fact {draw.integers(size)}"}),
            shape=str(draw.choice(["identify", "fact", "join", "select", "compare"])),
            depth=int(draw.integers(1, 4)),
            family=f"family {int(12 * draw.random() ** 2)}",
            answer=f"answer {int(size / 3 * draw.random() ** 2)}",
            difficulty=1 - float(answers[:6, number].mean()),
        )
        for number in range(size)
    ]
    split = parallel_forms(rows, seed=seed)
    first, second = ([int(id_) for id_ in form] for form in split.forms)
    ties = [{tie for row in form for tie in rows[row].ties} for form in (first, second)]
    scores = [answers[6:, form].mean(axis=1) for form in (first, second)]
    chosen = set(mini(rows, seed=seed))
    agreed = agreement(answers[6:], [row.id in chosen for row in rows], seed=seed)
    inside = [row.low <= 0 <= row.high for row in agreed.differences]
    return [
        float(spearmanr(*scores).statistic),
        100 * abs(float(chances[6:, first].mean() - chances[6:, second].mean())),
        100 * abs(float(scores[0].mean() - scores[1].mean())),
        float(len(ties[0] & ties[1])),
        100 - 100 * sum(map(len, split.forms)) / size,
        agreed.rank.value,
        100 * float(np.mean([abs(row.value) for row in agreed.differences])),
        100 * float(np.mean(inside)),
    ]


class Case(NamedTuple):
    """A simulation: what it is called, what is drawn each time, how often, and the names of its figures."""

    name: str
    draw: Callable[[int], Sequence[float]]
    times: int
    figures: str


LINKING = (
    "% of intervals that hold the difference of skills across generations; within; equated accuracy; "
    "mean error of differences (logits); without linking; of equated accuracy (points); of raw accuracy; "
    "taken as 2pl; a clean anchor accused"
)
LEAK = "% leaked anchor found; % of links with a clean anchor accused"
SELECTION = "points off, scored on the choosing answers; held out; % of held-out intervals that hold the true score"
FORMS = (
    "rank agreement; true means apart (points); measured means apart; pictures and facts shared; % left out; "
    "mini: rank agreement; mean difference to the whole (points); % of intervals that hold 0"
)


def cases() -> Iterator[Case]:
    """Give the simulations."""
    yield Case("linking, 600 questions", partial(linked_error, size=600), 80, LINKING)
    yield Case("linking, 3,000 questions", partial(linked_error, size=3000), 100, LINKING)
    yield Case("linking, 600, anchors that old models fail", partial(linked_error, size=600, chosen=True), 40, LINKING)
    yield Case("linking, 600, discriminations differ", partial(linked_error, size=600, slopes=0.4), 20, LINKING)
    for models in (8, 16, 24):
        yield Case(f"a leaked anchor, {models} models", partial(leaked_error, models=models), 30, LEAK)
    for askings in (1, 2, 4):
        for band in (True, False):
            name = f"chosen {'for 0.3 to 0.6' if band else 'below 0.5'}, three models asked {askings} times"
            yield Case(name, partial(selection_error, askings=askings, band=band), 80, SELECTION)
    for size in (600, 3000):
        yield Case(f"two forms and a mini set of {size}", partial(forms_error, size=size), 8, FORMS)


def main() -> None:
    """Print the figures of each simulation, or of those whose names begin with a given word."""
    with ProcessPoolExecutor(2, initializer=threadpool_limits, initargs=(1,)) as pool:
        for case in (each for each in cases() if each.name.startswith(tuple(sys.argv[1:] or [""]))):
            start = time.monotonic()
            draws = np.array(list(pool.map(case.draw, range(case.times))))
            print(f"{case.name} ({case.times} times, {time.monotonic() - start:.0f} s)")
            errors = 1.96 * draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
            for name, value, error in zip(case.figures.split("; "), draws.mean(axis=0), errors, strict=True):
                print(f"  {value:8.3f} ± {error:.3f}  {name}", flush=True)


if __name__ == "__main__":
    main()
