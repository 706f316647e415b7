"""What the rules are asked: public functions, each with texts in and a text out, so that cases can stand in tables."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from kbe_graph.annotations.view import Thing, View
from kbe_graph.checks.assignment import NOTHING
from kbe_graph.checks.beside import Beside
from kbe_graph.checks.chain import kinds_in
from kbe_graph.checks.check import Reads
from kbe_graph.checks.flaw import flaw
from kbe_graph.checks.functional import Functional
from kbe_graph.checks.instruction import instruction_in
from kbe_graph.checks.off_topic import OffTopic
from kbe_graph.checks.path import decide_path
from kbe_graph.checks.plain_path import PlainPath
from kbe_graph.checks.registry import Checks, build_checks
from kbe_graph.checks.row import Row
from kbe_graph.checks.row import candidate as candidate_of
from kbe_graph.checks.several_answers import SeveralAnswers
from kbe_graph.checks.unfit import NameAsked, one_of_several, unfit
from kbe_graph.english.compound import is_compound
from kbe_graph.english.entity_type import entity_type
from kbe_graph.english.inflect import article, is_plural, lemmas, plural, singular
from kbe_graph.english.kinds import is_of_kind
from kbe_graph.english.parse import ENGLISH, PLAIN, Parser, tagged
from kbe_graph.english.wordnet import Part, wordnet
from kbe_graph.errors import NoCandidate
from kbe_graph.evolve.expression import Expression
from kbe_graph.evolve.recipe import Recipe
from kbe_graph.evolve.reselection import word_path
from kbe_graph.extract.anchor import find_anchors
from kbe_graph.extract.attribute import attribute_relation, is_attribute_noun
from kbe_graph.extract.caption_words import read_words
from kbe_graph.extract.captions import read_caption
from kbe_graph.extract.fact import fact_step
from kbe_graph.extract.raw import raw_question
from kbe_graph.extract.sample_graph import extract
from kbe_graph.extract.scene import Scene, read_scene
from kbe_graph.extract.visible import Kind, is_a, is_thing
from kbe_graph.facts.grounding import Grounding
from kbe_graph.facts.pack import Pack
from kbe_graph.facts.relation import relations
from kbe_graph.facts.walk import Walk
from kbe_graph.question.clause import clause_of
from kbe_graph.question.reading import Flag, Reading, read
from kbe_graph.question.sought import category
from kbe_graph.question.tokens import Token, joined
from kbe_graph.senses.noun import is_noun
from kbe_graph.senses.sense import link
from kbe_graph.senses.usual import usual
from kbe_graph.types import (
    IMAGE,
    PRESUPPOSED,
    Candidate,
    Decision,
    Drop,
    Entity,
    Fact,
    Question,
    Sample,
    SampleGraph,
    Triplet,
)
from kbe_graph.variants.paraphrase import proposals
from kbe_graph.wording.kind import is_animate, is_person, is_room, kind_of, sense_of
from kbe_graph.wording.names import Names
from kbe_graph.wording.noun_phrase import refer
from kbe_graph.wording.phrases import fill, nest, relations_of
from kbe_graph.wording.reference import Phrase, is_many, phrases, varied
from kbe_graph.wording.rule import RuleExpresser, words_wanted
from kbe_graph.wording.seen import is_predicate


def forms(phrase: str) -> str:
    """A noun phrase in plural and singular, and with its article."""
    return f"{plural(phrase)}; {singular(phrase)}; {article(phrase)}; {'many' if is_plural(phrase) else 'one'}"


def words_of(text: str) -> str:
    """The lemmas of a text."""
    return " ".join(lemmas(text))


def found(name: str) -> str:
    """What WordNet has a name as."""
    lookup = wordnet().lookup(name)
    return f"{lookup.lemma} {lookup.synsets[0].id if lookup.synsets else ''}".strip()


def base(word: str, part: Part) -> str:
    """The base form of a word as a noun, verb or adjective (n, v, a, r)."""
    return wordnet().morphy(word, part) or "none"


def parts_of_speech(text: str) -> str:
    """The words of a text with their parts of speech, tagged by WordNet."""
    return " ".join(f"{word.text}/{word.tag}" for word in tagged(text))


def senses_sought(phrase: str) -> str:
    """What the noun that a question asks for means."""
    return " ".join(f"{synset.lemmas[0]} {synset.id}" for synset in category(phrase)) or "nothing"


def parted(tagged_words: str) -> str:
    """A question of tagged words taken apart: the/DT dog/NN."""
    clause = clause_of(tuple(Token(*word.split("/")) for word in tagged_words.split()))
    if clause is None:
        return "nothing"
    parts = (clause.link, clause.word, clause.noun, clause.auxiliary, joined(clause.subject), joined(clause.rest))
    return " > ".join(filter(None, parts)) + " as stated" * clause.stated


def usually(name: str, asked: str = "", shown: str = "") -> str:
    """What a name means in a picture, beside words of the question and of what is seen."""
    found = usual(name, asked.split(), shown.split())
    return found.concept if found else "nothing"


def paraphrased(question: str) -> str:
    """What the rules of paraphrases make of a question."""
    return " | ".join(proposals(question)) or "nothing"


def asks(question: str) -> str:
    """What a question asks for, by its words alone."""
    reading = read(question, PLAIN)
    flags = (flag for flag in get_args(Flag) if reading.asks(flag))
    files = (file.removeprefix("noun.") for file in sorted(reading.files))
    parts = {
        "": reading.asks_for,
        "kind": "yes" * reading.asks_kind,
        "firm": "yes" * reading.firm,
        "flags": ",".join(flags),
        "files": ",".join(files),
        "field": reading.field,
        "type": reading.refused_type,
        "protected": reading.protected,
        "form": reading.form,
        "shape": f"{reading.shape.noun}/{reading.shape.place}" if reading.shape else "",
        "offers": ",".join(" or ".join(pair) for pair in reading.offers),
    }
    return "; ".join(f"{name} {part}".strip() for name, part in parts.items() if part)


def tidied(question: str) -> str:
    """A question as it can stand inside another one, and what is spelled wrong in it."""
    reading = read(question, PLAIN)
    wrong = reading.misspelled
    return f"{reading.tidied}; misspelled {wrong}" if wrong else reading.tidied


def _outlined(question: str, parser: Parser) -> str:
    reading = read(question, parser)
    anchors = (f"{phrase.determiner} {phrase.name}".strip() for phrase in reading.anchors)
    parts = {
        "head": reading.head,
        "property": reading.property,
        "anchors": ", ".join(anchors),
        "pronouns": ", ".join(reading.pronouns),
        "identity": "yes" * reading.identity,
        "owned": ", ".join(map("'s ".join, reading.owned)),
    }
    return "; ".join((reading.kind, *(f"{name} {part}" for name, part in parts.items() if part)))


def tags(question: str) -> str:
    """The words of a question with their tags, by WordNet."""
    return " ".join(f"{token.text}/{token.tag}" for token in read(question, PLAIN).tokens)


def outline(question: str) -> str:
    """What a question is about, tagged by WordNet."""
    return _outlined(question, PLAIN)


def outline_parsed(question: str) -> str:
    """What a question is about, parsed by spaCy's model."""
    return _outlined(question, ENGLISH)


