"""A question generated from a statement about a picture, and its conversions for the rest of the pipeline."""

from dataclasses import dataclass

from kbe_graph.types import RAW, Provenance, Question, SampleOrigin, Triplet, WikiStatement, question_id


@dataclass(frozen=True, slots=True)
class MadeQuestion:
    """A question about a picture's content, with its answer and the statement behind it.

    ``picture`` is the picture's id, ``called`` the kind by which the question refers to the item. ``choices`` are four
    options in display order, including the answer, or none for an open question; ``open`` gives the reason. ``maker``
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
        """The seed of all random draws for the question: its picture and statement."""
        return f"{self.picture}|{self.statement.id}"

    def origin(self, sample: str) -> SampleOrigin:
        """Return the origin of the sample made from the question."""
        return SampleOrigin(sample, self.picture, self.item, (self.statement.id,), self.maker, self.prompt, self.calls)


def question_of_sample(made: MadeQuestion, sample: str, key: tuple[Triplet, ...] = ()) -> Question:
    """Convert a made question to the raw question of a sample; the blind test does not need ``key``."""
    return Question(
        question_id(sample, RAW, 0), sample, RAW, 0, "raw", made.text, made.answer, key, made.aliases,
        f"wd:{made.statement.target}" if made.statement.target else "",
        provenance=Provenance(made.maker, pattern=made.statement.property_id, prompt=made.prompt, calls=made.calls),
    )  # fmt: skip
