"""What is a key, how it is hidden, and what must not be taken for one; addresses that hold a login."""

import json
import os
from pathlib import Path

import pytest
from commands import done_here
from echoes import KEY, leaks

import kbe_graph as kbe
from kbe_graph.config import Config
from kbe_graph.errors import ConfigError
from kbe_graph.facts.wikidata.wikidata import WikidataSettings
from kbe_graph.folder import create_folder
from kbe_graph.models import CallStore, ModelBook, Request, run
from kbe_graph.models.batch import FileModel
from kbe_graph.secret import Secrets, bare_address, is_secret, named_secrets, secrets_in

PLACEHOLDERS = ("", "x", "none", "None", "EMPTY", "test", "dummy", "token", "not-needed", "no-key-required", "anything")
LOGINS = (
    "http://me:S3cr3t.Pw@host/v1",
    "http://S3cr3t.Pw@host/v1",
    "https://me:S3cr3t.Pw/with/slashes@host:8000/v1",
    "http://me:S3cr3t.Pw%40x@host",
    "//me:S3cr3t.Pw@host",
    "me:S3cr3t.Pw@host",
    "neo4j+s://me:S3cr3t.Pw@host:7687",
    "http://host/v1?key=S3cr3t.Pw",
    "http://host/v1?x=1&api_key=S3cr3t.Pw&y=2",
)


def test_a_secret_is_hidden_as_text_and_json_write_it() -> None:
    for secret in (KEY, "sk-1234567890", "s3cret", "pässwörd-7", "correct-horse-battery-staple", "9" * 16):
        secrets = Secrets([secret])
        for written in (secret, json.dumps({"a": secret})):
            hidden = secrets.hide(f"é {written}!")
            assert leaks(hidden.encode(), secret) == [], written
            assert hidden.startswith("é ")
        assert secrets.hide(b"\xff" + secret.encode() + b"\xfe") == b"\xff[key]\xfe"
        assert secret not in repr(secrets)


def test_a_key_that_any_reply_may_hold_is_none() -> None:
    for value in (*PLACEHOLDERS, "123456789012345", "elephant", "Butterfly", "the quick brown fox"):
        assert not is_secret(value), value
        reply = f"a {value} is seen, none is a token for testing, not needed, 123456789012345 elephants"
        assert Secrets([value]).hide(reply) == reply


def test_the_secrets_of_headers_and_body_are_told_by_name() -> None:
    headers = {
        "Authorization": "Bearer S3cr3t.Pw",
        "Cookie": "session=0af1c2; theme=dark",
        "X-Title": "Visual question answering",
    }
    body = {
        "models": ["openai/gpt-4o-2024-08-06"],
        "max_tokens": 5,
        "prompt_cache_key": "own-run-1",
        "x": {"api_key": KEY},
    }
    hidden = Secrets(secrets_in(headers))
    assert hidden.hide("S3cr3t.Pw 0af1c2") == "[key] [key]"
    assert hidden.hide("Visual question answering: a dark theme") == "Visual question answering: a dark theme"
    assert list(secrets_in(body)) == [KEY, KEY]
    assert named_secrets(body) == ["x.api_key"]


def test_an_address_is_shown_without_its_login() -> None:
    for address in LOGINS:
        bare = bare_address(address)
        assert "***" in bare, address
        assert "S3cr3t" not in bare, address
        assert bare_address(bare) == bare, address


def test_an_address_with_a_login_is_refused_without_it() -> None:
    for address in LOGINS:
        for use in [
            lambda address: ModelBook({"base_url": address, "model": "m"}, environ={}).settings_for("s"),
            lambda address: kbe.Address(address, "neo4j", "other-word-1"),
            lambda address: WikidataSettings(endpoint=address),
        ]:
            with pytest.raises(
                ConfigError, match=r"contains a login or a key, which an address must not; .*"
            ) as refused:
                use(address)
            assert "S3cr3t" not in str(refused.value), (address, use)


ADDRESS = LOGINS[0]
OWN = ("evaluate", "--model", "m", "--run", "demo-0")
GRAPH = "neo4j://me:S3cr3t.Pw@127.0.0.1:9"


@pytest.mark.parametrize(
    ("arguments", "variables", "settings", "way_out"),
    [
        ((*OWN, "--base-url", ADDRESS), {}, "", "KBE_API_KEY"),
        (OWN, {}, f'[models.answer]\nmodel = "m"\nbase_url = "{ADDRESS}"', "KBE_API_KEY"),
        (("status",), {"NEO4J_URI": GRAPH}, "", "NEO4J_PASSWORD"),
        (("evolve", "--knowledge", "wikidata"), {"KBE_ENDPOINT": ADDRESS}, "", "remove it"),
    ],
)
def test_each_place_of_an_address_is_looked_at_and_the_doctor_shows_no_login(
    demo_kept_up: Path, arguments: tuple[str, ...], variables: dict[str, str], settings: str, way_out: str
) -> None:
    workspace = demo_kept_up
    (workspace / "kbe.toml").write_text(settings)
    done = done_here("--debug", "-w", workspace, *arguments, **variables)
    assert (done.code, done.out) == (1, "")
    assert way_out in done.err.splitlines()[-1]
    doctor = done_here("-w", workspace, "doctor", **variables)
    as_json = done_here("-w", workspace, "doctor", "--json", "--model", "m", **variables)
    assert "S3cr3t" not in str((done, doctor, as_json))


def test_a_key_in_the_body_goes_into_no_batch_file(tmp_path: Path) -> None:
    book = ModelBook({"base_url": "http://127.0.0.1:9/v1", "model": "m", "body": {"api_key": KEY}}, environ={})
    store = CallStore(tmp_path / "calls.sqlite")
    with pytest.raises(ConfigError, match=r"\[models\] body 'api_key' would be stored in a batch file"):
        run(FileModel(book, store, tmp_path).ask(Request("s", (("user", "hello"),))))
    store.close()


def test_what_holds_a_key_does_not_show_it(tmp_path: Path) -> None:
    (tmp_path / "kbe.toml").write_text(
        f"[models]\nkey = '{KEY}'\nheaders = {{ X = '{KEY}' }}\nbody = {{ x = '{KEY}' }}\n"
    )
    folder = create_folder(tmp_path)
    settings = ModelBook(folder.config.section("models") | {"model": "m"}, environ={}).settings_for("s")
    options = kbe.ModelOptions("m", api_key=KEY)
    work = kbe.Workspace(tmp_path, address=kbe.Address("bolt://127.0.0.1:9", "neo4j", KEY))
    holders = (
        folder,
        folder.config,
        settings,
        options,
        settings.secrets,
        work,
        work.address,
        Config(tmp_path),
    )
    assert leaks(repr(holders).encode(), KEY) == []
    assert (tmp_path / "kbe.toml").exists()


def test_a_workspace_is_its_owners_alone(tmp_path: Path) -> None:
    umask = os.umask(0)
    try:
        folder = create_folder(tmp_path / "w")
        CallStore(folder.hidden / "calls.sqlite").close()
        files = [folder.hidden, *folder.hidden.iterdir(), folder.config.file]
        assert [file for file in files if file.stat().st_mode & 0o077] == []
    finally:
        os.umask(umask)