def _referred(question: str, parser: Parser) -> str:
    reading = read(question, parser)
    try:
        reference = refer(reading)
    except NoCandidate as none:
        return f"{none.reason}: {none.detail}"
    texts = (phrase.text + " (many)" * phrase.plural for phrase in reference.phrases)
    return f"{reference.rule}: {', '.join(texts)}"


def refers(question: str) -> str:
    """What stands for the answer of a question, tagged by WordNet."""
    return _referred(question, PLAIN)


def refers_parsed(question: str) -> str:
    """What stands for the answer of a question, tagged by spaCy's model."""
    return _referred(question, ENGLISH)


def noun(question: str, answer: str) -> str:
    """Whether an answer is a noun."""
    return is_noun(question, answer).detail or "noun"


def sense(question: str, answer: str, objects: str = "") -> str:
    """Which concept an answer means."""
    meant = link(question, answer, _listed(objects))
    return f"{meant.concept} {meant.reason}".strip()


def sureness(question: str, answer: str, objects: str = "") -> str:
    """Which concept an answer means, and how sure that is."""
    meant = link(question, answer, _listed(objects))
    return f"{meant.concept} {meant.confidence:.2f}".strip()


class _Vectors:
    """Vectors of texts, each less like the first than the one before."""

    def encode(self, texts: Sequence[str]) -> Any:
        """Return a vector a text."""
        cosines = [1.0, *(0.9 / (at + 1) for at in range(len(texts) - 1))]
        return np.array([(cosine, (1 - cosine * cosine) ** 0.5) for cosine in cosines])


