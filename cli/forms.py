"""``kbe forms`` and ``perturb``: other forms of the questions, and changed pictures and words."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from kbe_graph import ModelOptions, Workspace
from kbe_graph.cli.face import LIMITED, RULE_OR_MODEL, command
from kbe_graph.cli.printing import print_json, print_table, say, wants_json
from kbe_graph.options import About
from kbe_graph.types import FORMS, Form
from kbe_graph.workspace.verbs import FormsOptions, PerturbOptions


@command("kbe -w W forms --form choice", "kbe -w W forms --form fill --form true-false --run demo")
def forms(
    work: Workspace,
    *,
    form: Annotated[
        tuple[Form, ...],
        About(
            "Form to make: one of four options (choice), all right options (several), a gap (fill) or a statement "
            "(true-false); repeatable.",
            choices=FORMS[1:],
        ),
    ] = ("choice",),
    by: Annotated[
        str,
        About(
            "How to find wrong options: from facts (rule), or with a model, whose options pass the same "
            "checks and then a judge.",
            choices=RULE_OR_MODEL,
        ),
    ] = "rule",
    model: Annotated[ModelOptions, LIMITED],
    options: FormsOptions,
) -> None:
    """Convert the raw questions and those of a run to another form, and keep it in the graph for 'kbe export'."""
    made = [work.make_forms(each, model=model if by == "model" else None, **options) for each in form]
    if wants_json():
        print_json([each.as_mapping() for each in made])
        return
    for each in made:
        say(f"{each.form}: {len(each.forms)} questions")
        if each.accepted:
            say(f"  in {each.accepted} of them, an accepted answer was removed from the benchmark's own options")
        if each.places:
            say(f"  position of the right option: {', '.join(map(str, each.places))}")
        if each.refused:
            rows = sorted(each.refused.items(), key=lambda item: (-item[1], item[0]))
            print_table(("not converted", "questions"), rows)


@command("kbe -w W perturb --image pad,noise --text lead-in,substitute", "kbe -w W perturb --image mdk12 --hops 0-3")
def perturb(
    work: Workspace,
    *,
    instances: Annotated[tuple[Path, ...], About("File of COCO instances, where things are; repeatable.")] = (),
    by: Annotated[
        str,
        About(
            "How to paraphrase and edit pictures where a model can: by rules, or with the model.",
            choices=RULE_OR_MODEL,
        ),
    ] = "rule",
    judge: Annotated[
        bool,
        About("Have a model ([models.judge_variant]) check each variant. Choose one that you do not evaluate."),
    ] = False,
    model: Annotated[ModelOptions, LIMITED],
    options: PerturbOptions,
) -> None:
    """Change the pictures and words of questions but not their answers, and keep the variants for 'kbe evaluate'.

    Without --image and --text, use all operations that kept the answer in at least nine of ten reviewed variants.
    """
    limits = ModelOptions() if by == "model" else ModelOptions(budget=model.budget, max_calls=model.max_calls)
    perturbed = work.perturb(
        model=model if by == "model" else None,
        judge=limits if judge else None,
        instances=instances,
        **options,
    )
    if wants_json():
        print_json(asdict(perturbed))
        return
    say(f"{perturbed.questions} questions, {perturbed.new} new variants")
    counts = perturbed.operations
    rows = [(row.operation, row.kept, sum(row.refused.values()), sum(row.rejected.values())) for row in counts]
    print_table(("operation", "variants", "refused", "rejected"), rows)
    reasons = [
        (row.operation, status, reason, count)
        for row in counts
        for status, by_reason in (("refused", row.refused), ("rejected", row.rejected))
        for reason, count in by_reason.items()
    ]
    if reasons:
        say("")
        print_table(("operation", "status", "reason", "variants"), reasons)
