"""A command is a shell over the library: it takes options, makes one call of the face, and prints."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[2] / "cli").glob("*.py"))
# the face, errors and values; what a version, a setting, a secret or a choice of options is made of
FACE = {"kbe_graph", "kbe_graph.errors", "kbe_graph.extras", "kbe_graph.types", "kbe_graph.config", "kbe_graph.secret"}
CHOICES = {
    ("kbe_graph.datasets.annotations", "READERS"),
    ("kbe_graph.datasets", "FORMATS"),
    ("kbe_graph.evolve.knowledge", "SOURCES"),
    ("kbe_graph.export.formats", "EXPORTS"),
    ("kbe_graph.store.statements", "queries"),
    ("kbe_graph.evaluate.prediction_files", "PREDICTION_FORMATS"),
    ("kbe_graph.evolve.mix", "RuleOrModel"),
    ("kbe_graph.export.selection", "ImagesAs"),
    ("kbe_graph.evaluate.reply_reading", "READING_RULES"),
    ("kbe_graph.evaluate.score_rules", "SCORE_RULES"),
    ("kbe_graph.statistics.statistic_names", "STATISTICS"),
}
# commands that need no workspace call a function of a room; what only prints, and what only demo may use
FUNCTIONS = {
    "messages.py": {"kbe_graph.models.direct_model.CallProgress"},
    "options.py": {f"kbe_graph.options.{name}" for name in ("About", "about_of", "plain_type")},
    "printing.py": {
        f"kbe_graph.show.terminal.{name}"
        for name in ("Line", "printed", "rendered", "styled", "table", "terminal_width")
    }
    | {"kbe_graph.show.story_lines.concept_lines", "kbe_graph.facts.walk.EntityFacts"}
    | {"kbe_graph.show.status.screen", "kbe_graph.show.status.reason_rules"}
    | {"kbe_graph.text.visible", "kbe_graph.files.resources.sheet_cell"},
    "facts.py": {"kbe_graph.senses.sense.link_table", "kbe_graph.senses.sense.LinkedRow"},
    "guess.py": {"kbe_graph.evaluate.guess.GUESSERS", "kbe_graph.evaluate.guess.MODEL"}
    | {"kbe_graph.evaluate.guess.Figure", "kbe_graph.evaluate.guess.AnswerGroup"}
    | {"kbe_graph.evaluate.guess.OPTION_GUESSERS", "kbe_graph.evaluate.guess.OptionRow"},
    "db.py": {"kbe_graph.store.server_address"},
    "evaluate.py": {"kbe_graph.evaluate.results.ScoreRow", "kbe_graph.evaluate.surface.SurfaceTable"},
    "explore.py": {"kbe_graph.explorer.web_app.serve"},
    "export.py": {"kbe_graph.export.formats.Export", "kbe_graph.export.release_format.left_out"}
    | {"kbe_graph.review.consequences.REVIEWED"},
    "forms.py": {"kbe_graph.forms.form_maker.MadeForms"},
    "load.py": {"kbe_graph.text.on_one_line"},
    "judge.py": {"kbe_graph.statistics.rater_agreement.AgreementRow"},
    "query.py": {"kbe_graph.store.statements.query_statement", "kbe_graph.store.statements.pasted"},
    "review.py": {"kbe_graph.review_pages.review_server.serve_review"}
    | {"kbe_graph.review.review_record.review_fields", "kbe_graph.review.state.QuestionState"},
    "stats.py": {"kbe_graph.statistics.plots.draw_statistic", "kbe_graph.files.whole.replacing"},
    "study.py": {"kbe_graph.study.study_result.StudyResult"},
}
MOST = 6
MORE = {
    "demo.py": 7,
    "evaluate.py": 16,
    "guess.py": 8,
    "printing.py": 14,
    "command_settings.py": 7,
}  # these print tables of several values, or check settings


def library_names(file: Path) -> Iterator[tuple[str, str]]:
    """Give the names that a file takes from the library, those within functions included."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.startswith("kbe_graph"))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("kbe_graph"):
            for alias in node.names:
                if not (node.module or "").startswith("kbe_graph.cli"):
                    yield node.module or "", alias.name


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_command_takes_little_from_the_library_and_only_its_face(file: Path) -> None:
    if file.name == "filters.py":
        pytest.skip("explains and tries checks, which are rows of a registry and need no workspace")
    names = list(library_names(file))
    inner = {
        f"{module}.{name}"
        for module, name in names
        if module not in FACE and not module.startswith("kbe_graph.workspace.") and (module, name) not in CHOICES
    }
    assert inner <= FUNCTIONS.get(file.name, set())
    assert len(names) <= MORE.get(file.name, MOST)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_only_one_file_prints(file: Path) -> None:
    if file.name != "printing.py":
        calls = {ast.unparse(node.func) for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)}
        assert not calls & {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