def likeness(question: str, answer: str) -> str:
    """Which concept an answer means where texts are compared."""
    meant = link(question, answer, embed=_Vectors())
    return f"{meant.concept} {meant.confidence:.2f}".strip()


def _listed(names: str) -> tuple[str, ...]:
    return tuple(name for name in names.split(",") if name)


def compound(adjective: str, name: str) -> str:
    """Whether an adjective and a noun name a kind of thing."""
    return "yes" if is_compound(adjective, name) else "no"


def called(name: str) -> str:
    """What kind a thing is called by, and its sense."""
    entity = Entity(name.upper())
    kind = "asks for a person" if is_person(entity) else kind_of(entity)
    marks = ("animate" * is_animate(Entity(name.upper())), "room" * is_room(Entity(name.upper())))
    return " ".join((kind or "nothing", *filter(None, (*marks, sense_of(entity)))))


def visible(name: str) -> str:
    """What kinds of visible thing a name is of."""
    kinds = [kind for kind in get_args(Kind) if is_a(name, kind)]
    return " ".join((*kinds, "thing" * is_thing(name))).strip() or "nothing"


def typed(name: str, concept: str) -> str:
    """What sort of thing a name stands for, by its concept."""
    return entity_type(name, concept) or "nothing"


def of_kind(concept: str, kind: str) -> str:
    """Whether a concept is of a kind of the table of kinds."""
    return "yes" if is_of_kind(concept, kind) else "no"


def quality(value: str) -> str:
    """What an attribute tells of a thing."""
    relation = attribute_relation(value)
    return f"{relation}{' noun' if is_attribute_noun(value, relation) else ''}"


def predicate(subject: str, relation: str, thing: str) -> str:
    """How a path of two edges is asked for: IMAGE shows a subject that has a relation to a thing."""
    shown, other = Entity(subject.upper()), Entity(thing.upper())
    path = (Triplet(IMAGE, "depicts", shown), Triplet(shown, relation, other))
    says = "" if is_predicate(path[1]) else "; says too little"
    wording = word_path(SampleGraph("s", path, (), path[:1]), path, 0, lambda name: name != "the words give it away")
    return f"{wording.reason}: {wording.detail}{says}" if isinstance(wording, Decision) else wording.text + says


def tied(text: str) -> str:
    """A noun phrase, and the same tied to the image."""
    return ", ".join(phrase.text for phrase in phrases(text, plural=False))


def variants(text: str) -> str:
    """A noun phrase with its longer and shorter forms."""
    return ", ".join(phrase.text + " (many)" * phrase.plural for phrase in varied(Phrase(text, is_many(text))))


def nested(text: str, relations: str) -> str:
    """A noun phrase inside the phrases of relations, the first innermost."""
    try:
        made = tuple(nest(relations_of(_pack(), relations.split(",")), (Phrase(text, is_many(text)),)))
    except NoCandidate as none:
        return f"{none.reason}: {none.detail}"
    return ", ".join(phrase.text for phrase in made) or "nothing"


def filled(form: str, subject: str) -> str:
    """A form of a relation with its subject in it."""
    return fill(form, Phrase(subject, is_many(subject))).text


def wanted(hop: str) -> str:
    """How many words a question of a hop should have."""
    return f"{words_wanted(int(hop)):.1f}"


def slip(text: str) -> str:
    """What is wrong with the form of a question."""
    return flaw(text) or "nothing"


def instructed(text: str) -> str:
    """What in a text is addressed to a model."""
    return instruction_in(text) or "nothing"


def _pack() -> Pack:
    """The relations without facts."""
    return Pack((), relations(), {})


def _checks() -> Checks:
    """All checks but those that refuse what no fact is known of."""
    checks = build_checks(_pack())
    without = {Functional.name, SeveralAnswers.name}
    left = {reads: tuple(check for check in own if check.name not in without) for reads, own in checks.by_reads.items()}
    return replace(checks, by_reads=left)


def _raw(question: str, answer: str, fact: Fact) -> Candidate:
    sample = Sample("s", "table", "", question, answer, (answer,))
    concept = link(question, answer).concept
    key = (Triplet(IMAGE, "depicts", Entity(answer.upper(), concept=concept)),)
    raw = Question("s@raw/0", "s", "raw", 0, "raw", question, answer, key, concept=concept)
    return Candidate(sample, SampleGraph("s", key, (), key), raw, fact)


