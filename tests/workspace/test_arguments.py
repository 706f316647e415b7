"""Numbers and names given in Python are held to the bounds of the command line, before any work."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kbe_graph as kbe
from kbe_graph.errors import ConfigError

CALLS: tuple[tuple[str, Callable[[Any], object], str], ...] = (
    ("no samples", lambda work: work.extract(sample=0), "sample is 0; it must be a whole number of 1 or more"),
    ("an empty study", lambda work: work.review.new_study(number=0), "number is 0"),
    ("a run of no hops", lambda work: work.evolve(hops=-1), "hops is -1; it must be a whole number of 0 or more"),
    (
        "a maker that is none",
        lambda work: work.evolve(wording="x"),
        "wording is 'x'; it must be one of 'rule', 'model'",
    ),
    ("a mode that is none", lambda _: kbe.ModelOptions(mode="x"), "mode is 'x'; it must be one of 'paper', 'merged'"),
    ("a runner that is none", lambda _: kbe.ModelOptions(runner="x"), "runner is 'x'; it must be one of 'direct'"),
    ("a demand that is none", lambda _: kbe.ModelOptions(ground="x"), "ground is 'x'; it must be one of 'require'"),
    ("calls below zero", lambda _: kbe.ModelOptions(max_calls=-1), "max_calls is -1; it must be a whole number"),
    ("a budget of text", lambda _: kbe.ModelOptions(budget="x"), "budget is 'x'; it must be a number of 0 or more"),
    (
        "files beside a model",
        lambda work: work.extract(model="m", captions="c.tsv"),
        "takes only boxes of things",
    ),
    (
        "annotations of a table",
        lambda work: work.load([{"question": "What?", "answer": "a"}], name="b", annotations="a.json"),
        "table has its answers in the file itself; leave out",
    ),
    ("captions that are no file", lambda work: work.extract(captions={"a": "a dog"}), "found 'dict'; write what it"),
    ("a name that is none", lambda work: work.evolve(hop=1), "did you mean 'hops'?"),
)


def test_a_value_out_of_bounds_is_refused_before_any_work(tmp_path: Path) -> None:
    with kbe.Workspace(tmp_path / "W", progress=False) as work:
        for name, call, said in CALLS:
            with pytest.raises(kbe.InputError) as refused:
                call(work)
            assert said in str(refused.value), name
    assert not (tmp_path / "W" / ".kbe" / "graph").exists(), "no engine was started"


def test_a_pipe_or_a_device_among_a_workspace_s_files_is_refused(tmp_path: Path) -> None:
    names = (
        "review.tsv",
        ".kbe/calls.sqlite",
        ".kbe/image_folders.txt",
        ".kbe/engine.password",
        ".kbe/runs/r/run.json",
    )
    for number, name in enumerate(names):
        folder = tmp_path / str(number)
        kbe.Workspace(folder)
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if number % 2:
            os.mkfifo(folder / name)
        else:
            (folder / name).symlink_to("/dev/zero")
        with pytest.raises(ConfigError, match=rf"{Path(name).name}' is a pipe or a device"):
            kbe.Workspace(folder)
