"""What may be spent: dollars and calls, reserved before a call goes out."""

import asyncio
from collections import deque

from kbe_graph.errors import BudgetReached, ConfigError
from kbe_graph.models.wire import Call

TIGHT = 1.15  # a prompt may have more tokens than was estimated
ROUNDING = 1e-9
AGAIN = "run the same command again to go on"


class Budget:
    """Dollars and calls that one command may spend; None sets no limit.

    A call is a request that the model answered, be the reply of use or not, or that it may have answered (a time-out):
    what may have to be paid. ``requests`` counts all that was sent, with what was refused or lost.

    Each call reserves its worst case (the whole prompt fresh, the longest reply) and gives back what it did not cost,
    so that calls in flight cannot overshoot it. Where no room is left, a call waits for those in flight; where none
    is in flight, BudgetReached is raised, and for every call after it. So all that was sent is finished by then.

    ``given_up`` are the calls that a bounded command gave up. They keep their failures: the command that goes on does
    not ask for them again, so that they do not take the place of the others for ever.
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
        """Return the dollars reserved for a call; raises BudgetReached, and ConfigError where its price is unknown."""
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
        """Count a call that was made, and give back what it did not cost; None, an unknown cost, is all of it."""
        self.calls_made += 1
        self.spent += reserved if dollars is None else dollars
        self.release(reserved)

    def release(self, reserved: float) -> None:
        """Give back what was reserved for a call that was not made, or is counted."""
        self._reserved -= reserved
        self.in_flight -= 1
        self._wake()

    def note_request(self) -> None:
        """Count a request that was sent."""
        self.requests += 1

    def _wake(self) -> None:
        """Let those go that there is room for; where waiting does not help, tell all that the budget is reached."""
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
        """Return what was spent, and how to go on."""
        made = f"{self.calls_made} calls were made"
        if self.requests > self.calls_made:
            made += f" ({self.requests} requests in all, as some were refused or lost)"
        if self.calls is not None and self.calls_made >= self.calls:
            return f"{made}, as many as `ModelOptions(max_calls=...)` allows; {AGAIN}"
        spent = f"{made} and ${self.spent:.4f} of a budget of ${self.dollars:.2f} is spent"
        if self.dollars is not None and amount > self.dollars:
            return (
                f"{spent}; the next call alone may cost ${amount:.4f}; raise `ModelOptions(budget=...)`, then {AGAIN}"
            )
        return f"{spent}; the next call may cost ${amount:.4f}; {AGAIN} with as much again"

    def _worst_dollars(self, call: Call) -> float:
        price = call.settings.price
        if price is None and self.dollars is not None:
            raise ConfigError(
                f"no price is known for model {call.settings.model!r}, so no budget can be held; "
                f"set [models.{call.request.step}.price] input and output, in dollars per million tokens"
            )
        return TIGHT * price.dollars(call.worst_usage) if price else 0.0
