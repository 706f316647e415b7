from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from commands import kbe_here

from kbe_graph.cli.command_settings import OTHER_SECTIONS
from kbe_graph.cli.main import kbe
from kbe_graph.config import SECTIONS, graph_parts, read_config
from kbe_graph.errors import ConfigError
from kbe_graph.folder import create_folder, open_folder


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    (tmp_path / "kbe.toml").write_text('[graph]\nuri = "neo4j://file"\nusername = "ada"\n')
    parts = graph_parts(read_config(tmp_path), {"NEO4J_URI": "neo4j://env"})
    assert (parts["uri"], parts["username"], parts["database"]) == ("neo4j://env", "ada", "")


def test_a_settings_file_that_is_wrong_is_named(tmp_path: Path) -> None:
    for text in ("[graph\n", "\xff", "[grpah]\nuri = 1\n", "evolve = 3\n", "[evolve]\nhops = " + "[" * 100_000):
        (tmp_path / "kbe.toml").write_bytes(text.encode("latin-1"))
        with pytest.raises(ConfigError, match=r"kbe\.toml"):
            read_config(tmp_path)


def test_a_workspace_is_made_once_and_found_again(tmp_path: Path) -> None:
    create_folder(tmp_path / "w")
    (tmp_path / "w" / "kbe.toml").write_text("[evolve]\nhops = 5\n")
    assert create_folder(tmp_path / "w").config.section("evolve") == {"hops": 5}
    with pytest.raises(ConfigError, match="make one first"):
        open_folder(tmp_path / "other")


def test_a_setting_that_none_reads_or_of_another_type_is_refused(tmp_path: Path) -> None:
    create_folder(tmp_path)
    for text, message in {
        "[evolve]\nhopps = 3": "[evolve]: unknown name 'hopps'; did you mean 'hops'?",
        "[evolv]\nhops = 3": "unknown name 'evolv'; did you mean 'evolve'?",
        '[graph]\nurl = "bolt://x"': "[graph]: unknown name 'url'; did you mean 'uri'?",
        "[evolve]\nhops = 3.7": "[evolve] hops: '3.7' is not a valid integer",
        "[evolve]\nhops = true": "[evolve] hops: 'True' is not a valid integer",
        "[evolve]\nhops = [1]": "[evolve] hops: '[1]' is not a valid integer",
        "[evolve]\nhops = -1": "[evolve] hops: -1 is not in the range",
        "[db]\nport = 1": "[db]: unknown name 'port'",
    }.items():
        (tmp_path / "kbe.toml").write_text(text)
        said = kbe_here("-w", tmp_path, "init", code=1)
        assert message in said
        assert "kbe.toml" in said


def test_a_variable_of_no_option_is_refused(tmp_path: Path) -> None:
    for variable, message in {
        "KBE_EVOLVE_HOPPS": "environment: unknown name 'KBE_EVOLVE_HOPPS'; did you mean 'KBE_EVOLVE_HOPS'?",
        "KBE_EVOLVE_SEED": "environment KBE_EVOLVE_SEED: ",
        "KBE_EXPORT_EVERYTHING": "known names: KBE_EXPORT_ALL",
        "KBE_NOSUCH": "environment: unknown name 'KBE_NOSUCH'; ",
        "KBE_MODLE": "did you mean 'KBE_MODEL'?",
        "KBE_EVOVLE_HOPS": "did you mean 'KBE_EVOLVE_HOPS'?",
    }.items():
        done = CliRunner().invoke(kbe, ["-w", str(tmp_path), "init"], env={variable: "x"})
        assert isinstance(done.exception, ConfigError)
        assert message in str(done.exception)


def test_each_command_has_a_section_and_each_section_a_reader() -> None:
    assert set(kbe.list_commands(click.Context(kbe))) | set(OTHER_SECTIONS) == SECTIONS