def _refusals(candidate: Candidate, *stages: Reads) -> str:
    decisions = [check.decide(candidate) for reads in stages for check in _checks().by_reads[reads]]
    return "; ".join(f"{one.reason}: {one.detail}" for one in decisions if not one.keep) or "nothing"


def fits(question: str, answer: str) -> str:
    """What refuses what the answer of a question is called."""
    try:
        reference = refer(read(question, PLAIN))
    except NoCandidate as none:
        return none.reason
    called = tuple(phrase.text for phrase in reference.phrases)
    fact = Fact("", answer, "quantity measured", "", "Xanadu", "table")
    candidate = replace(_raw(question, answer, fact), called=called, pattern=reference.rule)
    return _refusals(candidate, *(("reference", "phrase") if called else ("reference",)))


def refused(question: str, answer: str) -> str:
    """What refuses to go on from an answer."""
    fact = Fact("", answer, "quantity measured", "", "Xanadu", "table")
    candidate = _raw(question, answer, fact)
    return (
        _refusals(candidate, "fact")
        if not candidate.question.concept
        else _refusals(replace(candidate, fact=replace(fact, subject_id=candidate.question.concept)), "fact")
    )


def object_refused(name: str) -> str:
    """What refuses an object of a fact, by its name or its concept."""
    concept = name if name.startswith("wn30:") else link("", name).concept
    synset = wordnet().synset(concept) if concept else None
    text = synset.lemmas[0] if synset and name == concept else name
    return _refusals(
        _raw("What is this?", "thing", Fact("", "thing", "quantity measured", concept, text, "table")), "fact"
    )


def checked(check: str, *cells: str) -> str:
    """What one check says of a row: question, answer, and the other cells of ``checks.row.Row`` in their order."""
    chosen = next(one for one in _checks().all if one.name == check)
    decision = chosen.decide(candidate_of(Row(*cells), Walk(_pack())))
    return "kept" if decision.keep else f"dropped: {decision.detail}"


def unfitting(called: str, answer: str, question: str = "", described: str = "") -> str:
    """Why an answer, a name or a concept, cannot be what a phrase calls it."""
    concept = answer if answer.startswith("wn30:") else link("", answer).concept
    return unfit(called, concept, question, described=bool(described)) or "fits"


def several(called: str, answer: str) -> str:
    """Whether a phrase asks for several things and one is answered."""
    return "several" if one_of_several((called,), answer) else "fits"


def name_asked(called: str) -> str:
    """Whether a phrase asks for a name and not for a thing."""
    return checked(NameAsked.name, "What is this?", "dog", "dog", "young", "puppy", "", "", called)


def kinds_named(text: str, name: str) -> str:
    """What kinds of a thing a text names."""
    return " ".join(wordnet().synset(one).lemmas[0] for one in kinds_in(text, link("", name).concept)) or "none"


def ending(seen: str) -> str:
    """What refuses a path that a picture shows: names and relations by turns; further triplets after semicolons."""
    first, *more = ([part.strip() for part in text.split(">")] for text in seen.split(";"))
    own = _steps(first)
    shown = (*own, *(step for parts in more for step in _steps(parts)))
    decision = decide_path(Names(SampleGraph("s", shown, (), own)), own)
    return "kept" if decision.keep else f"{decision.reason}: {decision.detail}"


def confirmed(said: str, detected: str) -> str:
    """What refuses a path that a caption tells, beside what detections show."""
    own = tuple(replace(step, source="caption") for step in _steps([part.strip() for part in said.split(">")]))
    seen = (Triplet(IMAGE, "depicts", _numbered(name), source="detection") for name in _listed(detected))
    decision = decide_path(Names(SampleGraph("s", (*own, *seen), (), own)), own)
    return "kept" if decision.keep else f"{decision.reason}: {decision.detail}"


def plain(said: str, presupposed: str = "") -> str:
    """What refuses to go on from a key, whose first thing is seen or only presupposed by the question."""
    fact = Fact("", "thing", "quantity measured", "", "Xanadu", "table")
    candidate = _raw("What is this?", "thing", fact)
    key = _steps([part.strip() for part in said.split(">")])
    key = (replace(key[0], source=PRESUPPOSED), *key[1:]) if presupposed else key
    decision = PlainPath().decide(replace(candidate, question=replace(candidate.question, key=key)))
    return "kept" if decision.keep else f"{decision.reason}: {decision.detail}"


