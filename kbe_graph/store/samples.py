"""Samples (loaded, extracted or dropped) with their graphs and the raw question; how they and runs are forgotten."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from typing import Any, NamedTuple

from kbe_graph.errors import InputError
from kbe_graph.store import edges, nodes
from kbe_graph.store.connection import Connection, Stored, Transaction, batches, damaged
from kbe_graph.store.nodes import Evolved, Row, SampleStatus, node_row, properties_of, sample_of, value_of
from kbe_graph.store.questions import forget_about, keys_of, question_rows, write_questions
from kbe_graph.text import in_order
from kbe_graph.types import RAW, REPLACED, Drop, Extraction, Progress, Question, Sample, SampleGraph, question_id

BATCH = 500
GRAPHS = 200
LOADED = {"status": "loaded", "reason": "", "detail": "", **nodes.extraction_properties(Extraction())}
ANSWER = ("question", "answer", "choice", "replaced", "made")
ASKED = ("question", "answer")
PICTURE = ("image", "image_id", "more_images")
STATES = ("loaded", "extracted", "dropped")


class Difference(NamedTuple):
    """A field of a sample that reads differently now."""

    field: str
    before: Any
    now: Any


class StoredSamples(Stored):
    """The samples, and the graph of each."""

    def save_samples(self, items: Sequence[Sample], *, progress: Progress = lambda *_: None) -> None:
        """Save samples; unchanged ones are kept, changed ones lose their graph (InputError if a run depends on it)."""
        ordered = sorted(items, key=lambda sample: sample.id)
        done = 0
        progress("load", done, len(ordered))
        for batch in batches(ordered, BATCH):
            self.connection.write(partial(_save_samples, rows=[_sample_row(sample) for sample in batch]))
            done += len(batch)
            progress("load", done, len(ordered))

    def changed_samples(self, items: Sequence[Sample]) -> dict[str, Difference]:
        """Return by id the first difference of samples that are stored differently; a picture may be new."""
        rows = sorted(map(_sample_row, items), key=lambda row: row["id"])
        stored = {node["id"]: node for node in self._rows(_ids(rows), {})}
        changed = ((row["id"], _differences(row["properties"], stored.get(row["id"]))) for row in rows)
        firm = ((id_, [each for each in own if each.before or each.field not in PICTURE]) for id_, own in changed)
        return {id_: own[0] for id_, own in firm if own}

    def samples(
        self,
        *,
        benchmark: str | None = None,
        split: str | None = None,
        ids: Sequence[str] | None = None,
        status: str | None = None,
        limit: int | None = None,
    ) -> list[Sample]:
        """Return samples sorted by id; ``status`` is loaded, extracted or dropped."""
        if status is not None and status not in STATES:
            raise InputError(f"no status {status!r}; choose from {', '.join(STATES)}")
        wanted: dict[str, Any] = {"benchmark": benchmark, "split": split, "status": status}
        return sorted(map(sample_of, self._rows(ids, wanted)), key=lambda sample: in_order(sample.id))[:limit]

    def _rows(self, ids: Sequence[str] | None, wanted: dict[str, Any]) -> list[Row]:
        if ids is None:
            return [row["sample"] for row in self.connection.read("samples", **wanted)]
        rows = [row["sample"] for row in self.connection.read_by_ids("samples_by_id", ids)]
        return [row for row in rows if all(value is None or row[name] == value for name, value in wanted.items())]

    def sample_ids(self, *, status: str, limit: int | None = None) -> list[str]:
        """Return the sorted ids of the samples with a status, without reading the samples."""
        ids = (row["sample"] for row in self.connection.read("sample_ids", status=status))
        return sorted(ids, key=in_order)[:limit]

    def count_samples(self, *, status: str | None = None) -> int:
        """Count the samples, all or those with a status."""
        rows = self.connection.read("count_samples")
        return sum(row["count"] for row in rows if status in (None, row["status"]))

    def sample_status(self, ids: Sequence[str] | None = None) -> dict[str, SampleStatus]:
        """Return the status of samples by id, with the reason if dropped."""
        rows = self._rows(ids, dict.fromkeys(("benchmark", "split", "status")))
        return {row["id"]: value_of(SampleStatus, "sample", row, extraction=nodes.extraction_of(row)) for row in rows}

    def no_benchmark(self, name: str) -> InputError:
        """Return the error for an unknown benchmark; its message lists the loaded ones."""
        names = sorted({sample.benchmark for sample in self.samples()})
        return InputError(f"no benchmark {name!r}; available: {', '.join(names) or 'none, load one first'}")

    def save_graphs(
        self,
        outcomes: Sequence[SampleGraph | Drop],
        raw: Sequence[Question],
        extractions: Mapping[str, Extraction] | None = None,
    ) -> None:
        """Save the outcomes of an extraction: graphs with their raw questions, and the reasons of drops.

        ``extractions`` are the extractions of the graphs, by sample. An identical graph is kept; a different one is
        replaced, unless a run depends on it, which raises InputError. A batch is one transaction.
        """
        questions = {question.sample: question for question in raw}
        for batch in batches(sorted(outcomes, key=lambda outcome: outcome.sample), GRAPHS):
            save = partial(_save_graphs, outcomes=batch, raw=questions, extractions=extractions or {})
            self.connection.write(save)

    def complete_kinds(self, samples: Sequence[str]) -> bool:
        """Record the kinds of things in pictures (sample ids) where an earlier version did not; True if any lacked."""
        rows = self.connection.read_by_ids("entities_without_kind", samples, parameter="samples")
        kinds = [{"id": row["id"], "kind": edges.kind_of_term(row["term"], row["noun"])} for row in rows]
        self.connection.save({"save_kinds": kinds})
        return bool(kinds)

    def extractions(self, ids: Sequence[str] | None = None) -> list[tuple[Extraction, int]]:
        """Return the extractions of the samples' graphs with the number of graphs of each, most frequent first."""
        if ids is None:
            rows = self.connection.read("extractions")
        else:
            rows = self.connection.read_by_ids("extractions_of_samples", ids, parameter="samples")
        counts: Counter[Extraction] = Counter()
        for row in rows:
            counts[nodes.extraction_of(row)] += row["samples"]
        return sorted(counts.items(), key=lambda pair: (-pair[1], astuple(pair[0])))

    def graphs(self, ids: Sequence[str]) -> dict[str, SampleGraph]:
        """Return the samples' graphs, without explored triplets, with the key of the raw question, by sample."""
        graphs: dict[str, SampleGraph] = {}
        for batch in batches(sorted(set(ids)), GRAPHS):
            found = {row["sample"]: row["edges"] for row in self.connection.read("graphs", samples=batch)}
            keys = keys_of(self.connection, batch, run=RAW)
            raw = {id_: question_id(id_, RAW, 0) for id_ in batch}
            graphs |= {
                id_: SampleGraph(id_, *edges.graph_of(found.get(id_, ())), keys[raw[id_]])
                for id_ in batch
                if raw[id_] in keys
            }
        return graphs

    def require_samples(self) -> None:
        """Raise InputError if no benchmark was loaded."""
        if not self.count_samples():
            raise InputError("there are no samples yet; load a benchmark (`kbe load`)")

    def require_questions(self) -> None:
        """Raise StoreError if samples have graphs but no raw questions, because files of the graph were lost."""
        row = self.connection.read("lost_questions")[0]
        if row["samples"] and not row["questions"]:
            raise damaged(self.connection.place, "the raw questions of its samples are missing")


