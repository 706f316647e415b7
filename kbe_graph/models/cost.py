"""Budget of a command, reserved before each call is sent, and estimate of a run's cost."""

import asyncio
import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kbe_graph.brief import brief
from kbe_graph.errors import BudgetReached, ConfigError, PictureError
from kbe_graph.models.call_store import CallStore, Cost
from kbe_graph.models.catalogue import Usage, dollars_each
from kbe_graph.models.images import Images
from kbe_graph.models.request import Call, Request, call_of, prefix_tokens
from kbe_graph.models.settings import ModelBook, ModelSettings

TIGHT = 1.15  # safety factor: a prompt may have more tokens than estimated
ROUNDING = 1e-9
AGAIN = "run the same command again to continue"
ENOUGH = 20  # calls of a step and model needed for a mean
REPLY_SHARE = 0.5  # of a reply's token limit, until there is a mean
SUMMED = ("calls", "hits", "prompt", "output", "dollars", "cached")
PAST = "SELECT count(*), avg(output) FROM calls WHERE step = ? AND model = ? AND status = 'done'"


class Budget:
    """Dollars and calls that one command may spend; None means no limit.

    A call is a request that may have to be paid for: it was answered or timed out.

    Each call reserves its worst case (nothing of the prompt cached, the longest reply) and gives back the rest, so that
    calls in flight cannot exceed the budget. A call that does not fit waits for those in flight. If none is in flight,
    it and all later calls raise BudgetReached; by then every call that was sent has finished.

    ``given_up`` holds the calls that a limited command gave up. The command that resumes the run does not repeat them,
    so they cannot crowd out the others indefinitely.
    """

    def __init__(self, dollars: float | None = None, *, calls: int | None = None) -> None:
        self.dollars = dollars
        self.calls = calls
        self.spent = 0.0
        self.calls_made = 0
        self.in_flight = 0
        self.given_up: set[str] = set()
        self._reserved = 0.0
        self._reached = ""
        self._waiting: list[asyncio.Future[None]] = []

    @property
    def is_bounded(self) -> bool:
        """Whether there is a limit."""
        return self.dollars is not None or self.calls is not None

    @property
    def is_reached(self) -> bool:
        """Whether a call was refused because it did not fit."""
        return bool(self._reached)

    async def reserve(self, call: Call) -> float:
        """Reserve the worst-case dollars of a call; raises BudgetReached, and ConfigError if its price is unknown."""
        amount = self._worst_dollars(call)
        while self._reached or not self._has_room(amount):
            if self._reached or not self.in_flight:
                self._reached = self._reached or self._message(amount)
                self._wake()
                raise BudgetReached(self._reached)
            self._waiting.append(turn := asyncio.get_running_loop().create_future())
            await turn
        self._reserved += amount
        self.in_flight += 1
        return amount

    def settle(self, reserved: float, cost: Cost | None) -> None:
        """Give back a reservation, and count the call if it was made; unknown dollars spend all of it."""
        if cost:
            self.calls_made += 1
            self.spent += reserved if cost.dollars is None else cost.dollars
        self._reserved -= reserved
        self.in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)

    def _has_room(self, amount: float) -> bool:
        has_calls = self.calls is None or self.calls_made + self.in_flight < self.calls
        return has_calls and (self.dollars is None or self.spent + self._reserved + amount <= self.dollars + ROUNDING)

    def _message(self, amount: float) -> str:
        made = f"{self.calls_made} calls were made"
        if self.calls is not None and self.calls_made >= self.calls:
            return f"{made}, the limit set by `max_calls`; {AGAIN}"
        spent = f"{made} and ${self.spent:.4f} of the ${self.dollars:.2f} budget was spent"
        if self.dollars is not None and amount > self.dollars:
            return f"{spent}; the next call alone may cost ${amount:.4f}; raise `budget`, then {AGAIN}"
        return f"{spent}; the next call may cost ${amount:.4f}; {AGAIN} with the same budget for the rest"

    def _worst_dollars(self, call: Call) -> float:
        price = call.settings.price
        if price is None and self.dollars is not None:
            raise ConfigError(
                f"no price is known for model {call.settings.model!r}, so the budget cannot be enforced; "
                f"set [models.{call.request.step}.price] input and output, in dollars per million tokens"
            )
        return TIGHT * price.dollars(call.worst_usage) if price else 0.0


