"""Skills of models on one scale, over releases that have questions in common.

A Rasch model in which skills are fixed and the difficulty of a question is drawn: benchmarks have few models and many
questions. With fixed-parameter linking (arXiv 2604.12843), each release is fitted with everything before it held fixed.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.special import expit

from kbe_graph.errors import InputError
from kbe_graph.statistics.intervals import Floats, cluster_sums
from kbe_graph.statistics.paired import holm
from kbe_graph.statistics.splits import WithInterval, with_error

Flags = NDArray[np.bool_]
DRIFT_LEVEL = 0.05
_DIFFICULTIES = np.linspace(-4, 4, 41)  # standard deviations from the mean of a release
_UNJUDGED = 0.05  # of a release, so that a few lost answers do not make a model one of a later release
_BOUND = 8.0  # logits
_LOG_BOUND = 2.0
_STEP = 1e-4
_ROUNDS = 10


class AnchorRow(NamedTuple):
    """A question that models of a later release were asked too: the share of them that is right, and that expected."""

    question: int
    release: int
    expected: float
    share: float
    p: float
    """Of no drift, corrected for the number of anchors (Holm)."""
    drifted: bool


class Linked(NamedTuple):
    """Models of several releases on one scale, whose zero is the mean difficulty of the first release's questions."""

    model: str
    """rasch, or 2pl where questions differ in discrimination."""
    bic: tuple[float, float]
    """Of the Rasch model and of the 2PL model, on the first release; the smaller one is taken."""
    releases: Sequence[int]
    """The release with which each model was first asked."""
    skills: Sequence[WithInterval]
    equated: Sequence[WithInterval]
    """The accuracy expected of each model on the first release."""
    errors: Floats
    """The covariance of the skills."""
    anchors: Sequence[AnchorRow]
    anchors_of: Sequence[int]
    """The number of anchors that link each model, without those that drifted; 0 for models of the first release."""

    def difference(self, first: int, second: int) -> WithInterval:
        """Return how much more skill the first model has than the second."""
        two = self.errors[np.ix_([first, second], [first, second])]
        value = self.skills[first].value - self.skills[second].value
        return with_error(float(value), float(np.sqrt(two[0, 0] + two[1, 1] - 2 * two[0, 1])))


def link(
    responses: ArrayLike, held: ArrayLike, *, clusters: ArrayLike | None = None, names: Sequence[str] = ()
) -> Linked:
    """Put the models of releases on one scale, by the questions that the releases have in common.

    ``responses`` has one row per model and one column per question: 0 to 1, NaN not asked. ``held`` has one row per
    release, in order, and tells which questions it holds. A model belongs to the release of which it was asked the
    largest share, the first of several. Anchors that drifted are dropped. Errors are clustered by question, or by
    ``clusters`` of them, and include those of the link. Raises InputError, which names a release of ``names``, if
    nothing links it to those before it.
    """
    answers, holds = np.asarray(responses, dtype=float), np.asarray(held, dtype=bool)
    asked = ~np.isnan(answers)
    sizes = (holds & asked.any(axis=0)).sum(axis=1)
    shares = asked.astype(float) @ holds.T / np.maximum(sizes, 1)
    releases = (shares >= shares.max(axis=1, keepdims=True) - _UNJUDGED).argmax(axis=1)
    for stage, name in enumerate(names or map(str, range(1, len(holds) + 1))):
        new, old, earlier = releases == stage, releases < stage, holds[:stage].any(axis=0)
        if not sizes[stage]:
            raise InputError(f"no question of release {name!r} has a judged answer; `evaluate` asks models")
        if stage and new.any() and not ((asked[new] & earlier).any() or (asked[old] & ~earlier).any()):
            raise InputError(
                f"release {name!r} has no question in common with those before it that models of both were asked"
            )
    groups = np.arange(answers.shape[1]) if clusters is None else np.asarray(clusters)
    fits = [_Fit(answers, releases, holds.argmax(axis=0), groups, discriminating=kind) for kind in (False, True)]
    rasch, discriminating = (-2 * fit.fit(0) + float(np.log(sizes[0])) * int((fit.stage == 0).sum()) for fit in fits)
    fit = fits[discriminating < rasch]
    anchors = [anchor for stage in range(1, len(holds)) for anchor in fit.add_release(stage)]
    return fit.result((rasch, discriminating), anchors)


