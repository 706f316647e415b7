"""The command ``kbe``: imports the command's file, and reports every error as one line and an exit code."""

import atexit
import errno
import gc
import io
import json
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from kbe_graph import __version__
from kbe_graph.cli.command_settings import Group, check_variables, command_settings, epilog, key_of, with_flags
from kbe_graph.cli.printing import drop_output, open_missing_streams, say
from kbe_graph.config import read_config
from kbe_graph.errors import KbeError, KbeWarning
from kbe_graph.secret import Secrets, given_secrets

# Reference cycles are rare here, and one full garbage collection over all loaded tables takes up to a second.
SELDOM = 50_000, 20, 100
COMMANDS = {
    "demo": ("load", "Evolve the demo benchmark and show the results."),
    "init": ("load", "Create a workspace."),
    "load": ("load", "Load a benchmark file."),
    "wiki": ("load", "Build a benchmark from Wikipedia pages and Wikidata statements."),
    "estimate": ("evolve", "Estimate what a model's graphs, questions, checks and answers cost."),
    "extract": ("evolve", "Build a graph for each loaded sample."),
    "evolve": ("evolve", "Generate new questions, hop by hop."),
    "calls": ("stats", "Show the calls to models and their cost."),
    "status": ("show", "Count the samples kept and dropped at each stage."),
    "show": ("show", "Show one sample: its questions, key paths and sources."),
    "query": ("query", "Run a named query, or your own read-only Cypher."),
    "explore": ("show", "Browse samples, relations and runs, with a Cypher console."),
    "stats": ("stats", "Print statistics of the questions, hop by hop."),
    "guess": ("stats", "Measure how often questions are answered without their pictures."),
    "evaluate": ("evaluate", "Ask a model, judge its answers and print the accuracy by hop."),
    "adapt": ("adapt", "Ask models, and grow the questions that they answer right."),
    "review": ("review", "Have people approve, reject and revise questions."),
    "study": ("review", "Have people rate questions or answers, and print the results."),
    "report": ("show", "Write a report of a run as HTML, with tables and figures for papers."),
    "audit": ("audit", "Check a run, a loaded benchmark or a release by what the field demands."),
    "forms": ("evolve", "Convert questions to another form, such as multiple choice."),
    "twins": ("evolve", "Ask questions about a second picture where the answer differs."),
    "perturb": ("evolve", "Change how questions and pictures look, but not the answers."),
    "export": ("show", "Export the questions."),
    "release": ("release", "Make numbered releases of a run, and compare them."),
    "facts": ("show", "Show the facts about a concept."),
    "filters": ("show", "Explain what each check refuses."),
    "forget": ("load", "Remove a run, a benchmark or samples."),
    "doctor": ("stats", "Show what works here, and each setting with its origin."),
    "db": ("query", "Start, stop, back up, copy and export the graph."),
}
"""Commands in the order of the workflow, each with its module and its help."""
GROUPS = {
    "First": "demo init load wiki doctor",
    "New questions": "estimate extract evolve forms twins perturb",
    "Look at them": "status show explore query stats guess facts filters calls",
    "Models and people": "evaluate adapt review study report audit export release",
    "Keep the workspace": "forget db",
}
"""The commands as a first user meets them."""
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
AGAIN = "re-run the command to resume"


WRITING = {errno.EROFS: "make it writable", errno.EACCES: "make it writable", errno.ENOSPC: "make room"}


class Ended(SystemExit):
    """A signal ended the command; the exit code is 128 plus its number."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.name = signal.Signals(number).name

    def __str__(self) -> str:
        return f"ended by {self.name}; {AGAIN}"


class LazyGroup(Group):
    """A group that imports a command's file only when the command is used, so that help is fast."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # click suggests one of these names

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names in the order of the workflow."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"kbe_graph.cli.{COMMANDS[cmd_name][0]}"), cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        del ctx
        for title, names in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names.split()], col_max=12)


@click.group(
    cls=LazyGroup,
    context_settings={"auto_envvar_prefix": "KBE", "help_option_names": ["-h", "--help"]},
    epilog=epilog("kbe demo", "kbe -w W status"),
)
@click.option(
    "-w",
    "--workspace",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Workspace folder (default: the current folder).",
)
@click.option("--debug", is_flag=True, help="Show the full traceback of an error.")
@click.version_option(__version__, prog_name="kbe")
@click.pass_context
def kbe(ctx: click.Context, workspace: Path, debug: bool) -> None:
    """Turn a static visual question answering benchmark into one that keeps up with the models."""
    del debug
    ctx.obj = workspace
    group = ctx.command
    if isinstance(group, click.Group):
        config = read_config(workspace)
        check_variables(config, os.environ, group, ctx)
        ctx.default_map = command_settings(config, group, ctx)