@brief("calls hits prompt output dollars questions", table="steps: step model calls dollars")
@dataclass(frozen=True, slots=True)
class Estimate:
    """Estimate of a run: paid calls, free cache hits, tokens and dollars.

    ``cached`` is the number of ``prompt`` tokens in prefixes that the endpoint has seen before. ``unpriced`` names the
    models whose price is unknown; their calls are not included in ``dollars``. ``spread`` is half of the 95 % interval
    of the dollars, if they were estimated from a part of the samples. ``questions`` is the largest number of questions
    that can be kept, and ``dollars_a_question`` the cost of each in that case. ``waiting`` counts samples
    that have no graph yet and are estimated as if they had one. ``steps`` holds one estimate per step and model, named
    by its ``step`` and ``model``.

    >>> model = kbe.ModelOptions("llama", base_url="http://127.0.0.1:8000/v1")
    >>> isinstance(work.models.estimate(model, run="dry", limit=1), kbe.Estimate)
    True
    """

    calls: int
    hits: int
    prompt: int
    output: int
    dollars: float
    unpriced: tuple[str, ...]
    cached: int = 0
    spread: float = 0.0
    questions: int = 0
    waiting: int = 0
    step: str = ""
    model: str = ""
    steps: "tuple[Estimate, ...]" = ()

    @property
    def dollars_a_question(self) -> float | None:
        """The lowest cost per kept question; None if there is no question, no cost, or a price is unknown."""
        return dollars_each(self.dollars, self.questions, unpriced=len(self.unpriced))


def estimate(
    requests: Iterable[Request],
    book: ModelBook,
    store: CallStore,
    *,
    images: Images | None = None,
    batch: bool = False,
    times: float = 1.0,
) -> Estimate:
    """Estimate the cost of distinct requests, batched or not; raises like ``Model.ask`` before it sends.

    A prompt counts one token per four bytes of text, and images by ``picture_tokens``. Among calls with the same
    prefix, all but the first pay the cached price for it. A reply counts as the mean of the step's past replies, or
    half its token limit. All counts are multiplied by ``times``.
    """
    steps: dict[str, Counter[str]] = defaultdict(Counter)
    begun: set[tuple[object, object]] = set()
    calls: dict[str, Call] = {}
    images = images or Images()
    for request in requests:
        with suppress(PictureError):
            calls.setdefault((call := call_of(request, book.settings_for(request.step), images)).key, call)
    for call in calls.values():
        counts = steps[call.request.step]
        if (kept := store.get(call.key)) and kept.status == "done":
            counts["hits"] += 1
            continue
        beginning = call.settings.place, call.request.messages[:-1]
        cached = prefix_tokens(call.request, call.settings) if beginning in begun else 0
        begun.add(beginning)
        prompt = call.worst_usage.prompt
        counts.update(calls=1, prompt=prompt, cached=cached, most_output=call.most_tokens, squares=prompt**2)
    parts = ((book.settings_for(step), step, counts) for step, counts in steps.items())
    return total(_of_step(*part, store, batch=batch, times=times) for part in parts)


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Add up estimates and collect their steps."""
    parts = list(estimates)
    sums: dict[str, Any] = {name: sum(getattr(part, name) for part in parts) for name in SUMMED}
    unpriced = tuple(sorted({model for part in parts for model in part.unpriced}))
    spread = math.hypot(*(part.spread for part in parts))
    steps = tuple(step for part in parts for step in (part.steps or (part,)) if step.step)
    return Estimate(**sums, unpriced=unpriced, spread=spread, steps=steps)


def _of_step(
    settings: ModelSettings, step: str, counts: Counter[str], store: CallStore, *, batch: bool, times: float
) -> Estimate:
    past, mean_output = store.database.execute(PAST, (settings.step, settings.model)).fetchone()
    calls, prompt, cached = (round(times * counts[name]) for name in ("calls", "prompt", "cached"))
    output = round(mean_output * calls if past >= ENOUGH else REPLY_SHARE * times * counts["most_output"])
    return Estimate(
        calls=calls,
        hits=round(times * counts["hits"]),
        prompt=prompt,
        output=output,
        dollars=settings.price.dollars(Usage(prompt, cached, output), batch=batch) if settings.price else 0.0,
        unpriced=() if settings.price or not calls else (settings.model,),
        cached=cached,
        spread=settings.price.dollars(Usage(_half_interval(counts, times), 0, 0)) if settings.price else 0.0,
        step=step,
        model=settings.model,
    )


def _half_interval(counts: Counter[str], times: float) -> int:
    """Return half of the 95 % interval of a step's prompt tokens, of which one in ``times`` calls was looked at."""
    calls = max(1, counts["calls"])
    variance = max(0.0, counts["squares"] / calls - (counts["prompt"] / calls) ** 2)
    return round(1.96 * times * math.sqrt(calls * variance * (1 - 1 / times)))