def _sample_row(sample: Sample) -> Row:
    return node_row(sample.id, properties_of(sample) | {"fact": list(sample.fact or ())})


def _save_samples(transaction: Transaction, rows: list[Row]) -> None:
    before = {row["sample"]["id"]: row["sample"] for row in transaction.run("samples_by_id", ids=_ids(rows))}
    fresh = [{**row, "properties": row["properties"] | LOADED} for row in rows if row["id"] not in before]
    changed = [row for row in rows if _differences(row["properties"], before.get(row["id"]))]
    if changed:
        refuse_evolved(transaction, _ids(changed), "the sample reads differently now")
        forget_graphs(transaction, _ids(changed))
    transaction.save("save_samples", fresh)
    transaction.save("update_samples", [{**row, "properties": row["properties"] | LOADED} for row in changed])


def _as_loaded(node: Row) -> Row:
    return node | _answer(sample_of(node).as_loaded) if node.get("replaced") or node.get("made") else node


def _answer(sample: Sample) -> Row:
    return {name: getattr(sample, name) for name in ANSWER}


def _ids(rows: Sequence[Row]) -> list[str]:
    return [row["id"] for row in rows]


def _differences(properties: Row, node: Row | None) -> list[Difference]:
    before = _as_loaded(node) if node else properties
    return [
        Difference(name, before.get(name), value)
        for name, value in properties.items()
        if (value or None) != (before.get(name) or None) and (name != "category" or name in before)
    ]


