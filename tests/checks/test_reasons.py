"""Every reason that the code can count is explained, and has one maker."""

import ast
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path

import pytest

import kbe_graph
from kbe_graph.checks import Scheme, build_checks, explanations
from kbe_graph.checks.guessable import Guessable
from kbe_graph.checks.path import PATH_CHECKS, PathLeak, RelatedToOriginal
from kbe_graph.checks.registry import KNOWN
from kbe_graph.facts.pack import pack
from kbe_graph.steps.verifier import REASONS
from kbe_graph.store.funnel import NO_CONCEPT

ROOT = Path(kbe_graph.__file__).parent
MAKERS = {"NoCandidate": 0, "Drop": 1, "Decision": 1}  # and the place of the reason among their arguments
REPLIES = ("cut", "refused", "invalid")
CARRIED = {
    "none.reason",
    "error.reason",
    "label",
    "name",
    "self.name",
}  # a reason that was made elsewhere, or a check's own

# The room that refuses another form of a question and drops no candidate.
OTHER_FORMS = "forms"
# The room that makes questions of pages, whose reasons stand on a page of their own (docs/wiki.md).
OF_PAGES = "wiki"


def made() -> Iterator[tuple[str, str]]:
    """Each reason of any room with the place of its words, as ``made_in`` gives them."""
    yield from made_in(ROOT, leave_out=(OF_PAGES,))


def made_of_candidates() -> Iterator[tuple[str, str]]:
    """Each reason that a candidate can be dropped for."""
    yield from made_in(ROOT, leave_out=(OTHER_FORMS, OF_PAGES))


def made_in(folder: Path, leave_out: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Each reason with the place of its words: the line of the refusal, or that of the constant it is made by."""
    for file in sorted(folder.rglob("*.py")):
        if file.relative_to(folder).parts[0] in leave_out:
            continue
        module = ".".join(file.relative_to(ROOT.parent).with_suffix("").parts)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
                reason = _reason(node)
                if reason is not None and ast.unparse(reason) not in CARRIED:
                    yield from _texts(reason, module)


def _reason(call: ast.Call) -> ast.expr | None:
    place = MAKERS[call.func.id]  # type: ignore[attr-defined]
    named = [keyword.value for keyword in call.keywords if keyword.arg == "reason"]
    return named[0] if named else call.args[place] if len(call.args) > place else None


def _texts(reason: ast.expr, module: str) -> list[tuple[str, str]]:
    match reason:
        case ast.Constant(value=str(text)):
            return [(text, f"{module}:{reason.lineno}")]
        case ast.JoinedStr():
            assert ast.unparse(reason) == "f'{REPLY}{error.kind}'"
            return [(f"reply: {kind}", module) for kind in REPLIES]
        case ast.Name(id=name):
            return [(getattr(import_module(module), name), name)]
        case ast.Attribute() | ast.Subscript():
            return []  # handed on
    pytest.fail(f"{module} makes a reason that cannot be read: {ast.unparse(reason)}")


# Reasons of dropped questions that are made without a refusal.
PLAIN = {
    "no path to a noun": "evolve.reselection",
    "path search timed out": "evolve.reselection",
    "no fact": "evolve.choice",
    NO_CONCEPT: "evolve.exploration",
    KNOWN: "evolve.exploration",
} | dict.fromkeys(REASONS.values(), "steps.inspection")
EXPLAINED = {entry.name for entry in explanations()}
CHECKS = (
    *build_checks(pack(), scheme=Scheme(demand="require")).all,
    *PATH_CHECKS,
    RelatedToOriginal,
    PathLeak,
    Guessable,
)
OF_CHECKS = {check.name for check in CHECKS}


def test_every_reason_that_is_made_is_explained() -> None:
    assert {(reason, place) for reason, place in made_of_candidates() if reason not in EXPLAINED} == set()
    assert set(PLAIN) <= EXPLAINED


def test_every_reason_that_is_explained_is_made() -> None:
    assert EXPLAINED - {reason for reason, _ in made_of_candidates()} - OF_CHECKS - set(PLAIN) == set()
