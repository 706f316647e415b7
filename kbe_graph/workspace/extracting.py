"""Extraction of a workspace's samples from annotations."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kbe_graph.datasets.annotations import READERS, read_annotations
from kbe_graph.english.parse import parser_name
from kbe_graph.errors import InputError
from kbe_graph.evolve.shapes.seeing import SeeingExtractor
from kbe_graph.extract.extraction import extract_by_asking, extract_samples, extraction_counts, extraction_from
from kbe_graph.graph_access import GraphAccess
from kbe_graph.seeds import draw_ids
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.extractor import ModelExtractor
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_session
from kbe_graph.store import Store
from kbe_graph.types import Extraction, Sample
from kbe_graph.workers import worth_starting
from kbe_graph.workspace.verbs import ExtractOptions


@dataclass(frozen=True, slots=True)
class Extracted:
    """The outcome of an extraction: the number of samples, of kept ones, and of dropped ones by reason.

    ``parser`` is the parser of captions, if there were captions. ``awaits`` lists the files of calls that wait for
    replies, and is empty for a complete extraction. ``grown`` is False if all samples had been extracted from the same
    files before.
    """

    samples: int
    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    parser: str = ""
    awaits: tuple[Path, ...] = ()
    grown: bool = True


def _choose(work: GraphAccess, scope: ExtractOptions, files: Mapping[str, Sequence[Path]] | None) -> list[Sample]:
    stored = samples_of(work.store, scope.benchmark, number=scope.sample, seed=scope.seed)
    samples = [sample.as_loaded for sample in stored]
    refuse_replacing(work.store, () if scope.replace else samples, files)
    return samples


def extract_annotated(
    work: GraphAccess, files: Mapping[str, Sequence[Path]], scope: ExtractOptions, *, workers: int | None
) -> Extracted:
    """Extract the samples from annotation files, by the name of their format; raises DatasetError and ResourceError."""
    samples = _choose(work, scope, files)
    workers = worth_starting(workers, len(samples))
    wanted = {sample.image_id for sample in samples} | {sample.id.rsplit("/", 1)[-1] for sample in samples}
    with work.reporter as reporter:
        annotations = read_annotations(wanted=wanted, **files)
        outcomes = _outcomes_before(work.store, samples, extraction_from(annotations))
        grown = not outcomes
        if grown:
            outcomes = extract_samples(work.store, samples, annotations, workers=workers, progress=reporter)
    extracted = outcome_of(samples, outcomes, parser=parser_name() if annotations.captioned else "")
    return replace(extracted, grown=grown)


def extract_by_model(work: GraphAccess, model: ModelOptions, scope: ExtractOptions) -> Extracted:
    """Extract the samples by asking a model, twice each in mode paper; raises ConfigError and ResourceError."""
    samples, outcomes = _choose(work, scope, None), Counter[str]()
    steps = {"paper": ("extract", "key"), "merged": ("graph",), "shapes": ("see", "look")}[model.mode]
    with work.reporter as reporter, open_session(model, work) as session:

        async def extract(asker: Asker) -> None:
            seeing = SeeingExtractor(asker, work.folder.hidden / "crops") if model.mode == "shapes" else None
            extractor = seeing or ModelExtractor(asker, model.mode == "paper")
            asking = extract_by_asking(
                work.store, samples, extractor.extract, prompt=extractor.prompt, progress=reporter
            )
            outcomes.update(await asking)
            if seeing:
                work.store.save_identities(seeing.identities)

        awaits = session.do(extract, *steps)
    return outcome_of(samples, outcomes, awaits=awaits)


def _outcomes_before(store: Store, samples: Sequence[Sample], extraction: Extraction) -> Counter[str]:
    before = store.sample_status([sample.id for sample in samples]).values()
    if any(status.status == "loaded" or status.extraction != extraction for status in before):
        return Counter()
    return extraction_counts(store, samples)


def samples_of(store: Store, benchmark: str | None, *, number: int | None = None, seed: int = 0) -> list[Sample]:
    """Return the samples of a benchmark, or all; of them ``number`` that a seed draws. Raises InputError."""
    samples = store.samples(benchmark=benchmark)
    if benchmark is not None and not samples:
        raise store.no_benchmark(benchmark)
    if number is not None:
        ids = set(draw_ids((sample.id for sample in samples), number, seed))
        samples = [sample for sample in samples if sample.id in ids]
    return samples


def refuse_replacing(store: Store, samples: Sequence[Sample], files: Mapping[str, Sequence[Path]] | None) -> None:
    """Raise InputError where graphs were extracted from files that are not read now; ``files`` is None for a model.

    Without a file nothing can be extracted: that is an error too.
    """
    if files is not None and not any(files.values()):
        raise InputError(f"nothing to extract from; name files of {', '.join(READERS)}, or a model")
    new = {path.name for paths in (files or {}).values() for path in paths}
    for extraction, count in store.extractions([sample.id for sample in samples]):
        old = {name for name, _ in extraction.files}
        by_model = extraction.by not in {"", "annotations"}
        if old - new or (by_model and files is not None):
            source = ", ".join(sorted(old)) or extraction.by
            raise InputError(
                f"this replaces {count} graphs that were extracted from {source}; name those files too to "
                "keep both, or confirm with `replace`"
            )


def outcome_of(
    samples: Sequence[Sample], outcomes: Counter[str], *, parser: str = "", awaits: tuple[Path, ...] = ()
) -> Extracted:
    """Sum up the outcomes, the most frequent reason of a drop first."""
    dropped = {reason: count for reason, count in outcomes.most_common() if reason != "kept"}
    return Extracted(len(samples), outcomes["kept"], dropped, parser, awaits)