def _status_row(outcome: SampleGraph | Drop, extraction: Extraction, node: Row) -> Row:
    status: Row = {"status": "extracted", "reason": "", "detail": ""}
    if isinstance(outcome, Drop):
        status = {"status": "dropped", "reason": outcome.reason, "detail": outcome.detail}
    answer, question = ("", "") if isinstance(outcome, Drop) else (outcome.answer, outcome.question)
    status |= nodes.extraction_properties(extraction)
    if answer or node.get("replaced") or node.get("made"):
        sample = sample_of(node).as_loaded.with_answer(answer, question)
        status |= _answer(sample)
        status |= {"reason": REPLACED, "detail": f"{sample.replaced!r} is contradicted"} if sample.replaced else {}
    return node_row(outcome.sample, status)


def _save_graphs(
    transaction: Transaction,
    outcomes: Sequence[SampleGraph | Drop],
    raw: Mapping[str, Question],
    extractions: Mapping[str, Extraction],
) -> None:
    new = {each.sample: each for each in outcomes if isinstance(each, SampleGraph)}
    rows = {id_: edges.graph_row(id_, graph.visual, graph.textual) for id_, graph in new.items()}
    ids = [outcome.sample for outcome in outcomes]
    stored = {row["sample"]: row["edges"] for row in transaction.run("graphs", samples=ids)}
    before = {row["sample"]["id"]: row["sample"] for row in transaction.run("samples_by_id", ids=ids)}
    if strangers := [id_ for id_ in ids if id_ not in before]:
        raise InputError(f"no sample {strangers[0]!r} in the graph; load its benchmark first")
    samples = [_status_row(each, extractions.get(each.sample, Extraction()), before[each.sample]) for each in outcomes]
    moved = {
        row["id"]
        for row in samples
        if any(row["properties"].get(name, before[row["id"]][name]) != before[row["id"]][name] for name in ASKED)
    }
    other = {id_ for id_, old in stored.items() if edges.graph_row(id_, *edges.graph_of(old)) != rows.get(id_)}
    if stale := [id_ for id_ in stored if id_ in moved | other]:
        refuse_evolved(transaction, stale, "the new graph differs")
        forget_graphs(transaction, stale)
    fresh = [row for id_, row in rows.items() if id_ in stale or id_ not in stored]
    transaction.save("save_terms", edges.term_rows(term for row in fresh for _, term in row["links"]))
    transaction.save("create_graphs", fresh)
    write_questions(transaction, question_rows([Evolved(raw[id_]) for id_ in new if id_ in raw]))
    transaction.save("update_samples", samples)


FORGOTTEN = 200  # samples a transaction


def refuse_evolved(transaction: Transaction, samples: Sequence[str], change: str) -> None:
    """Raise InputError if any run has questions about one of the samples, because those depend on the sample."""
    rows = transaction.run("run_questions_of_samples", samples=list(samples))
    if rows:
        runs = ", ".join(sorted({row["run"] for row in rows}))
        raise InputError(
            f"{rows[0]['sample']}: {change}, but the questions of run {runs!r} rest on the earlier version; "
            "forget the run, or use another workspace for the new graph"
        )


