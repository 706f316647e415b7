"""What ``pip install kbe-graph`` does by itself, and what it says where an extra is needed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from base_install import PROJECT, make_base_install
from commands import done_each, environment
from loopback_server import LoopbackServer, reply_with
from model_cases import answer_step, write_benchmark
from openpyxl import Workbook
from packaging.requirements import Requirement

from kbe_graph.extras import EXTRAS

pytestmark = [pytest.mark.long, pytest.mark.ci]
FIGURES = (
    "figures cannot be drawn, and some tests, trends and scales not computed without krippendorff and matplotlib and "
    "scipy and statsmodels; run: pip install 'kbe-graph[figures]'"
)
PARQUET = "Parquet files cannot be read or written without pyarrow; run: pip install 'kbe-graph[parquet]'"


class BaseInstall:
    """The package without any extra, and a workspace ``W`` beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = make_base_install(folder / "venv")

    def run(self, *arguments: object, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python with the arguments, and return how it ended: with this exit code."""
        done = subprocess.run(
            [self.python, *map(str, arguments)],
            cwd=self.folder,
            env=environment() | {"XDG_CACHE_HOME": os.devnull} | variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def kbe(self, *arguments: object, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run ``kbe`` on the workspace."""
        return self.run("-m", "kbe_graph", "-w", "W", *arguments, code=code, **variables)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BaseInstall]:
    """The samples evolved by one hop and a model evaluated on them, all by the base install."""
    base = BaseInstall(tmp_path_factory.mktemp("base"))
    base.kbe("init")
    base.kbe("db", "start")
    base.kbe("load", write_benchmark(base.folder), "--name", "own", "--split", "val", "--images", base.folder)
    with LoopbackServer(otherwise=answer_step) as server:
        model = ("--base-url", server.url, "--model", "loopback")
        base.kbe("extract", "--by", "model", "--mode", "paper", *model)
        base.kbe("evolve", "--run", "model", "--hops", "1")
    yield base
    base.kbe("db", "stop")


def test_the_base_install_lacks_the_packages_of_every_extra(base: BaseInstall) -> None:
    code = "import json, kbe_graph.extras as e; print(json.dumps({name: e.missing_line(name) for name in e.EXTRAS}))"
    lines = json.loads(base.run("-c", code).stdout)
    for name, (_, packages) in EXTRAS.items():
        assert lines[name].endswith(f" without {' and '.join(packages.values())}; run: pip install 'kbe-graph[{name}]'")


def test_all_has_every_extra_that_works_on_one_machine_and_needs_no_old_version() -> None:
    (everything,) = map(Requirement, PROJECT["optional-dependencies"]["all"])
    assert {*EXTRAS, "fast"} - everything.extras == {"local", "ray"}


def test_a_model_is_evaluated_without_extras_and_what_is_left_out_is_said_once(base: BaseInstall) -> None:
    with LoopbackServer(otherwise=reply_with("savanna")) as server:
        asked = ("evaluate", "--base-url", server.url, "--model", "subject")
        whole, lacking = base.kbe(*asked), base.kbe(*asked, "--json")
    assert "model\tvariant\traw\thop 1\n" in whole.stdout
    assert "warning" not in whole.stderr
    assert [json.loads(line)["warning"] for line in lacking.stderr.splitlines() if "warning" in line] == [FIGURES]
    audited = base.kbe("audit", "--run", "model", code=1)  # something fails
    assert "figures" not in audited.stderr
    assert "the extra `figures` is missing: pip install" in audited.stdout


NEEDING: list[tuple[tuple[str, ...], str]] = [
    (("report", "other.html", "--run", "model", "--guess", "off", "--figures", "drawn"), FIGURES),
    (("guess", "--run", "model"), "'guess' needs scikit-learn; run: pip install 'kbe-graph[guess]'"),
    (("stats", "link", "one", "two"), f"'stats link' needs {FIGURES.partition(' without ')[2]}"),
    (("export", "lmms-eval", "tasks", "--run", "model"), PARQUET),
    (("load", "table.parquet", "--name", "table", "--split", "val"), PARQUET),
    (
        ("evaluate", "--predictions", "answers.xlsx", "--model", "subject", "--run", "model"),
        "workbooks (.xlsx) cannot be read without openpyxl; run: pip install 'kbe-graph[excel]'",
    ),
    (
        ("evolve", "--run", "far", "--ray", "local"),
        "Ray clusters cannot be used without ray; run: pip install 'kbe-graph[ray]'",
    ),
]


def test_what_needs_an_extra_says_so_in_one_line(base: BaseInstall) -> None:
    workbook = Workbook()
    workbook.active.append(["question_id", "answer"])
    workbook.save(base.folder / "answers.xlsx")
    (base.folder / "table.parquet").write_bytes(b"PAR1" * 8)
    before = {*base.folder.iterdir()}
    commands = [("-w", "W", *arguments) for arguments, _ in NEEDING]
    done = done_each(base.python, *commands, folder=base.folder, XDG_CACHE_HOME=os.devnull)
    assert [(1, f"error: {line}\n") for _, line in NEEDING] == [(each.code, each.err) for each in done]
    assert {*base.folder.iterdir()} == before


def test_a_package_that_fails_on_import_costs_a_line_and_no_command(demo_kept_up: Path, tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"id": "demo/demo/183709-country@raw/0", "answer": "Italy"}\n')
    for module in {module for _, packages in EXTRAS.values() for module in packages}:
        broken = tmp_path / module / module
        broken.mkdir(parents=True)
        (broken / "__init__.py").write_text("raise ImportError('numpy.core failed')\n")
        lines = ("status", "report r.html", "stats", f"export all {module}/out", "export jsonl q.jsonl", "guess")
        lines = (
            *lines,
            "evaluate --predictions answers.jsonl --model m",
            f"load {module}.csv --images .",
            "facts Rome",
        )
        (tmp_path / f"{module}.csv").write_text("question,answer,image\nWhat is it?,dog,1.png\n")
        commands = [("-w", demo_kept_up, *line.split()) for line in lines]
        ended = done_each(sys.executable, *commands, folder=tmp_path, PYTHONPATH=str(broken.parent))
        for line, done in zip(lines, ended, strict=True):
            assert done.code == (line == "guess" and module in {"sklearn", "scipy"}), (module, line, done)
            assert "bug" not in done.err, (module, line, done)
