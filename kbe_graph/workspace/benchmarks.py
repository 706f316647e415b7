"""Benchmarks of a workspace: loaded, extracted, made from Wikipedia (``work.wiki``), and forgotten again."""

import os
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kbe_graph.brief import brief, readable
from kbe_graph.config import contact_setting
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.annotations import READERS, Annotations, first_key, read_annotations
from kbe_graph.datasets.benchmark import Benchmark, check_names, is_photo_folder
from kbe_graph.datasets.picture import PictureFetch
from kbe_graph.english.parse import parser_name
from kbe_graph.errors import InputError
from kbe_graph.evolve.shapes.seeing import SeeingExtractor
from kbe_graph.extract.extraction import extract_by_asking, extract_samples, extraction_counts, extraction_from
from kbe_graph.files.http import WebSettings
from kbe_graph.files.opening import first_bytes
from kbe_graph.files.records import data_files, set_name
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models.call_store import CallStore
from kbe_graph.options import takes
from kbe_graph.perturb.perturbing import remove_unused_pictures
from kbe_graph.steps.asker import NO_PICTURE, Asker, is_technical
from kbe_graph.steps.extractor import SOURCE, ModelExtractor
from kbe_graph.steps.model_options import ModelOptions
from kbe_graph.steps.session import open_session, open_sessions
from kbe_graph.store import Store
from kbe_graph.store.samples import Difference
from kbe_graph.text import quoted
from kbe_graph.types import Drop, Extraction, Sample, SampleGraph, draw_ids
from kbe_graph.wiki.page_steps import WikiOptions, WikiStep, fetch_statements, find_items, read_pictures
from kbe_graph.wiki.question_step import make_questions
from kbe_graph.wiki.wiki_sample import SPLIT
from kbe_graph.workers import worth_starting
from kbe_graph.workspace.verbs import ExtractOptions, LoadOptions

_EXAMPLES = 3


@brief("samples format new missing_images outside_images left_over notes not_fetched replaced")
class Loaded(NamedTuple):
    """A loaded benchmark: the number of samples, the format of the file, and the number of new samples.

    ``missing_images`` and ``outside_images`` list each missing image, and each image outside the image folders, once;
    images outside are never read. ``fields`` are the columns that were read, by field, and ``left_over`` the other
    columns. ``answers`` counts how answers were written: as ``text``, by ``letter`` or by ``number``. ``notes`` count
    what was left out or changed. ``examples`` are the first samples as they will be asked. ``not_fetched`` gives the
    reason for each address without a picture, ``replaced`` the number of samples that read differently. ``files`` are
    the files that were read.
    """

    samples: int
    format: str
    missing_images: tuple[str, ...] = ()
    outside_images: tuple[str, ...] = ()
    new: int = 0
    fields: Mapping[str, str] = MappingProxyType({})
    left_over: tuple[str, ...] = ()
    answers: Mapping[str, int] = MappingProxyType({})
    notes: Mapping[str, int] = MappingProxyType({})
    examples: tuple[Sample, ...] = ()
    not_fetched: Mapping[str, str] = MappingProxyType({})
    replaced: int = 0
    files: tuple[Path, ...] = ()


def load_benchmark(work: GraphAccess, data: object, options: LoadOptions) -> Loaded:
    """Read a benchmark from a file, shards or rows, and save its samples; raises as ``Workspace.load``."""
    photos = isinstance(data, Path | str) and is_photo_folder(Path(data))
    files = data_files(Path(data)) if isinstance(data, Path | str) and not photos else ()
    if not files and not photos and not options.name:
        raise InputError("rows have no file name; give the benchmark a name with `name`")
    folder, images = work.folder, options.images
    with work.reporter as reporter, ExitStack() as waiting:
        waiting.enter_context(
            reporter.waiting(f"reading {files[0].name if files else data if photos else type(data).__name__}")
        )

        def progress(stage: str, done: int, total: int) -> None:
            waiting.close()
            reporter(stage, done, total)

        fetch = PictureFetch(folder.picture_ledger, folder.saved_images, _web_settings(work, options), progress)
        benchmark = read_benchmark(
            data,
            benchmark=options.name or (set_name(files) if files else Path(str(data)).resolve().name),
            split=options.split,
            format=options.format,
            columns=options.columns,
            annotations=options.annotations,
            images=images,
            save_images=folder.saved_images,
            fetch=fetch,
            skip_bad=options.skip_bad,
            number=options.number,
        )
        waiting.close()
        before, changed = work.store.count_samples(), work.store.changed_samples(benchmark.samples)
        if changed and not options.update:
            raise InputError(_refusal(changed))
        folder.remember_images(benchmark.image_folders, adds=images is None)
        work.store.save_samples(benchmark.samples, progress=reporter)
    return _loaded(benchmark, changed, fetch, new=work.store.count_samples() - before)._replace(files=files)


