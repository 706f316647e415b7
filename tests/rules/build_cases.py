"""Finds the cases of the rule tables: for each row an input whose outcome changes when the row is taken away.

Tried are the cases there are, the examples of the tables themselves, the questions, answers and captions of the
benchmarks in the folder KBE_DATA, and templates around the row's word. Rows that nothing notices are printed: write a
case by hand, or take the row out.

KBE_DATA=... python -m rules.build_cases [beginning of a table's name ...] (in tests/)
"""

import gzip
import json
import os
import random
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, repeat, zip_longest
from pathlib import Path

from rules import probes
from rules.cases import Case, by_table, read_cases, write_cases
from rules.tables import ROOT, Table, module, tables, without

from kbe_graph.english.parse import ENGLISH
from kbe_graph.english.wordnet import LEXNAMES, wordnet
from kbe_graph.facts.relation import relations

CHUNK, CHUNKS, SAMPLE = 24, 6, 400
NAMES = ("forms", "called", "visible", "quality", "object_refused", "found")
PAIRS = ("noun", "sense", "refused", "fits", "sureness")
QUESTIONS = ("asks", "tidied", "outline", "refers", "outline_parsed", "refers_parsed")
LIKELY = {
    "english": ("forms", "found", "words_of", "compound", "outline", "refers", "caption_words"),
    "question": QUESTIONS,
    "senses": PAIRS,
    "facts": ("means", "asked"),
    "pack": ("asked", "means"),
    "kinds": ("visible", "called", "forms", "object_refused", "fits"),
    "seen": ("sense", "sureness"),
    "slips": ("slip",),
    "extract": ("key", "visible", "quality", "caption", "caption_words", "path"),
    "wording": ("called", "predicate", "refers", "refers_parsed", "asked", "slip"),
    "checks": ("fits", "refused", "object_refused", "slip", "asked"),
}


def _records(name: str) -> Iterator[dict]:
    with gzip.open(Path(os.environ["KBE_DATA"], name), "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


@cache
def captions() -> dict[str, list[str]]:
    """Captions by image."""
    found = {}
    with gzip.open(Path(os.environ["KBE_DATA"], "coco_captions_tags/VinVL_base_val2014.tsv.gz"), "rt") as file:
        for line in file:
            image, said = line.rstrip("\n").split("\t")
            found[image] = [row["caption"].rstrip(". ") for row in json.loads(said)]
    return found


@cache
def samples() -> tuple[tuple[str, str, str], ...]:
    """Question, answer and captions of the benchmarks."""
    found = {}
    for part in ("val_dev_half", "train"):
        for row in _records(f"okvqa/{part}.jsonl.gz"):
            answer = Counter(row["answers"]).most_common(1)[0][0]
            found[row["question"], answer] = str(row.get("image_id", ""))
        for row in _records(f"aokvqa/{part}.jsonl.gz"):
            answer = row["choices"][int(row["correct_choice_idx"])]
            found[row["question"], answer] = str(row.get("image_id", ""))
    clean = {pair: image for pair, image in found.items() if not any(mark in "".join(pair) for mark in "|\t\n")}
    return tuple(
        (question, answer, " / ".join(captions().get(image, ()))) for (question, answer), image in clean.items()
    )


@cache
def judged() -> tuple[tuple[str, str, str], ...]:
    """Question, answer and objects of the judged senses."""
    lines = Path(__file__).parents[1].joinpath("data", "senses.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return tuple(tuple(line.split("\t")[:3]) for line in lines)  # type: ignore[misc]


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"[a-z0-9']+", text.lower()))


@cache
def _index() -> dict[str, list[int]]:
    found = defaultdict(list)
    for at, (question, answer, _) in enumerate(samples()):
        for token in _tokens(f"{question} {answer}"):
            found[token].append(at)
    return found


@cache
def _caption_index() -> tuple[list[str], dict[str, list[int]]]:
    texts = sorted({text for said in captions().values() for text in said})
    found = defaultdict(list)
    for at, text in enumerate(texts):
        for token in _tokens(text):
            found[token].append(at)
    return texts, found


