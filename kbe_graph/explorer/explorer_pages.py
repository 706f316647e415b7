"""The pages: overview, list of questions, sample, entity and run."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from jinja2 import Environment
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from kbe_graph.errors import InputError, KbeError
from kbe_graph.explorer.explorer import (
    SECONDS,
    Card,
    CrowdedError,
    Explorer,
    PageMaker,
    PageView,
    answer_page,
    cell_text,
    console_page,
    draw_triplets,
    triplets_by_hop,
)
from kbe_graph.extras import __version__
from kbe_graph.show.question_story import JudgedAnswer, reason_rules
from kbe_graph.show.status import run_stages, sample_stages
from kbe_graph.store.funnel import NAMED
from kbe_graph.store.nodes import prediction_of
from kbe_graph.text import fold
from kbe_graph.types import RAW, Question
from kbe_graph.web.access import serve_pages
from kbe_graph.web.pages import Given, in_thread, number_of, page_link, page_templates, pairs_of, shown_picture
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
    values = {
        "funnel": sample_stages(explorer.counts),
        "benchmarks": Counter(card.benchmark for card in explorer.cards[RAW]),
        "runs": {name: list(run_stages(explorer.counts, name)) for name in explorer.runs},
        "cards": _beginning(explorer, list(deepest.values())),
    }
    return PageView("overview.html", values)


def _hop_of(card: Card) -> int:
    return card.hop


def _beginning(explorer: Explorer, cards: Sequence[Card]) -> list[Card]:
    return explorer.with_pictures(sorted(cards, key=_hop_of, reverse=True)[:BEGINNING])


def list_page(explorer: Explorer, given: Given) -> PageView:
    """List the samples, or the kept questions of ``run``, those of a ``benchmark``, ``hop`` or ``models``, with words.

    Without ``run``, the words ``q`` are searched in the questions of all runs. Raises InputError for an unknown run or
    benchmark.
    """
    run, benchmark, hop, words, models = (
        given.get(name) or None for name in ("run", "benchmark", "hop", "q", "models")
    )
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
    outcomes = dict(sorted(Counter(card.models for card in shown).items()))
    shown = [card for card in shown if models in {None, card.models}]
    start = number_of(given, "from", 0, most=max(len(shown) - 1, 0))
    part = ListPart(explorer.with_pictures(shown[start : start + PART]), start, len(shown))
    hops = Counter(card.hop for card in cards if models in {None, card.models}) if run else {}
    values = {
        "cards": part,
        "models": models,
        "outcomes": outcomes,
        "run": run,
        "benchmark": benchmark,
        "hop": hop,
        "words": words,
        "hops": hops,
    }
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
    """Build the page of the sample ``id`` (also a question's id), with the questions of ``run`` or of its newest run.

    Raises InputError for an unknown sample or run.
    """
    with explorer.work() as work:
        story = work.sample(given.get("id", ""))
        runs = sorted({question.run for question in story.questions if question.run != RAW})
        run = given.get("run") or next((name for name in explorer.runs if name in runs), None)
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


PAGES: dict[str, PageMaker] = {
    "/": overview_page,
    "/samples": list_page,
    "/sample": sample_page,
    "/entity": entity_page,
    "/run": run_page,
    "/console": console_page,
}
Endpoint = Callable[[Request], Awaitable[Response]]


def serve(work: Workspace, *, port: int, ready: Callable[[str], None]) -> None:
    """Serve the pages of a workspace on this machine; ``ready`` receives the address.

    ``port`` 0 chooses a free one. Raises ConfigError if the port is unavailable, and StoreError.
    """
    explorer = Explorer(work)
    serve_pages(
        lambda: web_app(explorer), ["guest"], lambda addresses: ready(addresses["guest"]), port=port, end=explorer.end
    )


def web_app(explorer: Explorer) -> Starlette:
    """Build the explorer's web application, without access control."""
    environment = page_templates("kbe_graph.explorer")
    environment.globals |= {"link": page_link, "version": __version__, "rules": reason_rules(), "explorer": explorer}
    environment.filters["cell_text"] = cell_text

    def tell(request: Request, error: Exception) -> Response:
        status = 429 if isinstance(error, CrowdedError) else 404 if isinstance(error, InputError) else 503
        view = PageView("error.html", {"message": str(error)}, status)
        return _html(view, dict(request.query_params), environment)

    async def read_again(_: Request) -> Response:
        await in_thread(explorer.read_again)
        return RedirectResponse("/", 303)

    async def picture(request: Request) -> Response:
        content, kind = await in_thread(picture_of, explorer, dict(request.query_params))
        return Response(content, media_type=kind)

    routes = [
        *(Route(path, _page(explorer, make, environment), methods=["GET"]) for path, make in PAGES.items()),
        Route("/console", _page(explorer, answer_page, environment), methods=["POST"]),
        Route("/again", read_again, methods=["POST"]),
        Route("/picture", picture, methods=["GET"]),
        Mount("/design", StaticFiles(packages=[("kbe_graph.web", "static")])),
        Mount("/static", StaticFiles(packages=[("kbe_graph.explorer", "static")])),
    ]
    return Starlette(routes=routes, exception_handlers={KbeError: tell})


def _page(explorer: Explorer, make: PageMaker, environment: Environment) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        form = await pairs_of(request) if request.method == "POST" else []
        given = dict(request.query_params) | dict(form)
        return await in_thread(lambda: _html(make(explorer, given), given, environment))

    return endpoint


def _html(view: PageView, given: Given, environment: Environment) -> Response:
    text = environment.get_template(view.template).render({"given": given, "page": view.template, **view.values})
    return HTMLResponse(text, view.status, {"retry-after": str(SECONDS)} if view.status in {429, 503} else None)
