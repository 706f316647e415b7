import subprocess
import sys

from kbe_graph.cli.main import COMMANDS

HEAVY = ("neo4j", "openai", "spacy", "pandas", "pyarrow", "numpy", "rich", "arcadedb_embedded", "lemminflect")


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['kbe', '--help']\n"
        "from kbe_graph.cli.main import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print('heavy:', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-1] == "heavy: []"


def test_help_lists_every_command() -> None:
    code = "from kbe_graph.cli.main import main; import sys; sys.argv = ['kbe', '--help']; main()"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert all(name in said for name in COMMANDS)
