"""What endpoints were found not to take: learnt from their own words or by the probe, kept, and gone without."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from kbe_graph.errors import KbeError
from kbe_graph.models.call_store import CallStore
from kbe_graph.models.failures import CallFailed, one_line
from kbe_graph.models.probe import probe
from kbe_graph.models.settings import Capabilities, ModelSettings
from kbe_graph.models.wire import Call

KEPT = 30 * 86_400.0  # seconds; then an endpoint is tried again, as it may have learnt something too
TEACHING = ("parameter", "request")  # faults that may say which field is not taken
# what a message may call a field that can be gone without, and the capabilities that it rests on
FIELDS = (
    (r"max_completion_tokens", ("completion_tokens",)),
    (r"max_tokens", ("completion_tokens",)),
    (r"seed", ("seed",)),
    (r"temperature", ("temperature",)),
    (r"response_format|json_schema|json_object|structured[ _]outputs?", ("json_schema", "json_object")),
)
_NO = (
    r"unsupported|not (?:be )?supported|does not support|unknown|unrecogni[sz]ed|unexpected|unavailable|not available"
    r"|extra_forbidden|extra (?:inputs|fields)|not permitted|not allowed|invalid (?:parameter|argument)"
    r"|cannot find field|additional propert|not (?:a )?valid|does not take"
)


class Lessons:
    """The lessons of a workspace, by endpoint and model; ``tell`` is told each new one, ``sent`` each request."""

    def __init__(
        self,
        store: CallStore,
        *,
        tell: Callable[[str], None] = lambda _: None,
        sent: Callable[[], None] = lambda: None,
    ) -> None:
        self._store, self._tell, self._note_sent = store, tell, sent
        self._learnt: dict[tuple[str, str], dict[str, bool]] = {}
        self._probing = asyncio.Lock()
        self._probed: set[tuple[str, str]] = set()

    def capabilities(self, settings: ModelSettings) -> Capabilities:
        """Return what a model takes: as it is set, but for what was found otherwise."""
        return replace(settings.capabilities, **self._of(settings))

    def learn(self, settings: ModelSettings, failed: CallFailed, sent: Capabilities) -> bool:
        """Learn from the words of a failure; return whether a request differs now from the one that was ``sent``."""
        if failed.fault.kind not in TEACHING:
            return False
        self._keep(settings, _refused(failed.searched, sent), failed.message)
        return self.capabilities(settings) != sent

    async def learn_by_probe(self, call: Call, failed: CallFailed, sent: Capabilities) -> bool:
        """Do what ``learn`` does by asking, where a failure names no field and the endpoint has never replied.

        Raises CallFailed where it is the pictures that are not taken.
        """
        settings = call.settings
        place = (settings.base_url, settings.model)
        if failed.fault.kind not in TEACHING or self._store.has_replied(settings.base_url):
            return False
        async with self._probing:
            if place not in self._probed:
                self._probed.add(place)
                await self._probe(call, failed, sent)
        return self.capabilities(settings) != sent

    async def _probe(self, call: Call, failed: CallFailed, sent: Capabilities) -> None:
        try:
            takes = await probe(call.settings, sent=self._note_sent)
        except KbeError:
            return  # it fails the plainest question too, so that no field is to blame
        if call.request.images and not takes.images:
            raise failed.as_kind("images")
        names = ("completion_tokens", "seed", "temperature", "json_schema", "json_object")
        self._keep(
            call.settings,
            {name: getattr(takes, name) for name in names if getattr(takes, name) != getattr(sent, name)},
            failed.message,
        )

    def _of(self, settings: ModelSettings) -> dict[str, bool]:
        place = (settings.base_url, settings.model)
        if place not in self._learnt:
            self._learnt[place] = self._store.find_lessons(*place, within=KEPT)
        return self._learnt[place]

    def _keep(self, settings: ModelSettings, lessons: Mapping[str, bool], message: str) -> None:
        """Keep and tell what is new; what was learnt before is not turned round again."""
        learnt = self._of(settings)
        new = {name: value for name, value in lessons.items() if name not in learnt}
        if not new:
            return
        learnt.update(new)
        self._store.keep_lessons(settings.base_url, settings.model, learnt)
        for name, value in new.items():
            self._tell(
                f"{settings.base_url} does not take {_field(name, value=value)} with model {settings.model!r} "
                f"({one_line(message)}); that is remembered, and gone without"
            )


def _refused(searched: str, sent: Capabilities) -> dict[str, bool]:
    """Return the capabilities that a message rules out, among those that the request made use of."""
    lessons: dict[str, bool] = {}
    for field, names in FIELDS:
        pattern = rf"\b(?:{field})\b[^{{}}]{{0,120}}(?:{_NO})|(?:{_NO})[^{{}}]{{0,120}}\b(?:{field})\b"
        if not re.search(pattern, searched):
            continue
        if names == ("completion_tokens",):
            was_sent = sent.completion_tokens == (field == "max_completion_tokens")
            if was_sent:
                lessons["completion_tokens"] = not sent.completion_tokens
        elif name := next((name for name in names if getattr(sent, name)), ""):
            lessons[name] = False
    return lessons


def _field(name: str, *, value: bool) -> str:
    if name == "completion_tokens":
        return "'max_tokens'" if value else "'max_completion_tokens'"
    return repr(f"response_format {name}" if name.startswith("json") else name)