@cache
def _drawn() -> tuple[tuple[str, str, str], ...]:
    return tuple(random.Random(0).sample([row for row in samples() if len(row[0]) < 80], SAMPLE))


@cache
def _by_file() -> dict[str, list[tuple[str, str, str]]]:
    """Samples by the lexicographer files, and by the synsets, that their answers may be of."""
    found = defaultdict(list)
    for row in (*random.Random(1).sample(samples(), 8000), *judged()):
        senses = wordnet().lookup(row[1]).synsets[:3]
        for key in {name for one in senses for name in (one.lexname, one.id, *wordnet().hypernyms(one.id))}:
            if len(found[key]) < 80:
                found[key].append(row)
    return found


@cache
def _below() -> dict[str, list[str]]:
    """Names of synsets below each synset, the frequent ones first."""
    counts = sorted(
        ((sum(n for _, n in wordnet().senses(name)), name) for name in wordnet()._index.nouns), reverse=True
    )
    found = defaultdict(list)
    for _, name in counts[:25000]:
        for synset in wordnet().synsets(name)[:1]:
            for above in (synset.id, synset.lexname, *wordnet().hypernyms(synset.id)):
                if len(found[above]) < 60:
                    found[above].append(name)
    return found


@cache
def _ending() -> dict[str, list[str]]:
    """WordNet's compounds by their last word."""
    found = defaultdict(list)
    for name in wordnet()._index.nouns:
        if " " in name:
            found[name.rsplit(" ", 1)[-1]].append(name)
    return found


@cache
def _nouns() -> tuple[str, ...]:
    """Nouns of WordNet, phrases and names as captions and answers have them."""
    nouns = random.Random(3).sample(wordnet()._index.sorted_nouns, 300)
    answers = [row[1] for row in random.Random(4).sample(samples(), 300)]
    phrases = (
        "dog's tail",
        "cup of tea",
        "FBI agent",
        "SUV",
        "US state",
        "UFO",
        "hour",
        "one-way street",
        "Nile",
        "Pacific Ocean",
        "8",
        "a dog",
        "x-ray",
    )
    return (*phrases, *answers, *nouns, *(noun.title() for noun in nouns))


@cache
def _compounds_drawn() -> tuple[str, ...]:
    return tuple(name for name in wordnet()._index.sorted_nouns[::40] if name.count(" ") == 1)


@cache
def _users(name: str) -> tuple[str, ...]:
    """The rooms whose code names a list of words."""
    texts = {file: file.read_text(encoding="utf-8") for file in ROOT.rglob("*.py")}
    return tuple({file.relative_to(ROOT).parts[0]: None for file, text in texts.items() if f'words("{name}")' in text})


def _mixed(*parts: Iterable[str]) -> Iterator[str]:
    """Texts of several kinds by turns."""
    return (text for texts in zip_longest(*parts) for text in texts if text is not None)


@cache
def _triplets() -> tuple[tuple[str, str, str], ...]:
    """Subject, relation and object of captions."""
    from kbe_graph.extract.captions import read_caption

    texts, _ = _caption_index()
    drawn = random.Random(2).sample(texts, 6000)
    ENGLISH.parse_all(drawn[:4000])
    found = Counter()
    for text in drawn[:4000]:
        view = read_caption(probes._view(0, text))
        names = {thing.id: thing.name for thing in view.things}
        found.update((names[one.subject], one.relation, names[one.object]) for one in view.links)
    return tuple(found)


def _with(word: str, limit: int = 60) -> list[tuple[str, str, str]]:
    """Samples with a word, the short ones first."""
    parts = sorted(_tokens(word), key=lambda part: len(_index().get(part, ())))
    rows = [samples()[at] for at in _index().get(parts[0], ())] if parts else []
    rows = [row for row in rows if word in f" {row[0]} {row[1]} ".lower()]
    return sorted(rows, key=lambda row: len(row[0]))[:limit]


