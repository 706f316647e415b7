"""The last edge of a key: the relation between a question's topic and its answer (KBE, section 3.2)."""

from kbe_graph.english.inflect import form
from kbe_graph.english.parse import Word
from kbe_graph.english.phrase import ASKING, NounPhrase, named_nouns
from kbe_graph.english.property import KIND
from kbe_graph.english.reading import Reading
from kbe_graph.english.words import words
from kbe_graph.extract.captions import senses
from kbe_graph.extract.topic import Anchor, owner_of, subject_of

# Nouns of these files name properties of an entity; others name entities, which need a verb to relate to it.
_OWN = {"noun.attribute", "noun.communication"}


def relation_of(reading: Reading, topic: Anchor) -> str:
    """Determine the relation between topic and answer; if the topic itself is asked for, its kind or its name.

    A noun for a property of the topic stands alone (brand, breed); any other is combined with the verb that links the
    two.
    """
    if topic.how == "scene":
        return topic.words or reading.property
    about_head = topic.words == reading.head and not reading.property.startswith("other ")
    if about_head and (not reading.of_head or reading.property == KIND):
        return "called" if topic.words.rpartition(" ")[2] in words("named") else KIND
    if about_head:
        return reading.property
    if not _is_plain(reading, topic):
        return reading.property if reading.kind == "who" else _in_words(reading, topic)
    if not reading.head:
        return _with_part(reading, topic, _plain(reading, topic))
    noun = reading.head if reading.of_head and reading.property == KIND else reading.property
    noun = f"{reading.head} {noun}" if reading.of_head and noun not in reading.head else noun
    return _with_part(reading, topic, _with_verb(reading, noun))


def _is_plain(reading: Reading, topic: Anchor) -> bool:
    empty = words("showing") | words("commands") | {"know", "call", "use"}
    verbs = [word for word in reading.words if word.tag == "VERB" and word.dep != "amod" and word.lemma not in empty]
    plain = reading.kind == "how" or any(word.low in words("commands") for word in reading.words[:4])
    if not verbs or plain or topic.words in [phrase.name for phrase in named_nouns(reading.outline)]:
        return True
    if len(verbs) > 1 and reading.kind not in ("why", "whether"):
        return False
    subject = subject_of(reading)
    if subject is not None:
        return subject.name == topic.words
    phrase = _phrase(reading, topic)
    asked = [word for word in reading.words if word.low in ASKING or word.at in _question_nouns(reading)]
    acts = not asked or any(word.dep in ("nsubj", "nsubjpass", "") for word in asked)
    return phrase is None or (acts and reading.kind != "where")


def _phrase(reading: Reading, topic: Anchor) -> NounPhrase | None:
    return next((phrase for phrase in reading.outline.phrases if phrase.name == topic.words), None)


def _in_words(reading: Reading, topic: Anchor) -> str:
    phrase = _phrase(reading, topic)
    parts: list[str] = []
    helping = next((word.at for word in reading.words if word.tag == "AUX"), -1)
    for word in reading.words[reading.outline.start if not reading.outline.asking else 0 :]:
        if phrase and phrase.start <= word.at < phrase.end:
            parts += ["it"] if word.at == phrase.start else []
        elif word.tag != "PUNCT" and word.at != helping and word.low not in ASKING | words("commands"):
            parts.append(word.low)
    verb = next(iter(_verbs(reading)), None)
    if verb and parts[:1] in ([], ["it"]):  # it comes from
        after = (word.low for word in reading.words[verb.at + 1 :] if word.tag != "PUNCT" and word.low not in ASKING)
        parts = [verb.low if verb.fine in ("VBN", "VBG", "VBD") else form(verb.lemma, "VBZ"), *after]
    return " ".join(parts) or reading.property or KIND


def _with_part(reading: Reading, topic: Anchor, relation: str) -> str:
    part = next((thing for owner, thing in reading.owned if owner == topic.words), "")
    says_part = part in relation or relation in ("called", "is")
    return relation if says_part else f"{part} {relation}"