def _web_settings(work: GraphAccess, options: LoadOptions) -> WebSettings | None:
    if not options.fetch:
        return None
    return WebSettings(contact_setting(work.folder.config, os.environ, options.contact), options.local_hosts)


def _loaded(benchmark: Benchmark, changed: Mapping[str, Difference], fetch: PictureFetch, new: int) -> Loaded:
    reading, notes = benchmark.reading, _pictures_away(benchmark) | benchmark.reading.notes
    if changed:
        notes["samples that read differently, replaced; their graphs are gone, so extract them again"] = len(changed)
    return Loaded(
        *(len(benchmark.samples), benchmark.format, benchmark.missing_images, benchmark.outside_images),
        new=new,
        fields=reading.fields,
        left_over=reading.left_over,
        answers=dict(reading.answers),
        notes=notes,
        examples=benchmark.samples[:_EXAMPLES],
        not_fetched=fetch.problems,
        replaced=len(changed),
    )


def _pictures_away(benchmark: Benchmark) -> dict[str, int]:
    """Count the pictures that were not found, and those outside the folders, and tell where they were looked for."""
    folders = dict.fromkeys(str(each) for own in benchmark.image_folders.values() for each in own)
    places = ", ".join([*map(repr, folders)][:_EXAMPLES])
    missing, outside = benchmark.missing_images, benchmark.outside_images
    notes = {
        f"missing pictures ({quoted(missing, _EXAMPLES)}), which only steps that need pixels require; looked for in "
        f"{places}: name their folder with `images`": len(missing),
        f"pictures outside {places}, which are never read ({quoted(outside, _EXAMPLES)}); name their folder with "
        "`images`": len(outside),
    }
    return {note: count for note, count in notes.items() if count}


def _refusal(changed: Mapping[str, Difference]) -> str:
    id_, first = next(iter(changed.items()))
    return (
        f"{len(changed)} loaded samples read differently now, {id_!r} first: {first.field} {first.before!r} becomes "
        f"{first.now!r}; `update` replaces them and deletes their graphs, another `name` keeps both"
    )


@brief()
@dataclass(frozen=True, slots=True)
class Extracted:
    """The outcome of an extraction: the number of samples, of kept ones, and of dropped ones by reason.

    ``parser`` is the parser of captions, if there were captions. ``awaits`` lists the files of calls that wait for
    replies, and is empty for a complete extraction. ``grown`` is False if all samples had been extracted from the same
    files before. ``unreadable`` are the pictures that a model could not be shown, each with the reason, and ``stayed``
    is the number of samples that kept an earlier graph because of these or of unusable replies.
    """

    samples: int
    kept: int
    dropped: Mapping[str, int] = field(default_factory=dict)
    parser: str = ""
    awaits: tuple[Path, ...] = ()
    grown: bool = True
    unreadable: tuple[str, ...] = ()
    stayed: int = 0


def _choose(work: GraphAccess, scope: ExtractOptions, files: Mapping[str, Sequence[Path]]) -> list[Sample]:
    for file in chain.from_iterable(files.values()):
        first_bytes(file)  # that it is there is said before what it would replace
    stored = samples_of(work.store, scope.benchmark, number=scope.sample, seed=scope.seed)
    return [sample.as_loaded for sample in stored]


