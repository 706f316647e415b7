"""Runs work that asks models: on uvloop where it is installed, which bears more calls a second."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

Outcome = TypeVar("Outcome")


def run(work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """Run the coroutine in an event loop of its own and return what it gives."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(work)


def _loop_factory() -> Any:
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
