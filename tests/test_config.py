from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from commands import kbe_here

from kbe_graph.cli.command_settings import OTHER_SECTIONS
from kbe_graph.cli.main import kbe
from kbe_graph.config import SECTIONS, graph_settings, read_config
from kbe_graph.errors import ConfigError
from kbe_graph.folder import create_folder, open_folder


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "kbe.toml").write_text('[graph]\nuri = "neo4j://file"\nusername = "ada"\n')
    found = {one.name: one for one in graph_settings(read_config(tmp_path), {"NEO4J_URI": "neo4j://env"})}
    assert found["uri"].value == "neo4j://env"
    assert found["uri"].origin == "environment NEO4J_URI"
    assert found["username"].value == "ada"
    assert found["database"].origin == "default"


@pytest.mark.parametrize("text", ["[graph\n", "\xff", "[grpah]\nuri = 1\n", "evolve = 3\n"])
def test_a_settings_file_that_is_wrong_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "kbe.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError, match=r"kbe\.toml"):
        read_config(tmp_path)


def test_a_workspace_is_made_once_and_found_again(tmp_path: Path) -> None:
    create_folder(tmp_path / "w")
    (tmp_path / "w" / "kbe.toml").write_text("[evolve]\nhops = 5\n")
    assert create_folder(tmp_path / "w").config.section("evolve") == {"hops": 5}
    with pytest.raises(ConfigError, match="make one first"):
        open_folder(tmp_path / "other")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[evolve]\nhopps = 3", "[evolve]: unknown name 'hopps'; did you mean 'hops'?"),
        ("[evolv]\nhops = 3", "unknown name 'evolv'; did you mean 'evolve'?"),
        ('[graph]\nurl = "bolt://x"', "[graph]: unknown name 'url'; did you mean 'uri'?"),
        ("[lexicon]\nfoo = 1", "unknown name 'lexicon'"),
        ("[evolve]\nhops = 3.7", "[evolve] hops is 3.7; it must be a whole number"),
        ("[evolve]\nhops = true", "[evolve] hops is True; it must be a whole number"),
        ("[evolve]\nhops = [1]", "[evolve] hops is [1]; it must be a whole number"),
        ("[evolve]\nhops = -1", "[evolve] hops: -1 is not in the range"),
        ('[export]\nrun = "x"', "[export]: unknown name 'run'"),
    ],
)
def test_a_setting_that_none_reads_or_of_another_type_is_refused(tmp_path: Path, text: str, message: str) -> None:
    create_folder(tmp_path)
    (tmp_path / "kbe.toml").write_text(text)
    said = kbe_here("-w", tmp_path, "init", code=1)
    assert message in said
    assert "kbe.toml" in said


def test_settings_that_are_documented_are_taken(tmp_path: Path) -> None:
    create_folder(tmp_path)
    (tmp_path / "kbe.toml").write_text(
        '[export.jsonl]\nrun = "x"\n[status]\njson = true\n[facts]\noffline = true\n[extract]\ncaptions = ["a"]\n'
    )
    kbe_here("-w", tmp_path, "init")


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("KBE_EVOLVE_HOPPS", "1", "environment: unknown name 'KBE_EVOLVE_HOPPS'; did you mean 'KBE_EVOLVE_HOPS'?"),
        ("KBE_EVOLVE_SEED", "x", "environment KBE_EVOLVE_SEED: "),
        ("KBE_LOAD_FORMAT_", "okvqa", "did you mean 'KBE_LOAD_FORMAT'?"),
        ("KBE_EXPORT_JSONL_EVERYTHING", "1", "did you mean 'KBE_EXPORT_JSONL_RUN'? known names: KBE_EXPORT_ALL"),
        ("KBE_STATUS_AS_JSON", "1", "did you mean 'KBE_STATUS_JSON'?"),
        ("KBE_NOSUCH", "1", "environment: unknown name 'KBE_NOSUCH'; "),
        ("KBE_MODLE", "m", "did you mean 'KBE_MODEL'?"),
        ("KBE_EVOVLE_HOPS", "1", "did you mean 'KBE_EVOLVE_HOPS'?"),
    ],
)
def test_a_variable_of_no_option_is_refused(tmp_path: Path, variable: str, value: str, message: str) -> None:
    done = CliRunner().invoke(kbe, ["-w", str(tmp_path), "init"], env={variable: value})
    assert isinstance(done.exception, ConfigError)
    assert message in str(done.exception)


@pytest.mark.parametrize("variable", ["KBE_QUERY_JSON", "KBE_MY_KEY", "KBE_TEST_ENGINES"])
def test_a_variable_is_named_as_its_option_is_or_as_the_file_says(tmp_path: Path, variable: str) -> None:
    create_folder(tmp_path)
    (tmp_path / "kbe.toml").write_text('[models.judge]\nkey = "$KBE_MY_KEY"\n')
    done = CliRunner().invoke(kbe, ["-w", str(tmp_path), "query"], env={variable: "1"})
    assert done.exception is None
    assert done.output.startswith("[" if variable == "KBE_QUERY_JSON" else "about\tname\t")


def test_settings_that_are_nested_too_deep_are_told(tmp_path: Path) -> None:
    (tmp_path / "kbe.toml").write_text("[evolve]\nhops = " + "[" * 100_000)
    with pytest.raises(ConfigError, match=r"kbe\.toml: not a TOML file"):
        read_config(tmp_path)


def test_each_command_has_a_section_and_each_section_a_reader() -> None:
    assert set(kbe.list_commands(click.Context(kbe))) | set(OTHER_SECTIONS) == SECTIONS
