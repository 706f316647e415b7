"""The stages of samples through a run, and the status screen: how many remain at each, and why the others do not."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kbe_graph.show.terminal import Line
from kbe_graph.store.funnel import NAMED
from kbe_graph.types import EXPLORING

Counts = Mapping[str, Any]
STATUSES = ("loaded", "extracted", "dropped")
WAITING, STILL, OTHERS, NO_ROOT = "waits for a graph", "not asked yet", "not in this run", "no noun and no other thing"
ENDS = "its shape has no further hop"
WORST = 3  # reasons listed per stage
_ROLES = {"judge": "judge, if a model judges"}  # a run records the one that could
Row = tuple[str, str, str, Sequence[str]]
"""A line of the screen: a label, a count, a share, and remarks."""


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
    silent = ENDS if of_run.get("state") == "complete" else STILL
    *_, stage = sample_stages(counts)
    stage = _root_stage(of_run, stage)
    yield stage
    for hop, of_hop in of_run["questions"].items():
        if hop != "hop 0":
            stage = _stage(hop, of_hop.get("kept", 0), stage, _reasons(of_hop), silent)
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
    listed = Counter(reasons) + Counter({others: silent})
    return FunnelStage(name, kept, before.kept, dict(listed.most_common()), before.loaded)


def _reasons(counts: Counts) -> dict[str, int]:
    return dict(counts.get("dropped by reason", {}))


def screen(counts: Counts) -> Iterator[Line]:
    """Yield the screen as lines."""
    if "wiki" in counts:
        yield from _block("from Wikipedia", [_counted(*pair) for pair in counts["wiki"].items()])
    if not counts["samples"]:
        yield Line("text", "no samples yet; load a benchmark with 'kbe load FILE'")
        return
    yield from _block("samples", _sample_rows(counts))
    for name, run in counts["runs"].items():
        states = dict.fromkeys(("running", EXPLORING), " (not finished; re-run the command to resume)")
        states["failed"] = " (failed; re-run to retry)"
        yield from _block(f"run {name}{states.get(run.get('state'), '')}", _run_rows(counts, name))
    if "reviews" in counts:
        rows = ((run, str(of["questions"]), "", [_listed(of)]) for run, of in counts["reviews"].items())
        yield from _block("questions reviewed by people", rows)
    if not counts["runs"]:
        yield Line("text", "no run yet; generate new questions with 'kbe evolve'")
    yield Line("text", "all counts: kbe status --all; what each reason means, with examples: kbe filters")


def _block(title: str, rows: "Iterator[Row] | Sequence[Row]") -> Iterator[Line]:
    yield Line("heading", title)
    for label, count, share, remarks in rows:
        yield Line("text", "\n".join(remarks), (label, count, share))
    yield Line("text", "")


def _listed(counts: Counts) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counts.items())


def _counted(name: str, value: Any) -> Row:
    return (name, "", "", [_listed(value)]) if isinstance(value, Mapping) else (name, str(value), "", [])


def _sample_rows(counts: Counts) -> Iterator[Row]:
    loaded, graphs = sample_stages(counts)
    waiting = graphs.reasons.get(WAITING, 0)
    yield "loaded", str(loaded.kept), "", [f"{waiting} of them need 'kbe extract'"] if waiting else []
    yield graphs.name, *_share(graphs.kept, loaded.kept), _worst(graphs)
    for extraction in counts["graphs"]:
        if extraction["parser"]:  # graphs of an older version have no record
            read = f"text parsed with {extraction['parser']}, kbe {extraction['version']}"
            yield "", "", "", [f"{extraction['samples']} from {extraction['by']}, {read}"]
    others = f"the {counts['parts']['Pos_F']} others, such as 'yes', are re-selected"
    yield "answer is a noun", *_share(counts["parts"]["Pos_T1"], loaded.kept), [others]


def _run_rows(counts: Counts, name: str) -> Iterator[Row]:
    run = counts["runs"][name]
    for label in ("chosen", "models"):
        if run.get(label):
            yield label, "", "", [f"{_ROLES.get(role, role)}: {value}" for role, value in run[label].items()]
    for stage in run_stages(counts, name):
        count, share = _share(stage.kept, stage.loaded)
        yield stage.name, f"{count} of {stage.of}", f"{share} of all {stage.loaded}", _worst(stage)
    yield from _fact_rows(run)
    if named := run.get(NAMED):
        listed = [f"{row} {_percent(of['right'], of['asked'])} of {of['asked']}" for row, of in named.items()]
        yield "guesses", "", "", [f"{NAMED}: {', '.join(listed)}; kept or dropped"]
    if verdicts := run.get("verdicts"):
        listed = [f"{verdict} {_percent(share, 1)}" for verdict, share in verdicts["yes"].items()]
        yield "verdicts", "", "", [f"yes from the verifier on {verdicts['questions']} questions: {', '.join(listed)}"]


def _fact_rows(run: Counts) -> Iterator[Row]:
    hops = list(run["candidates"].values())
    if not hops:
        return
    kept, passed, dropped = (sum(hop.get(name, 0) for hop in hops) for name in ("kept", "not drawn", "dropped"))
    reasons: Counter[str] = Counter()
    for hop in hops:
        reasons.update(hop.get("dropped by reason", {}))
    facts = FunnelStage("facts used", kept, kept + dropped, dict(reasons.most_common()))
    looked_at = f"of {kept + passed + dropped} candidates; {passed} passed but not drawn"
    yield facts.name, *_share(kept, kept + passed + dropped), [looked_at, *_worst(facts)]


def _worst(stage: FunnelStage) -> list[str]:
    reasons = dict(list(stage.reasons.items())[:WORST])
    rest = stage.of - stage.kept - sum(reasons.values())
    listed = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    return [f"the others: {listed}" + (f", other reasons {rest}" if rest else "")] if reasons else []


def _share(part: int, whole: int) -> tuple[str, str]:
    return str(part), f"{round(100 * part / whole)} %" if whole else ""


def _percent(part: float, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"
