"""Where the subject of an inverted question ends: behind its noun phrase, before the verb or what is said of it."""

from kbe_graph.question.tokens import ADJECTIVE, ADVERB, BE, HAVE, MODAL, NOMINAL, NOUN, OPENS, STRANDED, Tokens

# What a verb with "to" hangs on: the man in the canoe is about to do.
_TOWARDS = {"about", "going", "trying", "supposed", "likely", "able", "ready"}
# Those with the tag of a pronoun end there in any case.
_PRONOUNS = {"this", "these", "that", "those", "one", "someone", "people"}


def subject_end(after: Tokens) -> int | None:
    """Return where the subject ends after the auxiliary at 0: 1 where there is none, None where it cannot be told."""
    if len(after) == 1:
        return None
    if _is_subject_gap(after):
        return 1
    end, helper = nominal_end(after, 1), after[0].low
    if 1 < end < len(after) and after[end].tag in {"DT", "PRP"} and after[end].low not in {"all", "both"}:
        return _held_end(after, end) if helper in BE else None
    if helper in BE and 1 < end < len(after) and after[end].tag in ADJECTIVE and after[-1].tag in STRANDED | {"VBG"}:
        return end
    return _before_verb(after, end)


def _is_subject_gap(after: Tokens) -> bool:
    """Return whether the verb follows the auxiliary at once, so that the question word is the subject."""
    tag, helper = after[1].tag, after[0].low
    if helper in BE:
        return tag in {"VBN", "VBG"} | STRANDED or _predicate_first(after)
    return (helper in MODAL and tag in {"VB", "RB"}) or (helper in HAVE and tag in {"VBN", "RB"})


def _before_verb(after: Tokens, end: int) -> int | None:
    verb = _verb(after, end, after[0].low)
    if verb is None:
        return _copula_end(after, end) if after[0].low in BE else None
    while verb > end and (
        after[verb - 1].tag in ADVERB or after[verb - 1].low in {"all", "being", "best", "both", "n't", "not"}
    ):
        verb -= 1
    return verb if verb > 1 else None


def _held_end(after: Tokens, end: int) -> int | None:
    """Return the end of a subject with a clause of its own (the hat the man is wearing), None where more follows it."""
    own = next((at for at in range(end, len(after)) if after[at].tag.startswith("VB") or after[at].tag == "MD"), None)
    verb = next((at for at in range(own or 0, len(after)) if after[at].tag in {"VBG", "VBN", "VB"}), own)
    if own is None or verb is None or any(token.tag.startswith("VB") for token in after[verb + 1 :]):
        return None
    return len(after)


def _predicate_first(after: Tokens) -> bool:
    """Return whether an adjective or adverb of no noun follows "be" (is best for; is the most flavorful)."""
    place = 2 if after[1].low == "the" else 1
    while place < len(after) and after[place].tag in ADVERB:
        place += 1
    if place == 1 and after[1].tag not in ADJECTIVE:
        return False
    if place > 1 and after[1].tag in ADVERB and after[1].low not in {"n't", "not"}:
        return True
    after_it = after[place:]
    tags = [token.tag for token in after_it[:2]]
    if not tags or tags[0] in {"VBN", "VBG"} | STRANDED:
        return place > 1 and after[1].low != "the"
    in_place = len(after_it) == 2 and after_it[1].low in {"here", "there"}
    return tags[0] in ADJECTIVE and (len(tags) == 1 or tags[1] in STRANDED | {"CC"} or in_place)


def nominal_end(tokens: Tokens, start: int) -> int:
    """Return where the noun phrase that begins at ``start`` ends, what follows its head left out."""
    place = start
    if start >= len(tokens):
        return start
    if tokens[start].low in _PRONOUNS and (
        len(tokens) == start + 1 or tokens[start + 1].tag not in NOMINAL or tokens[start + 1].low in _TOWARDS
    ):
        return start + 1
    if tokens[start].tag == "PRP":
        return start + 1
    while place < len(tokens) and (tokens[place].tag in NOMINAL or _inside(tokens, place)):
        if place > start and tokens[place - 1].tag in NOUN and _leaves(tokens, place):
            break
        place += 1
    return place


def _leaves(tokens: Tokens, place: int) -> bool:
    """Return whether what follows a noun is no part of its phrase.

    It is a predicate (famous for), or a clause (the man is holding).
    """
    linked = place + 1 < len(tokens) and tokens[place + 1].tag in STRANDED
    return tokens[place].tag in {"DT", "PRP"} or (tokens[place].tag in ADJECTIVE and linked)


def _inside(tokens: Tokens, place: int) -> bool:
    """Return whether a participle, adverb or "and" stands before more of the same noun phrase."""
    after = tokens[place + 1].tag if place + 1 < len(tokens) else ""
    before = tokens[place - 1].tag
    if tokens[place].tag in {"VBG", "VBN"}:
        return after in NOUN | {"JJ"} and before in {"DT", "JJ", "PRP$"}
    if tokens[place].tag in ADVERB:
        return after in {"JJ", "VBN"} and before == "DT"
    return tokens[place].low in {"and", "&"} and before in NOUN and after in NOMINAL


def _verb(after: Tokens, end: int, helper: str) -> int | None:
    """Return the place of the main verb at or after ``end``."""
    if helper in BE and after[-1].tag in STRANDED and after[-2].tag in {"VBN", "VBG"}:
        return len(after) - 2
    wanted = {"VBN"} if helper in HAVE else {"VBG", "VBN", "VBD"} if helper in BE else {"VB", "VBP"}
    for place in range(end, len(after)):
        token = after[place]
        if token.low in OPENS and not _with_noun(after, place):
            return None
        if token.tag in wanted and token.low not in {"being", "been"} and not _inside(after, place):
            return None if _is_named_on(after, place) else place
    return None


def _is_named_on(after: Tokens, place: int) -> bool:
    """Return whether a participle says where the name of the subject stands: the zoo named on the sweatshirt."""
    return after[place].low in {"named", "mentioned"} and place + 1 < len(after) and after[place + 1].tag == "IN"


def _with_noun(after: Tokens, place: int) -> bool:
    """Return whether the word at ``place`` is a "that" with its noun (that man), not one that opens a clause."""
    return after[place].tag == "DT" and place + 1 < len(after) and after[place + 1].tag in NOUN


def _copula_end(after: Tokens, end: int) -> int:
    """Return where the subject of a plain "be" ends.

    It ends before a last adjective, preposition or verb and what it hangs on.
    """
    size = len(after)
    if place := _last_adjective(after, end):
        return place
    if after[-1].tag in {"VB", "VBG"}:
        return next((at for at in range(end, size) if after[at].low in _TOWARDS), end)
    if after[-1].tag in STRANDED and size - 1 >= end:
        phrase = any(token.tag in {"DT", "PRP$"} for token in after[end:])
        return size - 1 if phrase or end == size - 1 else end
    return size


def _last_adjective(after: Tokens, end: int) -> int:
    """Return where a last adjective begins, with its adverbs and "the" (is this dish the most famous); 0 if none is."""
    place = len(after) - 1
    if place < end or after[place].tag not in ADJECTIVE:
        return 0
    while place > end and (after[place - 1].tag in ADVERB or after[place - 1].low == "the"):
        place -= 1
    return place if place == end or after[place - 1].tag in NOUN else 0
