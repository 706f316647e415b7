"""``[prompts] folder``: one's own prompts in place of the packaged ones."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import kbe_here, kept_up
from loopback_server import LoopbackServer
from model_cases import ANSWERS, answer_step, steps_asked, write_benchmark

from kbe_graph.config import read_config
from kbe_graph.errors import InputError
from kbe_graph.steps.prompt import PACKAGED, prompt_hash, prompt_turns, read_prompts

OPENING = "Name facts of the answer, in my own words."
HOP = f"""\
## system
{OPENING}

## user
Question: <<<What is it?>>>
Answer: <<<oboe>>>

## assistant
Facts: (OBOE, has reed, DOUBLE REED)

## user
$asked
Chain: $chain
Language: $language
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace folder whose settings name a folder of prompts, in which nothing is yet."""
    (tmp_path / "kbe.toml").write_text('[prompts]\nfolder = "mine"\n')
    (tmp_path / "mine").mkdir()
    return tmp_path


def read(place: Path, **environ: str):
    return read_prompts(read_config(place), environ)


def test_a_file_stands_in_for_the_packaged_prompt_of_its_name_and_all_others_stay(place: Path) -> None:
    (place / "mine" / "hop.md").write_text(HOP)
    book = read(place)
    assert prompt_turns("hop", book)[0].text == OPENING
    assert prompt_hash("hop", book) != prompt_hash("hop")
    assert prompt_hash("knowledge", book) == prompt_hash("knowledge")
    assert read(place, KBE_PROMPTS=str(place / "mine")) == book
    assert read_prompts(read_config(place / "mine"), {}) == PACKAGED


def test_a_manual_of_ones_own_is_told_in_every_prompt(place: Path) -> None:
    own = (Path(__file__).parents[2] / "prompts" / "manual.md").read_text()
    (place / "mine" / "manual.md").write_text(own.replace("You work on a benchmark", "You build a benchmark"))
    assert prompt_turns("hop", read(place))[0].text.startswith("You build a benchmark")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hopp.md", HOP, "unknown name 'hopp.md'; did you mean 'hop.md'?"),
        ("hop.txt", HOP, "unknown name 'hop.txt'; did you mean 'hop.md'?"),
        ("hop.md", HOP.replace("Chain: $chain\n", ""), "hop.md: its last user section must have $asked"),
        (
            "hop.md",
            HOP.replace("$language", "$language, $tone"),
            "hop.md: its last user section must have $asked",
        ),
        ("hop.md", f"{HOP}It costs $ 5.\n", "hop.md: its last user section must have $asked"),
        ("hop.md", "", "hop.md must be '## system', '## user'"),
        ("hop.md", "Name a fact of $answer.", "hop.md must be '## system', '## user'"),
        ("hop.md", f"## system\n$manual: Wisdom\n{HOP}", "manual.md has no section 'Wisdom'"),
        ("manual.md", "# Data\nAll is data.", "manual.md has no section 'What a triplet is'"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_told_before_anything_is_asked(
    place: Path, name: str, text: str, said: str
) -> None:
    (place / "mine" / name).write_text(text)
    with pytest.raises(InputError) as error:
        read(place)
    assert said in str(error.value)


def test_a_folder_that_is_not_there_is_refused(place: Path) -> None:
    with pytest.raises(InputError, match=r"no folder '.*elsewhere' of prompts; create it"):
        read(place, KBE_PROMPTS=str(place / "elsewhere"))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Path]:
    """A workspace with the samples of the scripted model."""
    file = write_benchmark(tmp_path)
    kbe_here("-w", tmp_path, "init")
    with kept_up(tmp_path):
        kbe_here("-w", tmp_path, "load", file, "--images", tmp_path)
        yield tmp_path


def test_a_model_is_asked_in_ones_own_words_which_are_part_of_the_run(workspace: Path) -> None:
    with LoopbackServer(otherwise=answer_step) as server:
        model = ("--base-url", server.url, "--model", "loopback")
        kbe_here("-w", workspace, "extract", "--by", "model", *model)
        evolve = ("-w", workspace, "evolve", "--run", "r", "--hops", "1", "--mode", "merged", "--blind", "off", *model)
        kbe_here(*evolve)
        assert steps_asked(server.requests)["hop"] == len(ANSWERS)
        with (workspace / "kbe.toml").open("a") as stream:
            stream.write('[prompts]\nfolder = "mine"\n')
        (workspace / "mine").mkdir()
        (workspace / "mine" / "hop.md").write_text(HOP)
        assert "made with different settings (prompts)" in kbe_here(*evolve, code=1)
        kbe_here(*evolve, "--run", "mine")
        hops = [request for request in server.requests if "\nLanguage: English" in request.text]
        assert [request.json["messages"][0]["content"] for request in hops] == [OPENING] * len(ANSWERS)
        kbe_here(*evolve, "--run", "mine")
        assert steps_asked(server.requests)["hop"] == 2 * len(ANSWERS)
    manifest = json.loads((workspace / ".kbe" / "runs" / "mine" / "run.json").read_text())
    book = read(workspace)
    assert manifest["settings"]["prompts"].split(", ")[0] == prompt_hash("hop", book)
    lines = kbe_here(
        "-w", workspace, "query", "--cypher", "MATCH (q:Question {run: 'mine'}) RETURN q.provenance", "--json"
    )
    assert prompt_hash("hop", book) in lines
