"""Picture edits through the ``images/edits`` endpoint of ``[models.edits]``, with archived replies."""

import asyncio
import base64
import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from kbe_graph.datasets.download import Downloader, DownloadError, DownloadSettings, Pauses, host_of
from kbe_graph.datasets.picture import is_address
from kbe_graph.errors import ConfigError, PictureError, ReplyError, ResourceError
from kbe_graph.files.resources import prompt
from kbe_graph.models import Budget, CallStore, DirectModel, ModelBook, Reply, Request
from kbe_graph.models.direct_model import CallProgress
from kbe_graph.models.failures import CallFailed
from kbe_graph.models.loop import BackgroundLoop
from kbe_graph.models.picture_edit import MOST_PICTURE_BYTES, MaskedPicture, read_edit
from kbe_graph.perturb.pictures.model_edit import (
    GREY,
    SIZES,
    ModelEdit,
    ModelPicture,
    decode_picture,
    frame_of,
    read_framed,
)

if TYPE_CHECKING:
    from PIL import Image

STEP = "edits"
MOST_TOKENS = 8000  # covers the largest picture at the best quality plus the input pictures, priced as output
NO_PLACE = (
    "no endpoint for picture edits; set base_url, model and key in [models.edits] of kbe.toml, as "
    'base_url = "https://api.openai.com/v1", model = "gpt-image-1", key = "$OPENAI_API_KEY"'
)
_PATIENCE = 60.0  # seconds to fetch a picture that a reply gives by address
_NOTICED = 8  # out of 255; less is noise from scaling and encoding


