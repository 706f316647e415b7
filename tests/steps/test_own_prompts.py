"""``[prompts] folder``: one's own prompts in place of the packaged ones."""

from pathlib import Path

import pytest

from kbe_graph.config import read_config
from kbe_graph.errors import InputError
from kbe_graph.steps.prompt import own_prompts, prompt_hash, prompt_turns

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
    return own_prompts(read_config(place), environ)


def test_a_file_stands_in_for_the_packaged_prompt_of_its_name_and_all_others_stay(place: Path) -> None:
    (place / "mine" / "hop.md").write_text(HOP)
    book = read(place)
    assert prompt_turns("hop", book)[0].text == OPENING
    assert prompt_hash("hop", book) != prompt_hash("hop")
    assert prompt_hash("knowledge", book) == prompt_hash("knowledge")
    assert read(place, KBE_PROMPTS=str(place / "mine")) == book
    assert own_prompts(read_config(place / "mine"), {}) is None


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("hopp.md", HOP, "unknown name 'hopp.md'; did you mean 'hop.md'?"),
        ("hop.md", HOP.replace("Chain: $chain\n", ""), "hop.md: its last user section must have $asked"),
        ("hop.md", "Name a fact of $answer.", "hop.md must be '## system', '## user'"),
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
