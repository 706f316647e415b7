"""The notebook that the program runs in, where it does."""

import sys
from typing import Any

from kbe_graph.report.story_html import question_html
from kbe_graph.types import Question


def ipython_shell() -> Any:
    """Return the shell of IPython that runs the program, None where none does; IPython is not imported for it."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def display_questions() -> None:
    """Let a notebook show a question by its text, answer and key path; elsewhere nothing happens.

    >>> display_questions()
    """
    if shell := ipython_shell():
        shell.display_formatter.formatters["text/html"].for_type(Question, question_html)
