"""Models that perturb questions of a workspace in place of rules, and the judge of the variants."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import NamedTuple

from kbe_graph.errors import ConfigError, KbeError, NoCandidate
from kbe_graph.files.image import ImageFolders
from kbe_graph.graph_access import GraphAccess
from kbe_graph.models import Budget
from kbe_graph.models.loop import gather_all
from kbe_graph.perturb.edit_by_model import EndpointEditor, operations_by_model
from kbe_graph.perturb.methods import BY_MODEL, FORM, check_names, operation_names
from kbe_graph.perturb.operation import Original, TextOperation
from kbe_graph.perturb.picture_operations import PICTURE_OPERATIONS, PictureOperation
from kbe_graph.perturb.text_operations import TEXT_OPERATIONS
from kbe_graph.perturb.words_by_model import STEPS, ask_words
from kbe_graph.steps.asker import Asker
from kbe_graph.steps.perturb import VariantJudge
from kbe_graph.steps.session import CALLS
from kbe_graph.types import QuestionVariant
from kbe_graph.workspace.model_options import ModelOptions, open_command_budget, open_model_session

JUDGE_STEP = "judge_variant"
CHANGED, NOT_ENGLISH, UNJUDGED = "judge: the answer changed", "judge: not good English", "judge: no verdict"


class Operations(NamedTuple):
    """The operations that may be done, by name."""

    pictures: Mapping[str, PictureOperation]
    texts: Mapping[str, TextOperation]


def check_models(names: Sequence[str], model: ModelOptions | None, judge: ModelOptions | None) -> None:
    """Check the names of operations and how the models are asked, before anything is paid for.

    ``form`` stands for forms, and is none of them. Raises InputError and ConfigError.
    """
    pictures = (*PICTURE_OPERATIONS, *(BY_MODEL if model else ()))
    check_names([name for name in names if name != FORM], pictures, TEXT_OPERATIONS)
    for options in filter(None, (model, judge)):
        if options.runner not in {"direct", "batch"}:
            raise ConfigError(f"perturbing does not work with runner {options.runner!r}; use 'direct' or 'batch'")


@contextmanager
def common_budget(
    access: GraphAccess, model: ModelOptions | None, judge: ModelOptions | None
) -> Iterator[Budget | None]:
    """Give the budget of a ``model`` to all that is asked, unless the ``judge`` has limits of its own."""
    if model is None or judge is None or judge.bounds_calls:
        yield None
        return
    with open_command_budget(model, access.folder) as budget:
        yield budget


@contextmanager
def operations_for(
    access: GraphAccess,
    names: Sequence[str],
    originals: Sequence[Original],
    model: ModelOptions | None,
    budget: Budget | None = None,
) -> Iterator[Operations]:
    """Give the operations by rule; with a ``model``, those among ``names`` that it can do are done by it.

    Its words are asked for at once, its pictures when they are drawn. Raises ConfigError and BudgetReached.
    """
    if model is None:
        yield Operations(PICTURE_OPERATIONS, TEXT_OPERATIONS)
        return
    wanted = operation_names(names)
    with ExitStack() as stack:
        session = stack.enter_context(open_model_session(model, access, budget))
        texts, pictures = dict(TEXT_OPERATIONS), dict(PICTURE_OPERATIONS)
        asked = sorted(wanted.intersection(STEPS))

        async def ask(asker: Asker) -> None:
            for name in asked:
                texts[name] = await ask_words(asker, name, originals)

        if asked:
            session.do(ask, *(STEPS[name] for name in asked))
        if not wanted.isdisjoint(BY_MODEL):
            calls = access.folder.hidden / CALLS
            editor = EndpointEditor(session.book, calls, budget=session.budget)
            pictures |= operations_by_model(stack.enter_context(editor))
        yield Operations(pictures, texts)


def judge_variants(
    access: GraphAccess,
    judge: ModelOptions,
    originals: Sequence[Original],
    variants: Sequence[QuestionVariant],
    folders: ImageFolders,
    budget: Budget | None = None,
) -> list[QuestionVariant]:
    """Have a model judge the variants that were kept or had no verdict, and return all as they are then.

    It should be none of those that are evaluated. Raises ConfigError and BudgetReached; the verdicts until then are
    saved.
    """
    by_id = {original.question.id: original for original in originals}
    waiting = [variant for variant in variants if variant.status == "kept" or variant.reason == UNJUDGED]
    judged: dict[str, QuestionVariant] = {}

    async def look(asker: Asker) -> None:
        judge_one = VariantJudge(asker)

        async def look_at(variant: QuestionVariant) -> None:
            reason = await _refusal(judge_one, by_id[variant.question], variant, folders)
            judged[variant.id] = replace(variant, status="rejected" if reason else "kept", reason=reason)

        await gather_all(map(look_at, waiting))

    try:
        with open_model_session(judge, access, budget) as session:
            session.do(look, JUDGE_STEP)
    except KbeError:  # of a judge that never answers, nothing is known of any variant
        access.store.save_variants([each for each in judged.values() if each.reason != UNJUDGED])
        raise
    access.store.save_variants([*judged.values()])
    return [judged.get(variant.id, variant) for variant in variants]


async def _refusal(judge: VariantJudge, original: Original, variant: QuestionVariant, folders: ImageFolders) -> str:
    sample, pictures = original.sample, None
    if variant.image:
        shown = variant.with_picture_of(sample)
        before, after = folders.find_all(sample.images, sample.image_id), folders.find_all(shown.images)
        if not before or not after:
            return UNJUDGED
        pictures = (before[0], after[0])
    try:
        verdict, _ = await judge(original.question.text, original.question.answer, variant.text, pictures)
    except NoCandidate:
        return UNJUDGED
    if not verdict.answer:
        return CHANGED
    return "" if verdict.english else NOT_ENGLISH
