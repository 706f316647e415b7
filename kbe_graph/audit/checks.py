"""The checks, each a function of what is audited, under the id of its criterion."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from functools import cache, partial
from math import sqrt
from typing import Any

import numpy as np

from kbe_graph.audit.criteria import AuditOutcome, Finding, Share, outcome_above_zero, outcome_if
from kbe_graph.audit.subject import Audited
from kbe_graph.export.release import licences
from kbe_graph.extras import has_extra, missing_line
from kbe_graph.figures.accuracy import UNSCORED, error_rows, gain_rows
from kbe_graph.figures.comparisons import surface_table
from kbe_graph.figures.guess import blind_question_of, guess, guess_options
from kbe_graph.figures.outcomes import IMAGE, plain_row, row_of
from kbe_graph.figures.results import item_rest, item_table, memory_table, response_frame
from kbe_graph.files.opening import sha256_of
from kbe_graph.files.resources import data, rows
from kbe_graph.models.catalogue import family_of, in_one_family, own_family_of
from kbe_graph.review.doubt import contradicted
from kbe_graph.scoring.score_rules import SCORE_RULES
from kbe_graph.statistics import ONE_PICTURE, Z95
from kbe_graph.statistics.intervals import Floats, clustered_error
from kbe_graph.statistics.paired import detectable_difference, pairs_needed
from kbe_graph.statistics.question_statistics import variety
from kbe_graph.text import fold, quoted
from kbe_graph.types import UNSOURCED, Question, QuestionForm, Sample
from kbe_graph.types.graph import AGREED
from kbe_graph.types.question import form_id

Check = Callable[[Audited], Finding]
CHECKS: dict[str, Check] = {}
NONE = Share(0, 0)  # of nothing
UNASKED = AuditOutcome("not stated", "no model was asked so")
NO_PICTURES = AuditOutcome("not stated", "no picture is there")
NO_SCIPY = AuditOutcome("not stated", "the extra `figures` is missing: pip install 'kbe-graph[figures]'")
TOLD = (
    *("model", "variant", "row", "name", "change"),
    *("accuracy", "wrong", "to_wrong", "to_right", "difference", "verdict", "low", "high"),
)
"""The columns that are told of a table of figures."""
SHOWN = 5  # rows of a table, and ids of what is at fault
MODELS = 3  # models whose agreement speaks against a key
PEOPLE = "people"  # the name of people among the models
RANKED = 5  # models that rank questions
DRAWN = 50  # times that answers are drawn by chance
LABELS = 200  # answers labelled by people that check a judge
THREE = 0.03  # points that are to be told, where two models differ
DIFFER = 0.2  # on a fifth of the questions
RARE = 0.01  # a chance that is no longer taken for one
_NOTHING = {"", "n/a", "nan", "null"}
_LETTER = re.compile(r"\(?[A-Za-z]\)?[.:]?")


@cache
def _personal() -> re.Pattern[str]:
    table = rows(data("audit/personal.tsv"), ("finds", "pattern"))
    return re.compile("|".join(pattern for _, (_, pattern) in table), re.IGNORECASE)


def check(function: Check) -> Check:
    """Register a check under its name, with hyphens."""
    CHECKS[function.__name__.replace("_", "-")] = function
    return function


def share_of(ids: Sequence[str], of: Sized) -> Share:
    """Return the share at fault, by their ids, of all that were looked at."""
    return Share(len(ids), len(of), ids)


def _repeated(places: Mapping[str, Hashable]) -> Share:
    counts = Counter(places.values())
    return share_of([id_ for id_, place in places.items() if counts[place] > 1], places)


def _is_unscorable(audited: Audited, question: Question) -> bool:
    """Whether the answer is none of the options or, without these and unless people gave it, a lone letter."""
    if form := audited.options.get(form_id(question.id, "choice")):
        return not {*map(fold, form.answers)} <= {*map(fold, form.options)}
    is_letter = _LETTER.fullmatch(question.answer.strip()) and "letter" not in question.text.casefold()
    return bool(is_letter) and audited.samples[question.sample].answers.count(question.answer) < AGREED


def _is_open(question: Question) -> bool:
    return " or " not in question.text


@check
def answers_hidden(audited: Audited) -> Finding:
    """Find questions that hold their answer, and do not offer others beside it; people word a few so, rules none."""
    held = {id_ for id_, question in audited.english.items() if _holds_answer(audited, question)}
    new = audited.english.keys() & audited.new.keys()
    asked = audited.english.keys() - new
    shares = {"new": share_of(sorted(held & new), new)._replace(limit=0.0)}
    shares["the benchmark's"] = share_of(sorted(held & asked), asked)
    return {name: share for name, share in shares.items() if share.of} or NONE


def _holds_answer(audited: Audited, question: Question) -> bool:
    options = audited.samples[question.sample].choices
    held = [name for name in {*map(fold, (question.answer, *options))} if f" {name} " in f" {fold(question.text)} "]
    return held == [fold(question.answer)] and _is_open(question)


def _is_contested(_: Audited, sample: Sample) -> bool:
    """Whether fewer than three people gave the answer, or as many another."""
    return bool(sample.rivals) or Counter(map(fold, sample.answers))[fold(sample.answer)] < AGREED


def _is_personal(audited: Audited, question: Question) -> bool:
    """Whether a text of the row has personal data, or asks for them."""
    sample = audited.samples[question.sample]
    texts = question.text, question.answer, *question.aliases, *sample.choices, *sample.rationales
    return any(map(_personal().search, texts))


@check
def questions_once(audited: Audited) -> Finding:
    """Find questions of one picture in the same words."""
    asked = {id_: (audited.samples[own.sample], fold(own.text)) for id_, own in audited.questions.items()}
    return _repeated({id_: (own.benchmark, own.picture_key, words) for id_, (own, words) in asked.items()})


@check
def pictures_found(audited: Audited) -> Finding:
    """Find samples without their picture, where any sample names one."""
    if not any(sample.picture_key != id_ for id_, sample in audited.samples.items()):
        return NONE
    missing = sorted(audited.samples.keys() - audited.pictures.keys())
    return share_of(missing, audited.samples) if audited.pictures else NO_PICTURES


@check
def pictures_once(audited: Audited) -> Finding:
    """Find pictures that are there under two names."""
    return _repeated({str(file): sha256_of(file) for files in audited.pictures.values() for file in files})


@check
def pictures_apart(audited: Audited) -> Finding:
    """Find pictures that are in two splits or forms."""
    asked = [(audited.samples[own.sample], audited.parts.get(own.id)) for own in audited.questions.values()]
    parts = {(own.benchmark, own.picture_key, part or own.split) for own, part in asked}
    is_split = len({part for *_, part in parts}) > 1
    return _repeated({f"{picture} in {part}": (benchmark, picture) for benchmark, picture, part in parts if is_split})


def _commonest(audited: Audited, value: str) -> Finding:
    words = f"{{benchmark}}, hop {{hop}} (effective number {{effective {value}s:.1f}})"
    return {
        words.format_map(row): Share(round(row[f"largest {value}"] * row["samples"]), row["samples"])
        for row in variety([*audited.questions.values()]).to_dict("records")
    } or NONE


@check
def guess_words(audited: Audited) -> Finding:
    """Measure how often each guesser that sees only words is right, by hop."""
    if not has_extra("guess"):
        return AuditOutcome("not stated", "the extra `guess` is missing")
    asked = [
        blind_question_of(audited.samples[own.sample], own)
        for own in audited.questions.values()
        if own.answer and _is_open(own)
    ]
    rows = [(row.row, name, own) for row in guess(asked).rows for name, own in row.guessers.items()]
    return {f"{row}, {name}": Share(own.right, own.questions) for row, name, own in rows} or NONE


def _single(audited: Audited) -> list[QuestionForm]:
    return [own for own in audited.options.values() if len(own.answers) == 1 and {*own.answers} <= {*own.options}]


@check
def option_position(audited: Audited) -> Finding:
    """Test whether the right option stands at each position equally often, over all numbers of options."""
    places = Counter((len(own.options), own.options.index(own.answers[0])) for own in _single(audited))
    expected = Counter(len(own.options) for own in _single(audited) if len(own.options) > 1)
    if not expected or missing_line("figures"):
        return NO_SCIPY if expected else NONE
    from scipy.stats import chisquare

    cells = [(places[size, place], number / size) for size, number in expected.items() for place in range(size)]
    square, p = chisquare(*zip(*cells, strict=True), ddof=len(expected) - 1)
    first = sum(places[size, 0] for size in expected) / expected.total()
    figure = f"chi-square {square:.1f}, p {p:.2g}; the first is right in {first:.1%} of {expected.total():,}"
    return outcome_if(p >= RARE, figure, expected.total())


def _by_options(audited: Audited, guesser: str) -> Finding:
    rows = [(row, row.guessers[guesser]) for row in guess_options(_single(audited))]
    return {
        f"{row.form} by {row.maker}": Share(own.right, own.questions, chance=row.chance) for row, own in rows
    } or NONE


def _is_odd(audited: Audited, form: QuestionForm) -> bool:
    """Whether an option is empty, there twice, or another name of the answer beside it."""
    options, names = {*map(fold, form.options)}, audited.questions[form.question].aliases
    also_right = {*map(fold, names)} & options - {*map(fold, form.answers)}
    return "" in form.options or len(options) < len(form.options) or bool(also_right)


@check
def facts_sourced(audited: Audited) -> Finding:
    """Find questions with a fact without a source, and tell how many have facts that only a model states."""
    bare = [id_ for id_, facts in audited.facts.items() if any(fact.source in {"", UNSOURCED} for fact in facts)]
    stated = [id_ for id_, facts in audited.facts.items() if any(fact.source.startswith("model ") for fact in facts)]
    if bare or not stated:
        return share_of(bare, audited.facts)
    figure = f"a model states facts of {len(stated):,} of {len(audited.facts):,}; these have no source"
    return AuditOutcome("not stated", figure, tuple(stated))


@check
def licence_by_row(audited: Audited) -> Finding:
    """Find questions whose picture, or a source of whose facts, has no known licence."""
    general = audited.statements.get("licence-by-row", "")
    if not general and not audited.licences:
        return None
    licensed = {source for source, licence in licences().items() if not licence.startswith("none")}

    def is_bare(id_: str) -> bool:
        own = audited.licences.get(id_) or ("" if audited.folder and id_ in audited.facts else general)
        return not own or any(fact.source not in licensed for fact in audited.facts.get(id_, ()))

    return share_of([*filter(is_bare, audited.questions)], audited.questions)


@check
def questions_enough(audited: Audited) -> Finding:
    """Compare the number of questions with that which tells two models three points apart."""
    if not audited.questions or missing_line("figures"):
        return NO_SCIPY if audited.questions else NONE
    whole, needed = len(audited.questions), pairs_needed(THREE, DIFFER)
    least = detectable_difference(whole, DIFFER)
    words = f"; they tell {least:.1%} where models differ on a fifth" if least else ""
    return outcome_if(whole >= needed, f"{whole:,} of {needed:,}{words}")


@check
def people(audited: Audited) -> Finding:
    """Report the score of people who were asked, or what an annotator scores by the others.

    This is the VQA accuracy: a third for each that says the same, at most 1.
    """
    if own := [row for row in audited.accuracy if row.model == PEOPLE]:
        return _in_words(own)
    several = [Counter(map(fold, sample.answers)) for sample in audited.annotated.values()]
    scores = [sum(n * min(1.0, (n - 1) / 3) for n in own.values()) / own.total() for own in several]
    return AuditOutcome("pass", f"an annotator by the others {sum(scores) / len(scores):.1%}") if scores else None


def _in_words(rows: Iterable[Any]) -> AuditOutcome | None:
    """Tell the first rows of a table of figures; None if it is empty."""
    cells = [[row[name] for name in TOLD if row.get(name) is not None] for row in map(plain_row, rows)][:SHOWN]
    words = [" ".join(f"{cell:.3g}" if isinstance(cell, float) else str(cell) for cell in own) for own in cells]
    return AuditOutcome("pass", "; ".join(words)) if words else None


@check
def ceiling(audited: Audited) -> Finding:
    """Measure how much each model leaves to be gained, by hop."""
    rows = [row for row in audited.accuracy if row.variant == IMAGE and row.model != PEOPLE]
    return {
        f"{row.benchmark}, {row.model}, {row.row}": Share(row.accuracy * row.questions, row.questions) for row in rows
    } or UNASKED


def _blind(audited: Audited, *, raw: bool) -> Finding:
    asked = audited.answers[audited.answers["variant"] == "blind"].dropna(subset="right")
    hits = {(model, id_): bool(right) for model, id_, right in asked[["model", "question", "right"]].values}
    hits |= {(own.model, id_): own.right for id_, guesses in audited.selection.guesses.items() for own in guesses}
    groups: dict[str, dict[str, bool]] = defaultdict(dict)
    for (model, id_), is_right in hits.items():
        if (question := audited.questions.get(id_)) and (question.kind == "raw") == raw:
            groups[f"{question.shape or row_of(question.kind, question.hop)}, {model}"][id_] = is_right
    shares = {name: share_of([id_ for id_, right in own.items() if right], own) for name, own in groups.items()}
    if not shares and all((question.kind == "raw") != raw for question in audited.questions.values()):
        return AuditOutcome("not applicable", f"there are no {'raw' if raw else 'new'} questions")
    return shares or UNASKED


@check
def picture_gain(audited: Audited) -> Finding:
    """Measure how much the picture gives the best model that was asked with and without it, and people beside it."""
    rows = gain_rows(audited.outcomes.assign(shape="all", key_edges=0))
    best = max((row for row in rows if row["model"] != PEOPLE), key=lambda row: row["with"], default=None)
    words = "{model}: {with:.1%} with, {without:.1%} without, gain {gain:.1%} [{low:.1%}, {high:.1%}]"
    beside = [row for row in rows if row is best or row["model"] == PEOPLE]
    if best is None:
        return UNASKED
    return outcome_above_zero(
        "; ".join(words.format(**row) for row in beside), best["low"], best["high"], best["questions"]
    )


@check
def accuracy_two(audited: Audited) -> Finding:
    """Tell each accuracy of repeated askings, its error over these, and that over questions too."""
    asked = audited.outcomes.query("variant == @IMAGE and runs > 1")
    words = "{}, {}, {}: {:.1%}, ± {:.1%} on these questions, {} on questions of their kind"
    rows = []
    for names, own in asked.groupby(["benchmark", "model", "row"]):
        over_runs = sqrt((own["right"] * (1 - own["right"]) / (own["runs"] - 1)).sum()) / len(own)
        error = clustered_error(own["right"], own["image"])
        wider = ONE_PICTURE if error is None else f"± {Z95 * error:.1%}"
        rows.append(words.format(*names, own["right"].mean(), Z95 * over_runs, wider))
    return AuditOutcome("pass", "; ".join(rows[:SHOWN])) if rows else None


@check
def difficulty_measured(audited: Audited) -> Finding:
    """Correlate key edges with the share of models that fail."""
    edge = item_table(audited.answers).edges["all"]
    if edge is None or edge.low is None:
        return UNASKED if audited.new else NONE
    return outcome_above_zero(f"r {edge.r:.2f} [{edge.low:.2f}, {edge.high:.2f}]", edge.low, edge.high, edge.rows)


@check
def keys_supported(audited: Audited) -> Finding:
    """Find questions that strong models answer alike and against the key, of those that three models were asked."""
    models = response_frame(audited.answers, IMAGE).count()
    asked = models[models >= MODELS].to_dict()
    against = [own.question for own in contradicted(audited.predictions) if own.question in asked]
    return share_of(against, asked) if asked else _fewer_than(MODELS)


def _fewer_than(models: int) -> AuditOutcome:
    return AuditOutcome("not stated", f"fewer than {models} models were asked")


@check
def items_sound(audited: Audited) -> Finding:
    """Find questions that better models fail more often, of those that only some models fail.

    By chance so many do as where each question is equally good at telling models apart.
    """
    responses = response_frame(audited.answers, IMAGE)
    if len(responses) < RANKED:
        return _fewer_than(RANKED)
    rest = item_rest(responses.to_numpy())
    chance = _negative_by_chance(responses.to_numpy())
    ids = responses.columns[rest < 0].tolist()
    return share_of(ids, rest[~np.isnan(rest)])._replace(chance=chance)


def _negative_by_chance(responses: Floats) -> float:
    """Return the share of questions that better models fail more often in answers drawn from a Rasch model."""
    asked, right = ~np.isnan(responses), np.nan_to_num(responses)
    shares = [(right.sum(axis=axis) + 0.5) / (asked.sum(axis=axis) + 1) for axis in (0, 1)]
    ease, skill = (np.log(share / (1 - share)) for share in shares)
    chances = 1 / (1 + np.exp(skill.mean() - skill[:, None] - ease))
    draw = np.random.default_rng(0)
    drawn = [np.where(asked, draw.random(chances.shape) < chances, np.nan) for _ in range(DRAWN)]
    rest = np.concatenate([*map(item_rest, drawn)])
    return float((rest < 0).sum() / max(1, (~np.isnan(rest)).sum()))


@check
def replies_read(audited: Audited) -> Finding:
    """Measure how many replies of each model hold no answer."""
    silent = (audited.answers["text"].str.strip() == "") | audited.answers["read_by"].isin(UNSCORED)
    groups = silent.groupby(audited.answers["model"])
    return {str(model): Share(int(own.sum()), len(own)) for model, own in groups} or UNASKED


@check
def judge_checked(audited: Audited) -> Finding:
    """Compare the judges with people's labels, where there are enough."""
    pairs = {row["asked"]: row["percent"] for row in audited.agreements if row["percent"].items >= LABELS}
    shares = {name: Share(round((1 - own.value) * own.items), own.items) for name, own in pairs.items()}
    return shares or AuditOutcome("not stated", f"no judge is compared with people on {LABELS} answers")


