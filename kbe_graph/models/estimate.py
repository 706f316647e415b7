"""What a run would cost, from the requests that it would make and from what such calls cost before."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from kbe_graph.errors import PictureError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.images import Images
from kbe_graph.models.request import Request, Usage
from kbe_graph.models.settings import ModelBook, ModelSettings
from kbe_graph.models.wire import Call, call_of, prefix_tokens

ENOUGH = 20  # calls of a step and model that a mean is taken from
REPLY = 0.5  # of the most tokens of a reply, where fewer were made
SECONDS = 5.0  # of a call, where fewer were made
PAST = """SELECT count(*), avg(output), avg(seconds) FROM calls WHERE step = ? AND model = ? AND status = 'done'"""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls to be paid, hits that cost nothing, tokens, dollars and seconds.

    Of the ``prompt`` tokens ``cached`` are beginnings that the endpoint has seen before. ``unpriced`` names the models
    whose price is unknown; their calls are not in ``dollars``. ``questions`` are the most that the work can keep, and
    ``dollars_a_question`` what one of them costs then, None where it makes none.

    >>> model = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
    >>> isinstance(work.models.forecast_evolve(model, run="dry", limit=1), kbe.Estimate)
    True
    """

    calls: int
    hits: int
    prompt: int
    output: int
    dollars: float
    seconds: float
    unpriced: tuple[str, ...]
    cached: int = 0
    questions: int = 0

    @property
    def dollars_a_question(self) -> float | None:
        """What a kept question costs at least: the dollars over the most questions."""
        return self.dollars / self.questions if self.questions else None


class _Past(NamedTuple):
    calls: int
    output: float | None
    seconds: float | None


def estimate(
    requests: Iterable[Request], book: ModelBook, store: CallStore, *, images: Images | None = None, batch: bool = False
) -> Estimate:
    """Return what the requests would cost, each once, in a batch or not; raises as ``Model.ask`` does before it sends.

    A prompt counts a token for four bytes of text, and pictures by ``picture_tokens``; of calls that begin alike all
    but the first pay the cached price for their beginning. A reply counts the mean of the step's replies so far, or
    half its most tokens. Seconds are of calls side by side, or what the limits a minute allow.
    """
    images = images or Images()
    seen: set[str] = set()
    steps: dict[str, Counter[str]] = defaultdict(Counter)
    hits = 0
    begun: set[tuple[tuple[str, str, str], tuple[tuple[str, str], ...]]] = set()
    for call in _calls(requests, book, images):
        if call.key in seen:
            continue
        seen.add(call.key)
        if _is_done(store, call):
            hits += 1
        else:
            beginning = call.settings.place, call.request.messages[:-1]
            cached = prefix_tokens(call.request, call.settings) if beginning in begun else 0
            begun.add(beginning)
            tokens = {"prompt": call.worst_usage.prompt, "cached": cached, "most": call.most_tokens}
            steps[call.request.step].update(calls=1, **tokens)
    parts = [_of_step(book.settings_for(step), counts, store, batch=batch) for step, counts in steps.items()]
    return Estimate(
        sum(part.calls for part in parts),
        hits,
        sum(part.prompt for part in parts),
        sum(part.output for part in parts),
        sum(part.dollars for part in parts),
        sum(part.seconds for part in parts),
        tuple(sorted({model for part in parts for model in part.unpriced})),
        sum(part.cached for part in parts),
    )


def _calls(requests: Iterable[Request], book: ModelBook, images: Images) -> Iterator[Call]:
    """Give the calls of the requests; one whose picture cannot be read will not be made."""
    for request in requests:
        with suppress(PictureError):
            yield call_of(request, book.settings_for(request.step), images)


def _is_done(store: CallStore, call: Call) -> bool:
    kept = store.get(call.key)
    return kept is not None and kept.status == "done"


def _of_step(settings: ModelSettings, counts: Counter[str], store: CallStore, *, batch: bool) -> Estimate:
    past = _Past(*store.reader.execute(PAST, (settings.step, settings.model)).fetchone())
    mean = past.output if past.calls >= ENOUGH else None
    calls, prompt, cached = counts["calls"], counts["prompt"], counts["cached"]
    output = round(REPLY * counts["most"] if mean is None else mean * calls)
    dollars = settings.price.dollars(Usage(prompt, cached, output), batch=batch) if settings.price else 0.0
    seconds_a_call = past.seconds if past.calls >= ENOUGH and past.seconds else SECONDS
    seconds = _seconds(settings, calls, prompt + output, seconds_a_call)
    return Estimate(calls, 0, prompt, output, dollars, seconds, () if settings.price else (settings.model,), cached)


def _seconds(settings: ModelSettings, calls: int, tokens: int, seconds_a_call: float) -> float:
    by_requests = calls * 60 / settings.requests_per_minute if settings.requests_per_minute else 0.0
    by_tokens = tokens * 60 / settings.tokens_per_minute if settings.tokens_per_minute else 0.0
    return max(seconds_a_call, calls * seconds_a_call / settings.in_flight, by_requests, by_tokens)
