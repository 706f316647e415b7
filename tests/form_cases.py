"""Questions to convert to another form, one explored and one raw."""

from kbe_graph.facts.pack import pack
from kbe_graph.forms.form_case import FormCase
from kbe_graph.forms.form_maker import cases_of
from kbe_graph.types import IMAGE, RAW, Entity, Question, Sample, SampleGraph, Triplet


def case_of(name: str, relation: str = "capital", *, text: str = "", answers: tuple[str, ...] = ()) -> FormCase:
    """Build the question for a fact of the pack, about a picture that shows its subject and a ROSE."""
    fact = next(fact for fact in pack().facts if (fact.subject, fact.relation) == (name, relation))
    subject = Entity(name.upper(), concept=fact.subject_id)
    seen = tuple(Triplet(IMAGE, "depicts", entity) for entity in (subject, Entity("ROSE")))
    known = fact.triplet(subject)
    graph = SampleGraph(f"own/val/{name}", seen, (known,), seen[:1])
    sample = Sample(graph.sample, "own", "val", "What country is this?", name, answers or (name,))
    question = Question(
        f"{sample.id}@r/1", sample.id, "r", 1, "explored", text or f"What is the {relation} of the country shown here?",
        fact.object, (seen[0], known), fact.aliases, fact.object_id,
    )  # fmt: skip
    (case,) = cases_of([(sample, question)], {sample.id: graph}, pack())
    return case


def raw_case(question: str, answer: str, answers: tuple[str, ...] = (), choices: tuple[str, ...] = ()) -> FormCase:
    """Build a raw question whose answer is visible."""
    sample = Sample(f"own/val/{question}", "own", "val", question, answer, answers or (answer,) * 10, choices=choices)
    key = (Triplet(IMAGE, "depicts", Entity(answer.upper())),)
    raw = Question(f"{sample.id}@raw/0", sample.id, RAW, 0, "raw", question, answer, key)
    graph = SampleGraph(sample.id, key, (), key)
    (case,) = cases_of([(sample, raw)], {sample.id: graph}, pack())
    return case