def functional(*cells: str) -> str:
    """What the check that a subject has one object says of a row: question, answer, subject, relation and object."""
    decision = Functional(Walk(_pack())).decide(candidate_of(Row(*cells), Walk(_pack())))
    return "kept" if decision.keep else f"dropped: {decision.detail}"


def beside(question: str, seen: str, many: str = "", answer: str = "") -> str:
    """What a benchmark's question, or its answer, says against a path that shows several things or one."""
    path = _steps([part.strip() for part in seen.split(">")])
    decision = Beside().decide(question, path, many=bool(many), answer=answer)
    return "kept" if decision.keep else f"dropped: {decision.detail}"


def on_topic(question: str, seen: str) -> str:
    """Whether a re-selected question about the end of a path may go on, beside a benchmark's question."""
    candidate = _raw(question, "thing", Fact("", "thing", "quantity measured", "", "Xanadu", "table"))
    key = _steps([part.strip() for part in seen.split(">")])
    asked = replace(candidate.question, kind="reselected", key=key)
    decision = OffTopic().decide(replace(candidate, question=asked))
    return "kept" if decision.keep else f"dropped: {decision.detail}"


def _steps(parts: Sequence[str]) -> tuple[Triplet, ...]:
    things = [_numbered(name) for name in parts[::2]]
    linked = zip(things, parts[1::2], things[1:], strict=False)
    return (Triplet(IMAGE, "depicts", things[0]), *(Triplet(one, step, other) for one, step, other in linked))


def _numbered(name: str) -> Entity:
    word, _, number = name.partition("#")
    return Entity(word.upper(), int(number or 1))


def stepped(subject: str, relation: str, object_: str, answer: str) -> str:
    """The step of a benchmark's fact to its answer."""
    step = fact_step((subject, relation, object_), answer)
    return f"{step.seen} > {step.relation} > {step.other}{' turned' * step.turned}"


def also_right(answer: str, given: str) -> str:
    """What else counts as an answer, of all that people gave."""
    sample = Sample("s", "table", "", "What is this?", answer, _listed(given))
    shown = (Triplet(IMAGE, "depicts", Entity(answer.upper())),)
    return ", ".join(raw_question(sample, SampleGraph("s", shown, (), shown)).aliases) or "nothing"


def object_of(relation: str, concept: str) -> str:
    """What refuses an object of a relation, by its concept."""
    text = wordnet().synset(concept).lemmas[0]
    return _refusals(_raw("What is this?", "thing", Fact("", "thing", relation, concept, text, "table")), "fact")


def asked(question: str, answer: str, chain: str) -> str:
    """How a relation of an answer is asked for, or the last of a chain of relations."""
    *before, last = chain.split(",")
    candidate = _raw(question, answer, Fact("", answer, last, "", "Xanadu", "table"))
    parent = candidate.question
    here = parent.key[-1].object
    steps = tuple(Triplet(here, relation, here, "textual") for relation in before)
    if steps:
        longer = replace(parent, id="s@r/1", run="r", hop=len(steps), kind="explored", key=(*parent.key, *steps))
        candidate = replace(candidate, question=longer)
    recipe = Recipe(_NO_FACTS, _checks(), RuleExpresser(_pack(), PLAIN), onward=lambda _: NOTHING)  # type: ignore[arg-type]
    worded = asyncio.run(Expression(recipe, "r").question(candidate, 0))
    return worded.text if isinstance(worded, Question) else f"{worded.reason}: {worded.detail}"


_NO_FACTS = None


def means(relation: str) -> str:
    """Which known relation the words of a model mean."""
    return Grounding(_pack()).name_of(relation)


def _view(number: int, caption: str) -> View:
    return View("caption", f"c#{number}", evidence=caption)


def _linked(view: View) -> str:
    names = {thing.id: thing.name for thing in view.things}
    things = (" ".join((*thing.attributes, thing.name)) for thing in view.things)
    links = (f"{names[one.subject]} {one.relation} {names[one.object]}" for one in view.links)
    return "; ".join((", ".join(things), *links))


def caption(text: str) -> str:
    """The things and links of a caption, parsed by spaCy's model."""
    return _linked(read_caption(_view(0, text)))


def caption_words(text: str) -> str:
    """The things and links of a caption, tagged by WordNet."""
    return _linked(read_words(_view(0, text), PLAIN.words(text)))


def _detected(objects: str, step: float = 0.0) -> Scene:
    """A scene of things, each smaller than the one before by a step."""
    things = tuple(Thing(str(at), name, 100.0 - step * at) for at, name in enumerate(_listed(objects)))
    return read_scene((View("detection", "d", things),))


