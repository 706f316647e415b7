"""Storage of frozen releases, each version with its questions, and of errata."""

from collections.abc import Iterable, Sequence
from typing import Any

from kbe_graph.errors import InputError
from kbe_graph.store.connection import Stored
from kbe_graph.store.nodes import node_row, properties_of, value_of
from kbe_graph.types import Erratum, Question, ReleasedQuestion, ReleaseRecord


class StoredReleases(Stored):
    """The versions of releases, and the errata of questions."""

    def save_release(self, release: ReleaseRecord, questions: Sequence[ReleasedQuestion]) -> None:
        """Save a version with its questions, in one transaction."""
        edges = [
            {"subject": release.id, "object": each.question, "properties": properties_of(each, "question")}
            for each in questions
        ]
        self.connection.save({"save_releases": [node_row(release.id, properties_of(release))], "save_holds": edges})

    def releases(self) -> list[ReleaseRecord]:
        """Return the versions of all releases, sorted by name and version."""
        rows = self.connection.read("releases")
        records = [value_of(ReleaseRecord, "release", row["release"]) for row in rows]
        return sorted(records, key=lambda record: (record.name, record.version))

    def release(self, name: str) -> ReleaseRecord:
        """Return a version of a release by its id, or the newest one by its name; raises InputError."""
        records = self.releases()
        every = [record for record in records if name in (record.id, record.name)]
        named = [record for record in every if not record.forgotten]
        if every and not named:
            raise InputError(f"the questions of release {every[-1].id!r} were forgotten; only its folder has them")
        if not named:
            others = f"there are {', '.join(each.id for each in records)}" if records else "`release new` makes one"
            raise InputError(f"no release {name!r}; {others}")
        return named[-1]

    def released(self, release: ReleaseRecord) -> list[ReleasedQuestion]:
        """Return the questions of a version, sorted by id, those withdrawn from it among them."""
        rows = self.connection.read("released", id=release.id)
        held = [value_of(ReleasedQuestion, "release", row["holds"], question=row["question"]) for row in rows]
        return sorted(held, key=lambda each: each.question)

    def releases_with(self, questions: Iterable[Question]) -> list[str]:
        """Return the ids of the versions that hold some of these questions, those withdrawn not among them."""
        ids = {question.id for question in questions}
        versions = [release for release in self.releases() if not release.forgotten] if ids else []
        return [
            release.id
            for release in versions
            if any(each.question in ids and each.status != "withdrawn" for each in self.released(release))
        ]

    def forget_releases(self, ids: Sequence[str]) -> None:
        """Mark versions (ids) as forgotten, because questions of theirs are deleted."""
        self.connection.run("forget_releases", ids=list(ids))

    def held_back(self) -> dict[str, str]:
        """Return the questions that releases hold back, each with the id of a release that does."""
        return {row["question"]: row["release"] for row in self.connection.read("held_back")}

    def save_erratum(self, erratum: Erratum, questions: Iterable[str]) -> None:
        """Save an erratum, linked to the questions (ids) that it corrects."""
        row = node_row(erratum.id, properties_of(erratum, "id"))
        edges = [{"subject": erratum.id, "object": id_} for id_ in questions]
        self.connection.save({"save_errata": [row], "save_corrects": edges})

    def errata(self) -> list[Erratum]:
        """Return all errata, sorted by time and id."""
        errata = [value_of(Erratum, "erratum", row["erratum"]) for row in self.connection.read("errata")]
        return sorted(errata, key=lambda erratum: (erratum.time, erratum.id))

    def questions_to_correct(self, erratum: Erratum) -> dict[str, bool]:
        """Find the kept questions whose key holds the wrong fact, that are the question, or have the answer, by id.

        True are those of the sample whose key goes on from the wrong answer of the question.
        """
        asked = {erratum.kind: erratum.what}
        subject, relation, object_ = asked["fact"].split("|") if "fact" in asked else (None, None, None)
        fact: dict[str, Any] = {"subject": subject, "relation": relation, "object": object_}
        others: dict[str, Any] = {"question": asked.get("question"), "answer": asked.get("answer")}
        others["wrong"] = others["question"] if erratum.correct else None
        rows = self.connection.read("questions_to_correct", **fact, **others)
        return dict(sorted((row["id"], row["rests"]) for row in rows))