class _Fit:
    """The model, its parameters and the answers.

    The parameters are the skills, the mean and the log of the standard deviation of each release's difficulties, and
    the log of the standard deviation of log discriminations.
    """

    def __init__(
        self,
        answers: Floats,
        model_release: NDArray[np.int64],
        question_release: NDArray[np.int64],
        clusters: NDArray[np.int64],
        discriminating: bool,
    ) -> None:
        self.right, self.given = np.nan_to_num(answers), ~np.isnan(answers)
        self.asked = self.given.astype(float)  # without the answers to anchors that drifted
        self.model_release, self.question_release, self.clusters = model_release, question_release, clusters
        self.releases = int(max(model_release.max(), question_release.max())) + 1
        self.discriminating = discriminating
        kinds, shares = np.polynomial.hermite_e.hermegauss(7) if discriminating else (np.zeros(1), np.ones(1))
        weights = np.outer(np.exp(-(_DIFFICULTIES**2) / 2), shares).ravel()
        self.places, self.kinds = np.repeat(_DIFFICULTIES, len(kinds)), np.tile(kinds, len(_DIFFICULTIES))
        self.weights = np.log(weights / weights.sum())
        means = (self.right.sum(axis=1) + 0.5) / (self.given.sum(axis=1) + 1)
        self.parameters = np.concatenate([np.log(means / (1 - means)), np.zeros(2 * self.releases), [-1.0]])
        own = np.arange(self.releases)
        models_asked = [self.given[:, question_release == release].any(axis=1).sum() for release in own]
        spreads = np.where(np.array(models_asked) > 1, own, -1)
        # the release with which each parameter is estimated, -1 if it is fixed
        self.stage = np.concatenate([model_release, np.where(own, spreads, -1), spreads, [discriminating - 1]])
        self.tables: dict[tuple[int, int], tuple[Floats, Floats, NDArray[np.int64]]] = {}

    def curves(self, parameters: Floats, release: int) -> tuple[Floats, Floats, Floats]:
        """Return logits of being right (models x nodes), and the nodes' discriminations and distances to the mean."""
        models, releases = len(self.right), self.releases
        middle, spread = parameters[models + release], np.exp(parameters[models + releases + release])
        slopes = np.exp(np.exp(parameters[-1]) * self.kinds)
        offsets = spread * self.places
        return slopes * (parameters[:models, None] - middle - offsets), slopes, offsets

    def patterns(self, stage: int, release: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
        """Return the different ways in which questions of a release were answered, and each question's.

        Right and asked have one row per pattern and one column per model up to a stage.
        """
        if (stage, release) not in self.tables:
            models = self.model_release <= stage
            asked = self.asked[np.ix_(models, self.question_release == release)].T
            right = self.right[np.ix_(models, self.question_release == release)].T * asked
            both, pattern_of = np.unique(np.hstack([right, asked]), axis=0, return_inverse=True)
            middle = both.shape[1] // 2
            self.tables[stage, release] = both[:, :middle], both[:, middle:], pattern_of.ravel()
        return self.tables[stage, release]

    def posteriors(self, logits: Floats, right: Floats, asked: Floats) -> tuple[Floats, Floats]:
        """Return the log likelihood of each pattern of answers, and how likely each node is given it."""
        own = right @ logits - asked @ np.logaddexp(0, logits) + self.weights
        most = own.max(axis=1, keepdims=True)
        likely = np.exp(own - most)
        whole = likely.sum(axis=1, keepdims=True)
        return (most + np.log(whole)).ravel(), likely / whole

    def scores(self, parameters: Floats, stage: int) -> tuple[float, list[Floats]]:
        """Return the log likelihood of the answers up to a release, and the gradient of each pattern by release."""
        models, count = self.model_release <= stage, len(self.right)
        total, gradients = 0.0, []
        for release in range(stage + 1):
            right, asked, pattern_of = self.patterns(stage, release)
            logits, slopes, offsets = self.curves(parameters, release)
            own, chances = logits[models], expit(logits[models])
            likelihoods, posterior = self.posteriors(own, right, asked)
            sloped = posterior * slopes
            moved = sloped * (right.sum(axis=1)[:, None] - asked @ chances)
            steeper = posterior * (right @ own - asked @ (chances * own))
            part = np.zeros((len(right), len(parameters)))
            part[:, np.flatnonzero(models)] = right * sloped.sum(axis=1)[:, None] - asked * (sloped @ chances.T)
            part[:, count + release] = -moved.sum(axis=1)
            part[:, count + self.releases + release] = -moved @ offsets
            part[:, -1] = np.exp(parameters[-1]) * (steeper @ self.kinds)
            gradients.append(part)
            total += float(likelihoods[pattern_of].sum())
        return total, gradients

    def gradient(self, parameters: Floats, stage: int) -> tuple[float, Floats]:
        """Return the log likelihood of the answers up to a release, and its gradient."""
        total, gradients = self.scores(parameters, stage)
        parts = [np.bincount(self.patterns(stage, each)[2]) @ part for each, part in enumerate(gradients)]
        return total, np.sum(parts, axis=0)

    def fit(self, stage: int) -> float:
        """Estimate the parameters of a release with those before it fixed; return the log likelihood."""
        free, size = self.stage == stage, float(self.asked.sum())
        if not free.any():
            return 0.0

        def loss(values: Floats) -> tuple[float, Floats]:
            self.parameters[free] = values
            total, gradient = self.gradient(self.parameters, stage)
            return -total / size, -gradient[free] / size

        logs = np.arange(len(free)) >= len(self.right) + self.releases
        bounds = [(-bound, bound) for bound in np.where(logs, _LOG_BOUND, _BOUND)[free]]
        options = {"ftol": 1e-13, "gtol": 1e-8, "maxiter": 500}
        made = minimize(loss, self.parameters[free], jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        self.parameters[free] = made.x
        return -float(made.fun) * size

    def add_release(self, stage: int) -> list[AnchorRow]:
        """Fit a release, again without the anchors that drifted, until these are the same."""
        drifted: set[int] = set()
        for _ in range(_ROUNDS):
            self.fit(stage)
            anchors = self.drift(stage)
            now = {anchor.question for anchor in anchors if anchor.drifted}
            if now == drifted:
                break
            drifted = now
            later = self.model_release >= stage
            self.asked[later] = self.given[later]
            self.asked[np.ix_(np.flatnonzero(later), np.array(sorted(now), dtype=int))] = 0.0
            self.tables.clear()
        return anchors

    def result(self, bic: tuple[float, float], anchors: Sequence[AnchorRow]) -> Linked:
        """Return the skills and the equated accuracies with their errors."""
        free, models = self.stage >= 0, len(self.right)
        errors = np.zeros((len(free), len(free)))
        errors[np.ix_(free, free)] = self._covariance(free)
        equated, noise = self._equated(self.parameters)
        slopes = self._slopes(lambda parameters: self._equated(parameters)[0])
        spreads = np.einsum("ij,jk,ik->i", slopes, errors, slopes) + noise
        return Linked(
            "2pl" if self.discriminating else "rasch",
            bic,
            self.model_release.tolist(),
            [*map(with_error, self.parameters[:models].tolist(), np.sqrt(errors.diagonal()[:models]).tolist())],
            [*map(with_error, equated.tolist(), np.sqrt(spreads).tolist())],
            errors[:models, :models],
            anchors,
            (self.asked * (self.question_release < self.model_release[:, None])).sum(axis=1).astype(int).tolist(),
        )

    def _equated(self, parameters: Floats) -> tuple[Floats, Floats]:
        """Return each model's expected accuracy on the first release, and its variance given the parameters."""
        logits, *_ = self.curves(parameters, 0)
        right, asked, pattern_of = self.patterns(self.releases - 1, 0)
        posterior, counts = self.posteriors(logits, right, asked)[1], np.bincount(pattern_of)
        chances = expit(logits).T
        means = posterior @ chances
        return counts @ means / counts.sum(), counts @ (posterior @ chances**2 - means**2) / counts.sum() ** 2

    def _slopes(self, function: Callable[[Floats], Floats]) -> Floats:
        """Return the derivatives of a function by each parameter, in columns."""
        shifts = np.eye(len(self.parameters)) * _STEP
        sides = [[function(self.parameters + sign * shift) for shift in shifts] for sign in (1, -1)]
        return (np.array(sides[0]) - np.array(sides[1])).T / (2 * _STEP)

    def _covariance(self, free: Flags) -> Floats:
        """Return the covariance of the free parameters: clustered, with the errors of the releases before."""
        slopes = self._slopes(self._estimating)[np.ix_(free, free)]
        each = np.zeros((self.right.shape[1], len(free)))
        for stage in range(self.releases):
            for release, part in enumerate(self.scores(self.parameters, stage)[1]):
                own = part * (self.stage == stage)
                each[self.question_release == release] += own[self.patterns(stage, release)[2]]
        sums = cluster_sums(each[:, free], self.clusters)
        inverse = np.linalg.pinv(slopes)
        covariance: Floats = inverse @ (sums.T @ sums) @ inverse.T * len(sums) / (len(sums) - 1)
        return covariance

    def _estimating(self, parameters: Floats) -> Floats:
        """Return the gradient by each parameter at the release with which it is estimated: zero at the estimates."""
        stages = [self.gradient(parameters, stage)[1] * (self.stage == stage) for stage in range(self.releases)]
        summed: Floats = np.sum(stages, axis=0)
        return summed

    def drift(self, stage: int) -> list[AnchorRow]:
        """Test each earlier question that models of a release were asked, given its earlier answers (Holm)."""
        rows = [row for release in range(stage) for row in self._predicted(stage, release)]
        adjusted = holm([row.p for row in rows])
        return [row._replace(p=float(p), drifted=bool(p < DRIFT_LEVEL)) for row, p in zip(rows, adjusted, strict=True)]

    def _predicted(self, stage: int, release: int) -> Iterator[AnchorRow]:
        new, old = self.model_release == stage, self.model_release < stage
        anchors = (self.question_release == release) & self.given[new].any(axis=0) & self.asked[old].any(axis=0)
        logits, *_ = self.curves(self.parameters, release)
        *patterns, pattern_of = self.patterns(stage - 1, release)
        posterior = self.posteriors(logits[old], *patterns)[1][pattern_of][anchors[self.question_release == release]]
        for question, weights in zip(np.flatnonzero(anchors), posterior, strict=True):
            chances = expit(logits[new & self.given[:, question]])
            right = self.right[new & self.given[:, question], question]
            p = min(1.0, 2 * float((weights @ _tails(chances, right.sum())).min()))
            expected = float((chances @ weights).mean())
            yield AnchorRow(int(question), stage, expected, float(right.mean()), p, drifted=False)


def _tails(chances: Floats, total: float) -> Floats:
    """Return for each node the chances that at most, and at least, ``total`` models are right."""
    numbers = np.zeros((chances.shape[1], len(chances) + 1))
    numbers[:, 0] = 1.0
    for chance in chances:
        numbers[:, 1:] = numbers[:, 1:] * (1 - chance[:, None]) + numbers[:, :-1] * chance[:, None]
        numbers[:, 0] *= 1 - chance
    counts = np.arange(numbers.shape[1])
    sides: Floats = np.stack([numbers[:, side].sum(axis=1) for side in (counts <= total, counts >= total)], axis=1)
    return sides
