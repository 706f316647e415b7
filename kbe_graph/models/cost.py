"""The budget of a command, reserved before a call goes out, and the estimate of a run's cost."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from kbe_graph.errors import BudgetReached, ConfigError, PictureError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.catalogue import Usage
from kbe_graph.models.images import Images
from kbe_graph.models.request import Call, Request, call_of, prefix_tokens
from kbe_graph.models.settings import ModelBook, ModelSettings

TIGHT = 1.15  # a prompt may have more tokens than was estimated
ROUNDING = 1e-9
AGAIN = "run the same command again to continue"
ENOUGH = 20  # calls of a step and model that a mean is taken from
REPLY_SHARE = 0.5  # of the most tokens of a reply, until there is a mean
SECONDS_A_CALL = 5.0  # until there is a mean
PAST = "SELECT count(*), avg(output), avg(seconds) FROM calls WHERE step = ? AND model = ? AND status = 'done'"


class Budget:
    """Dollars and calls that one command may spend; None sets no limit.

    A call is a request that may have to be paid: it was answered, or timed out. ``requests`` counts all that was sent.

    Each call reserves its worst case (the whole prompt fresh, the longest reply) and gives back the rest, so that
    calls in flight cannot overshoot it. A call without room waits for those in flight. If none is in flight, it and
    all after it raise BudgetReached: by then all that was sent is finished.

    ``given_up`` are the calls that a bounded command gave up. The command that goes on does not ask for them again, so
    that they do not take the place of the others for ever.
    """

    def __init__(self, dollars: float | None = None, *, calls: int | None = None) -> None:
        self.dollars = dollars
        self.calls = calls
        self.spent = 0.0
        self.calls_made = 0
        self.requests = 0
        self.in_flight = 0
        self.given_up: set[str] = set()
        self._reserved = 0.0
        self._reached = ""
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()

    @property
    def is_bounded(self) -> bool:
        """Whether there is a limit."""
        return self.dollars is not None or self.calls is not None

    @property
    def is_reached(self) -> bool:
        """Whether a call was refused for want of room."""
        return bool(self._reached)

    async def reserve(self, call: Call) -> float:
        """Reserve the dollars of a call; raises BudgetReached, and ConfigError if its price is unknown."""
        amount = self._worst_dollars(call)
        if not self._waiting and not self._reached and self._has_room(amount):
            self._take(amount)
            return amount
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((amount, turn))
        self._wake()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release(amount)
            raise
        return amount

    def settle(self, reserved: float, dollars: float | None) -> None:
        """Count a call and give back the unspent part of its reservation; None, an unknown cost, spends all of it."""
        self.calls_made += 1
        self.spent += reserved if dollars is None else dollars
        self.release(reserved)

    def release(self, reserved: float) -> None:
        """Give back the reservation of a call that was not made, or is counted."""
        self._reserved -= reserved
        self.in_flight -= 1
        self._wake()

    def note_request(self) -> None:
        """Count a request that was sent."""
        self.requests += 1

    def _wake(self) -> None:
        """Let those go that have room; if waiting does not help, fail them all."""
        while self._waiting:
            amount, turn = self._waiting[0]
            if not turn.done():
                if self._has_room(amount) and not self._reached:
                    self._take(amount)
                    turn.set_result(None)
                elif self.in_flight:
                    return
                else:
                    self._reached = self._reached or self._message(amount)
                    turn.set_exception(BudgetReached(self._reached))
            self._waiting.popleft()

    def _take(self, amount: float) -> None:
        self._reserved += amount
        self.in_flight += 1

    def _has_room(self, amount: float) -> bool:
        has_calls = self.calls is None or self.calls_made + self.in_flight < self.calls
        return has_calls and (self.dollars is None or self.spent + self._reserved + amount <= self.dollars + ROUNDING)

    def _message(self, amount: float) -> str:
        """Describe the spending, and the way to go on."""
        made = f"{self.calls_made} calls were made"
        if self.requests > self.calls_made:
            made += f" ({self.requests} requests in all, as some were refused or lost)"
        if self.calls is not None and self.calls_made >= self.calls:
            return f"{made}, the limit set by `ModelOptions(max_calls=...)`; {AGAIN}"
        spent = f"{made} and ${self.spent:.4f} of the ${self.dollars:.2f} budget was spent"
        if self.dollars is not None and amount > self.dollars:
            return (
                f"{spent}; the next call alone may cost ${amount:.4f}; raise `ModelOptions(budget=...)`, then {AGAIN}"
            )
        return f"{spent}; the next call may cost ${amount:.4f}; {AGAIN} with the same budget for the rest"

    def _worst_dollars(self, call: Call) -> float:
        price = call.settings.price
        if price is None and self.dollars is not None:
            raise ConfigError(
                f"no price is known for model {call.settings.model!r}, so the budget cannot be enforced; "
                f"set [models.{call.request.step}.price] input and output, in dollars per million tokens"
            )
        return TIGHT * price.dollars(call.worst_usage) if price else 0.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimate: paid calls, cache hits (which cost nothing), tokens, dollars and seconds.

    ``cached`` are the ``prompt`` tokens that the endpoint has seen before at the start of another prompt. ``unpriced``
    lists the models without a known price; ``dollars`` leaves out their calls. ``questions`` is the maximum number of
    questions that the work can keep, and ``dollars_a_question`` the cost of each in that case. ``waiting`` counts the
    samples without a graph; the estimate assumes that they have one. ``steps`` has a separate estimate for each step
    and model, named by its ``step`` and ``model``.

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
    waiting: int = 0
    step: str = ""
    model: str = ""
    steps: "tuple[Estimate, ...]" = ()

    @property
    def dollars_a_question(self) -> float | None:
        """The lowest cost of a kept question; None if there are no questions, no cost, or a price is unknown."""
        return dollars_each(self.dollars, self.questions, unpriced=len(self.unpriced))


def dollars_each(dollars: float, questions: int | None, *, unpriced: int) -> float | None:
    """Return the dollars a question; None where there is no question, nothing was paid, or a price is unknown."""
    return dollars / questions if questions and dollars and not unpriced else None


def estimate(
    requests: Iterable[Request], book: ModelBook, store: CallStore, *, images: Images | None = None, batch: bool = False
) -> Estimate:
    """Estimate the cost of the requests, each once, in a batch or not; raises as ``Model.ask`` does before it sends.

    A prompt counts a token for four bytes of text, and pictures by ``picture_tokens``. Of calls that begin alike all
    but the first pay the cached price for their beginning. A reply counts the mean of the step's replies so far, or
    half its most tokens. Seconds are of calls side by side, within the limits a minute.
    """
    steps: dict[str, Counter[str]] = defaultdict(Counter)
    begun: set[tuple[object, object]] = set()
    seen: set[str] = set()
    for call in _calls(requests, book, images or Images()):
        if call.key in seen:
            continue
        seen.add(call.key)
        counts = steps[call.request.step]
        if (kept := store.get(call.key)) and kept.status == "done":
            counts["hits"] += 1
            continue
        beginning = call.settings.place, call.request.messages[:-1]
        cached = prefix_tokens(call.request, call.settings) if beginning in begun else 0
        begun.add(beginning)
        counts.update(calls=1, prompt=call.worst_usage.prompt, cached=cached, most_output=call.most_tokens)
    parts = ((book.settings_for(step), step, counts) for step, counts in steps.items())
    return total(_of_step(*part, store, batch=batch) for part in parts)


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Add up estimates, whose steps become its own."""
    parts = list(estimates)
    return Estimate(
        calls=sum(part.calls for part in parts),
        hits=sum(part.hits for part in parts),
        prompt=sum(part.prompt for part in parts),
        output=sum(part.output for part in parts),
        dollars=sum(part.dollars for part in parts),
        seconds=sum(part.seconds for part in parts),
        unpriced=tuple(sorted({model for part in parts for model in part.unpriced})),
        cached=sum(part.cached for part in parts),
        steps=tuple(step for part in parts for step in (part.steps or (part,)) if step.step),
    )


