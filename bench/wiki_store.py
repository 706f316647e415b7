"""How fast items of Wikidata with their statements are saved and read, in what memory, and how much plain writes take.

    python bench/wiki_store.py [--statements 100000] [--plain 500]

Prints one line of JSON: statements a second saved into an empty graph, read, given other reasons, and saved again; the
seconds of the two frequency tables and of forgetting all; the most memory of this process, how much it grew after the
first tenth, and the most of the embedded engine, in MiB; then statements a second of a script that writes each by the
driver alone, in a transaction of its own, and the ratio. A third of the statements lead to items that many share. On
the embedded engine, or on the server of NEO4J_URI.
"""

import argparse
import json
import random
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import neo4j
from load import new_graph

from kbe_graph.store import Store
from kbe_graph.types import WikiItem, WikiStatement

EACH = 50  # statements of an item, the median of whole entities
ITEMS = 100  # saved in one call
PLAIN_ITEM = "MERGE (item:Item {id: $id}) SET item.label = $label"
PLAIN_STATEMENT = """
MERGE (item:Item {id: $item})
MERGE (target:Item {id: $target})
MERGE (item)-[statement:STATEMENT {id: $id}]->(target)
SET statement += $properties
"""


def made(count: int) -> Iterator[tuple[list[WikiItem], list[WikiStatement]]]:
    """Give items with their statements, ``ITEMS`` at a time; a third lead to one of ten items that many share."""
    draw = random.Random(0)
    for start in range(0, count // EACH, ITEMS):
        numbers = range(start, min(start + ITEMS, count // EACH))
        items = [WikiItem(f"Q{n}", f"item {n}", kinds=("Q5",), fetched="2026-11-27") for n in numbers]
        yield items, [statement(item.id, place, draw) for item in items for place in range(EACH)]


def statement(item: str, place: int, draw: random.Random) -> WikiStatement:
    """Make a statement: a third lead to a shared item, a third to any, the others to a value in words."""
    reasons = () if draw.random() < 0.2 else ("datatype",)
    common = WikiStatement(f"{item}${place}", item, f"P{place}", f"relation {place}", "wikibase-item", "item")
    if place % 3 == 2:
        text = f"{draw.randrange(5_000)} metres"
        return replace(
            common, kind="quantity", text=text, raw=json.dumps({"amount": text}), unit="metre", reasons=reasons
        )
    target = draw.randrange(10) if place % 3 else draw.randrange(20_000)
    return replace(common, target=f"Q{target}", text=f"item {target}", raw=json.dumps({"id": target}), reasons=reasons)


def peak() -> float:
    """Return the most memory that this process took, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def save(store: Store, count: int) -> tuple[float, float]:
    """Save all and return the seconds, and how much this process grew after the first tenth."""
    seconds, early, done = 0.0, 0.0, 0
    for items, statements in made(count):
        begin = time.perf_counter()
        store.save_items(items, statements)
        seconds += time.perf_counter() - begin
        done += len(statements)
        early = early if early or done < count / 10 else peak()
    return seconds, peak() - early


def read(store: Store, count: int) -> float:
    """Read all in the portions of the saves, and return the seconds."""
    begin = time.perf_counter()
    total = 0
    for items, _ in made(count):
        total += sum(map(len, store.item_statements([item.id for item in items], kept=None).values()))
    if total != count // EACH * EACH:
        raise SystemExit(f"{total} statements were read of {count}")
    return time.perf_counter() - begin


def filter_again(store: Store, count: int) -> float:
    """Give all statements other reasons, and return the seconds."""
    begin = time.perf_counter()
    for _, statements in made(count):
        store.update_reasons([replace(each, reasons=("support",)) for each in statements])
    return time.perf_counter() - begin


def save_plainly(store: Store, count: int) -> float:
    """Write statements as a notebook does, and return the seconds."""
    items, statements = next(made(max(count, EACH)))
    place = store.connection.place
    begin = time.perf_counter()
    with store.connection.driver.session(database=place.database) as session:
        for item in items:
            session.execute_write(
                lambda transaction, item=item: transaction.run(PLAIN_ITEM, id=item.id, label=item.label)
            )
        for each in statements[:count]:
            session.execute_write(merge_one, each)
    return time.perf_counter() - begin


def merge_one(transaction: neo4j.ManagedTransaction, each: WikiStatement) -> None:
    names = ("property_id", "relation", "datatype", "kind", "text", "raw", "unit", "rank", "best", "current")
    properties = {name: getattr(each, name) for name in names}
    target = each.target or f"{each.kind}|{each.text}"
    transaction.run(
        PLAIN_STATEMENT, item=f"plain {each.item}", target=target, id=each.id, properties=properties
    ).consume()


def timed(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return round(time.perf_counter() - begin, 2)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--statements", type=int, default=100_000)
    parser.add_argument("--plain", type=int, default=500)
    arguments = parser.parse_args()
    count = arguments.statements
    with new_graph() as store:
        first, grown = save(store, count)
        figures: dict[str, object] = {"statements": count, "saved_per_second": round(count / first)}
        figures["read_per_second"] = round(count / read(store, count))
        figures["predicates_seconds"] = timed(lambda: store.query("predicate_frequency"))
        figures["values_seconds"] = timed(lambda: store.query("object_frequency"))
        figures["reasons_per_second"] = round(count / filter_again(store, count))
        figures["saved_again_per_second"] = round(count / save(store, count)[0])
        figures |= {"peak_mib": round(peak()), "grown_mib": round(grown)}
        figures["forgotten_seconds"] = timed(store.forget_wiki)
        plain = arguments.plain / save_plainly(store, arguments.plain)
        figures |= {"plain_per_second": round(plain, 1), "ratio": round(count / first / plain, 1)}
    figures["engine_mib"] = round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)  # it has ended
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
