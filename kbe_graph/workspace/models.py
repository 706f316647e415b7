"""``work.models``: what models cost, before and after, and the calls that failed or wait.

An estimate lets the same code work on a few samples against a model that only counts; the rest is scaled up.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kbe_graph.brief import readable
from kbe_graph.checks import Checks
from kbe_graph.evaluate.evaluation import STEP, warn_of_missing_pictures
from kbe_graph.evaluate.prompting import asked_words, askings
from kbe_graph.evolve.course import evolve
from kbe_graph.evolve.evolution import evolution_of
from kbe_graph.evolve.knowledge import packaged_knowledge
from kbe_graph.evolve.plan import Plan, sample_ids
from kbe_graph.evolve.run_options import RunOptions
from kbe_graph.evolve.runs import open_run
from kbe_graph.evolve.shapes.line import ShapeLine
from kbe_graph.evolve.shapes.seeing import SeeingExtractor
from kbe_graph.export.selection import select
from kbe_graph.extract.extraction import extract_by_asking
from kbe_graph.facts.grounding import Grounding
from kbe_graph.folder import create_folder
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import loop
from kbe_graph.models.batch import AppliedReplies, apply_replies
from kbe_graph.models.call_store import FailedCall, Summary, failed_calls, waiting_calls
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.cost import Estimate, estimate, total
from kbe_graph.models.loop import gather_all
from kbe_graph.models.reply import CallFailed
from kbe_graph.models.request import Check, Reply, Request, call_of
from kbe_graph.options import takes
from kbe_graph.steps.asker import is_technical
from kbe_graph.steps.extractor import ModelExtractor
from kbe_graph.steps.model_options import MODEL, ModelOptions, model_options
from kbe_graph.steps.session import ModelSession, open_call_store, open_session
from kbe_graph.steps.tasks import answer_question
from kbe_graph.store import Store, open_store
from kbe_graph.text import in_order
from kbe_graph.types import RAW, VERDICTS, Question, Sample, draw_ids
from kbe_graph.workspace.run import read_costs

STATUSES = ("loaded", "extracted", "dropped")
TRIED = 50  # samples that the code works on; more are estimated from these
ANSWER = "an answer of a few words"  # as long as most
Pairs = Sequence[tuple[Sample, Question]]


class CountingModel:
    """Model that keeps the requests, and answers each with its stored reply or with the shortest that is of use."""

    def __init__(self, session: ModelSession) -> None:
        self.requests: list[Request] = []
        self.session = session

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Count the request and return a reply; see ``Model``."""
        self.requests.append(request)
        settings = self.session.book.settings_for(request.step)
        call = call_of(request, settings, self.session.pictures)
        with suppress(CallFailed):  # it cannot be read any more, and would be asked for again
            if kept := self.session.calls.reply(call, check):
                return kept
        reply = Reply(usual_reply(request, len(self.requests)), Usage(), "stop", settings.model, call.key)
        if check:
            check(reply)
        return reply


def usual_reply(request: Request, number: int) -> str:
    """Write the reply of a model that agrees with everything and proposes one new thing, told apart by ``number``."""
    text = request.messages[-1][1]
    numbers = range(1, max(map(int, re.findall(r"^(\d+) ", text, re.MULTILINE)), default=0) + 1)
    answer = next(iter(re.findall(r"nswer: <<<(.*?)>>>", text)), "thing")
    question = f"Which matter is the one of number {number} among those that belong to what is seen in this picture?"
    fact = {"r": "is known for", "o": f"MATTER {number}", "names": [], "type": "thing"}
    graph = {"visual": [{"s": "IMAGE", "r": "depicts", "o": answer.upper()}], "textual": []}
    others = [{"thing": f"thing {other}", "answer": f"answer {other}"} for other in range(4)]
    replies: dict[str, Any] = {
        "extract": graph,
        "key": {"key": ["V1"]},
        "knowledge": {"candidates": [fact]},
        "express": {"question": question},
        "reselect": {"question": question},
        "guess": {"answers": [{"n": each, "a": ["unknown"]} for each in numbers]},
        "alternatives": {"questions": [{"n": each, "others": others} for each in numbers]},
        "inspect": {"questions": [{"n": each} | dict.fromkeys(VERDICTS, True) for each in numbers]},
    }
    replies |= _by_shapes(text, numbers, graph, question, f"MATTER {number}")
    verdicts = {"verdicts": [{"n": each, "ok": True, "right": True} for each in numbers]}
    return json.dumps(replies.get(request.step, verdicts)) if request.schema else ANSWER


