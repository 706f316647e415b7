from pathlib import Path

import pytest

from kbe_graph.config import graph_settings, read_config
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
    with pytest.raises(ConfigError, match="kbe -w"):
        open_folder(tmp_path / "other")