def extract_annotated(
    work: GraphAccess, files: Mapping[str, Sequence[Path]], scope: ExtractOptions, *, workers: int | None
) -> Extracted:
    """Extract the samples from annotation files, by the name of their format; raises DatasetError and ResourceError."""
    samples = _choose(work, scope, files)
    refuse_replacing(work.store, () if scope.replace else samples, files)
    workers = worth_starting(workers, len(samples))
    with work.reporter as reporter:
        annotations = _annotations_of(samples, files)
        outcomes = _outcomes_before(work.store, samples, extraction_from(annotations))
        grown = not outcomes
        if grown:
            outcomes = extract_samples(work.store, samples, annotations, workers=workers, progress=reporter)
    extracted = outcome_of(samples, outcomes, parser=parser_name() if annotations.captioned else "")
    return replace(extracted, grown=grown)


def _annotations_of(samples: Sequence[Sample], files: Mapping[str, Sequence[Path]]) -> Annotations:
    wanted = {sample.image_id for sample in samples} | {sample.id.rsplit("/", 1)[-1] for sample in samples}
    annotations = read_annotations(wanted=wanted, **files)
    pictures = dict.fromkeys(sample.image_id for sample in samples)
    if samples and annotations.files and not any(map(annotations.of, samples)):
        raise InputError(
            f"no annotation in {quoted(name for name, _ in annotations.files)} is of one of the {len(pictures)} "
            f"pictures: ids there look like {first_key(**files)!r}, those of the pictures like {next(iter(pictures))!r}"
        )
    return annotations


def extract_by_model(
    work: GraphAccess, model: ModelOptions, files: Mapping[str, Sequence[Path]], scope: ExtractOptions
) -> Extracted:
    """Extract the samples by asking a model, twice each; raises ConfigError, DatasetError and ResourceError.

    From annotation files only the places of things are taken, for the second look. A picture or a reply that cannot be
    used takes no graph away; if no picture can be read, InputError is raised at the end.
    """
    samples, outcomes = _choose(work, scope, files), Counter[str]()
    steps, maker = (("extract", "key"), "key") if model.mode == "paper" else (("see", "look"), "see")
    failed: list[Drop] = []
    with work.reporter as reporter, open_session(model, work) as session:
        asked = session.book.settings_for(maker).model
        standing = _standing_graphs(work.store, session.calls, [sample.id for sample in samples], asked)
        _refuse_other_makers(work.store, {id_: by for id_, by in standing.items() if by != asked}, scope)
        annotations = _annotations_of(samples, files)

        async def extract(asker: Asker) -> None:
            failed.clear()
            seeing = (
                SeeingExtractor(asker, work.folder.hidden / "crops", annotations) if model.mode == "merged" else None
            )
            extractor = seeing or ModelExtractor(asker)

            async def keep_standing(sample: Sample) -> SampleGraph | Drop | None:
                outcome = await extractor.extract(sample)
                if not isinstance(outcome, Drop) or not is_technical(outcome.reason):
                    return outcome
                failed.append(outcome)
                return None if sample.id in standing else outcome

            asking = extract_by_asking(work.store, samples, keep_standing, prompt=extractor.prompt, progress=reporter)
            outcomes.update(await asking)
            if seeing:
                work.store.save_identities(seeing.identities)

        awaits = session.do(extract, *steps)
    unreadable = tuple(dict.fromkeys(drop.detail for drop in failed if drop.reason == NO_PICTURE))
    if unreadable and len(failed) == len(samples):
        raise InputError(f"nothing was extracted: {pictures_line(unreadable)}")
    stayed = sum(drop.sample in standing for drop in failed)
    return replace(outcome_of(samples, outcomes, awaits=awaits), unreadable=unreadable, stayed=stayed)


def pictures_line(unreadable: Sequence[str]) -> str:
    """Say how many pictures cannot be read, and of the first why."""
    more = "; ..." if len(unreadable) > _EXAMPLES else ""
    return f"pictures that cannot be read ({len(unreadable)}): {'; '.join(unreadable[:_EXAMPLES])}{more}"


