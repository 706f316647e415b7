"""The pictures that a benchmark names by address: fetched once, saved by their content, and told from then on."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from kbe_graph.datasets.download import Downloader, DownloadError, DownloadSettings, Pauses
from kbe_graph.datasets.picture_ledger import PictureLedger
from kbe_graph.errors import PictureError
from kbe_graph.files.image import save_image
from kbe_graph.files.pixels import require_picture
from kbe_graph.models.loop import gather_all, run
from kbe_graph.types import Progress

_CONNECTIONS = 2


@dataclass(slots=True)
class PictureFetch:
    """Fetches pictures into a folder, or without ``settings`` only tells which were fetched before.

    ``problems`` tells of each address that was asked for in vain, why.
    """

    ledger: Path
    folder: Path
    settings: DownloadSettings | None = None
    progress: Progress = lambda *_: None
    problems: dict[str, str] = field(default_factory=dict)

    def names(self, addresses: Sequence[str]) -> Mapping[str, str]:
        """Return the names under which the pictures of addresses are saved; those that are not there are fetched.

        Two connections at once are the most. Raises ConfigError for a missing contact, InputError where the disk is
        full.
        """
        if self.settings is None and not self.ledger.exists():
            return {}
        with closing(PictureLedger(self.ledger)) as ledger:
            names = ledger.names(addresses, self.folder)
            missing = [address for address in addresses if address not in names]
            if self.settings is not None and missing:
                for address in missing:
                    self.settings.require_contact(address)
                names |= _Fetching(self, ledger, missing).run(self.settings)
        return names


class _Fetching:
    """The fetching of so many addresses: those saved, and how many are done."""

    def __init__(self, fetch: PictureFetch, ledger: PictureLedger, addresses: Sequence[str]) -> None:
        self._fetch, self._ledger = fetch, ledger
        self._addresses, self._number, self._done = iter(addresses), len(addresses), 0
        self._names: dict[str, str] = {}

    def run(self, settings: DownloadSettings) -> Mapping[str, str]:
        """Return the names by address."""
        pauses = Pauses()
        self._fetch.progress("fetch", 0, self._number)
        run(self._all([Downloader(settings, pauses) for _ in range(_CONNECTIONS)]))
        return self._names

    async def _all(self, downloaders: Sequence[Downloader]) -> None:
        await gather_all(self._take_turns(downloader) for downloader in downloaders)

    async def _take_turns(self, downloader: Downloader) -> None:
        async with downloader:
            for address in self._addresses:
                await self._fetch_one(downloader, address)
                self._done += 1
                self._fetch.progress("fetch", self._done, self._number)

    async def _fetch_one(self, downloader: Downloader, address: str) -> None:
        try:
            download = await downloader.get(address)
        except DownloadError as error:
            self._fail(address, error.status, str(error))
            return
        try:
            await asyncio.to_thread(require_picture, download.content, address)
            name = save_image(download.content, self._fetch.folder)
        except (PictureError, ValueError) as error:
            kind = download.headers.get("content-type", "")
            self._fail(address, download.status, f"no picture, but {kind or 'something else'} ({error})")
        else:
            self._ledger.keep(address, name, download)
            self._names[address] = name

    def _fail(self, address: str, status: int, problem: str) -> None:
        self._ledger.note_failure(address, status, problem)
        self._fetch.problems[address] = problem
