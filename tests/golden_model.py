"""A scripted model for the goldens, whose replies follow from the answer, chain or question in a request."""

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any
from zlib import crc32

from loopback_server import LoopbackRequest, LoopbackResponse, reply_with

from kbe_graph.types import VERDICTS

NOUNS = (
    *("anchor", "basket", "candle", "drum", "engine", "feather", "garlic", "hammer", "island", "jacket", "kettle"),
    *("ladder", "mirror", "needle", "onion", "pepper", "quilt", "ribbon", "saddle", "tunnel", "umbrella", "velvet"),
    *("walnut", "yogurt", "zipper", "barrel", "carpet", "dagger", "easel", "fountain", "goblet", "harbor", "ivory"),
)
WAYS = ("wrapping", "storing", "cleaning", "pairing", "selling", "mixing", "heating", "stacking", "painting", "folding")
CANDIDATES = 4
GUESSED = {"What drink": "beer", "by mixing?": "dagger"}
KNOWN = re.compile(r"is known for (\w+) with")


def answer_step(request: LoopbackRequest) -> LoopbackResponse:
    """Answer a step; one reply in four is in a code fence, as from a model that was told not to use one."""
    if "response_format" not in request.json:  # step ``answer`` asks in plain words
        return reply_with("nobody knows")
    step, text = request.json["response_format"]["json_schema"]["name"], request.text
    said = json.dumps(REPLIES[step](text))
    return reply_with(f"Here it is:\n```json\n{said}\n```" if _drawn(text_of(text), 4) == 0 else said)


def text_of(text: str) -> str:
    """Return only the values of a request, so that renaming a label changes nothing."""
    return " ".join(re.findall(r"<<<(.*?)>>>", text))


def _graph(text: str) -> dict[str, Any]:
    answer = _named(text, "Answer")
    first, second, third = _nouns(answer, text_of(text), 3)
    visual = [("IMAGE", "depicts", first), (first, "stands beside", second), (second, "touches", third)]
    keys = ["V1", "T1"] if _drawn(answer, 3) else ["V1", "V2", "V3", "T1"]
    return {
        "visual": [_spo(*triplet) for triplet in visual],
        "textual": [_spo(first if len(keys) == 2 else third, "goes with", answer.upper())],
        "key": keys,
    }


def _key(text: str) -> dict[str, Any]:
    subject = re.findall(r"^T1 <<<\((.+?), ", text, re.MULTILINE)[0]
    way = ["V1"] if re.search(rf"^V1 <<<.*{subject}\)", text, re.MULTILINE) else ["V1", "V2", "V3"]
    return {"key": [*way, "T1"]}


def _facts(text: str) -> list[dict[str, Any]]:
    answer, chain = _named(text, "Answer"), _named(text, "Chain")
    pairs = zip(_ways(answer, chain, CANDIDATES), _nouns(answer, chain, CANDIDATES), strict=True)
    return [_candidate(way, thing) for way, thing in pairs]


def _candidate(way: str, thing: str) -> dict[str, Any]:
    return {"r": f"is known for {way} with", "o": thing, "names": [f"{thing.lower()}s"], "type": "thing"}


def _express(text: str) -> dict[str, Any]:
    return {"question": _question(KNOWN.findall(_named(text, "Chain") + _named(text, "New triplet")))}


def _reselect(text: str) -> dict[str, Any]:
    path = _named(text, "Path")
    return {"question": _question(_ways(path, "", 1)) if _drawn(path, 4) else ""}


def _verdicts(text: str) -> dict[str, Any]:
    lines = re.findall(r"^(\d+) (?:statement: )?<<<\((.+)\)>>>", text, re.MULTILINE)
    return {"verdicts": [{"n": int(number), "ok": _drawn(fact, 5) != 0} for number, fact in lines]}


def _inspections(text: str) -> dict[str, Any]:
    lines = re.findall(r"^(\d+) question: <<<(.+)>>>", text, re.MULTILINE)
    return {
        "questions": [
            {"n": int(number)} | {verdict: _drawn(verdict + question, 16) != 0 for verdict in VERDICTS}
            for number, question in lines
        ]
    }


def _guesses(text: str) -> dict[str, Any]:
    """Build a guess at each question from a hash of its words, except for two questions that anybody guesses."""
    lines = re.findall(r"^(\d+) <<<(.+)>>>", text, re.MULTILINE)
    return {"answers": [{"n": int(number), "a": [_guess(question)]} for number, question in lines]}


def _guess(question: str) -> str:
    guessed = [answer for words, answer in GUESSED.items() if words in question]
    return guessed[0] if guessed else _nouns(question, "", 1)[0].lower()


def _alternatives(text: str) -> dict[str, Any]:
    """Build four other things for each question, or two for one question in eight."""
    lines = re.findall(r"^(\d+) chain: <<<(.+)>>>", text, re.MULTILINE)
    return {"questions": [{"n": int(number), "others": _others(chain)} for number, chain in lines]}


def _others(chain: str) -> list[dict[str, str]]:
    things, answers = _nouns(f"other than {chain}", chain, 4), _nouns(f"else of {chain}", chain, 4)
    others = [{"thing": thing, "answer": answer.lower()} for thing, answer in zip(things, answers, strict=True)]
    return others if _drawn(chain, 8) else others[:2]


