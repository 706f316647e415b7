"""How far guessing pays at options for the facts of T-REx, by the pool's rules and drawn at random from the relation.

Run: python bench/wiki_distractors.py DATA (a folder with wikidata_trex).
"""

import gzip
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from kbe_graph.forms.multiple_choice import WRONG
from kbe_graph.seeds import seed_of
from kbe_graph.text import fold
from kbe_graph.types import WikiItem, WikiStatement
from kbe_graph.wiki.askable import askings
from kbe_graph.wiki.distractor_pool import ChoiceDraft, DistractorPool, balanced_choices, values

OPEN = "several may be right"
Described = dict[str, tuple[WikiItem, list[WikiStatement]]]


class WithOptions(NamedTuple):
    """A fact with all its options."""

    fact: WikiStatement
    options: Sequence[str]

    @property
    def answer(self) -> str:
        """The right option."""
        return self.fact.text


def read_trex(folder: Path, every: int = 1) -> Described:
    """Return the subjects of T-REx, of each so many rows one, as items with statements.

    Labels stand for ids, and P31 tells the kinds.
    """
    file = folder / "wikidata_trex" / "trex_labels_41_relations.jsonl.gz"
    labels = json.loads((folder / "wikidata_trex" / "pid_labels.json").read_text(encoding="utf-8"))
    facts: dict[str, list[WikiStatement]] = defaultdict(list)
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, every):
            row = json.loads(line)
            subject, value = row["sub_label"], row["obj_label"]
            facts[subject].append(
                WikiStatement(
                    row["uuid"], subject, row["pid"], labels[row["pid"]], "wikibase-item", "item", value, value
                )
            )
    return {subject: (_item(subject, statements), statements) for subject, statements in facts.items()}


def _item(label: str, statements: Iterable[WikiStatement]) -> WikiItem:
    kinds = tuple(each.text for each in statements if each.property_id == "P31")
    return WikiItem(label, label, kinds=kinds, kind_labels=kinds)


def by_rule(described: Described, *, closed: bool = True) -> list[WithOptions]:
    """Return the facts that get options by the pool's rules."""
    pool = DistractorPool(described.values())
    facts = [
        (item, statements, each)
        for item, statements in described.values()
        for each in statements
        if len(values(statements, each.property_id)) == 1
        and fold(each.text) not in fold(item.label)
        and not (closed and any(asking.mark == OPEN for asking in askings(each.property_id)))
    ]
    questions = {
        each.id: (each, ChoiceDraft(each.id, each.text, pool.options(each, item, statements, "", seed=each.id)))
        for item, statements, each in facts
    }
    choices = balanced_choices(question for _, question in questions.values())
    return [WithOptions(questions[id_][0], options) for id_, options in choices.items()]


def at_random(described: Described) -> list[WithOptions]:
    """Return the facts with three other values of their relation, drawn uniformly."""
    ends = defaultdict(set)
    for _, statements in described.values():
        for each in statements:
            ends[each.property_id].add(each.text)
    values_of = {name: sorted(texts) for name, texts in ends.items()}
    asked, random = [], Random(0)
    for _, statements in described.values():
        for each in statements:
            if len(values_of[each.property_id]) <= WRONG:
                continue
            others = [text for text in random.sample(values_of[each.property_id], WRONG + 1) if text != each.text]
            options = [each.text, *others[:WRONG]]
            random.shuffle(options)
            asked.append(WithOptions(each, options))
    return asked


def measure(asked: Sequence[WithOptions], counts: Mapping[str, Counter[str]]) -> dict[str, float]:
    """Return the shares of questions that each guess gets, and of those whose subject shows the answer."""
    own: dict[str, Counter[str]] = defaultdict(Counter)
    for each in asked:
        own[each.fact.property_id][each.answer] += 1
    right = Counter[str]()
    for each in asked:
        right["most frequent in the data"] += _first(each, counts[each.fact.property_id]) == each.answer
        right["most frequent answer of the set"] += _first(each, own[each.fact.property_id]) == each.answer
        right["longest"] += max(each.options, key=len) == each.answer
        right["answer seen in the subject"] += fold(each.answer) in fold(each.fact.item)
        right[f"place {each.options.index(each.answer) + 1}"] += 1
    return {name: count / len(asked) for name, count in sorted(right.items())}


def _first(asked: WithOptions, counts: Counter[str]) -> str:
    return max(asked.options, key=lambda option: (counts[option], seed_of(option)))


def frequencies(described: Described) -> dict[str, Counter[str]]:
    """Return how often each value of a relation occurs."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for _, statements in described.values():
        for each in statements:
            counts[each.property_id][each.text] += 1
    return counts


def main() -> None:
    """Print the table."""
    described = read_trex(Path(sys.argv[1]))
    counts = frequencies(described)
    began = time.process_time()
    asked = by_rule(described)
    facts, seconds = sum(len(statements) for _, statements in described.values()), time.process_time() - began
    print(f"{facts:,} facts; by rule {seconds:.1f} s of CPU")
    tables = {"same relation, random": at_random(described), "by rule, closed relations": asked}
    for name, rows in tables.items():
        print(f"{name}: {len(rows):,} questions")
        for guess, share in measure(rows, counts).items():
            print(f"  {guess}: {100 * share:.1f} %")
    for each in Random(1).sample(asked, 25):
        print(
            " ",
            each.fact.property_id,
            each.fact.item,
            "|",
            each.answer,
            "|",
            *(o + "," for o in each.options if o != each.answer),
        )


if __name__ == "__main__":
    main()
