"""The pages: overview, list of questions, sample, entity and run."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.explorer.explorer import Card, Explorer, PageView, draw_triplets, triplets_by_hop
from kbe_graph.show.question_story import JudgedAnswer
from kbe_graph.show.status import run_stages, sample_stages
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import prediction_of
from kbe_graph.text import fold
from kbe_graph.types import RAW, Question
from kbe_graph.web.pages import Given, number_of, shown_picture
from kbe_graph.workspace.workspace import Workspace

BEGINNING = 12  # cards on the pages of a run and of the workspace
PART = 50  # rows of a part of a list
GRAPHS = 200  # graphs that the page of an entity looks at; a frequent one is in tens of thousands


class ListPart(NamedTuple):
    """A part of a list: its rows, the position of the first, and the length of the list."""

    rows: Sequence[Any]
    start: int
    total: int

    @property
    def before(self) -> int | None:
        """The start of the previous part, None for the first."""
        return max(self.start - PART, 0) if self.start else None

    @property
    def after(self) -> int | None:
        """The start of the next part, None for the last."""
        end = self.start + len(self.rows)
        return end if end < self.total else None


def overview_page(explorer: Explorer, given: Given) -> PageView:
    """Build the home page: benchmarks, the stages of the samples and of each run, and the questions of most hops."""
    del given
    deepest = {card.sample: card for cards in explorer.cards.values() for card in sorted(cards, key=_hop_of)}
    runs = explorer.counts["runs"]
    values = {
        "funnel": sample_stages(explorer.counts),
        "benchmarks": Counter(card.benchmark for card in explorer.cards[RAW]),
        "runs": {name: list(run_stages(explorer.counts, name)) for name in runs},
        "cards": _beginning(explorer, list(deepest.values())),
    }
    return PageView("overview.html", values)


def _hop_of(card: Card) -> int:
    return card.hop


def _beginning(explorer: Explorer, cards: Sequence[Card]) -> list[Card]:
    return explorer.with_pictures(sorted(cards, key=_hop_of, reverse=True)[:BEGINNING])


def list_page(explorer: Explorer, given: Given) -> PageView:
    """List the samples, or the kept questions of ``run``, those of ``benchmark`` and ``hop`` that contain words.

    Without ``run``, the words ``q`` are searched in the questions of all runs. Raises InputError for an unknown run or
    benchmark.
    """
    run, benchmark, hop, words = (given.get(name) or None for name in ("run", "benchmark", "hop", "q"))
    benchmarks = Counter(card.benchmark for card in explorer.cards[RAW])
    if run:
        require_name("run", run, explorer.runs)
    if benchmark:
        require_name("benchmark", benchmark, [*benchmarks])
    lists = [explorer.cards[run or RAW]] if run or not words else explorer.cards.values()
    sought = (words or "").casefold().split()
    cards = [
        card
        for cards in lists
        for card in cards
        if benchmark in {None, card.benchmark} and all(word in card.folded for word in sought)
    ]
    shown = [card for card in cards if hop in {None, str(card.hop)}]
    start = number_of(given, "from", 0, most=max(len(shown) - 1, 0))
    part = ListPart(explorer.with_pictures(shown[start : start + PART]), start, len(shown))
    hops = Counter(card.hop for card in cards) if run else {}
    values = {"cards": part, "run": run, "benchmark": benchmark, "hop": hop, "words": words, "hops": hops}
    return PageView("list.html", values | {"benchmarks": benchmarks})


def require_name(kind: str, name: str, names: Sequence[str]) -> None:
    """Raise InputError if a name is unknown."""
    if name not in names:
        raise InputError(f"no {kind} {name!r}; available: {', '.join(map(repr, names)) or 'none'}")


def entity_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the entity ``name``: its relations and its samples. Raises InputError if it is in no graph."""
    name = fold(given.get("name", ""))
    with explorer.work() as work:
        read = work.store.connection.read
        relations = read("entity_relations", entity=name, graphs=GRAPHS, limit=PART)
        samples = sorted(row["sample"] for row in read("entity_samples", entity=name, graphs=GRAPHS))[:PART]
    if not relations:
        raise InputError(f"no entity {given.get('name', '')!r} in any graph; search for questions with a part of it")
    by_sample = {card.sample: card for card in explorer.cards[RAW]}
    cards = explorer.with_pictures([by_sample[id_] for id_ in samples if id_ in by_sample])
    return PageView("entity.html", {"name": name, "relations": relations, "cards": cards, "graphs": GRAPHS})


