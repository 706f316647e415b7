"""How often memory of the published wording is found, and how often where there is none.

    python bench/memory.py [SEEDS]

Five scripted models answer 600 questions in two wordings (tests/wordings.py), SEEDS times (500) in each scene. Prints
the rows of the table in docs/memory.md: what is said of the model that is watched, and in which share of the
evaluations a model without memory is called one with it.
"""

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kbe_graph.statistics.memory import memory_findings

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from wordings import both_wordings

WEAK = (1.0, 0.8, 0.6, 0.4, -1.5)
SCENES: Mapping[str, tuple[int, dict[str, Any]]] = {
    "all by heart": (2, {"memory": {2: 1.0}}),
    "all by heart, paraphrases harder": (2, {"memory": {2: 1.0}, "harder": 0.4}),
    "honest and weaker": (4, {"skills": WEAK}),
    "honest and weaker, paraphrases harder": (4, {"skills": WEAK, "harder": 0.4}),
    "30 % by heart": (2, {"memory": {2: 0.3}}),
    "10 % by heart": (2, {"memory": {2: 0.1}}),
    "two models, half by heart": (2, {"memory": {2: 0.5, 3: 0.5}}),
    "honest": (2, {}),
    "30 % by heart, 200 questions": (2, {"memory": {2: 0.3}, "questions": 200}),
    "honest, 200 questions": (2, {"questions": 200}),
}
VERDICTS = ("memory", "no sign of memory", "cannot tell")


def table_row(scene: str, watched: int, settings: dict[str, Any], seeds: int) -> str:
    counts: Counter[str] = Counter()
    false = 0
    for seed in range(seeds):
        verdicts = [finding.verdict for finding in memory_findings(*both_wordings(seed, **settings), seed=seed)]
        counts[verdicts[watched]] += 1
        honest = set(range(len(verdicts))) - settings.get("memory", {}).keys()
        false += any(verdicts[model] == "memory" for model in honest)
    cells = [f"{100 * count / seeds:.1f}" for count in (*(counts[verdict] for verdict in VERDICTS), false)]
    return f"| {scene} | {' | '.join(cells)} |"


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    print(f"| scene | {' | '.join(VERDICTS)} | an honest one called memory |")
    for scene, (watched, settings) in SCENES.items():
        print(table_row(scene, watched, settings, seeds), flush=True)


if __name__ == "__main__":
    main()