def _by_shapes(text: str, numbers: Sequence[int], graph: dict[str, Any], question: str, matter: str) -> dict[str, Any]:
    """Write the replies of mode ``merged``: one identity, and one draft, which passes every gate."""
    thing = graph["visual"][0]["o"]
    identity = {"s": thing, "r": "is of kind", "o": "KIND 1", "p": 1}
    given = dict(re.findall(r"^([IV]1) <<<\(.*, (.*?)\)", text, re.MULTILINE))
    use, subject = [id_ for id_ in ("V1", "I1") if id_ in given], given.get("I1") or given.get("V1") or thing
    draft = {"shape": "fact", "use": use, "new": [{"s": subject, "r": "is known for", "o": matter}]}
    solved = re.findall(r"is known for, (.*?)\)", text) or [matter]
    sides = dict.fromkeys(("true", "only", "related", "natural", "single", "worth"), True)
    verdicts = [{"n": each} | sides for each in numbers]
    return {
        "see": graph | {"about": "V1", "key": ["V1"], "identities": [identity], "crops": []},
        "look": {"seen": [{"n": each, "o": "KIND 1", "p": 1} for each in numbers]},
        "draft": {"drafts": [draft | {"q": question, "a": matter, "others": [], "names": []}]},
        "confirm": {"verdicts": verdicts},
        "mend": {"mended": []},
        "solve": {"answers": [{"n": each, "a": solved[:1]} for each in numbers]},
        "pick": {"verdicts": verdicts, "best": 1},
    }


def estimate_whole(
    work: GraphAccess, options: ModelOptions, scope: RunOptions, answerers: Sequence[str] = ()
) -> Estimate:
    """Estimate the cost of graphs and questions by a model, of its checks, and of models that answer.

    Samples with a graph need none; ``answerers`` are names of models, which are asked the raw questions of all samples
    that are loaded, as ``evaluate`` does. Raises ConfigError, InputError and ResourceError.
    """
    store = work.store
    store.require_samples()
    store.require_questions()
    ids = whole_ids(store, scope)
    tried = draw_ids(ids, min(TRIED, len(ids)), scope.seed)
    times = len(ids) / max(1, len(tried))
    with (
        open_run(work, scope, options) as (session, plan),
        _trial(store, tried) as trial,
    ):
        warn_of_missing_pictures(session, store.samples(ids=ids))
        model = CountingModel(session)
        loop.run(_make(plan, trial, model))
        making = _estimate(options, model, times)
        made = [pair for pair in select(trial, run=scope.name) if pair[1].run == scope.name]
    raw = [*select(store, loaded=True)] if answerers else []
    drawn = {*draw_ids({sample.id for sample, _ in raw}, min(TRIED, len(raw)), scope.seed)}
    pairs = [*(pair for pair in raw if pair[0].id in drawn), *made]
    ratio = (len(raw) + times * len(made)) / max(1, len(pairs))
    answering = [_answering(work, replace(options, name=name), pairs, ratio) for name in answerers]
    waiting = len(_without_graph(store).intersection(ids))
    return replace(total([making, *answering]), questions=len(ids) * scope.hops, waiting=waiting)


def whole_ids(store: Store, scope: RunOptions) -> list[str]:
    """Return the ids of the samples, drawn as ``extract`` does while some have no graph, then as ``evolve`` does."""
    if not _without_graph(store):
        return sample_ids(store, scope)
    every = (id_ for status in STATUSES for id_ in store.sample_ids(status=status))
    ids = sorted(every, key=in_order)[: scope.limit]
    return ids if scope.sample is None else draw_ids(ids, scope.sample, scope.seed)


def _without_graph(store: Store) -> set[str]:
    """Return the ids of the samples that have no graph yet, also those whose reply or picture could not be used."""
    status = store.sample_status(store.sample_ids(status="dropped"))
    dropped = (id_ for id_, each in status.items() if is_technical(each.reason))
    return {*store.sample_ids(status="loaded"), *dropped}


def _estimate(options: ModelOptions, model: CountingModel, times: float) -> Estimate:
    session, batch = model.session, options.runner != "direct"
    return estimate(model.requests, session.book, session.calls, images=session.pictures, batch=batch, times=times)


