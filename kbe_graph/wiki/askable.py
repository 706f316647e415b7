"""Selection of properties worth a question, of kinds and wordings to ask them with: a table and a general rule."""

import re

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.wikidata.askable_properties import ANY, Askable, table
from kbe_graph.facts.wikidata.rules import protected, relation_of
from kbe_graph.text import fold
from kbe_graph.types import WikiStatement
from kbe_graph.wiki.distractor_pool import DistractorPool
from kbe_graph.wiki.item_name import Called
from kbe_graph.wording.phrases import fill, question_of
from kbe_graph.wording.reference import Phrase

CHOICE_ONLY = "choice only"
PROTECTED = "protected"
NO_WORDS = "no words for the property"
OTHER_KIND = "not asked of this kind"
MAY_CHANGE = "a quantity that may change"
NOT_SINGLE = "not known to have one value"
SEVERAL = "several may be right"
HAVING, SINGLE = 20, 0.95  # minimum items with a property that is not in the table, and minimum share with one value
MOST_SEVERAL = 0.5  # share of items with several values that overrides the table


def askings(property_id: str) -> tuple[Askable, ...]:
    """Return the table's rows for a property."""
    return table().get(property_id, ())


def asking_of(statement: WikiStatement, kind: Called, pool: DistractorPool) -> Askable:
    """Choose the row of the table for a statement about an item called by ``kind``.

    A property missing from the table is asked by its label if no word of the label is refused by the table, its value
    is an item or a time, and nearly all of many items have a single value. Raises NoCandidate with the reason if the
    property is protected, worth no question, often has several values, or is not asked of the kind.
    """
    if statement.property_id in protected():
        raise NoCandidate(PROTECTED, statement.relation)
    having, single = pool.holders(statement.property_id)
    rows_of = askings(statement.property_id)
    if not rows_of:
        return _by_label(statement, having, single)
    row = next((row for row in rows_of if kind.is_of(row.subject)), None)
    if row is None or not row.questions:
        raise NoCandidate(row.mark if row else OTHER_KIND, statement.relation)
    if having >= HAVING and single < (1 - MOST_SEVERAL) * having:
        raise NoCandidate(SEVERAL, statement.relation)
    return row


def _by_label(statement: WikiStatement, having: int, single: int) -> Askable:
    label = statement.relation
    words = set(re.findall(r"[a-z]+", fold(label)))
    refused = next((row.mark for row in table()[ANY] if fold(row.label) in words), "")
    if refused:
        raise NoCandidate(refused, label)
    datatype = {"wikibase-item": "WikibaseItem", "time": "Time"}.get(statement.datatype)
    if datatype is None:
        raise NoCandidate(MAY_CHANGE if statement.datatype == "quantity" else NO_WORDS, label)
    if having < HAVING or single < SINGLE * having:
        raise NoCandidate(NOT_SINGLE, label)
    relation = relation_of(statement.property_id, label, datatype)
    subject = Phrase("{}")
    question = question_of(relation, fill(relation.phrases[0], subject)) if relation and relation.phrases else ""
    if not question:
        raise NoCandidate(NO_WORDS, label)
    return Askable(statement.property_id, label, (), (question,), "")
