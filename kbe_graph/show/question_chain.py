"""The chain that leads to a question, for the form of that question."""

from dataclasses import replace

from kbe_graph.review.item_form import FormChain
from kbe_graph.review.state import first_version
from kbe_graph.show.question_story import question_stories
from kbe_graph.store import Store
from kbe_graph.types import RAW, Question


def question_chain(store: Store, question: Question) -> FormChain:
    """Collect the questions before ``question``, its new parts, and models' statements on its first version."""
    asked = store.questions(samples=[question.sample])
    earlier = [each for each in asked if each.run in {RAW, question.run} and each.hop < question.hop]
    if question.run != RAW and not question.hop:
        earlier = [each for each in asked if each.run == RAW]
    chain = [*sorted(earlier, key=lambda each: (each.run != RAW, each.hop)), question]
    first = first_version(question.id)
    own = {question.id: store.alternatives([first]).get(first, ())}
    *before, last = question_stories(chain, alternatives=own)
    story = replace(
        last,
        inspections=tuple(each for each in store.inspections(sample=question.sample) if each.question == first),
        guesses=tuple(each for each in store.guesses(sample=question.sample) if each.question == first),
    )
    return FormChain(
        story.words,
        frozenset(triplet.id for triplet in story.new) if before else frozenset(),
        [(each.row, each.question.text, each.question.answer) for each in before],
        [*story.verdicts, *story.guess_lines, *story.alternative_lines],
    )
