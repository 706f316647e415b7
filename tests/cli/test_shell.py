"""Only one file of the command line prints."""

import ast
from pathlib import Path

FILES = sorted((Path(__file__).parents[2] / "cli").glob("*.py"))


def test_only_one_file_prints() -> None:
    for file in FILES:
        calls = {ast.unparse(node.func) for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)}
        printing = calls & {"print", "click.echo", "click.secho", "sys.stdout.write", "sys.stderr.write"}
        assert not printing or file.name == "printing.py", file.name
