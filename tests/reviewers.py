"""Serves the pages of ``kbe review`` for a test, with a personal link for each reviewer."""

import contextlib
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import quick_kbe
from commands import environment
from explorers import LIMIT, Served, entered
from playwright.sync_api import Browser, BrowserContext, Page


class ReviewServer(NamedTuple):
    """A running review server: the address of each reviewer, and the server process."""

    addresses: Mapping[str, str]
    process: "subprocess.Popen[str]"

    def enter(self, name: str) -> Served:
        """Log a reviewer in without a browser."""
        return entered(self.addresses[name], self.process)

    def open(self, browser: Browser, name: str, **options: object) -> Page:
        """Log a reviewer in with a separate browser context, at the gallery."""
        context: BrowserContext = browser.new_context(base_url=self.addresses[name].partition("/?")[0], **options)  # type: ignore[arg-type]
        page = context.new_page()
        page.goto(self.addresses[name])
        return page


@contextlib.contextmanager
def reviewed(
    workspace: Path, *reviewers: str, options: tuple[object, ...] = (), killable: bool = False
) -> Iterator[ReviewServer]:
    """Serve the pages of a review; a ``killable`` process is the server itself."""
    kbe = quick_kbe.KBE if killable else quick_kbe.path()
    named = [word for name in reviewers for word in ("--reviewer", name)]
    command = [kbe, "-w", str(workspace), "review", "--no-browser", *named, *map(str, options)]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        lines = [process.stdout.readline().strip() if process.stdout else "" for _ in reviewers]
        assert all(lines), process.communicate()[1]
        try:
            yield ReviewServer({name: line.split()[-1] for name, line in zip(reviewers, lines, strict=True)}, process)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT)


def form(**fields: object) -> str:
    """Return the fields of a form as a browser submits them."""
    return urlencode(fields)
