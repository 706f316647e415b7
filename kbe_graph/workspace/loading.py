"""Loading of benchmarks into the graph of a workspace."""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from kbe_graph.config import contact_setting
from kbe_graph.errors import InputError
from kbe_graph.graph_access import GraphAccess
from kbe_graph.types import Sample
from kbe_graph.workspace.verbs import LoadOptions

_EXAMPLES = 3


class Loaded(NamedTuple):
    """A loaded benchmark: the number of samples, the format of the file, and the number of new samples.

    ``missing_images`` and ``outside_images`` list each missing image, and each image outside the image folders, once;
    images outside are never read. ``fields`` are the columns that were read, by field, and ``left_over`` the other
    columns. ``answers`` counts how answers were written: as ``text``, by ``letter`` or by ``number``. ``notes`` count
    what was left out or changed. ``examples`` are the first samples as they will be asked. ``not_fetched`` gives the
    reason for each address without a picture.
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


def load_benchmark(work: GraphAccess, data: object, options: LoadOptions) -> Loaded:
    """Read a benchmark from a file, shards or rows, and save its samples; raises as ``Workspace.load``."""
    from kbe_graph.datasets import read_benchmark
    from kbe_graph.datasets.picture import PictureFetch
    from kbe_graph.files.http import WebSettings
    from kbe_graph.files.records import data_files, set_name

    files = data_files(Path(data)) if isinstance(data, Path | str) else ()
    if not files and not options.name:
        raise InputError("rows have no file name; give the benchmark a name with `name`")
    folder, images, web = work.folder, options.images, None
    if options.fetch:
        web = WebSettings(contact_setting(folder.config, os.environ, options.contact), options.local_hosts)
    with work.reporter as reporter, ExitStack() as waiting:
        waiting.enter_context(reporter.waiting(f"reading {files[0].name if files else type(data).__name__}"))

        def progress(stage: str, done: int, total: int) -> None:
            waiting.close()
            reporter(stage, done, total)

        fetch = PictureFetch(folder.picture_ledger, folder.saved_images, web, progress)
        benchmark = read_benchmark(
            data,
            benchmark=options.name or set_name(files),
            split=options.split,
            format=options.format,
            columns=options.columns,
            annotations=options.annotations,
            images=images,
            save_images=folder.saved_images,
            fetch=fetch,
        )
        waiting.close()
        before = work.store.count_samples()
        work.store.save_samples(benchmark.samples, progress=reporter)
    folder.remember_images(*(place for place in (images, files[0].parent if files else None) if place is not None))
    reading = benchmark.reading
    return Loaded(
        *(len(benchmark.samples), benchmark.format, benchmark.missing_images, benchmark.outside_images),
        new=work.store.count_samples() - before,
        fields=reading.fields,
        left_over=reading.left_over,
        answers=dict(reading.answers),
        notes=dict(reading.notes),
        examples=benchmark.samples[:_EXAMPLES],
        not_fetched=fetch.problems,
    )
