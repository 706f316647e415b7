"""Writing behind: what was made goes into the graph in a thread, while the next is made."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec

P = ParamSpec("P")


@contextmanager
def saving_behind(save: Callable[P, None]) -> Iterator[Callable[P, None]]:
    """Give a function that saves a batch in a thread while the next one is made; they are saved one after the other.

    What a save raises is raised at the next one or at the end.
    """
    saving: Future[None] | None = None
    with ThreadPoolExecutor(1, thread_name_prefix="kbe-save") as writer:

        def save_next(*batch: P.args, **named: P.kwargs) -> None:
            """Wait for the batch before, which raises what its saving raised, then save this one behind."""
            nonlocal saving
            if saving:
                saving.result()
            saving = writer.submit(save, *batch, **named)

        yield save_next
        if saving:
            saving.result()
