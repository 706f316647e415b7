"""A question made from a statement about what a picture shows, and what other parts of the line take of it."""

from dataclasses import dataclass

from kbe_graph.types import RAW, Provenance, Question, SampleOrigin, Triplet, WikiStatement, question_id


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question about what a picture shows, with its answer and the statement that it follows from.

    ``picture`` is the picture's id, ``called`` the kind by which the item is called. ``choices`` are four options, the
    answer among them, in the order in which they are shown, or none for an open question; ``open`` says why. ``maker``
    is ``rule`` or a model's name, ``prompt`` the hash of its prompt and ``calls`` the hashes of its calls.
    """

    picture: str
    item: str
    text: str
    answer: str
    statement: WikiStatement
    called: str
    aliases: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    open: str = ""
    maker: str = "rule"
    prompt: str = ""
    calls: tuple[str, ...] = ()

    @property
    def seed(self) -> str:
        """What each draw for it depends on: its picture and its statement."""
        return f"{self.picture}|{self.statement.id}"

    def origin(self, sample: str) -> SampleOrigin:
        """Return the origin of a sample made of it."""
        return SampleOrigin(sample, self.picture, self.item, (self.statement.id,), self.maker, self.prompt, self.calls)


def question_of_sample(made: MadeQuestion, sample: str, key: tuple[Triplet, ...] = ()) -> Question:
    """Return a made question as the raw one of a sample; the blind test needs no key."""
    return Question(
        question_id(sample, RAW, 0), sample, RAW, 0, "raw", made.text, made.answer, key, made.aliases,
        f"wd:{made.statement.target}" if made.statement.target else "",
        provenance=Provenance(made.maker, pattern=made.statement.property_id, prompt=made.prompt, calls=made.calls),
    )  # fmt: skip