def forget_graphs(transaction: Transaction, samples: Sequence[str]) -> None:
    """Delete the entities, triplets and raw questions of the samples."""
    ids = list(samples)
    names = [row["id"] for row in transaction.run("terms_of_samples", samples=ids)]
    of_raw = transaction.run("questions_of_samples", samples=ids, run=RAW, hop=None, status=None)
    raw = [{"id": row["question"]["id"]} for row in of_raw]
    transaction.save("forget_forms", raw)
    transaction.save("forget_variants", raw)
    transaction.save("forget_reviews", raw)
    transaction.run("forget_guesses_of_samples", samples=ids)
    transaction.run("forget_entities", samples=ids)
    transaction.run("forget_identities", samples=ids, run=None)
    transaction.run("forget_raw", samples=ids)
    transaction.run("forget_terms", names=names)


class Forgetting(Stored):
    """Deletion of runs and samples with everything that depends on them."""

    def runs_of(self, samples: Sequence[str]) -> set[str]:
        """Return the names of the runs that have questions about the samples (ids)."""
        rows = self.connection.read_by_ids("run_questions_of_samples", samples, parameter="samples")
        return {row["run"] for row in rows}

    def forget_run(self, name: str, *, progress: Progress = lambda *_: None) -> int:
        """Delete a run with everything that depends on it; return the number of deleted questions."""
        rows = self.connection.read("questions_of_run", run=name, hop=None, status=None)
        samples = sorted({row["question"]["sample"] for row in rows})
        count = _in_batches(self.connection, samples, partial(_forget_run_of, run=name), progress)
        # guesses at raw questions of samples about which the run has no question
        self.connection.run_until_done("forget_guesses_of_run", run=name, most=FORGOTTEN)
        for statement in ("forget_runs", "forget_rounds"):
            self.connection.run(statement, names=[name])
        return count

    def forget_outcomes(self, run: str, samples: Sequence[str]) -> None:
        """Delete a run's questions about these samples (ids), which are about to be saved anew."""
        for batch in batches(samples, FORGOTTEN):
            self.connection.write(partial(_forget_questions, samples=batch, run=run))

    def forget_samples(self, ids: Sequence[str], *, progress: Progress = lambda *_: None) -> int:
        """Delete samples with everything that depends on them; return the number of deleted questions."""
        return _in_batches(self.connection, ids, _forget_samples, progress)


def _in_batches(connection: Connection, samples: Sequence[str], forget: Callable[..., int], progress: Progress) -> int:
    count = done = 0
    for batch in batches(samples, FORGOTTEN):
        count += connection.write(partial(forget, samples=batch))
        done += len(batch)
        progress("forget", done, len(samples))
    return count


def _forget_run_of(transaction: Transaction, samples: Sequence[str], *, run: str) -> int:
    names = [row["id"] for row in transaction.run("terms_of_samples", samples=samples)]
    count = _forget_questions(transaction, samples, run)
    transaction.run("forget_drafts", samples=samples, run=run)
    transaction.run("forget_identities", samples=samples, run=run)
    transaction.run("forget_run_edges", samples=samples, run=run)
    transaction.run("forget_unlinked_entities", samples=samples)
    transaction.run("forget_terms", names=names)
    return count


def _forget_samples(transaction: Transaction, samples: Sequence[str]) -> int:
    count = _forget_questions(transaction, samples, None)
    forget_graphs(transaction, samples)
    transaction.run("forget_drafts", samples=samples, run=None)
    transaction.run("forget_samples", samples=samples)
    return count


def _forget_questions(transaction: Transaction, samples: Sequence[str], run: str | None) -> int:
    rows = transaction.run("questions_of_samples", samples=samples, run=run, hop=None, status=None)
    ids = [{"id": row["question"]["id"]} for row in rows]
    forget_about(transaction, ids)
    for name in ("forget_variants", "forget_reviews", "forget_questions"):
        transaction.save(name, ids)
    return len(ids)
