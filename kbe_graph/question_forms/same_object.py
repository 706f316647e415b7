"""Words that ask what else a relation leads to the same thing from: "Which of these have the same currency as ...?"."""

import re
from collections.abc import Iterator

from kbe_graph.errors import NoCandidate
from kbe_graph.facts.relation import Relation
from kbe_graph.wording.phrases import fill, question_of
from kbe_graph.wording.reference import Phrase
from kbe_graph.wording.sentence import sentence

NO_WORDING = "no words for the same"
_GAP = "these"
_PLACE = "from|of|to|into|in|on|at|for|with|by|after"
# "In which US state do these lie", "which country do these come from", "which part of the world are these native to".
_ASKED = re.compile(
    rf"(?:(?P<before>{_PLACE}) )?which (?P<noun>.+?) (?P<verb>do |are ){_GAP} (?P<rest>.*?)(?: (?P<after>{_PLACE}))?"
)
# "The country that these come from", "the decade when these were invented", "the sense that these serve".
_CLAUSE = re.compile(
    rf"the (?P<noun>.+?) (?P<link>that|where|when) {_GAP} (?P<verb>)(?P<rest>.*?)(?: (?P<after>{_PLACE}))?"
)
# "The currency of these"; not "the compound behind the flavor of these", "the city of the first contest in these".
_OWNED = re.compile(rf"the (?P<noun>(?!.*\b(?:that|behind|of the|its|name|word)\b).+(?<!ing)) (?:of|in|on) {_GAP}")
_GROUP = re.compile(r"\b(?:family|order|class|genus|group)$")
# Nouns that say too little of what is the same: in that place or how, and these behind "have" alone.
_VAGUE = frozenset(["place", "thing", "time"])
_UNFIT = _VAGUE | {"country", "city", "river", "sport"}


def same_question(relation: Relation, text: str) -> str:
    """Return the question which of several share the object of a relation with what a question asks it of.

    Raises NoCandidate where the relation has no words for that, or the question does not ask by the relation's phrases.
    """
    template = same_template(relation)
    asked_of = min(_asked_of(relation, text), key=len, default="")
    if not template or not asked_of:
        raise NoCandidate(NO_WORDING, repr(relation.name if asked_of else text))
    return template.replace("{}", asked_of)


def same_template(relation: Relation) -> str:
    """Return such a question with {} for the thing asked about, made of the relation's own questions and phrases.

    Empty where none fits; a verb ("come from the same country") is taken before a noun ("have the same capital").

    >>> from kbe_graph.facts.relation import relations
    >>> same_template(relations()["country of origin"])
    'Which of these come from the same country as {}?'
    """
    if not relation.functional or relation.opener != "what is":
        return ""
    gap = Phrase(_GAP, plural=True)
    texts = [fill(form, gap).text for form in (*relation.forms, *relation.phrases)]
    return next(filter(None, (make(text) for make in (_by_verb, _by_noun) for text in texts)), "")


def _by_verb(text: str) -> str:
    match = _ASKED.fullmatch(text) or _CLAUSE.fullmatch(text)
    if match is None:
        return ""
    parts = match.groupdict()
    place = parts.get("before") or parts["after"] or ("" if parts.get("link", "that") == "that" else "in")
    verb = f"{parts['verb'].removeprefix('do ')}{parts['rest']}".replace(" its ", " their ")
    if not verb or (not place and (" " in verb or verb == "have")) or parts["noun"] in _VAGUE:
        return ""
    return f"Which of these {verb} {f'{place} ' if place else ''}the same {parts['noun']} as {{}}?"


def _by_noun(text: str) -> str:
    match = _OWNED.fullmatch(text)
    if match is None or match["noun"].split()[-1] in _UNFIT:
        return ""
    return f"Which of these {'belong to' if _GROUP.search(match['noun']) else 'have'} the same {match['noun']} as {{}}?"


def _asked_of(relation: Relation, text: str) -> Iterator[str]:
    """Give what a question may ask a relation of, by each of its phrases and questions that it is worded by."""
    for plural in (False, True):
        gap = Phrase("{}", plural=plural)
        asked = (question_of(relation, fill(form, gap)) for form in relation.phrases)
        for template in (*asked, *(fill(form, gap).text for form in relation.forms)):
            before, _, after = sentence(template).partition("{}")
            if template and text.startswith(before) and text.endswith(after):
                yield text[len(before) : len(text) - len(after)]
