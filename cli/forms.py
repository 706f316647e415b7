"""``kbe forms``: convert the questions of a run to another form, such as multiple choice."""

from pathlib import Path

import click

from kbe_graph.cli.group import examples
from kbe_graph.cli.model import ModelFlags, answer_model_options
from kbe_graph.cli.options import chosen_run_option, incomplete_option, json_option, open_work
from kbe_graph.cli.printing import print_json, print_table, say
from kbe_graph.forms.form_maker import MadeForms
from kbe_graph.types import FORMS, Form


@examples("kbe -w W forms --form choice", "kbe -w W forms --form fill --form true-false --run demo")
@click.command()
@click.option(
    "--form",
    "forms_",
    multiple=True,
    default=("choice",),
    show_default=True,
    type=click.Choice(FORMS[1:]),
    help="Form to make: one of four options (choice), all right options (several), a gap (fill) or a statement "
    "(true-false); repeatable.",
)
@chosen_run_option
@incomplete_option
@click.option(
    "--by",
    default="rule",
    show_default=True,
    type=click.Choice(["rule", "model"]),
    help="How to find wrong options: from facts and pictures (rule), or with a model, whose options pass the same "
    "checks and then a judge.",
)
@click.option("--replace", is_flag=True, help="Replace existing forms.")
@answer_model_options
@json_option
@click.pass_obj
def forms(
    folder: Path,
    forms_: tuple[Form, ...],
    run: str | None,
    incomplete: bool,
    by: str,
    replace: bool,
    flags: ModelFlags,
    as_json: bool,
) -> None:
    """Convert the raw questions and those of a run to another form, and keep it in the graph for 'kbe export'."""
    model = flags.options() if by == "model" else None
    flags.refuse_dry_run("is not available for this command; leave it out")
    with open_work(folder) as work:
        made = [work.make_forms(form, run=run, model=model, replace=replace, incomplete=incomplete) for form in forms_]
    if as_json:
        print_json([each.as_mapping() for each in made])
        return
    for each in made:
        _print(each)


def _print(made: MadeForms) -> None:
    say(f"{made.form}: {len(made.forms)} questions")
    if made.accepted:
        say(f"  in {made.accepted} of them, an accepted answer was removed from the benchmark's own options")
    if made.places:
        p = "" if made.p_value is None else f" (chi-square p = {made.p_value})"
        say(f"  position of the right option: {', '.join(map(str, made.places))}{p}")
    if made.refused:
        print_table(("not converted", "questions"), sorted(made.refused.items(), key=lambda item: (-item[1], item[0])))