def _drafts(text: str) -> dict[str, Any]:
    """Build two drafts, of a fact and of two joined facts, about two recognised things; one sample in six has none."""
    thing = re.findall(r"^V1 <<<\(.+, (.+?)\)", text, re.MULTILINE)[0]
    answer = _named(text, "Answer")
    if _drawn(answer, 6) == 0:
        return {"drafts": []}
    ways = (("is of model", 0.2), ("is of make", 0.6))
    found = [
        _spo(thing, relation, f"MODEL {number}") | {"e": "its outline", "p": 0.9, "box": [left, 0.2, left + 0.3, 0.6]}
        for number, (relation, left) in enumerate(ways, 1)
    ]
    (one, two), (first, second) = _ways(answer, "", 2), _nouns(answer, text_of(text), 2)
    fact = {"shape": "fact", "use": ["V1", "N1"], "new": [_spo("MODEL 1", f"is known for {one} with", first)]}
    join = {
        "shape": "join",
        "use": ["V1", "N1", "N2"],
        "new": [_spo(f"MODEL {number}", f"is known for {two} with", second) for number in (1, 2)],
        "others": [
            _spo("MODEL 1", f"is known for {two} with", "ROPE"),
            _spo("MODEL 2", f"is known for {two} with", "OIL"),
        ],
    }
    drafts = [
        shape | {"q": _question([way]), "a": object_.lower()}
        for shape, way, object_ in ((fact, one, first), (join, two, second))
    ]
    return {"found": found, "drafts": drafts}


def _opinions(text: str) -> dict[str, Any]:
    lines = re.findall(r"^(\d+) statement: <<<(.+)>>>", text, re.MULTILINE)
    return {"verdicts": [{"n": int(n), "true": _drawn(fact, 7) != 0, "only": True} for n, fact in lines]}


def _mended(text: str) -> dict[str, Any]:
    words = re.findall(r"^(\d+) question: <<<.*by (\w+)\?>>>", text, re.MULTILINE)
    return {"mended": [{"n": int(n), "q": f"To what does this picture lead at last by {way}?"} for n, way in words]}


def _solved(text: str) -> dict[str, Any]:
    """Answer each question by the facts of the request, but for one in five."""
    stated = Counter(re.findall(r"is known for (\w+) with, ([^,)]+)\)", text))
    facts = {way: object_ for (way, object_), _ in reversed(stated.most_common())}  # the true one is stated twice
    lines = re.findall(r"^(\d+) question: <<<(.*?(\w+)\?)>>>$", text, re.MULTILINE)
    known = [(int(n), facts[way].lower() if way in facts and _drawn(words, 5) else "") for n, words, way in lines]
    return {"answers": [{"n": n, "a": [answer] if answer else []} for n, answer in known]}


def _picked(text: str) -> dict[str, Any]:
    numbers = _numbers(text, "question")
    sides = dict.fromkeys(("related", "natural", "single", "worth"), True)
    best = numbers[_drawn(text_of(text), len(numbers))] if _drawn(text_of(text), 8) else 0
    return {"verdicts": [{"n": number} | sides for number in numbers], "best": best}


def _numbers(text: str, label: str) -> list[int]:
    return [int(number) for number in re.findall(rf"^(\d+) {label}: <<<", text, re.MULTILINE)]


REPLIES: dict[str, Callable[[str], dict[str, Any]]] = {
    "extract": lambda text: {name: value for name, value in _graph(text).items() if name != "key"},
    "key": _key,
    "see": lambda text: _graph(text) | {"about": "V1"},
    "knowledge": lambda text: {"candidates": _facts(text)},
    "representative": _verdicts,
    "verify": _verdicts,
    "express": _express,
    "reselect": _reselect,
    "inspect": _inspections,
    "guess": _guesses,
    "alternatives": _alternatives,
    "draft": _drafts,
    "look": lambda text: {"seen": [{"n": n, "o": f"MODEL {n}", "p": 0.9} for n in _numbers(text, "thing")]},
    "confirm": _opinions,
    "mend": _mended,
    "solve": _solved,
    "pick": _picked,
}


def _drawn(text: str, sides: int) -> int:
    """Roll a die whose result depends only on a text."""
    return crc32(text.encode()) % sides


def _named(text: str, label: str) -> str:
    """Return the last value of this label, including those of "Old ..."."""
    return str(re.findall(rf"^(?:Old |\d+ )?{label}: <<<(.+)>>>$", text, re.MULTILINE | re.IGNORECASE)[-1])


def _nouns(answer: str, without: str, count: int) -> list[str]:
    """Return nouns that follow from the answer and are not in ``without``."""
    start = _drawn(answer, len(NOUNS))
    ordered = (*NOUNS[start:], *NOUNS[:start])
    return [noun.upper() for noun in ordered if noun not in f"{answer} {without}".lower()][:count]


def _ways(answer: str, chain: str, count: int) -> list[str]:
    start = _drawn(f"ways of {answer}", len(WAYS))
    return [way for way in (*WAYS[start:], *WAYS[:start]) if way not in chain][:count]


def _question(ways: list[str]) -> str:
    return f"What does this image lead to by {', then '.join(ways)}?"


def _spo(subject: str, relation: str, thing: str) -> dict[str, str]:
    return {"s": subject, "r": relation, "o": thing}