@check
def families_apart(audited: Audited) -> Finding:
    """Find families of models that have more than one part: they make, judge, or are ranked."""
    judges = {name.rpartition(": ")[2] for name in audited.answers["judge"].dropna() if name} - {*SCORE_RULES}
    parts = {"model": {*audited.answers["model"]} - {PEOPLE}, "judge": judges - {PEOPLE}}
    families = {part: {own_family_of(name) for name in names} for part, names in parts.items()} | {"generator": set()}
    unknown = {name for name in set().union(*parts.values()) if family_of(name) == "unknown"}
    if setting := audited.settings.get("generator"):  # "MODEL (FAMILY)"
        name, _, family = setting.removesuffix(")").partition(" (")
        family = family or family_of(name)
        families["generator"].add(own_family_of(name, family))
        unknown |= {name} if family == "unknown" else set()
    whole = sorted(set().union(*families.values()))
    shared = in_one_family({each: [part for part, own in families.items() if each in own] for each in whole})
    words = shared or "; ".join(f"{part}: {', '.join(sorted(own))}" for part, own in families.items() if own)
    if unknown and not shared and sum(map(bool, families.values())) > 1:
        return AuditOutcome("not stated", f"the family is unknown of {quoted(sorted(unknown))}; {words}")
    return outcome_if(not shared, words) if shared or len(whole) > 1 else UNASKED


