"""The file runner: calls go into batch files, wave by wave, and replies are taken back from files.

A wave holds the calls that a run can make with the replies it has. Each model has a file of its own, as providers ask
for; pictures stand in it by their address and hash, and become data URIs when the file is made ready to send.
"""

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from kbe_graph.errors import ConfigError, DatasetError, ReplyAwaited, ReplyError
from kbe_graph.files.private import private_file, private_folder
from kbe_graph.models.call_store import CallStore, given_up_row, mark_row
from kbe_graph.models.images import Encoding, Images
from kbe_graph.models.kept_reply import kept_error, kept_reply
from kbe_graph.models.lessons import Lessons
from kbe_graph.models.request import Check, Reply, Request
from kbe_graph.models.settings import ModelBook
from kbe_graph.models.wire import Call, call_of, request_body
from kbe_graph.secret import named_secrets

PATH = "/v1/chat/completions"
MOST_LINES, MOST_BYTES = 50_000, 190_000_000  # of a file to send: OpenAI takes 50,000 lines and 200 MB
MOST_WAVES = 7  # that a call goes into where a direct one would be made for as long as the patience lasts
_UNSAFE = re.compile(r"[^\w.-]+")
_PICTURE = re.compile(r"(?P<address>file://.*)#sha256:(?P<hash>\w{64}):(?P<side>\d+):(?P<quality>\d+)")


class FileModel:
    """A model that writes what it is asked into the files of one wave, and answers from the store.

    ``close`` ends the wave: only then do its files appear and its calls count as waiting, so that a wave cut short
    leaves nothing behind.
    """

    def __init__(self, book: ModelBook, store: CallStore, folder: Path, *, images: Images | None = None) -> None:
        self._book = book
        self._store = store
        self._folder = folder
        self._images = images or Images()
        self._lessons = Lessons(store)
        self._calls: dict[str, Call] = {}
        self._given_up: set[str] = set()
        self._end_waves()

    def _end_waves(self) -> None:
        """Put the files in their place that a command was killed before it could: their calls wait already."""
        awaited = _awaited(self._store)
        for part in self._folder.glob("wave-*.part"):
            if (file := part.with_suffix(".jsonl")).name in awaited:
                part.rename(file)

    async def ask(self, request: Request, check: Check | None = None) -> Reply:
        """Return a kept reply; see ``Model``.

        Raises ReplyAwaited where the call stands in this or an earlier wave; a call that has had its tries is given up.
        """
        call = call_of(request, self._book.settings_for(request.step), self._images)
        if names := named_secrets(call.settings.body):
            raise ConfigError(f"[models] body {names[0]!r} would be kept in a batch file; put it into [models] headers")
        if reply := await kept_reply(self._store, call, check):
            return reply
        kept = self._store.get(call.key)
        if kept is None or kept.status != "waiting":
            self._give_up_failed(call)
            for path in request.images:
                self._images.uri_now(
                    path, call.settings.encoding
                )  # one that is no picture is told here, not as it is sent
            self._calls[call.key] = call
        raise ReplyAwaited(call.key)

    def close(self) -> tuple[Path, ...]:
        """End the wave: write its files, one a model, and return them; none where nothing was asked."""
        waves: dict[str, list[Call]] = {}
        for call in self._calls.values():
            waves.setdefault(call.settings.model, []).append(call)
        number = self._number()
        return tuple(self._write(number, model, calls) for model, calls in sorted(waves.items()))

    def settle(self) -> None:
        """Note that the work came to its end: calls that were given up have all their tries again in the next."""
        self._store.write(map(given_up_row, sorted(self._given_up)))

    def _give_up_failed(self, call: Call) -> None:
        """Raise the error of a call that has failed as often as the table of faults allows."""
        error = kept_error(self._store, call, self._store.tries(call.key), MOST_WAVES)
        if error is None:
            return
        if not isinstance(error, ReplyError):
            self._store.write([given_up_row(call.key)])
        self._given_up.add(call.key)
        raise error

    def _number(self) -> int:
        private_folder(self._folder)
        matches = (re.match(r"wave-(\d+)-.*\.jsonl$", file.name) for file in self._folder.iterdir())
        return max((int(match[1]) for match in matches if match), default=0) + 1

    def _write(self, number: int, model: str, calls: list[Call]) -> Path:
        file = self._folder / f"wave-{number:04}-{_slug(model)}.jsonl"
        temporary = file.with_suffix(".part")
        with private_file(temporary).open("w", encoding="utf-8") as stream:
            stream.writelines(json.dumps(self._line(call), ensure_ascii=False) + "\n" for call in calls)
        self._store.write(mark_row(call, "waiting", file.name) for call in calls)
        return temporary.rename(file)

    def _line(self, call: Call) -> dict[str, Any]:
        request, settings = call.request, call.settings
        addresses = [
            f"{path.absolute().as_uri()}#{self._images.name(path, settings.encoding)}" for path in request.images
        ]
        shift = self._store.failures(call.key)
        content = request_body(request, settings, addresses, shift=shift, takes=self._lessons.capabilities(settings))
        return {"custom_id": call.key, "method": "POST", "url": PATH, "body": content}