def _calls(requests: Iterable[Request], book: ModelBook, images: Images) -> Iterator[Call]:
    """Yield the calls of the requests; one whose picture cannot be read will not be made."""
    for request in requests:
        with suppress(PictureError):
            yield call_of(request, book.settings_for(request.step), images)


def _of_step(settings: ModelSettings, step: str, counts: Counter[str], store: CallStore, *, batch: bool) -> Estimate:
    past, mean_output, mean_seconds = store.reader.execute(PAST, (settings.step, settings.model)).fetchone()
    calls, prompt, cached = counts["calls"], counts["prompt"], counts["cached"]
    has_mean = past >= ENOUGH
    output = round(mean_output * calls if has_mean and mean_output is not None else REPLY_SHARE * counts["most_output"])
    seconds_a_call = mean_seconds if has_mean and mean_seconds else SECONDS_A_CALL
    return Estimate(
        calls=calls,
        hits=counts["hits"],
        prompt=prompt,
        output=output,
        dollars=settings.price.dollars(Usage(prompt, cached, output), batch=batch) if settings.price else 0.0,
        seconds=_seconds(settings, calls, prompt + output, seconds_a_call) if calls else 0.0,
        unpriced=() if settings.price or not calls else (settings.model,),
        cached=cached,
        step=step,
        model=settings.model,
    )


def _seconds(settings: ModelSettings, calls: int, tokens: int, seconds_a_call: float) -> float:
    by_requests = calls * 60 / settings.requests_per_minute if settings.requests_per_minute else 0.0
    by_tokens = tokens * 60 / settings.tokens_per_minute if settings.tokens_per_minute else 0.0
    return max(seconds_a_call, calls * seconds_a_call / settings.in_flight, by_requests, by_tokens)