def main() -> None:
    """Run the command line: exit 0 success, 1 error, 2 usage, 3 budget reached, 130 interrupted."""
    gc.set_threshold(*SELDOM)
    atexit.register(gc.freeze)  # spares the final collection of objects that end with the process anyway
    open_missing_streams()
    stdout = sys.stdout
    warnings.showwarning = partial(_show_warning, warnings.showwarning)
    try:
        _handle_signals()
        code = kbe.main(standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as wrong:
        _refuse(_with_place(wrong))
    except (click.Abort, KeyboardInterrupt) as error:
        _interrupted(error)
    except KbeError as error:
        if _came_of_interrupt(error):
            _interrupted(error)
        _fail(error, str(error), getattr(error, "exit_code", 1))
    except Ended as end:
        _fail(end, str(end), int(end.code or 0), label="")
    except SystemExit as stop:
        # on a closed pipe, as with `| head`, click replaces stdout and exits with 1
        sys.exit(0 if sys.stdout is not stdout else stop.code)
    except OSError as error:
        _fail(error, _of_disk(error) or _fault(error), 1)
    except Exception as error:  # noqa: BLE001 - the outermost layer: tracebacks are only shown on request
        if _came_of_interrupt(error):
            _interrupted(error)
        _fail(error, _fault(error), 1)


def _handle_signals() -> None:
    """Have signals end the command in order; the second ends the process, and ignored ones (``nohup``) stay ignored."""
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, *ENDING):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _end)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    del frame
    signal.signal(number, signal.SIG_DFL)
    raise Ended(number)


def _refuse(error: click.ClickException) -> NoReturn:
    if _wants_json():
        _fail(error, error.format_message(), error.exit_code)
    shown = io.StringIO()
    error.show(shown)
    say(_secrets().hide(shown.getvalue()), err=True, nl=False)
    sys.exit(error.exit_code)


def _interrupted(error: BaseException) -> NoReturn:
    _fail(error, f"interrupted; {AGAIN}", 130, kind="Interrupted", label="")


def _came_of_interrupt(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _with_place(error: click.ClickException) -> click.ClickException:
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        option = next((option for option in kbe.params if error.option_name in option.opts), None)
        if isinstance(option, click.Option):
            own = error.option_name if option.is_flag else f"{error.option_name} {key_of(option).upper()}"
            line = f"kbe {own} {error.ctx.command_path.partition(' ')[2]} ..."
            return click.UsageError(f"put {error.option_name} before the command: {line}", error.ctx)
    return error


def _fault(error: Exception) -> str:
    return f"{type(error).__name__}: {error} (this is a bug in kbe; --debug shows the traceback)"


def _of_disk(error: OSError) -> str:
    if error.errno not in WRITING:
        return ""
    if error.filename is None:
        drop_output()  # otherwise the flush at exit fails again
    place = "the output" if error.filename is None else repr(str(error.filename))
    return f"cannot write {place}: {error.strerror}; {WRITING[error.errno]}, then run the command again"


def _show_warning(
    others: Callable[..., None], message: Warning | str, category: type[Warning], *place: Any, **more: Any
) -> None:
    if issubclass(category, KbeWarning):
        text = with_flags(str(message), click.get_current_context(silent=True))
        as_json = json.dumps({"warning": text}, ensure_ascii=False)
        say(as_json if _wants_json() else f"warning: {text}", err=True)
    else:
        others(message, category, *place, **more)


def _secrets() -> Secrets:
    return given_secrets(os.environ, sys.argv)


def _wants_json() -> bool:
    return "--json" in sys.argv[1:]


def _fail(error: BaseException, message: str, code: int, *, kind: str = "", label: str = "error: ") -> NoReturn:
    if "--debug" in sys.argv:
        say(_secrets().hide(traceback.format_exc()), err=True, nl=False)
    message = _secrets().hide(message)
    if _wants_json():
        say(json.dumps({"error": message, "kind": kind or type(error).__name__}, ensure_ascii=False), err=True)
    else:
        say(f"{label}{message}", err=True)
    sys.exit(code)