@contextmanager
def _trial(store: Store, ids: Sequence[str]) -> Iterator[Store]:
    """Give a graph of these samples alone, which is deleted at the end."""
    with TemporaryDirectory(prefix="kbe-trial.") as place, open_store(create_folder(Path(place)).hidden) as trial:
        trial.save_samples([sample.as_loaded for sample in store.samples(ids=ids)])
        trial.save_graphs([*store.graphs(ids).values()], store.questions(run=RAW, samples=ids))
        yield trial


async def _make(plan: Plan, trial: Store, model: CountingModel) -> None:
    asker = model.session.asker(model)
    with TemporaryDirectory(prefix="kbe-trial.") as crops:
        seeing = SeeingExtractor(asker, Path(crops)) if plan.model.mode == "merged" else None
        extractor = seeing or ModelExtractor(asker)
        await extract_by_asking(trial, trial.samples(status="loaded"), extractor.extract)
        trial.save_identities(seeing.identities if seeing else ())
        if plan.by_shapes:
            pack = packaged_knowledge({}).pack
            await ShapeLine(trial, plan, asker, pack, Grounding(pack), Path(crops)).evolve()
            return
    plan = replace(plan, filters=replace(plan.filters, chain_share=1.0, answer_share=1.0))
    evolution = evolution_of(trial, plan, packaged_knowledge({}), asker)
    await evolve(replace(evolution, checks=Checks(dict.fromkeys(evolution.checks.by_reads, ()), None)))


def _answering(work: GraphAccess, options: ModelOptions, pairs: Pairs, times: float) -> Estimate:
    with open_session(options, work) as session:
        runs = 2 if session.book.settings_for(STEP).temperature > 0 else 1
        model = CountingModel(session)
        asker = session.asker(model)
        plan = askings(pairs, ("image",), runs, asked_words)
        loop.run(gather_all(answer_question(asker, each.words.text, each.sample, draw=each.run - 1) for each in plan))
        return _estimate(options, model, times)


@readable
class Models:
    """The calls of models in a workspace.

    - before the work: ``estimate`` gives the cost
    - after the work: ``costs``, ``failed_calls``
    - batch files: ``waiting_calls`` counts the calls in them, ``take_replies`` imports the replies

    >>> work.models.costs().dollars
    0
    """

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def estimate(
        self,
        model: ModelOptions | str = MODEL,
        *,
        evaluate: Sequence[str] | str = (),
        scope: RunOptions,
    ) -> Estimate:
        """Estimate the cost of graphs, hops, checks and an evaluation, without calling any model.

        ``model`` makes the questions, and the graphs of samples that have none. Its ``verify`` adds the check of each
        question. ``evaluate`` names the models that answer; judges are not counted. ``steps`` of the estimate lists the
        cost of each step. No key is needed. Raises ConfigError and InputError.

        >>> llama = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
        >>> estimate = work.models.estimate(llama, evaluate="llava", run="dry", hops=2)
        >>> estimate.calls == sum(part.calls for part in estimate.steps)
        True
        """
        names = [evaluate] if isinstance(evaluate, str) else evaluate
        return estimate_whole(self._access, model_options(model), scope, names)

    def costs(self) -> Summary:
        """Count calls, cache hits, failures, tokens and dollars by step and model, and the dollars per kept question.

        >>> work.models.costs().dollars
        0
        """
        return read_costs(self._access)

    def failed_calls(self, limit: int = 50) -> list[FailedCall]:
        """List the last failed calls, newest first, with the messages of the endpoint.

        >>> work.models.failed_calls()
        []
        """
        with closing(open_call_store(self._access.folder)) as calls:
            return failed_calls(calls, limit=limit)

    def waiting_calls(self) -> dict[str, dict[str, int]]:
        """Count the calls that wait for replies, by the name of their batch file and by step.

        >>> work.models.waiting_calls()
        {}
        """
        with closing(open_call_store(self._access.folder)) as calls:
            return waiting_calls(calls)

    def take_replies(self, file: Path | str, model: ModelOptions | str = MODEL) -> AppliedReplies:
        """Import the replies of a batch file as the provider returned it. Then repeat the call that waits for them."""
        with open_session(model, self._access) as session:
            return apply_replies(Path(file), session.book, session.calls)