def _captions_with(word: str, limit: int = 40) -> list[str]:
    texts, index = _caption_index()
    parts = sorted(_tokens(word), key=lambda part: len(index.get(part, ())))
    rows = [texts[at] for at in index.get(parts[0], ())] if parts else []
    return sorted((text for text in rows if word in text), key=len)[:limit]


def _fields(table: Table, row: str) -> list[str]:
    """The fields of a row in a file, its own examples among them."""
    if not table.place.endswith(".tsv"):
        return []
    from rules.tables import _keys

    text = ROOT.joinpath("data", table.place).read_text(encoding="utf-8")
    return [part.strip() for part in text.splitlines()[_keys(text)[row]].split("\t") if part.strip()]


def _words(table: Table, row: str) -> list[str]:
    """The words that a row stands for."""
    last = row.rpartition(": ")[2] if ": " in row else row
    parts = [
        row.replace("_", " "),
        last,
        *row.split(" > "),
        *(field for field in _fields(table, row) if len(field) < 40),
    ]
    if not table.place.endswith((".tsv", ".txt")):
        value = getattr(module(table.place), table.name)
        pattern = value.pattern if isinstance(value, re.Pattern) else row if re.search(r"[\\(|]", row) else ""
        parts += re.findall(r"[A-Za-z]{2,}", pattern)
    return [part for part in dict.fromkeys(part.lower() for part in parts) if re.search(r"[a-z0-9]", part)]


def inputs(table: Table, row: str) -> dict[str, Iterator[str]]:
    """Give the inputs to try, by probe."""
    words = _words(table, row)
    ids = re.findall(r"wn30:\d{8}-n", row) or re.findall(r"wn30:\d{8}-n", " ".join(_fields(table, row)))
    files = [f"noun.{word}" for word in words if f"noun.{word}" in LEXNAMES] + list(re.findall(r"noun\.\w+", row))
    names = [word for word in words if not word.startswith("wn30")]
    names += [form for word in names[:2] for form in (f"{word}s", word.title(), word.upper())] + [
        name for one in (*ids, *files) for name in _below()[one]
    ]
    names += [name for word in words for name in _ending()[word][:40]]
    names += [name.title() for name in names[:80]]
    names += _nouns() if table.place.startswith(("english", "extract", "wording")) else ()
    rows = list(dict.fromkeys(chain.from_iterable(_with(word) for word in words)))
    rows += [sample for one in (*ids, *files) for sample in _by_file()[one]]
    near = [row for row in judged() if any(word in f"{row[0]} {row[1]} {row[2]}".lower() for word in words)]
    near += [row for one in (*ids, *files) for row in judged() if row in _by_file()[one]]
    rest = list(_drawn())
    examples = [field for field in _fields(table, row)[1:] if " " in field]
    questions = [*examples, *_mixed((row[0] for row in rows), _templates(words)), *(row[0] for row in rest)]
    real = (f"{row[0]} | {row[1]}" for row in (*rows, *near))
    named = (f"{row[0]} | {row[1]}" for row in _of_names(words, names if ids else ()))
    pairs = [
        *_mixed(real, (f"{row[0]} | {row[1]}" for row in _templated(words)), named),
        *(f"{row[0]} | {row[1]}" for row in rest),
    ]
    seen = [" | ".join(row) for row in near]
    texts = [*_caption_templates(words), *chain.from_iterable(map(_captions_with, words)), *_caption_index()[0][::900]]
    found = {
        **dict.fromkeys(NAMES, names),
        **dict.fromkeys(PAIRS, pairs),
        **dict.fromkeys(QUESTIONS, questions),
    }
    found["sense"] = [*seen, *pairs]
    found["sureness"] = [*seen, *pairs]
    found["words_of"] = [*names, *questions[:40]]
    found["compound"] = [f"{word} | {noun}" for word in names for noun in ("dog", "bear", "animal", "table", "house")]
    found["compound"] += [
        " | ".join(name.rsplit(" ", 1)) for name in (*words, *names, *_compounds_drawn()) if " " in name
    ]
    found["slip"] = [*examples, *words, *questions[:60]]
    found["predicate"] = list(_predicates(words))
    found["caption"] = found["caption_words"] = texts
    found["key"] = [f"{q} | {a} | {c}" for q, a, c in rows if c][:24] + list(_scenes(words, names))
    found["key"] += [f"{q} | {a} | a man with a ball | {o}" for q, a, o in near]
    found["key"] += [
        f"{q} | {a} | {text}"
        for text in texts[:12]
        for q, a in (("What is this?", "dog"), ("What animal is this?", "dog"))
    ]
    found["path"] = found["key"]
    if table.place == "kinds.tsv":
        below = [one for synset_id in ids for one in _all_below(synset_id)]
        found["object_refused"] = below
        lemmas = [lemma for one in below for lemma in wordnet().synset(one).lemmas]
        found["forms"] = found["called"] = found["visible"] = lemmas
        found["tidied"] = [f"What is this {name}s food?" for name in names[:40]]
    if table.place == "seen.tsv":
        seen = [*_beside(*_fields(table, row)), *seen]
        found["sense"], found["sureness"] = [*seen, *pairs], [*seen, *pairs]
    found["likeness"] = pairs
    found["means"] = [*examples, *(form.format(word) for word in words for form in MEANINGS)]
    found["asked"] = list(_chains(words))
    return {probe: iter(dict.fromkeys(given)) for probe, given in found.items() if given}


