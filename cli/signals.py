"""SIGTERM and SIGHUP end a command as Ctrl+C does: in order, with a word, and with the exit code that shells know."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Ended(SystemExit):
    """A signal ended the command; the exit code is 128 and its number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.name = signal.Signals(number).name


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise Ended at the first of the signals; the second ends the process at once. One that is ignored stays so."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDING}
    taken = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, before[number])


def _end(number: int, frame: FrameType | None) -> None:
    del frame
    for ending in ENDING:
        signal.signal(ending, signal.SIG_DFL)
    raise Ended(number)
