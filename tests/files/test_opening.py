"""What is no regular file is never read, and nothing waits for it; what unpacks to far too much is refused at once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hostile_files import MB, NO_FILES, ends_soon, gzip_of

from kbe_graph.config import read_config
from kbe_graph.datasets import read_benchmark
from kbe_graph.datasets.annotations import read_annotations
from kbe_graph.errors import KbeError
from kbe_graph.facts.pack import read_verdicts
from kbe_graph.review.exchange import REVIEW_COLUMNS, read_given
from kbe_graph.scoring.prediction_files import read_predictions
from kbe_graph.store.backup import verify

Reader = Callable[[Path], object]

READERS: dict[str, Reader] = {
    "predictions": lambda file: read_predictions(file, model="m"),
    "benchmark": lambda file: read_benchmark(file, benchmark="b"),
    "captions": lambda file: read_annotations(captions=[file]),
    "scene graphs": lambda file: read_annotations(scene_graphs=[file]),
    "verdicts on facts": read_verdicts,
    "decisions": lambda file: read_given(file, REVIEW_COLUMNS),
    "backup": verify,
    "settings": lambda file: read_config(file.parent),
}


def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("pipe", "device", "folder", "loop"):
        (tmp_path / kind).mkdir()
        monkeypatch.chdir(tmp_path / kind)
        file = tmp_path / kind / "kbe.toml"
        NO_FILES[kind](file)
        for reader, read in READERS.items():
            if (reader, kind) == ("settings", "loop"):
                continue  # a link that leads nowhere is no settings file
            with ends_soon(), pytest.raises(KbeError) as caught:
                read(file)
            assert str(caught.value).startswith(str(file)), (reader, kind)
            assert "\n" not in str(caught.value), (reader, kind)


def test_a_bomb_of_gzip_is_refused_by_each_reader_in_one_line(tmp_path: Path) -> None:
    for content in [b"\x00", b"\n", b'{"a":']:
        file = gzip_of(tmp_path / "a.gz", content * (20 * MB // len(content)))
        assert file.stat().st_size < 200000, content
        for reader in sorted(set(READERS) - {"settings", "backup"}):
            with ends_soon(), pytest.raises(KbeError, match=r"a\.gz.*: ") as caught:
                READERS[reader](file)
            assert "\n" not in str(caught.value), reader
