"""The options of the commands that may ask a model, and how its costs are told."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from kbe_graph import Estimate, ModelOptions
from kbe_graph.cli.options import DOLLARS, Options, open_work
from kbe_graph.cli.printing import say_outcome

_IMAGES = click.Path(path_type=Path, file_okay=False)
ENDPOINT = (
    click.option("--base-url", help="The endpoint's address (KBE_BASE_URL, OPENAI_BASE_URL; default: OpenAI's)."),
    click.option(
        "--api-key",
        help="Its key; better kept in KBE_API_KEY or OPENAI_API_KEY, as all users of the machine see arguments (ps).",
    ),
    click.option(
        "--model", help="The model's name (KBE_MODEL, OPENAI_MODEL; or by step in [models.<step>] of kbe.toml)."
    ),
)
_ASKING = (
    click.option("--language", default="English", show_default=True, help="The language that the model writes in."),
    click.option("--dry-run", is_flag=True, help="Print calls, tokens, dollars and time, and ask nothing."),
    click.option("--budget", type=DOLLARS, help="The most dollars to spend; the same command goes on."),
    click.option("--max-calls", type=click.IntRange(min=0), help="The most calls to make; the same command goes on."),
    click.option(
        "--runner",
        default="direct",
        show_default=True,
        type=click.Choice(["direct", "file", "batch", "ray"]),
        help="Ask over the network (direct), "
        "write the requests to files (file; take the replies in with 'kbe calls apply'), "
        "use the provider's batch endpoint (batch), "
        "or share the work among the workers of a Ray cluster (ray; RAY_ADDRESS, the graph on a server).",
    ),
)
_PICTURES = (
    click.option("--images", multiple=True, type=_IMAGES, help="A folder of the pictures; may be given several times."),
)
_SHARD = (click.option("--shard", help="Work only on part i of n of the samples, given as i/n, on this machine."),)
MODE = click.option(
    "--mode",
    default="merged",
    show_default=True,
    type=click.Choice(["paper", "merged", "chain"]),
    help="How a model is asked: each part in a call of its own (paper), hop by hop (merged), all hops at once (chain).",
)
OPTIONS = (*ENDPOINT, *_PICTURES, *_ASKING, *_SHARD)
ANSWER_OPTIONS = (*ENDPOINT, *_PICTURES, *_ASKING[1:], *_SHARD)  # of what writes nothing in a language of its own
TEXT_OPTIONS = (*ENDPOINT, *_ASKING)  # of what shows a model no picture
WRITER_OPTIONS = (*ENDPOINT, *_ASKING[2:])  # of what writes in English and is not forecast


@dataclass(frozen=True, slots=True)
class ModelFlags:
    """The flags about the model that is asked."""

    base_url: str | None
    api_key: str | None = field(repr=False)
    model: str | None
    language: str
    dry_run: bool
    budget: float | None
    max_calls: int | None
    runner: str
    images: tuple[Path, ...] = ()
    shard: str | None = None

    @property
    def named(self) -> bool:
        """Whether the command names a model or its address, which then does what the command is for."""
        return bool(self.model or self.base_url)

    def options(self, **more: Any) -> ModelOptions:
        """Return the options of the model, with ``more`` that only one command has; raises UsageError."""
        bound = self.budget is not None or self.max_calls is not None
        if bound and self.runner in {"file", "batch"} and not self.dry_run:
            raise click.UsageError(
                "--budget and --max-calls go with --runner direct or ray; see --dry-run for what a wave costs"
            )
        names = ("base_url", "api_key", "images", "language", "budget", "max_calls", "runner")
        return ModelOptions(self.model, **{name: getattr(self, name) for name in names}, **more)

    def refuse_dry_run(self, way_out: str) -> None:
        """Raise UsageError for a forecast where no model is asked."""
        if self.dry_run:
            raise click.UsageError(f"--dry-run tells what a model would cost, and none is asked here; add {way_out}")


def _endpoint(base_url: str | None, api_key: str | None, model: str | None) -> ModelOptions:
    return ModelOptions(model, base_url=base_url, api_key=api_key)


def _answer_flags(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    images: tuple[Path, ...],
    dry_run: bool,
    budget: float | None,
    max_calls: int | None,
    runner: str,
    shard: str | None,
) -> ModelFlags:
    return ModelFlags(base_url, api_key, model, "English", dry_run, budget, max_calls, runner, images, shard)


def _text_flags(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    language: str,
    dry_run: bool,
    budget: float | None,
    max_calls: int | None,
    runner: str,
) -> ModelFlags:
    return ModelFlags(base_url, api_key, model, language, dry_run, budget, max_calls, runner)


def _writer_flags(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    budget: float | None,
    max_calls: int | None,
    runner: str,
) -> ModelFlags:
    return ModelFlags(base_url, api_key, model, "English", False, budget, max_calls, runner)


def _estimated(
    base_url: str | None,
    api_key: str | None,
    model: str | None,
    images: tuple[Path, ...],
    language: str,
    runner: str,
    mode: str,
) -> ModelOptions:
    flags = _text_flags(base_url, api_key, model, language, dry_run=True, budget=None, max_calls=None, runner=runner)
    return replace(flags, images=images).options(mode=mode)


endpoint_options = Options("model", _endpoint, ENDPOINT)
model_options = Options("flags", ModelFlags, OPTIONS)
answer_model_options = Options("flags", _answer_flags, ANSWER_OPTIONS)
estimated_model_options = Options("model", _estimated, (*ENDPOINT, *_PICTURES, _ASKING[0], _ASKING[-1], MODE))
text_model_options = Options("flags", _text_flags, TEXT_OPTIONS)
writer_options = Options("flags", _writer_flags, WRITER_OPTIONS)


def print_forecast(estimate: Estimate, *, as_json: bool) -> None:
    """Print the forecast cost of the requests."""
    unpriced = unpriced_words(estimate)
    waiting = (
        f"no graph yet: {estimate.waiting} samples, counted as if each had one; 'kbe extract --by model --dry-run' "
        "tells what graphs by a model cost, those of annotations cost nothing"
    )
    say_outcome(
        asdict(estimate) | {"dollars_a_question": estimate.dollars_a_question},
        *([waiting] if estimate.waiting else []),
        f"calls: {estimate.calls} to pay, {estimate.hits} kept",
        f"tokens: {estimate.prompt} of prompts ({estimate.cached} of them cached), {estimate.output} of replies",
        dollar_line(estimate.dollars, estimate.dollars_a_question, "a question at least", unpriced),
        f"seconds: about {estimate.seconds:.0f}",
        as_json=as_json,
    )


def unpriced_words(estimate: Estimate) -> str:
    """Name the models without a known price; empty if all have one."""
    return f"no price known for {', '.join(estimate.unpriced)}" if estimate.unpriced else ""


def dollar_line(dollars: float, each: float | None, of_what: str, unpriced: str, bound: str = "") -> str:
    """Word dollars, those of each question, and the models without a price; without any price they are unknown."""
    total = "unknown" if unpriced and not dollars else f"{bound}{dollars:.4f}"
    part = "" if each is None else f", {each:.5f} {of_what}"
    return f"dollars: {total}{part}" + (f" ({unpriced}; set it in [models.price] of kbe.toml)" if unpriced else "")


def awaited_lines(files: Sequence[Path]) -> list[str]:
    """Word the next step for each file of requests that waits for replies, with the number of its requests by step."""
    if not files:
        return []
    waiting = open_work(click.get_current_context().obj).models.waiting_calls()
    return [
        f"wrote {file} ({_requests(waiting.get(file.name, {}))}); take its replies in with 'kbe calls apply FILE', "
        "then run this again"
        for file in files
    ]


def _requests(counts: Mapping[str, int]) -> str:
    return "requests: " + ", ".join(f"{step} {count}" for step, count in counts.items())