def _slug(model: str) -> str:
    return _UNSAFE.sub("-", model)


def waves_of(folder: Path, model: str, store: CallStore) -> list[Path]:
    """Return the waves of a model with calls that wait, in order."""
    awaited = _awaited(store)
    return sorted(file for file in folder.glob(f"wave-*-{_slug(model)}.jsonl") if file.name in awaited)


def _awaited(store: CallStore) -> set[str]:
    """Return the names of the waves with calls that wait for their replies."""
    rows = store.reader.execute("SELECT DISTINCT batch FROM calls WHERE status = 'waiting'")
    return {name for (name,) in rows.fetchall()}


def write_files_to_send(
    wave: Path, folder: Path, *, images: Images | None = None, lines: int = MOST_LINES, size: int = MOST_BYTES
) -> tuple[Path, ...]:
    """Write a wave's calls with their pictures as data URIs, in as many files as providers' bounds ask for.

    Raises DatasetError where a line is none of ours, or a picture has changed since or cannot be read.
    """
    private_folder(folder)
    parts: list[Path] = []
    filled = count = 0
    with ExitStack() as streams:
        for line in _sent_lines(wave, images or Images()):
            if not parts or count == lines or filled + len(line) > size:
                streams.close()
                parts.append(folder / f"{wave.stem}-{len(parts) + 1:03}.jsonl")
                stream = streams.enter_context(private_file(parts[-1]).open("wb"))
                filled = count = 0
            stream.write(line)
            filled += len(line)
            count += 1
    return tuple(parts)


def _sent_lines(wave: Path, images: Images) -> Iterator[bytes]:
    with wave.open(encoding="utf-8") as stream:
        for number, text in enumerate(stream, start=1):
            try:
                line = json.loads(text)
                for url in _picture_places(line["body"]):
                    url["url"] = _data_uri(url["url"], images)
                yield json.dumps(line, ensure_ascii=False).encode() + b"\n"
            except (json.JSONDecodeError, KeyError, TypeError):
                raise DatasetError(
                    wave, "not a line of a wave; run the command that wrote it again", line=number
                ) from None


def _picture_places(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for message in content["messages"]:
        if isinstance(message["content"], list):
            yield from (part["image_url"] for part in message["content"] if part["type"] == "image_url")


def _data_uri(address: str, images: Images) -> str:
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    picture = _PICTURE.fullmatch(address)
    if picture is None:
        return address
    path = Path(url2pathname(urlsplit(picture["address"]).path))
    if images.sha256(path) != picture["hash"]:
        raise DatasetError(path, "the picture is not the one that the wave was written with; run the command again")
    return images.uri_now(path, Encoding(int(picture["side"]), int(picture["quality"])))
