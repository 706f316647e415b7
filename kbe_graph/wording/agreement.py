"""Verb forms: a verb in the number of its subject, and in the form that an auxiliary said."""

from kbe_graph.question.tokens import Tokens, joined
from kbe_graph.wording.reference import is_many


def agreeing(auxiliary: str, head: str) -> str:
    """Return an auxiliary in the number of the head before it; as it is after "kind of birds", which goes both ways."""
    if " of " in head:
        return auxiliary
    pairs = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
    forms = {pair[not is_many(head)]: pair[is_many(head)] for pair in pairs}
    return forms.get(auxiliary, auxiliary)


def inflected_for(head: str, rest: Tokens) -> str:
    """Return the words with their first verb in the number of the head (the person who drives these)."""
    first = rest[0]
    if first.tag not in {"VBP", "VB", "VBZ"} or " of " in head or first.low in {"has", "have"}:
        return joined(rest) if first.low not in {"has", "have"} else f"{agreeing(first.low, head)} {joined(rest[1:])}"
    from lemminflect import getLemma

    base = str((getLemma(first.low, "VERB") or (first.low,))[0])
    return f"{base if is_many(head) else inflected(base, 'does')} {joined(rest[1:])}".strip()


def inflected(verb: str, auxiliary: str) -> str:
    """Return the form of a verb that says what "do", "does" or "did" said."""
    if auxiliary == "do":
        return verb
    from lemminflect import getInflection

    forms = getInflection(verb, tag="VBZ" if auxiliary == "does" else "VBD")
    return str(forms[0]) if forms else verb
