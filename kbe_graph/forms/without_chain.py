"""An evolved question with its chain taken out: who answers it right did not need the way to it (KBE, section 4)."""

from kbe_graph.facts.pack import Pack, pack
from kbe_graph.types import Question
from kbe_graph.wording.phrases import fill, question_of, relation_of, sentence
from kbe_graph.wording.reference import Phrase

_AT_THE_END, _INSIDE = Phrase("what this picture shows"), Phrase("the thing in this picture")


def without_chain(question: Question, facts: Pack | None = None) -> str | None:
    """Return the last relation of an evolved question, asked of "what this picture shows".

    None at hop 0, and where the relation has no phrase to ask with. ``facts`` is the pack whose table words the
    relations, else the packaged one.

    >>> without_chain(work.questions(run="demo", hop=1)[0]).endswith("what this picture shows?")
    True
    """
    if not question.hop:
        return None
    relation = relation_of(facts or pack(), question.explored[-1].relation)
    phrases = sorted(relation.phrases, key=lambda form: not form.endswith("{}"))
    asked = [question_of(relation, fill(form, _stand_in(form))) for form in phrases]
    forms = [fill(form, _stand_in(form)).text for form in relation.forms]
    return next((sentence(text) for text in (*asked, *forms) if text), None)


def _stand_in(form: str) -> Phrase:
    return _AT_THE_END if form.endswith("{}") else _INSIDE