def _each(things: str, is_at_fault: Callable[[Audited, Any], bool]) -> Check:
    """Make a check of a test whether one of a subject's ``things`` is at fault."""

    def share(audited: Audited) -> Share:
        whole = getattr(audited, things)
        return share_of([id_ for id_, thing in whole.items() if is_at_fault(audited, thing)], whole)

    return share


CHECKS |= {
    "answers-given": _each("questions", lambda _, question: question.answer.strip().casefold() in _NOTHING),
    "answers-resolved": _each("questions", _is_unscorable),
    "answers-agreed": _each("annotated", _is_contested),
    "personal-data": _each("english", _is_personal),
    "options-whole": _each("options", _is_odd),
    "facts-dated": _each("facts", lambda audited, facts: not {fact.source for fact in facts} <= audited.dated),
    "answers-varied": partial(_commonest, value="answer"),
    "relations-varied": partial(_commonest, value="relation"),
    "option-length": partial(_by_options, guesser="longest"),
    "option-alone": partial(_by_options, guesser="commonest"),
    "blind-raw": partial(_blind, raw=True),
    "blind-new": partial(_blind, raw=False),
    "intervals": lambda audited: _in_words(audited.accuracy),
    "error-analysis": lambda audited: _in_words(error_rows(audited.outcomes)),
    "input-sensitivity": lambda audited: _in_words(
        row for row in surface_table(audited.answers).changes if row["kind"] == "surface"
    ),
    "trained-on": lambda audited: _in_words(
        row for row in memory_table(audited.answers) if row["verdict"] != "cannot tell"
    ),
}
