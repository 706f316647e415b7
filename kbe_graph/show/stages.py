"""The stages of samples through a run: how many are kept, and how many dropped for each reason."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Counts = Mapping[str, Any]
STATUSES = ("loaded", "extracted", "dropped")
WAITING, STILL, OTHERS, NO_ROOT = "waits for a graph", "not asked yet", "not in this run", "no noun and no other thing"


class FunnelStage(NamedTuple):
    """The samples kept at a stage, those that entered it, the rest by reason, and all that were loaded.

    A stage is entered by those that the previous one kept, so that a funnel adds up. ``loaded`` is the base of all
    shares; 0 if the stage does not count samples.
    """

    name: str
    kept: int
    of: int
    reasons: Mapping[str, int]
    loaded: int = 0

    @property
    def share(self) -> float:
        """The share of all loaded samples."""
        return self.kept / self.loaded if self.loaded else 0.0


def sample_stages(counts: Counts) -> tuple[FunnelStage, FunnelStage]:
    """Build the stages before any run, from the counts of ``status``."""
    samples = counts["samples"]
    loaded = sum(samples.get(status, 0) for status in STATUSES)
    waiting = {WAITING: samples["loaded"]} if samples.get("loaded") else {}
    graphs = samples.get("extracted", 0)
    return (
        FunnelStage("loaded", loaded, loaded, {}, loaded),
        FunnelStage("with a graph", graphs, loaded, _reasons(samples) | waiting, loaded),
    )


def run_stages(counts: Counts, run: str) -> Iterator[FunnelStage]:
    """Yield the stages of a run from the counts of ``status``: samples with a root, then those kept at each hop.

    A root is the start of a chain: the raw question if its answer is a noun, otherwise the re-selected one.
    """
    of_run = counts["runs"][run]
    *_, stage = sample_stages(counts)
    stage = _root_stage(of_run, stage)
    yield stage
    for hop, of_hop in of_run["questions"].items():
        if hop != "hop 0":
            stage = _stage(hop, of_hop.get("kept", 0), stage, _reasons(of_hop), STILL)
            yield stage


def _root_stage(of_run: Counts, graphs: FunnelStage) -> FunnelStage:
    hops, complete = of_run["questions"], of_run.get("state") == "complete"
    first = hops.get("hop 1", {})
    roots = sum(first.get(status, 0) for status in ("kept", "dropped"))
    if not first:  # a run that only re-selects
        roots = min(of_run.get("parts", {}).get("Pos_T", 0), graphs.kept)
    if of_run.get("chosen", {}).get("reselect") == "all":  # samples with a noun are re-selected as well
        return _stage("with a root", roots, graphs, {}, NO_ROOT)
    return _stage("with a root", roots, graphs, _reasons(hops.get("hop 0", {})), OTHERS if complete else STILL)


def _stage(name: str, kept: int, before: FunnelStage, reasons: Mapping[str, int], others: str) -> FunnelStage:
    silent = before.kept - kept - sum(reasons.values())
    listed = [*reasons.items(), *([(others, silent)] if silent else [])]
    by_count = dict(sorted(listed, key=lambda reason: -reason[1]))
    return FunnelStage(name, kept, before.kept, by_count, before.loaded)


def _reasons(counts: Counts) -> dict[str, int]:
    return dict(counts.get("dropped by reason", {}))
