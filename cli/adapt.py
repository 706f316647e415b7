"""``kbe adapt``: ask models, and let the questions grow that they answer right, round by round."""

from collections import Counter
from dataclasses import asdict, replace
from typing import Annotated

from kbe_graph import ModelOptions, Workspace
from kbe_graph.cli.face import awaited_lines, command
from kbe_graph.cli.printing import print_table, say, say_legend, say_outcome, wants_json
from kbe_graph.graph_access import FURTHER
from kbe_graph.options import About
from kbe_graph.text import counted
from kbe_graph.types import Round
from kbe_graph.workspace.verbs import AdaptOptions

LEGEND = (
    "Accuracy in per cent, with the 95 % interval in brackets, by answers that chose none of the round's questions. "
    "Disputed questions, to which strong models give one answer against the key, are left out until 'kbe review' "
    "decides."
)


@command(
    "kbe -w W adapt --models A,B --base-url http://127.0.0.1:8000/v1", "kbe -w W adapt --models C --target 0.3-0.5"
)
def adapt(
    work: Workspace,
    *,
    models: Annotated[str, About("Models to ask, separated by commas.", metavar="LIST")] = "",
    model: Annotated[ModelOptions, "base_url budget max_calls runner"],
    options: AdaptOptions,
) -> None:
    """Ask models the questions of a run, and let those grow that they answer right, until they are hard enough.

    Re-running the command resumes; with other models it goes on from the last round. The questions after each round
    are a run of their own.
    """
    names = filter(None, map(str.strip, models.split(",")))
    adapted = work.adapt([replace(model, name=name) for name in names], **options)
    lines = awaited_lines(adapted.awaits)
    if not adapted.awaits:
        maker = {each.makes: f", which round {each.number} made" for each in adapted.rounds}.get(adapted.newest, "")
        stopped = f"stopped at round {adapted.rounds[-1].number}: {adapted.stopped}"
        lines.append(f"{stopped}; the questions now are run {adapted.newest!r}{maker}")
        if (further := adapted.run + FURTHER) in {run.name for run in work.runs(incomplete=True)}:
            lines.append(f"run {further!r} only holds the drafts that exploring made; no command uses it by default")
        lines.append(f"next: kbe release new NAME --run {adapted.newest}")
    if not wants_json() and adapted.rounds:
        _print_rounds(adapted.rounds)
    say_outcome(asdict(adapted), *lines)


def _print_rounds(rounds: tuple[Round, ...]) -> None:
    rows = []
    for each in rounds:
        grew = counted(Counter(growth.how for growth in each.grew))
        for figures in each.figures:
            share = f"{100 * figures.accuracy:.1f} ({100 * figures.low:.0f}-{100 * figures.high:.0f})"
            rows.append((each.number, figures.model, share, figures.questions, len(each.disputed), grew))
    print_table(("round", "model", "right", "questions", "disputed", "grew"), rows)
    say_legend(LEGEND)
    say("")