class EndpointEditor:
    """A thread-safe ``PictureEditor`` and context manager.

    ``book`` has the settings, ``calls`` is the file of kept calls. The first edit of a workspace also asks the endpoint
    to change nothing, and passes the share of pixels that it changed to ``tell``. Raises ConfigError if
    ``[models.edits]`` names no endpoint.
    """

    def __init__(
        self,
        book: ModelBook,
        calls: Path,
        *,
        budget: Budget | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        if not book.has_place(STEP):
            raise ConfigError(NO_PLACE)
        self._settings = book.settings_for(STEP)
        self._sizes = _sizes(self._settings.body.get("size", "auto"))
        self._tell = tell
        self._store = CallStore(calls)  # separate, because it belongs to the background loop
        self._model = DirectModel(book, self._store, budget=budget, tell=tell)
        self._loop = BackgroundLoop()
        self._stack = ExitStack()
        self._probing, self._is_probed = asyncio.Lock(), False

    def __enter__(self) -> Self:
        self._stack.callback(self._store.close)
        self._stack.enter_context(self._loop)
        self._stack.callback(lambda: self._loop.result(self._model.close()))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    @property
    def progress(self) -> CallProgress:
        """The number of calls and the dollars spent so far."""
        return self._model.progress

    def edit(self, edit: ModelEdit) -> ModelPicture:
        """Return the model's picture of an edit (see ``PictureEditor``)."""
        frame = frame_of(edit.picture.size, self._sizes)
        mask = frame.letterbox(edit.mask(), 0).point(lambda value: 255 if value else 0)
        masked = MaskedPicture(frame.letterbox(edit.picture, GREY), mask)
        return self._loop.result(self._edit(_request(edit.prompt, masked)))

    def kept(self, call: str) -> bytes:
        """Return the kept picture of a call; raises ResourceError if it is missing."""
        return self._loop.result(self._kept(call))

    async def _kept(self, call: str) -> bytes:
        kept = self._store.get(call)
        text = read_edit(kept.raw).text if kept and kept.status == "done" else ""
        if not text or is_address(text):
            raise ResourceError(
                f"the picture of call {call[:12]!r} is not stored here; import the calls of the workspace "
                "that made the recipe, or make the variant again"
            )
        return decode_picture(text)

    async def _edit(self, request: Request) -> ModelPicture:
        async with self._probing:
            if not self._is_probed:
                await self._probe()
                self._is_probed = True
        return await self._ask(request)

    async def _ask(self, request: Request) -> ModelPicture:
        """Request the edit, repeating the request if the picture at a returned address is unusable."""
        while True:
            reply = await self._model.ask(request, lambda reply: _check(reply, request))
            try:
                content = await self._content(reply, request)
            except CallFailed as failed:
                if not await self._model.refuse(reply, STEP, failed):
                    raise failed.error(model=self._settings.model, url=self._settings.base_url, step=STEP) from None
            else:
                return ModelPicture(content, reply.call, reply.model)

    async def _content(self, reply: Reply, request: Request) -> bytes:
        """Return the picture's bytes, fetching and keeping one given by address; raises CallFailed."""
        if not is_address(reply.text):
            return decode_picture(reply.text)
        content = await self._fetch(reply.text)
        try:
            _require_size(content, request)
        except ReplyError as error:
            raise CallFailed("invalid", str(error)) from None
        kept = {"data": [{"b64_json": base64.b64encode(content).decode("ascii")}], "model": reply.model}
        await self._store.replace_reply(reply.call, json.dumps(kept).encode())
        return content

    async def _fetch(self, address: str) -> bytes:
        """Fetch a picture from the public network, or from the endpoint's own host."""
        local = host_of(address) == host_of(self._settings.base_url)
        settings = DownloadSettings(local_hosts=local, patience=_PATIENCE, most=MOST_PICTURE_BYTES)
        try:
            async with Downloader(settings, Pauses()) as downloader:
                return (await downloader.get(address)).content
        except DownloadError as error:
            problem = f"the picture at {host_of(address)!r} {error}"
            if error.again:
                raise ReplyError(f"{problem}; run the same command again", reply="", kind="not fetched") from None
            raise CallFailed("no picture", problem) from None

    async def _probe(self) -> None:
        """Ask a new endpoint to change nothing, and report the share of pixels that it changed."""
        from PIL import Image

        picture = _colourful(self._sizes[0])
        masked = MaskedPicture(picture, Image.new("L", picture.size))
        try:
            made = await self._ask(_request(prompt("edits/keep").strip(), masked))
        except ReplyError as error:
            self._tell(f"{self._place} was asked to change nothing, and returned no picture ({error})")
            return
        if self._model.progress.calls:
            share = _changed_share(picture, read_framed(made.content))
            self._tell(
                f"{self._place} changed {share:.0%} of the pixels that a mask protects; only the pixels "
                "inside a mask are used"
            )

    @property
    def _place(self) -> str:
        return f"{self._settings.base_url} with model {self._settings.model!r}"


def _request(words: str, masked: MaskedPicture) -> Request:
    return Request(STEP, (("user", words),), max_tokens=MOST_TOKENS, edit=masked)


def _check(reply: Reply, request: Request) -> None:
    """Raise ReplyError if a reply's picture is invalid or does not have the requested size."""
    if not is_address(reply.text):
        try:
            content = decode_picture(reply.text)
        except PictureError as error:
            raise ReplyError(str(error), reply="") from None
        _require_size(content, request)


def _require_size(content: bytes, request: Request) -> None:
    try:
        size = read_framed(content).size
    except PictureError as error:
        raise ReplyError(str(error), reply="") from None
    if request.edit and size != request.edit.picture.size:
        width, height = size
        raise ReplyError(f"the picture of the reply is {width}x{height}, not {request.edit.size}", reply="")


def _sizes(size: object) -> tuple[tuple[int, int], ...]:
    """Return the available sizes: the one set in ``[models.edits.body]``, or those that servers know."""
    if size == "auto":
        return SIZES
    width, x, height = str(size).partition("x")
    if not (x and width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise ConfigError(f"[models.edits.body] size {size!r} is not a size; write it as 1024x1024, or leave it out")
    return ((int(width), int(height)),)


def _colourful(size: tuple[int, int]) -> "Image.Image":
    """Draw a picture of all colours, in which any change can be detected."""
    from PIL import Image

    slope = Image.linear_gradient("L")
    bands = (slope, slope.transpose(Image.Transpose.ROTATE_90), Image.radial_gradient("L"))
    return Image.merge("RGB", bands).resize(size)


def _changed_share(before: "Image.Image", after: "Image.Image") -> float:
    import numpy as np

    difference = np.abs(np.asarray(before, dtype=np.int16) - np.asarray(after, dtype=np.int16))
    return float((difference.max(axis=2) > _NOTICED).mean())
