"""Doctor tells each setting and where it came from, hides secrets, and fails where what is set does not work."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import done_here, kbe_here, kept_up
from loopback_server import LoopbackServer, reply_with

from kbe_graph.extras import has_extra

SETTINGS = """
[evolve]
hops = 0
[models]
base_url = "{url}"
model = "loopback"
key = "sk-secret"
[models.judge]
model = "other"
headers = {{ "X-Key" = "hidden-too" }}
[filters]
shared_families = ["place", "part"]
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty workspace whose engine is kept up; each test writes the settings that it is about."""
    folder = tmp_path_factory.mktemp("doctor")
    kbe_here("-w", folder, "init")
    with kept_up(folder):
        yield folder


def doctor(folder: Path, *more: str, code: int = 0, **variables: str) -> dict[str, dict[str, object]]:
    """Return what doctor found, by what it looked at."""
    done = done_here("-w", folder, "doctor", "--json", *more, **variables)
    assert done.code == code, done.err + done.out
    return {finding["what"]: finding for finding in json.loads(done.out)}


def test_each_setting_tells_its_origin_and_secrets_are_hidden(place: Path) -> None:
    with LoopbackServer(otherwise=lambda _: reply_with("hello")) as server:
        (place / "kbe.toml").write_text(SETTINGS.format(url=server.url))
        found = doctor(place, KBE_EVOLVE_SEED="7", KBE_SPACY_MODEL="none", KBE_CONTACT="me@example.org")
    origins = {what: (finding["value"], finding["origin"]) for what, finding in found.items()}
    file = place / "kbe.toml"
    assert origins["evolve hops"] == ("0", f"{file} [evolve]")
    assert origins["evolve seed"] == ("7", "environment KBE_EVOLVE_SEED")
    assert origins["KBE_CONTACT"] == ("me@example.org", "environment KBE_CONTACT")
    assert origins["workspace"] == (str(place), "flag -w")
    assert origins["filters shared_families"] == ("place, part", f"{file} [filters]")
    assert origins["models key"] == ("(set)", f"{file} [models]")
    assert "sk-secret" not in str(found)
    assert "hidden-too" not in str(found)
    assert not [finding for finding in found.values() if "{" in str(finding["value"])]
    assert str(found["parser"]["value"]).startswith("no English model: captions are read without")
    assert str(found["graph"]["value"]).startswith("works: no samples; 0 runs")
    assert str(found["model"]["value"]).startswith("works: loopback answers 'hello'")
    assert str(found["model of step judge"]["value"]).startswith("works: other answers 'hello'")


def test_what_is_set_and_does_not_work_is_an_error(place: Path) -> None:
    (place / "kbe.toml").write_text("")
    found = doctor(place)
    assert all(finding["works"] for finding in found.values())
    assert not [what for what in found if what.startswith("model ") or what == "model"]
    assert found["extra parquet"]["value"] == "installed"
    assert "pip install 'kbe-graph[ray]'" in str(found["extra ray"]["value"]) or has_extra("ray")
    model = ("--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    found = doctor(place, *model, code=1, KBE_SPACY_MODEL="nosuch")
    failing = [what for what, finding in found.items() if not finding["works"]]
    assert failing == ["parser", "model"]
    assert "http://127.0.0.1:9/v1 does not answer (Connection refused)" in str(found["model"]["value"])
    found = doctor(place / "none", code=1)
    assert str(found["graph"]["value"]).startswith("fails: no workspace at")
