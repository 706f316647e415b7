"""A reply as a step's parser gets it."""

from typing import NamedTuple

from kbe_graph.errors import ReplyError
from kbe_graph.steps.reply import bare, plain, refused

HEADINGS = ("# This step", "# What", "# Visual and", "# Candidates weighed", "# Questions weighed", "# Form")
ECHOES = (
    "Question:",
    "Old question:",
    "Old answer:",
    "Picture:",
    "Chain:",
    "New triplet:",
    "Hops:",
    "Write in",
    *HEADINGS,
)


class Answered(NamedTuple):
    """A reply's text and why it ended (``stop``, ``length``)."""

    text: str
    finish: str = "stop"

    def fault(self, problem: str, *, kind: str = "") -> ReplyError:
        """Return the error of a reply that cannot be used; that it was cut is why, where it was."""
        return ReplyError(problem, reply=self.text, kind=kind or ("cut" if self.finish == "length" else "invalid"))

    def read(self) -> str:
        """Return the bare text, where JSON is looked for; raises ReplyError where it is empty or the model declined."""
        text = bare(self.text)
        if not text:
            raise self.fault("the reply is empty")
        if "{" not in text and refused(text):
            raise self.fault("the model declined", kind="refused")
        return text

    def lines(self, echoes: tuple[str, ...] = ECHOES) -> str:
        """Return the text for the line parser: up to the first echo of the prompt, without the line that was cut."""
        return plain(self.text, finish=self.finish, echoes=echoes)

    def cut(self, echoes: tuple[str, ...] = ECHOES) -> bool:
        """Return whether the end of what was asked for is missing: the text was cut before any echo of the prompt."""
        return self.finish == "length" and plain(self.text, echoes=echoes) == plain(self.text)