def _plain(reading: Reading, topic: Anchor) -> str:
    if reading.identity and reading.property in words("anything"):
        return KIND
    verb, tail = next(iter(_verbs(reading)), None), _tail(reading)
    if reading.kind == "why" and verb:
        return f"reason for {form(verb.lemma, 'VBG')}"
    if reading.kind not in ("what", "who"):
        return reading.property
    subject, named = subject_of(reading), [phrase.name for phrase in named_nouns(reading.outline)]
    if named and topic.words == named[-1] and reading.property.endswith(topic.words):
        return "called" if named[0] in words("naming") else named[0]
    if subject and owner_of(reading, subject) and reading.property in (KIND, "person"):
        return subject.name
    return f"{verb.low} {tail}" if reading.kind == "who" and verb and tail and subject else _place(reading, topic, verb)


def _place(reading: Reading, topic: Anchor, verb: Word | None) -> str:
    """Word what is in, on or around the topic, or a part of it."""
    phrase, rest = _phrase(reading, topic), reading.outline.rest
    is_place = len(rest) > 2 and rest[0].lemma == "be" and rest[1].tag in {"ADP", "ADJ", "ADV"}
    if verb or not phrase or not is_place or reading.words[phrase.start - 1].tag != "ADP":
        return reading.property
    part = next((thing for owner, thing in reading.owned if owner == topic.words), "it")
    return " ".join(("has", *(word.low for word in reading.words[rest[1].at : phrase.start]), part))


def _tail(reading: Reading) -> str:
    rest = [word for word in reading.outline.rest if word.tag not in ("PUNCT", "ADV")]
    last = [word.low for word in rest[-2:] if word.tag in ("ADP", "ADJ")] if rest and rest[-1].tag == "ADP" else []
    asking = reading.outline.asking
    before = reading.words[asking.start - 1 : asking.start] if asking and asking.start else ()
    return " ".join(last) or "".join(word.low for word in before if word.tag == "ADP")


def _verbs(reading: Reading) -> list[Word]:
    every = reading.outline.verbs or [word for word in reading.words if word.tag == "VERB"]
    verbs = [word for word in every if word.lemma not in words("showing")]
    asked = _question_nouns(reading)
    main = [word for word in verbs if word.dep not in ("relcl", "acl", "advcl", "aux", "xcomp") or word.head in asked]
    last = [word for word in verbs[-1:] if word.at > len(reading.words) - 4]
    return sorted(main, key=lambda word: word.dep != "ROOT") or last


def _question_nouns(reading: Reading) -> set[int]:
    asked = [phrase for phrase in (reading.outline.asking, reading.outline.head) if phrase]
    return {at for phrase in asked for at in range(phrase.start, phrase.end)}


def _with_verb(reading: Reading, noun: str) -> str:
    tail = _tail(reading)
    verb = next(iter(_verbs(reading)), None)
    names_property = any(synset.lexname in _OWN for synset in senses(noun.rsplit(" ", 1)[-1])[:1])
    if verb is None or (names_property and not tail):
        return f"{tail} {noun}" if tail else noun
    if verb.head in _question_nouns(reading) or _asked_acts(reading, verb.at):
        return _said_of(reading, noun, verb)
    spoken = verb.low if verb.fine in ("VBN", "VBG", "VBD") else form(verb.lemma, "VBZ")
    return " ".join(part for part in (spoken, tail, noun) if part)


def _said_of(reading: Reading, noun: str, verb: Word) -> str:
    if verb.fine not in ("VBN", "VBD"):
        return " ".join((noun, "that", form(verb.lemma, "VBZ"), *_verb_phrase(reading, verb)[1:], "it"))
    return " ".join((noun, *_verb_phrase(reading, verb)))


def _verb_phrase(reading: Reading, verb: Word) -> list[str]:
    after = reading.words[verb.at + 1 : verb.at + 3]
    return [verb.low, *(word.low for word in after if word.tag in ("ADP", "PART", "VERB"))]


def _asked_acts(reading: Reading, verb: int) -> bool:
    asked = _question_nouns(reading)
    return any(word.head == verb and word.dep in ("nsubj", "nsubjpass") and word.at in asked for word in reading.words)