@cache
def _all_below(synset_id: str) -> tuple[str, ...]:
    """All synsets below one."""
    return tuple(one for one in map(_id, wordnet()._index.synsets) if synset_id in wordnet().hypernyms(one))


def _id(offset: str) -> str:
    return f"wn30:{offset}-n"


def _beside(word: str, _: str, beside: str, *more: str) -> Iterator[str]:
    """A thing that is seen, beside the words that give it its sense."""
    near = beside.split() if more else []
    for name in (word, f"{word}s"):
        yield from (
            f"{question} | {name} | {name}"
            for question in ("What is this?", "What is this object called?", "What is the man holding?")
        )
        yield from (f"What is the {one} near? | {name} | " for one in near)
        yield from (f"What is this? | {name} | {one},{name}" for one in near)
        yield f"What is this? | {name} | {','.join(near[:3])}"


def _of_names(words: Sequence[str], names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    asks = (
        "What is the man walking on?",
        "What is this place?",
        "What is the house made of?",
        "What is the thing on the table?",
        "Who is this?",
    )
    for name in names[:40]:
        yield from ((question, name, "") for question in asks)
        kinds = (word.rsplit(" ", 1)[-1] for word in (*words[:2], "fruit", "cow") if len(word) < 30)
        yield from ((f"What kind of {kind} is this?", name, "") for kind in kinds)


def _templates(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        if len(word) < 30:
            yield from (form.format(word) for form in TEMPLATES)


TEMPLATES = (
    "What {} is this?",
    "What is this {}?",
    "What is the {} called?",
    "What kind of {} is this?",
    "What {} is the man holding?",
    "What is the man {}?",
    "What is the man's {} made of?",
    "What is the {} in this image?",
    "What animal is {} the fence?",
    "What is the dog {} on?",
    "In what {} is this dog popular?",
    "What {} does this animal live in?",
    "What {} is the dog?",
    "{} is this animal?",
    "{} animal is this?",
    "Who {} this machine?",
    "What country {} this?",
    "Where does this {} come from?",
    "What is the dog in the {}?",
    "What is the {} of this animal?",
    "What does the animal {} eat?",
    "What breed is the {}?",
    "What is the name of the {0} that is {0}?",
    "How {} is this animal?",
)


SCENES = (
    "a man riding a wave on a surfboard",
    "a pizza on a table",
    "a bus on a street",
    "a laptop on a desk with a mouse",
    "a teddy bear on a bed",
    "a stove in a kitchen",
    "a woman with an umbrella on a beach",
    "a plate with a sandwich and a dog",
    "a boy with a racket on a court",
)
ASKED = (
    "What {} is this?",
    "What is this {} called?",
    "Where is the {}?",
    "What {} is being played?",
    "What is the {} used for?",
    "What is {} doing?",
)


def _scenes(words: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    for word in words:
        yield from (
            f"{question} | something | a {other} next to a {word}"
            for question in ("What is this made of?", "What is this?")
            for other in ("box", "flag", "wheel")
        )
        below = [name for synset in wordnet().synsets(word)[:2] for name in _below()[synset.id][:6]]
        yield from (f"What is this {word} made of? | something | a {name} next to a {word}" for name in below)
        yield from (
            f"What is the teapot {place} made of? | something | a dog on a table"
            for place in (word, f"in the {word}", f"{word} here")
        )
        yield from (f"{question.format(word)} | something | {scene}" for scene in SCENES for question in ASKED)
    for name in names[:30]:
        yield from (
            f"What is this {kind}? | something | a man with a {name}"
            for kind in ("food", "place", "toy", "vehicle", "device", "animal", "thing")
        )


MEANINGS = (
    "{}",
    "{} capital",
    "capital {}",
    "{} of the young",
    "young {}",
    "it is {} the habitat",
    "has {} as material",
    "{} by",
)


def _templated(words: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    for word in words:
        if len(word) < 30:
            asks = ("What is this?", "What is the man doing?", "What kind of thing is this?", "What animal is this?")
            yield from ((question, word, "") for question in asks)
            yield from ((f"What {word} is this?", answer, "") for answer in ("dog", "red", "chicken", "bank"))
            yield from ((question, f"{word} dog", "") for question in asks[:2])
            yield from ((question, f"red {word}", "") for question in asks[:2])
            yield from ((question, f"{word} the table", "") for question in asks[:2])
            yield from ((f"What is the {word} of the dog?", answer, "") for answer in ("dog", "red", "metal"))


def _caption_templates(words: Sequence[str]) -> Iterator[str]:
    forms = (
        "a man {} a horse",
        "a {} man with a dog",
        "a man on the {} of a boat",
        "a man {} on a bench",
        "a {} of dogs on a beach",
    )
    more = (
        "a dog in the {}",
        "a dog near the {} of a house",
        "a man with a dog {} a beach",
        "a {} on a table",
        "there is a {} man",
    )
    for word in words:
        if len(word) < 30:
            yield from (form.format(word) for form in (*forms, *more))


def _predicates(words: Sequence[str]) -> Iterator[str]:
    short = [word for word in words if len(word) < 30]
    for word in short:
        yield from (
            f"{subject} | {word} | {thing}"
            for subject in ("man", "car", "dog")
            for thing in ("horse", "table", "fence", "pizza")
        )
        yield from (
            f"{subject} | {word} | {thing}" for subject in ("kitchen", "boat") for thing in ("horse", "street", "shirt")
        )
        yield from (
            f"{subject} | {relation} | {word}"
            for subject in ("man", "car")
            for relation in ("riding", "on", "parked in", "eating", "next to", "made of")
        )
        yield from (f"{word} | {relation} | horse" for relation in ("riding", "on", "next to"))
        yield from (
            f"man | {begin} {word} | {thing}"
            for begin in ("sitting", "parked", "standing", "covered")
            for thing in ("fence", "horse", "hat")
        )
        yield from (
            f"car | {word} {end} | {thing}"
            for end in ("on", "with", "down", "in")
            for thing in ("street", "dog", "horse")
        )
    if len(short) > 1:
        yield f"{short[-2]} | near | {short[-1]}"
    yield from (" | ".join(row) for row in _triplets() if any(word in row or word in row[1].split() for word in short))


def _chains(words: Sequence[str]) -> Iterator[str]:
    known = [word for word in words if word in relations()]
    roots = (
        ("What breed of dog is this?", "dalmatian"),
        ("What is the man holding?", "racket"),
        ("What wood is this?", "oak"),
        ("What place is this?", "beach"),
        ("What type of plant is this?", "oak"),
        ("What is this animal?", "cow"),
        ("Where does this man work?", "office"),
        ("What city is this?", "paris"),
        ("What is the food made of?", "wheat"),
        ("Where is this?", "france"),
        ("Where is this?", "europe"),
        ("Where is this?", "texas"),
        ("Where is this?", "chicago"),
    )
    chains = [",".join(known)] if len(known) > 1 else [] if known else ["capital", "largest city", "longest river"]
    chains += [*known, *(f"{one},capital" for one in known), *(f"material,{one}" for one in known)]
    yield from (f"{question} | {answer} | {one}" for one in chains for question, answer in roots)


_BASE: dict[tuple[str, str], str] = {}


def base(probe: str, given: str) -> str:
    """The outcome with all rows there."""
    if (probe, given) not in _BASE:
        _BASE[probe, given] = probes.outcome(probe, given)
    return _BASE[probe, given]


def notice(table: Table, row: str, tried: Sequence[tuple[str, str]]) -> Case | None:
    """The first input whose outcome changes without the row."""
    right = {pair: base(*pair) for pair in tried}
    with without(table, row):
        for (probe, given), outcome in right.items():
            if not outcome.endswith("Error") and probes.outcome(probe, given) != outcome:
                return Case(table.key, row, probe, given, outcome)
    return None


def search(table: Table, row: str, old: Sequence[Case]) -> Case | None:
    """The case of a row, None where nothing notices that it is away."""
    place = re.split(r"[./]", table.place)[0]
    first = [(case.probe, case.given) for case in old if case.probe in probes.PROBES][:CHUNK]
    if first and (case := notice(table, row, first)):
        return case
    given = inputs(table, row)
    rooms = _users(table.name) or ("extract",) if table.place == "english.txt" else (place,)
    likely = tuple(dict.fromkeys(probe for room in rooms for probe in LIKELY.get(room, ())))
    order = [probe for probe in (*likely, *probes.PROBES) if probe in given]
    streams = [zip(repeat(probe), given[probe]) for probe in dict.fromkeys(order)]
    many = 20 if table.place == "kinds.tsv" else 1
    weights = [6 * many if probe in likely else 2 for probe in dict.fromkeys(order)]
    turns = zip_longest(
        *(
            iter(lambda s=stream, w=weight: tuple(islice(s, w)), ())
            for stream, weight in zip(streams, weights, strict=True)
        ),
        fillvalue=(),
    )
    flat = (pair for turn in turns for group in turn for pair in group)
    for _ in range(CHUNKS):
        chunk = list(islice(flat, CHUNK * many))
        if not chunk:
            break
        if case := notice(table, row, chunk):
            return case
    return None


def main(chosen: Sequence[str]) -> None:
    """Search the tables whose names begin so, all of them where none is given."""
    old = list(read_cases())
    anywhere = defaultdict(list)
    for case in old:
        anywhere[case.row].append(case)
    kept = {(case.table, case.row): case for case in old}
    known = by_table()
    found, unnoticed, start = {}, [], time.time()
    for table in tables():
        if chosen and not table.key.startswith(tuple(chosen)):
            found.update({key: case for key, case in kept.items() if key[0] == table.key})
            continue
        before = len(unnoticed)
        for row in table.rows:
            case = search(table, row, [*known.get(table.key, {}).get(row, ()), *anywhere[row]])
            if case:
                found[table.key, row] = case
                anywhere[row].append(case)
            else:
                unnoticed.append(f"{table.key}\t{row}")
        lost = unnoticed[before:]
        noticed = len(table.rows) - len(lost)
        sys.stderr.write(f"{time.time() - start:6.0f} s {table.key}: {noticed} of {len(table.rows)}\n")
        sys.stderr.writelines(f"    - {line.partition(chr(9))[2][:100]}\n" for line in lost)
        write_cases({**kept, **found}.values())
    write_cases(found.values())
    sys.stderr.write(f"{len(found)} rows are noticed, {len(unnoticed)} are not\n")


if __name__ == "__main__":
    main(sys.argv[1:])
