"""The options of the commands that may ask a model, and how what they ask is run."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from kbe_graph.cli.common import Options
from kbe_graph.workspace import Workspace

if TYPE_CHECKING:
    from kbe_graph.evolve.asking import Desk, Runner, Work
    from kbe_graph.models.direct import Progress
    from kbe_graph.models.estimate import Estimate
    from kbe_graph.models.request import Request
    from kbe_graph.models.shard import Shard

_IMAGES = click.Path(path_type=Path, file_okay=False)
ENDPOINT = (
    click.option("--base-url", help="The endpoint (KBE_BASE_URL, OPENAI_BASE_URL; default: OpenAI's)."),
    click.option("--api-key", help="Its key (better in KBE_API_KEY or OPENAI_API_KEY)."),
    click.option("--model", help="The model (KBE_MODEL, OPENAI_MODEL; or by step in [models.<step>] of kbe.toml)."),
)
OPTIONS = (
    *ENDPOINT,
    click.option("--images", multiple=True, type=_IMAGES, help="A folder of the pictures; may be given several times."),
    click.option("--language", default="English", show_default=True, help="The language of what a model writes."),
    click.option("--dry-run", is_flag=True, help="Print calls, tokens, dollars and time, and ask nothing."),
    click.option("--budget", type=click.FloatRange(min=0), help="The most dollars to spend; the same command goes on."),
    click.option("--max-calls", type=click.IntRange(min=0), help="The most calls to make; the same command goes on."),
    click.option("--runner", default="direct", show_default=True, type=click.Choice(["direct", "file", "batch"])),
    click.option("--shard", help="Only part i of n of the samples, as i/n, on this machine."),
)


class ModelFlags(NamedTuple):
    """What the flags say of the model that is asked."""

    base_url: str | None
    api_key: str | None
    model: str | None
    images: tuple[Path, ...]
    language: str
    dry_run: bool
    budget: float | None
    max_calls: int | None
    runner: "Runner"
    shard: str | None

    @property
    def part(self) -> "Shard | None":
        """The shard; raises ConfigError."""
        from kbe_graph.models.shard import read_shard

        return read_shard(self.shard) if self.shard else None

    def refuse_dry_run(self, way_out: str) -> None:
        """Raise UsageError where it is asked what a model would cost though none is."""
        if self.dry_run:
            raise click.UsageError(f"--dry-run tells what a model would cost, and none is asked here; add {way_out}")

    def desk(self, workspace: Workspace) -> "AbstractContextManager[Desk]":
        """Give what asking needs."""
        from kbe_graph.evolve.asking import open_desk

        flags = endpoint(self.base_url, self.api_key, self.model)
        return open_desk(workspace, flags=flags, images=self.images, language=self.language)


def endpoint(base_url: str | None, api_key: str | None, model: str | None) -> dict[str, str | None]:
    """Return what the flags say of where a model is, as settings name it."""
    return {"base_url": base_url, "key": api_key, "model": model}


endpoint_options = Options("flags", endpoint, ENDPOINT)
model_options = Options("flags", ModelFlags, OPTIONS)


def forecast(desk: "Desk", flags: ModelFlags, requests: "Iterator[Request]") -> None:
    """Print what the requests would cost."""
    found = _estimate(desk, flags, requests)
    click.echo(f"calls: {found.calls} to pay, {found.hits} kept")
    click.echo(f"tokens: {found.prompt} of prompts, {found.output} of replies")
    unpriced = f" (no price known for {', '.join(found.unpriced)})" if found.unpriced else ""
    click.echo(f"dollars: {found.dollars:.4f}{unpriced}")
    click.echo(f"seconds: about {found.seconds:.0f}")


def _estimate(desk: "Desk", flags: ModelFlags, requests: "Iterator[Request]") -> "Estimate":
    from kbe_graph.models.estimate import estimate

    return estimate(requests, desk.book, desk.calls, images=desk.pictures, batch=flags.runner != "direct")


class Spent:
    """Tells calls and dollars so far and likely to come, each second on a terminal, each half minute elsewhere."""

    def __init__(self, whole: float) -> None:
        self._whole = whole
        self._next = 0.0
        self._last: Progress | None = None

    def __call__(self, progress: "Progress") -> None:
        """Print a line where it is time for one."""
        now, terminal = time.monotonic(), sys.stderr.isatty()
        if progress == self._last or (now < self._next and progress.in_flight):
            return
        self._last = progress
        self._next = now + (1 if terminal else 30)
        to_come = f", about ${max(self._whole - progress.dollars, 0):.2f} to come" if self._whole else ""
        said = f"calls: {progress.calls} paid, {progress.hits} kept, {progress.failed} failed, {progress.in_flight} out"
        click.echo(f"{said}; ${progress.dollars:.2f} spent{to_come}", err=True)


def run_work(
    desk: "Desk",
    flags: ModelFlags,
    work: "Work",
    steps: tuple[str, ...],
    requests: "Callable[[], Iterator[Request]]",
) -> bool:
    """Do the work by the runner of the flags; return whether it came to its end, else say what it waits for.

    ``requests`` are those that a dry run would count; they are looked at only where calls have a price.
    """
    from kbe_graph.evolve.asking import work_by_batches, work_by_files, work_directly
    from kbe_graph.models import Budget, run

    if flags.runner != "direct" and (flags.budget is not None or flags.max_calls is not None):
        raise click.UsageError("--budget and --max-calls go with --runner direct; see --dry-run for what a wave costs")
    if flags.runner == "direct":
        priced = any((price := desk.book.settings_for(step).price) and price.output for step in steps)
        watch = Spent(_estimate(desk, flags, requests()).dollars if priced else 0)
        run(work_directly(desk, work, Budget(flags.budget, calls=flags.max_calls), watch=watch))
        return True
    if flags.runner == "batch":
        run(work_by_batches(desk, work, steps))
        return True
    files = run(work_by_files(desk, work))
    for file in files:
        click.echo(f"wrote {file}; take its replies in with 'kbe calls apply FILE', then run the same command again")
    return not files
