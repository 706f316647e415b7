"""Stops a run whose calls all fail alike, before the whole benchmark is paid for."""

from collections import Counter, defaultdict

from kbe_graph.errors import ModelError, ReplyError

FIRST = 20  # calls of a step that are looked at
SHARE = 0.8  # of them that may fail alike
SHOWN = "`work.models.failed_calls()` shows what was said"
# what to set where a step fails in this way
ADVICE = {
    "cut": "raise max_tokens in [models.{step}]",
    "refused": "choose another model in [models.{step}]",
    "filtered": "choose another model or endpoint in [models.{step}]",
    "request": "leave out what it does not take in [models.capabilities], or choose another model in [models.{step}]",
    "too long": "choose a model in [models.{step}] that takes longer prompts, or a smaller image_side",
    "invalid": "choose another model in [models.{step}]",
    "empty": "raise max_tokens in [models.{step}], as a model that thinks aloud needs more, or choose another model",
}
ANY_ADVICE = "look into the log of the endpoint, or name another in [models.{step}]"


class Breaker:
    """Counts how the first calls of each step end, in this process; kept replies count as good ones."""

    def __init__(self) -> None:
        self._ends: dict[str, Counter[str]] = defaultdict(Counter)
        self._last: dict[str, str] = {}
        self._stopped = ""

    def note_reply(self, step: str) -> None:
        """Note a reply that can be used."""
        self._ends[step][""] += 1

    def note_failure(self, step: str, error: ReplyError) -> None:
        """Note a call that was given up, and check whether the run is to go on."""
        ends = self._ends[step]
        ends[error.kind] += 1
        self._last[step] = str(error)
        (kind, most), *_ = ends.most_common(1)
        if kind and ends.total() == FIRST and most > SHARE * FIRST:
            self._stopped = self._message(
                step, f"{most} of the first {FIRST} calls of step {step!r} failed alike", kind
            )
        self.check()

    def check(self) -> None:
        """Raise ModelError where the run was stopped."""
        if self._stopped:
            raise ModelError(self._stopped)

    def check_end(self) -> None:
        """Raise ModelError where calls failed and none was of any use."""
        if not self._last or any(ends[""] for ends in self._ends.values()):
            return
        step = max(self._last, key=lambda step: self._ends[step].total())
        (kind, _), *_ = self._ends[step].most_common(1)
        count = sum(ends.total() for ends in self._ends.values())
        raise ModelError(self._message(step, f"none of {count} calls gave a reply that can be used", kind))

    def _message(self, step: str, what: str, kind: str) -> str:
        advice = ADVICE.get(kind, ANY_ADVICE).format(step=step)
        return f"{what} ({kind}: {self._last[step]}); {advice}; {SHOWN}; then run the same command again"
