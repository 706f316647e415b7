"""One's own prompts in place of the packaged ones: looked through whole before any call is made."""

from collections.abc import Mapping
from pathlib import Path
from string import Template

from kbe_graph.config import Config, prompts_folder, refuse_stranger
from kbe_graph.errors import ConfigError
from kbe_graph.files.opening import read_text
from kbe_graph.files.resources import prompt_names
from kbe_graph.steps.prompt import MANUAL, PACKAGED, PromptBook, prompt_turns


def read_prompts(config: Config, environ: Mapping[str, str]) -> PromptBook:
    """Return the prompts that a workspace asks with: those of its folder (``[prompts]``), the packaged ones else.

    Raises ConfigError for a folder that is not there, a file that no step asks with, and a place that is missing or
    that nothing fills, and ResourceError for a file without the sections that a prompt has.
    """
    folder = prompts_folder(config, environ)
    if folder is None:
        return PACKAGED
    if not folder.is_dir():
        raise ConfigError(
            f"no folder {str(folder)!r} of prompts; make it, or take [prompts] folder out of {config.file}"
        )
    files = sorted(file for file in folder.iterdir() if not file.name.startswith("."))
    for file in files:
        refuse_stranger(str(folder), file.name, [f"{name}.md" for name in prompt_names()])
    book = PromptBook(tuple((file.stem, _text(file)) for file in files), str(folder))
    for name in prompt_names():
        if name != MANUAL:
            _check_places(name, book)
    return book


def _text(file: Path) -> str:
    try:
        return read_text(file)
    except OSError as error:
        raise ConfigError(
            f"{file}: cannot be read ({error.strerror}); write the prompt into a file, or delete it"
        ) from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: cannot be read as text ({error}); write it as UTF-8") from None


def _check_places(name: str, book: PromptBook) -> None:
    """Raise ConfigError unless the task of a prompt has exactly the places of the packaged one."""
    own, packaged = (Template(prompt_turns(name, prompts)[-1].text) for prompts in (book, PACKAGED))
    present, wanted = set(own.get_identifiers()), set(packaged.get_identifiers())
    places = ", ".join(f"${place}" for place in packaged.get_identifiers())
    if missing := sorted(wanted - present):
        raise ConfigError(f"{book.place(name)}: no ${missing[0]} in its last user section; there must be {places}")
    if strangers := sorted(present - wanted):
        raise ConfigError(f"{book.place(name)}: nothing fills ${strangers[0]}; there must be {places}")
    if not own.is_valid():
        raise ConfigError(f"{book.place(name)}: a '$' stands before no name in its last user section; write it as '$$'")