def _standing_graphs(store: Store, calls: CallStore, ids: Sequence[str], model: str) -> dict[str, str]:
    """Name what made the graph of each sample that has one: files, or a model by the name that it was asked by."""
    kept = {id_: each.extraction for id_, each in store.sample_status(ids).items() if each.status == "extracted"}
    makers = {id_: model if each.by == f"{SOURCE} {model}" else each.source for id_, each in kept.items()}
    renamed = [id_ for id_, maker in makers.items() if maker.startswith(f"{SOURCE} ")]  # by the endpoint, or another
    refs = {id_: graph.key[0].source_ref for id_, graph in store.graphs(renamed).items() if graph.key}
    return makers | {id_: asked for id_, ref in refs.items() if (asked := calls.asked_model(ref))}


def _refuse_other_makers(store: Store, makers: Mapping[str, str], scope: ExtractOptions) -> None:
    """Raise InputError, before a model is asked, where it would replace graphs of others, or those of runs."""
    if not makers:
        return
    source = ", ".join(sorted(set(makers.values())))
    if not scope.replace:
        raise InputError(
            f"this replaces {len(makers)} graphs that were extracted by {source}; go on with that model, or confirm "
            "with `replace`"
        )
    if runs := store.runs_of([*makers]):
        raise InputError(
            f"the questions of run {', '.join(map(repr, sorted(runs)))} rest on graphs extracted by {source}; forget "
            "the run, or use another workspace for the new graphs"
        )


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
    store.require_samples()
    return samples


def refuse_replacing(store: Store, samples: Sequence[Sample], files: Mapping[str, Sequence[Path]]) -> None:
    """Raise InputError where graphs were extracted from files that are not read now, or by a model.

    Without a file nothing can be extracted: that is an error too.
    """
    if not any(files.values()):
        raise InputError(
            f"a graph is extracted from a file of {', '.join(READERS)}, or by a model; name one. Questions and answers "
            "alone can be evaluated, perturbed and exported as they are"
        )
    new = {path.name for paths in files.values() for path in paths}
    for extraction, count in store.extractions([sample.id for sample in samples]):
        if {name for name, _ in extraction.files} - new or extraction.by not in {"", "annotations"}:
            raise InputError(
                f"this replaces {count} graphs that were extracted from {extraction.source}; name those files too to "
                "keep both, or confirm with `replace`"
            )


def outcome_of(
    samples: Sequence[Sample], outcomes: Counter[str], *, parser: str = "", awaits: tuple[Path, ...] = ()
) -> Extracted:
    """Sum up the outcomes, the most frequent reason of a drop first."""
    dropped = {reason: count for reason, count in outcomes.most_common() if reason != "kept"}
    return Extracted(len(samples), outcomes["kept"], dropped, parser, awaits)


@brief()
class Forgotten(NamedTuple):
    """The numbers of deleted samples and questions, and the runs that were deleted as a whole."""

    samples: int
    questions: int
    runs: tuple[str, ...]


def forget_run(work: GraphAccess, run: str, *, evolved: bool, released: bool) -> Forgotten:
    """Forget a run with its questions, its candidates and its manifest.

    Raises InputError for one that is not there, and as ``forget_samples`` where rounds took it or releases hold its
    questions.
    """
    work.store.require_run(run)
    if (rounds := work.store.rounds(run)) and not evolved:
        raise InputError(
            f"run {run!r} takes part in {len(rounds)} rounds, whose history and answers would be deleted with it; "
            "confirm with `evolved`"
        )
    _forget_releases(work.store, released=released, run=run)
    with work.reporter as reporter:
        questions = work.store.forget_run(run, progress=reporter)
    _tidy_up(work, [run])
    return Forgotten(0, questions, (run,))


def forget_samples(work: GraphAccess, samples: Sequence[Sample], *, evolved: bool, released: bool) -> Forgotten:
    """Forget samples with their graphs, their questions, and the runs that keep none; paid calls stay.

    Raises InputError where runs have questions of them and ``evolved`` does not say that these go too, or releases hold
    these and ``released`` does not say that they are forgotten.
    """
    store, ids = work.store, [sample.id for sample in samples]
    runs = sorted(store.runs_of(ids))
    if runs and not evolved:
        raise InputError(
            f"the questions of run {', '.join(map(repr, runs))} rest on these {len(ids)} samples and would "
            "be deleted with them; confirm with `evolved`"
        )
    _forget_releases(store, released=released, samples=ids)
    with work.reporter as reporter:
        questions = store.forget_samples(ids, progress=reporter)
        empty = tuple(run for run in runs if not store.status_counts(run))
        for run in empty:
            store.forget_run(run, progress=reporter)
    work.folder.remember_images(dict.fromkeys(ids, ()), adds=False)
    kept = {name for sample in store.samples() for name in sample.images}
    for name in {name for sample in samples for name in sample.images} - kept:
        if name and "/" not in name and "\\" not in name:
            (work.folder.saved_images / name).unlink(missing_ok=True)
    _tidy_up(work, empty)
    return Forgotten(len(ids), questions, empty)


