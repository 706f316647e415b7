"""What may be spent: dollars and calls, reserved before a call goes out."""

import asyncio
from collections import deque

from kbe_graph.errors import BudgetReached, ConfigError
from kbe_graph.models.wire import Call

TIGHT = 1.15  # a prompt may have more tokens than was estimated
ROUNDING = 1e-9
AGAIN = "run the same command again to go on"


class Budget:
    """Dollars and calls that this command may spend; None sets no limit.

    Each call reserves its worst case (the whole prompt fresh, the longest reply) and gives back what it did not cost,
    so that calls in flight cannot overshoot it. Where no room is left, a call waits for those in flight; where none
    is in flight, BudgetReached is raised, and for every call after it.
    """

    def __init__(self, dollars: float | None = None, *, calls: int | None = None) -> None:
        self.dollars = dollars
        self.calls = calls
        self.spent = 0.0
        self.calls_made = 0
        self._reserved = 0.0
        self._in_flight = 0
        self._reached = ""
        self._waiting: deque[tuple[float, asyncio.Future[None]]] = deque()

    async def reserve(self, call: Call) -> float:
        """Return the dollars reserved for a call; raises BudgetReached, and ConfigError where its price is unknown."""
        amount = self._worst_dollars(call)
        self._check_limits(amount)
        if self._waiting or not self._has_room(amount):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append((amount, turn))
            await turn
        else:
            self._take(amount)
        return amount

    def settle(self, reserved: float, dollars: float | None) -> None:
        """Give back a reservation and add what the call cost; None, an unknown cost, counts as what was reserved."""
        self._reserved -= reserved
        self._in_flight -= 1
        self.spent += reserved if dollars is None else dollars
        while self._waiting:
            amount, turn = self._waiting[0]
            try:
                self._check_limits(amount)
            except BudgetReached as reached:
                self._waiting.popleft()
                if not turn.done():
                    turn.set_exception(reached)
                continue
            if not self._has_room(amount):
                break
            self._waiting.popleft()
            if not turn.done():
                self._take(amount)
                turn.set_result(None)

    def _take(self, amount: float) -> None:
        self._reserved += amount
        self._in_flight += 1
        self.calls_made += 1

    def _check_limits(self, amount: float) -> None:
        """Raise BudgetReached where waiting does not help."""
        if self.calls is not None and self.calls_made >= self.calls:
            self._reached = f"{self.calls_made} calls were made, as many as --max-calls allows; {AGAIN}"
        elif self.dollars is not None and not self._in_flight and not self._has_room(amount):
            self._reached = (
                f"${self.spent:.4f} of a budget of ${self.dollars:.2f} is spent and the next call may cost "
                f"${amount:.4f}; {AGAIN} with as much again"
            )
        if self._reached:
            raise BudgetReached(self._reached)

    def _worst_dollars(self, call: Call) -> float:
        price = call.settings.price
        if price is None and self.dollars is not None:
            raise ConfigError(
                f"no price is known for model {call.settings.model!r}, so no budget can be held; "
                f"set [models.{call.request.step}.price] input and output, in dollars per million tokens"
            )
        return TIGHT * price.dollars(call.worst_usage) if price else 0.0

    def _has_room(self, amount: float) -> bool:
        return self.dollars is None or self.spent + self._reserved + amount <= self.dollars + ROUNDING
