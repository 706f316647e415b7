"""``[prompts] folder``: one's own prompts in place of the packaged ones."""

from pathlib import Path

import pytest

from kbe_graph.config import read_config
from kbe_graph.errors import InputError
from kbe_graph.steps.prompt import own_prompts, prompt_hash, prompt_turns

OPENING = "Name facts of the answer, in my own words."
KNOWLEDGE = f"""\
## system
{OPENING}

## user
Question: <<<What is it?>>>
Answer: <<<oboe>>>

## assistant
Facts: (OBOE, has reed, DOUBLE REED)

## user
Question: $question
Answer: $answer
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
    (place / "mine" / "knowledge.md").write_text(KNOWLEDGE)
    book = read(place)
    assert prompt_turns("knowledge", book)[0].text == OPENING
    assert prompt_hash("knowledge", book) != prompt_hash("knowledge")
    assert prompt_hash("express", book) == prompt_hash("express")
    assert read(place, KBE_PROMPTS=str(place / "mine")) == book
    assert own_prompts(read_config(place / "mine"), {}) is None


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("knowlege.md", KNOWLEDGE, "unknown name 'knowlege.md'; did you mean 'knowledge.md'?"),
        ("knowledge.md", KNOWLEDGE.replace("Chain: $chain\n", ""), "knowledge.md: its last user section must have"),
        ("knowledge.md", "Name a fact of $answer.", "knowledge.md must be '## system', '## user'"),
        ("manual.md", "# Data\nAll is data.", "manual.md has no section"),
    ],
)
def test_what_is_wrong_with_a_prompt_is_told_before_anything_is_asked(
    place: Path, name: str, text: str, said: str
) -> None:
    (place / "mine" / name).write_text(text)
    with pytest.raises(InputError) as error:
        read(place)
    assert said in str(error.value)