def salient(objects: str) -> str:
    """The things of one size in a scene, the most salient first."""
    return ", ".join(thing.name for thing in _detected(objects).things)


def _anchored(reading: Reading, objects: str) -> str:
    anchors = find_anchors(reading, _detected(objects, step=1.0))
    return ", ".join(f"{anchor.entity.key} by {anchor.how}" for anchor in anchors) or "nothing"


def anchored(question: str, objects: str) -> str:
    """What a question may be about among things that are seen, the largest first, tagged by WordNet."""
    return _anchored(read(question, PLAIN), objects)


def anchored_parsed(question: str, objects: str) -> str:
    """What a question may be about among things that are seen, the largest first, parsed by spaCy's model."""
    return _anchored(read(question, ENGLISH), objects)


class _Views:
    """Annotations of one image."""

    def __init__(self, *views: View) -> None:
        self._views = views

    def of(self, _: Sample) -> tuple[View, ...]:
        """Return the views."""
        return self._views


def key(question: str, answer: str, captions: str, objects: str = "", fact: str = "") -> str:
    """The key path of a sample with captions and objects."""
    things = tuple(Thing(str(at), name, 100.0 - at) for at, name in enumerate(_listed(objects)))
    views = (
        *(_view(at, text) for at, text in enumerate(captions.split(" / ")) if text),
        View("detection", "d", things),
    )
    said = tuple(fact.split(",")) if fact else None
    sample = Sample("s", "table", "", question, answer, (answer,), fact=said)  # type: ignore[arg-type]
    graph = extract(sample, _Views(*views))  # type: ignore[arg-type]
    if isinstance(graph, Drop):
        return graph.reason
    return " > ".join((graph.key[0].subject.key, *(f"{step.relation} > {step.object.key}" for step in graph.key)))


def answer_called(question: str, answer: str, caption: str) -> str:
    """What the answer of a sample is called in its graph."""
    graph = extract(Sample("s", "table", "", question, answer, (answer,)), _Views(_view(0, caption)))  # type: ignore[arg-type]
    return graph.reason if isinstance(graph, Drop) else graph.key[-1].object.name


def path(question: str, answer: str, captions: str, objects: str = "") -> str:
    """All visual triplets of a sample with captions and objects."""
    things = tuple(Thing(str(at), name, 100.0 - at) for at, name in enumerate(_listed(objects)))
    views = (
        *(_view(at, text) for at, text in enumerate(captions.split(" / ")) if text),
        View("detection", "d", things),
    )
    graph = extract(Sample("s", "table", "", question, answer, (answer,)), _Views(*views))  # type: ignore[arg-type]
    return graph.reason if isinstance(graph, Drop) else "; ".join(triplet.id for triplet in graph.visual)


Probe = Callable[..., str]
PROBES: Mapping[str, Probe] = {
    probe.__name__: probe
    for probe in (
        forms,
        words_of,
        found,
        base,
        parts_of_speech,
        senses_sought,
        parted,
        usually,
        compound,
        called,
        visible,
        typed,
        of_kind,
        quality,
        predicate,
        tied,
        variants,
        nested,
        filled,
        wanted,
        slip,
        instructed,
        asks,
        tidied,
        tags,
        outline,
        noun,
        sense,
        refers,
        refused,
        object_refused,
        checked,
        unfitting,
        several,
        name_asked,
        kinds_named,
        ending,
        stepped,
        also_right,
        object_of,
        fits,
        caption_words,
        salient,
        anchored,
        asked,
        sureness,
        likeness,
        means,
        outline_parsed,
        refers_parsed,
        anchored_parsed,
        caption,
        key,
        path,
        confirmed,
        plain,
        functional,
        beside,
        on_topic,
        answer_called,
        paraphrased,
    )
}
"""The functions by name, those that need no model first."""
PARSED = {"outline_parsed", "refers_parsed", "anchored_parsed", "caption", "key", "path", "answer_called"}
"""Those whose outcome depends on spaCy's model."""

_BAR = re.compile(r" ?\| ?")


def outcome(probe: str, given: str) -> str:
    """What a function says of an input, its texts with bars between; a fault is an outcome too."""
    try:
        return PROBES[probe](*_BAR.split(given))
    except Exception as error:  # noqa: BLE001 - whatever a broken table raises
        return f"{type(error).__name__}"
