"""Scores of models on versions of a release, from the answers that are kept: nothing is asked."""

from collections import defaultdict

from kbe_graph.evaluate.judging import SURE, Response
from kbe_graph.graph_access import GraphAccess
from kbe_graph.release.contents import as_released
from kbe_graph.release.diff import Edition, ModelScore


def responses_to(access: GraphAccess, edition: Edition) -> list[Response]:
    """Read the answers of all models to the questions of a version as they are in it, asked with their pictures."""
    store = access.store
    stored = {each.id: each for each in store.questions(run=edition.run, status=None)}
    questions = {id_: as_released(stored[id_], each) for id_, each in edition.live.items() if id_ in stored}
    samples = {sample.id: sample for sample in store.samples()}
    return [
        Response(answer, questions[answer.question], samples[questions[answer.question].sample])
        for answer in store.predictions(run=edition.run)
        if answer.variant == "image" and answer.question in questions
    ]


def rescore(access: GraphAccess, before: Edition, after: Edition) -> list[ModelScore]:
    """Score each model's kept answers anew under two versions, by the rule ``alias``."""
    verdicts: dict[str, list[dict[str, bool]]] = defaultdict(lambda: [{}, {}])
    for place, edition in enumerate((before, after)):
        for each in responses_to(access, edition):
            verdicts[each.prediction.model][place][each.prediction.id] = each.is_right_by(SURE)
    return [
        ModelScore(
            model,
            *(sum(old.values()), len(old), sum(new.values()), len(new)),
            sum(old[id_] != new[id_] for id_ in old.keys() & new.keys()),
        )
        for model, (old, new) in sorted(verdicts.items())
    ]
