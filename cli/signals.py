"""Orderly exit on signals, with a message and the conventional exit codes: 130, 143, 129.

Ctrl+C interrupts a command as in Python; SIGTERM and SIGHUP end it in the same way. Before the command starts and after
it has ended no cleanup is needed, so a signal ends the process at once.
"""

import atexit
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
AGAIN = "re-run the command to resume"
INTERRUPTED = f"interrupted; {AGAIN}"
Handler = Callable[[int, FrameType | None], object]


class Ended(SystemExit):
    """A signal ended the command; the exit code is 128 plus its number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.name = signal.Signals(number).name

    def __str__(self) -> str:
        return f"ended by {self.name}; {AGAIN}"


def leave_at_once() -> None:
    """Make signals end the process at once, with a message; ignored signals (``nohup``) stay ignored."""
    atexit.register(_end_undisturbed)  # registered first, so it runs last
    _take(signal.SIGINT, signal.default_int_handler, _leave)
    for number in ENDING:
        _take(number, signal.SIG_DFL, _leave)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise KeyboardInterrupt or Ended at the first signal; the second ends the process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = (signal.SIGINT, *ENDING)
    before = {number: signal.getsignal(number) for number in numbers}
    try:
        for number in ENDING:
            _take(number, signal.SIG_DFL, _end)
            _take(number, _leave, _end)
        _take(signal.SIGINT, _leave, signal.default_int_handler)
        yield
    finally:
        for number in numbers:
            signal.signal(number, before[number] or signal.SIG_DFL)


def _take(number: int, handler: object, then: Handler | signal.Handlers) -> None:
    if signal.getsignal(number) is handler:
        signal.signal(number, then)


def _end_undisturbed() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    for number in (signal.SIGINT, *ENDING):
        _take(number, _leave, signal.SIG_IGN)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    for ending in ENDING:
        signal.signal(ending, signal.SIG_DFL)
    raise Ended(number)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    for other in (signal.SIGINT, *ENDING):
        signal.signal(other, signal.SIG_DFL)
    is_interrupt = number == signal.SIGINT
    message = INTERRUPTED if is_interrupt else str(Ended(number))
    if "--json" in sys.argv[1:]:
        message = json.dumps({"error": message, "kind": "Interrupted" if is_interrupt else "Ended"})
    with suppress(Exception):
        sys.stdout.flush()
    with suppress(OSError):
        os.write(2, ("\n" * os.isatty(2) + f"{message}\n").encode())
    os._exit(128 + number)