def run_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the run ``name``; ``reason`` and ``hop`` filter the dropped. Raises InputError if unknown."""
    name, reason = given.get("name", ""), given.get("reason") or None
    require_name("run", name, explorer.runs)
    counts = explorer.counts["runs"][name]
    drops = {int(key.removeprefix("hop ")): of.get("dropped by reason", {}) for key, of in counts["candidates"].items()}
    hop = number_of(given, "hop", 0, most=max(drops, default=0)) or None
    with explorer.work() as work:
        record = work.run(name)
        values: dict[str, Any] = {"run": name, "reason": reason, "hop": hop, "after": given.get("after", "")}
        rows = work.store.connection.read("dropped_candidates", **values, most=PART + 1)
    dropped = [row["candidate"] for row in rows]
    reasons: Counter[str] = Counter()
    for each, by_reason in drops.items():
        reasons.update(by_reason if hop in {None, each} else {})
    values = {
        "run": record,
        "funnel": list(run_stages(explorer.counts, name)),
        "named": counts.get(NAMED, {}),
        "others": [run for run in explorer.runs if run != name],
        "cards": _beginning(explorer, explorer.cards[name]),
        "hops": dict(sorted(Counter(map(_hop_of, explorer.cards[name])).items())),
        "drops": {each: sum(by_reason.values()) for each, by_reason in drops.items()},
        "reasons": reasons.most_common(),
        "reason": reason,
        "hop": hop,
        "is_open": bool(reason or hop or given.get("after")),
        "dropped": dropped[:PART],
        "after": dropped[PART - 1]["id"] if len(dropped) > PART else None,
    }
    return PageView("run.html", values)


def sample_page(explorer: Explorer, given: Given) -> PageView:
    """Build the page of the sample ``id`` (also a question's id), with the questions of ``run`` or of its last run.

    Raises InputError for an unknown sample or run.
    """
    with explorer.work() as work:
        story = work.sample(given.get("id", ""))
        runs = sorted({question.run for question in story.questions if question.run != RAW})
        run = given.get("run") or (runs[-1] if runs else None)
        work.store.require_run(run)
        asked = [question for question in story.questions if question.run in {RAW, run}]
        own = [place.triplet for place in work.graph.triplets(story.sample.id)] if asked else []
        answers = tuple(_answers(work, asked))
    chain = [question for question in asked if question.status == "kept"]
    guesses = tuple(guess for guess in story.guesses if guess.run == run)
    placed = triplets_by_hop(own, chain)
    hops = max((question.hop for question in chain), default=0)
    values = {
        "story": story,
        "chain": replace(story, questions=tuple(asked), guesses=guesses, answers=answers).chain,
        "run": run,
        "runs": runs,
        "placed": placed,
        "drawing": draw_triplets(placed),
        "hops": hops,
        "hop": number_of(given, "hop", hops, most=hops),
    }
    return PageView("sample.html", values)


def _answers(work: Workspace, questions: Sequence[Question]) -> Iterator[JudgedAnswer]:
    rows = work.store.connection.read("answers_to_questions", ids=[question.id for question in questions])
    for answer in sorted(map(prediction_of, rows), key=lambda answer: (answer.model, answer.variant, answer.run)):
        yield from JudgedAnswer(
            *(answer.question, answer.model, answer.variant, answer.run, answer.text, answer.verdict, answer.judge)
        ).by_each_judge(answer.other_verdicts)


def picture_of(explorer: Explorer, given: Given) -> tuple[bytes, str]:
    """Return a picture of a sample and its media type; raises InputError and PictureError as ``shown_picture``."""
    with explorer.work() as work:
        story = work.sample(given.get("sample", ""), status="kept")
    return shown_picture(story.pictures, given)
