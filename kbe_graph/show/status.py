"""The status screen: how many remain at each stage, why the others do not, and the effect of each check."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from kbe_graph.checks import explanations
from kbe_graph.show.stages import WAITING, FunnelStage, run_stages, sample_stages
from kbe_graph.show.terminal import Line
from kbe_graph.store import Store
from kbe_graph.store.funnel import NAMED
from kbe_graph.types import REPLACED

Counts = Mapping[str, Any]
WORST = 3  # reasons listed per stage
EXPLAINED = 5  # reasons explained in total
FAULTY = "faulty: several right answers, or answerable without the image or the new fact"


Row = tuple[str, str, str, Sequence[str]]
"""A line of the screen: a label, a count, a share, and remarks."""


def read_status(store: Store, run: str | None = None) -> dict[str, Any]:
    """Count samples and questions by stage, hop and reason, for one run or all, with the effect of the checks."""
    counts = store.status(run)
    for name, of_run in counts["runs"].items():
        of_run.update({"faulty share": faulty_shares(store, name), "faulty": faulty_counts(store, name)})
    return counts


def reason_rules() -> dict[str, str]:
    """Map each reason to the rule behind it."""
    return {entry.name: entry.rule for entry in explanations()}


def screen(counts: Counts, rules: Mapping[str, str]) -> Iterator[Line]:
    """Yield the screen as lines; ``rules`` explain the reasons."""
    if "wiki" in counts:
        yield from _block("from Wikipedia", _wiki_rows(counts["wiki"]))
    if not counts["samples"]:
        yield Line("text", "no samples yet; load a benchmark with 'kbe load FILE'")
        return
    seen: Counter[str] = Counter()
    for title, rows in _blocks(counts, seen):
        yield from _block(title, rows)
    if "reviews" in counts:
        yield from _block("reviewed by people", _review_rows(counts["reviews"]))
    if worst := [reason for reason, _ in seen.most_common() if reason in rules][:EXPLAINED]:
        yield Line("heading", "rules behind the most frequent reasons")
        yield from (Line("text", f"  {reason}: {rules[reason]}") for reason in worst)
        yield Line("text", "")
    if not counts["runs"]:
        yield Line("text", "no run yet; generate new questions with 'kbe evolve'")
    yield Line("text", "all counts: kbe status --all; all reasons, with examples: kbe filters")


def _block(title: str, rows: Iterable[Row]) -> Iterator[Line]:
    yield Line("heading", title)
    for label, count, share, remarks in rows:
        yield Line("text", "\n".join(remarks), (label, count, share))
    yield Line("text", "")


def _blocks(counts: Counts, seen: Counter[str]) -> Iterator[tuple[str, list[Row]]]:
    yield "samples", list(_sample_rows(counts, seen))
    for name, run in counts["runs"].items():
        yield f"run {name}{_state(run)}", list(_run_rows(counts, name, seen))


def _wiki_rows(wiki: Counts) -> Iterator[Row]:
    reasons = ", ".join(f"{reason} {count}" for reason, count in list(wiki["pictures by reason"].items())[:WORST])
    about = [f"{wiki['pictures with an item']} of them with a known item"]
    yield "pictures", str(wiki["pictures"]), "", about + ([f"left out: {reasons}"] if reasons else [])
    yield "items", str(wiki["items"]), "", [f"{wiki['items only named']} others are only mentioned"]
    kept = f"{wiki['statements kept']} of them kept, {_percent(wiki['statements kept'], wiki['statements'])}"
    yield "statements", str(wiki["statements"]), "", [kept]


def _review_rows(reviews: Counts) -> Iterator[Row]:
    for run, count in reviews.items():
        people = "one person" if count["reviewers"] == 1 else f"{count['reviewers']} people"
        yield run, str(count["questions"]), "", [f"questions, with {count['decisions']} decisions by {people}"]


def _state(run: Counts) -> str:
    states = {"running": "not finished; re-run the command to resume", "failed": "failed; re-run the command to retry"}
    return f" ({states[run['state']]})" if run.get("state") in states else ""


def _sample_rows(counts: Counts, seen: Counter[str]) -> Iterator[Row]:
    parts, (loaded, graphs) = counts["parts"], sample_stages(counts)
    total, waiting = loaded.kept, graphs.reasons.get(WAITING, 0)
    yield "loaded", str(total), "", [f"{waiting} of them need 'kbe extract'"] if waiting else []
    yield (
        "with a graph",
        *_share(graphs.kept, total),
        ["shares are of all loaded samples", *_worst(graphs, seen)],
    )
    for extraction in counts["graphs"]:
        yield "", "", "", [_extraction(extraction)]
    if replaced := counts["samples"].get("extracted by reason", {}).get(REPLACED, 0):
        yield REPLACED, *_share(replaced, total), ["the picture contradicts it; another accepted answer is used"]
    paths = counts["paths"]
    confirmed = paths["presupposed"] - paths["unconfirmed"]
    yield (
        "presupposed",
        *_share(paths["presupposed"], total),
        [f"by the question; annotations confirm {confirmed}"],
    )
    yield "last resort", *_share(paths["last resort"], total), ["the path goes through the most salient thing"]
    noun, other = parts["Pos_T1"], parts["Pos_F"]
    others = f"the {other} others, such as 'yes', are re-selected" if other else "so no sample needs re-selection"
    yield "answer is a noun", *_share(noun, total), [others]


def _extraction(extraction: Counts) -> str:
    count = extraction["samples"]
    if not extraction["parser"]:
        return f"{count} without a record of their source, from an older version of kbe"
    files = f" ({', '.join(name for name, _ in extraction['files'])})" if extraction["files"] else ""
    prompt = f" (prompts {extraction['prompt']})" if extraction.get("prompt") else ""
    read = f"text parsed with {extraction['parser']}, kbe {extraction['version']}"
    return f"{count} from {extraction['by']}{files}{prompt}, {read}"


def _run_rows(counts: Counts, name: str, seen: Counter[str]) -> Iterator[Row]:
    run = counts["runs"][name]
    if chosen := run.get("chosen"):
        yield "chosen", "", "", [f"{setting}: {value}" for setting, value in chosen.items()]
    for stage in run_stages(counts, name):
        again = run["questions"].get("hop 0", {}).get("kept", 0) if stage.name == "with a root" else 0
        about = f"of {stage.of}" + (f"; {again} ask about another thing in the image" if again else "")
        yield stage.name, *_share(stage.kept, stage.loaded), [about, *_worst(stage, seen)]
    if variety := run.get("variety"):
        yield "variety", "", "", [_variety(variety)]
        unsourced = sum(hop.get("unsourced", 0) for hop in variety)
        share = _share(unsourced, sum(hop["samples"] for hop in variety))
        yield "unsourced", *share, ["rest on a fact without a source"]
    if guesses := run.get("guesses"):
        yield "guessed blind", "", "", [_blind(guesses)]
    if named := run.get(NAMED):
        yield "guesses", "", "", [_named_shares(named)]
    yield from _fact_rows(run, seen)
    if models := run.get("models"):
        yield "models", "", "", [f"{role}: {model}" for role, model in models.items()]
    if verdicts := run.get("verdicts"):
        shares = ", ".join(f"{verdict} {_percent(share, 1)}" for verdict, share in verdicts["yes"].items())
        about = f"yes from the verifier on {verdicts['questions']} questions: {shares}"
        yield "verdicts", "", "", [about]
    for facts, rates in run.get("grounding", {}).items():
        yield f"grounding, {facts}", "", "", list(_rates(rates))


def _variety(hops: Sequence[Counts]) -> str:
    return f"effective chains {' / '.join(str(round(hop['effective_chains'], 1)) for hop in hops)} by hop"


def _blind(guesses: Counts) -> str:
    if guesses["samples"] < guesses["guessed from"]:
        return f"not computed below {guesses['guessed from']} samples; see kbe guess"
    shares = [
        f"{row} {_percent(of_row['nearest'], 1)}" for row, of_row in guesses["shares"].items() if "nearest" in of_row
    ]
    if guesses["shares"] and not shares:
        return "not computed without the extra [guess]"
    return f"{', '.join(shares) or 'no question'} (by the nearest questions' words; see kbe guess)"


def _named_shares(shares: Counts) -> str:
    listed = ", ".join(f"{row} {_percent(of['right'], of['asked'])} of {of['asked']}" for row, of in shares.items())
    models = sorted({model for of_row in shares.values() for model in of_row["by"]})
    return f"{NAMED}{' by ' * bool(models)}{', '.join(models)}: {listed}; kept or dropped"


def _fact_rows(run: Counts, seen: Counter[str]) -> Iterator[Row]:
    hops = list(run["candidates"].values())
    if not hops:
        return
    kept, passed, dropped = (sum(hop.get(name, 0) for hop in hops) for name in ("kept", "not drawn", "dropped"))
    reasons: Counter[str] = Counter()
    for hop in hops:
        reasons.update(hop.get("dropped by reason", {}))
    facts = FunnelStage("facts used", kept, kept + dropped, dict(reasons.most_common()))
    looked_at = f"of {kept + passed + dropped} candidates; {passed} passed but not drawn"
    yield facts.name, *_share(kept, kept + passed + dropped), [looked_at, *_worst(facts, seen)]
    if faulty := run.get("faulty"):
        yield "faulty facts", *_faulty(faulty, kept + passed + dropped)


def _faulty(counts: Counts, looked_at: int) -> tuple[str, str, list[str]]:
    measured = counts["candidates"]
    if not measured:
        return "", "", [f"not measured: this needs known facts, and all {looked_at} candidates come from a model"]
    before, after = _percent(counts["faulty"], measured), _percent(counts["faulty left"], counts["left"])
    of_what = "all candidates" if measured == looked_at else f"{measured} measured of {looked_at}"
    return "", before, [f"of {of_what}, {after} after the checks", FAULTY]


def _rates(rates: Counts) -> Iterator[str]:
    for name, count in rates.items():
        if not name.endswith(" rate"):
            yield f"{name} {count} ({round(100 * rates[f'{name} rate'])} %)"


def _worst(stage: FunnelStage, seen: Counter[str]) -> list[str]:
    reasons = dict(list(stage.reasons.items())[:WORST])
    seen.update(reasons)
    rest = stage.of - stage.kept - sum(reasons.values())
    listed = ", ".join(f"{reason} {count}" for reason, count in reasons.items())
    return [f"the others: {listed}" + (f", other reasons {rest}" if rest else "")] if reasons else []


def _share(part: int, whole: int) -> tuple[str, str]:
    return str(part), f"{round(100 * part / whole)} %" if whole else ""


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


class RefusalCount(NamedTuple):
    """Measured candidates refused for a reason (empty: not refused), and how many of them are faulty."""

    reason: str
    candidates: int
    faulty: int


class FilterEffect(NamedTuple):
    """The numbers of candidates and of faulty ones, before and after a check."""

    check: str
    before: int
    faulty_before: int
    after: int
    faulty_after: int


def faulty_shares(store: Store, run: str) -> dict[str, str]:
    """Format the share of faulty candidates before and after each check that refused any in a run."""
    return {
        each.check: f"{_percent(each.faulty_before, each.before)} before, "
        f"{_percent(each.faulty_after, each.after)} after"
        for each in _run_effects(store, run)
        if each.before != each.after
    }


def faulty_counts(store: Store, run: str) -> dict[str, int]:
    """Count the candidates, and the faulty ones, before and after all checks of a run."""
    first, *_, last = _run_effects(store, run)
    before = {"candidates": first.before, "faulty": first.faulty_before}
    return before | {"left": last.after, "faulty left": last.faulty_after}


def _run_effects(store: Store, run: str) -> list[FilterEffect]:
    rows = store.query("faulty_by_reason", {"run": run}).rows
    refused = [RefusalCount(reason, measured, faulty) for _, reason, _, measured, faulty in rows]
    return list(filter_effects(refused, [entry.name for entry in explanations()]))


def filter_effects(refused: Iterable[RefusalCount], order: Sequence[str]) -> Iterator[FilterEffect]:
    """Yield the effect of each check in ``order``; candidates refused for other reasons stay in all counts."""
    refusals = list(refused)
    for name in order:
        rest = [reason for reason in refusals if reason.reason != name]
        yield FilterEffect(name, *_counted(refusals), *_counted(rest))
        refusals = rest


def _counted(refused: Sequence[RefusalCount]) -> tuple[int, int]:
    return sum(reason.candidates for reason in refused), sum(reason.faulty for reason in refused)