def _forget_releases(
    store: Store, *, released: bool, run: str | None = None, samples: Sequence[str] | None = None
) -> None:
    """Mark the releases that hold questions of a run or of samples (ids), which are about to be deleted."""
    if not store.releases():
        return
    holding = store.releases_with(store.questions(run=run, samples=samples, status=None))
    if holding and not released:
        raise InputError(
            f"release {', '.join(holding)} holds these questions, and could not be compared or continued without them; "
            "confirm with `released`"
        )
    store.forget_releases(holding)


def chosen_samples(
    store: Store, benchmark: str | None, split: str | None, ids: Sequence[str] | None
) -> Sequence[Sample]:
    """Return the samples of a benchmark, a split of it, or these ids; raises InputError if there are none."""
    samples = store.samples(benchmark=benchmark, split=split, ids=ids)
    strangers = sorted(set(ids or ()) - {sample.id for sample in samples})
    if strangers or not samples:
        every = store.samples()
        names = sorted({f"{sample.benchmark} (split {sample.split})" for sample in every})
        what = f"no sample {strangers[0]!r}" if strangers else f"no samples of {benchmark!r}, split {split or 'any'!r}"
        raise InputError(f"{what}; there are {len(every)} samples of {', '.join(names) or 'no benchmark'}")
    return samples


def _tidy_up(work: GraphAccess, runs: Sequence[str]) -> None:
    for run in runs:
        shutil.rmtree(work.folder.manifest(run).parent, ignore_errors=True)
    remove_unused_pictures(work)


@readable
class Wiki:
    """A benchmark made from Wikipedia pages (WikiVQABench), with the origin of each question: ``build``."""

    def __init__(self, access: GraphAccess) -> None:
        self._access = access

    @takes
    def build(
        self,
        file: Path | str,
        *,
        model: ModelOptions | str | None = None,
        guess: ModelOptions | str | None = None,
        chosen: WikiOptions,
    ) -> list[WikiStep]:
        """Make multiple-choice questions about the pictures of pages, and load them as the benchmark ``name``.

        ``file`` is a WIT file (TSV, optionally gzip), or a list of pages or items (Q144), one per line. The steps read
        the pictures and captions, find the Wikidata item of each page, fetch and filter its statements (or read them
        from a ``dump``), and make the questions; the outcome of each is returned. Repeating the call resumes an
        interrupted one. Every answer of Wikimedia is stored, so that nothing is requested twice. Wikimedia requires a
        ``contact``, an e-mail or web address. With two ``hops``, ``evolve`` can continue from the statements.

        Rules, or a ``model``, write at most ``each`` questions per picture. ``guess`` is a model that does not see the
        picture; questions that it answers anyway are left out. If a model writes the questions, it also guesses unless
        ``guess`` is given. ``fetch`` downloads the pictures with author and licence. Raises InputError, DatasetError,
        SourceError, ConfigError and BudgetReached.

        >>> pages = folder / "pages.txt"
        >>> pages.write_text("https://en.wikipedia.org/wiki/Forth_Bridge")
        42
        >>> [step.name for step in work.wiki.build(pages, offline=True)]
        Traceback (most recent call last):
        kbe_graph.errors.SourceError: 1 subjects of 'items' were never looked up ('Forth Bridge'); run it ...
        """
        access = self._access
        check_names(chosen.name, SPLIT)
        steps = [
            read_pictures(access, Path(file), chosen),
            find_items(access, chosen),
            fetch_statements(access, chosen),
        ]

        with open_sessions(access, model, guess) as (writer, guesser):
            return [*steps, make_questions(access, chosen, writer, guesser or writer)]
