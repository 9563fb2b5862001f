"""What only skopt knows: the models that chose the trials, and the criterion they served.

skopt keeps the next point (`_next_x`, which `ask` returns) and the latest batch (`cache_`). For a
batch it takes a copy of itself, and after each point tells the copy a lie in place of a result:
the least, the mean or the largest objective so far (the constant liar). The models of the copy are
lost. They are fitted again here, with the same lies, and the same seed where the base estimator
has one, as skopt gives those it makes itself.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.multioutput import MultiOutputRegressor
from skopt import Optimizer
from skopt.utils import has_gradients

from hpo_explain.adapters.skopt._dimensions import ModelColumns
from hpo_explain.adapters.skopt._specs import HEDGE, Criterion, Specs, infer_criterion
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.options import Direction, sign_of
from hpo_explain.base.phrases import counted, join_names, spans
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.own_model import ModelSurrogate
from hpo_explain.models.protocols import Surrogate, std_from_variance
from hpo_explain.run import LARGEST, OwnAcquisition
from hpo_explain.space import Array, SearchSpace

_LIES: dict[str, Callable[..., Any]] = {"cl_min": np.min, "cl_mean": np.mean, "cl_max": np.max}
_SAME_POINT = 1e-8  # distance at which skopt takes two points for the same
_SAME = 1e-5  # of a column's largest value: dimensions may be of dtype float32
_STD_AGREES = 0.1  # of the exact one: less is no other standard deviation

_NEXT_POINT = fact(
    "skopt does not record what it was asked for: this is the point that it returns next, until it "
    "is told a result"
)


@dataclass(frozen=True, eq=False)
class AskedPoint:
    """A point without a result.

    Attributes
    ----------
    point : sequence
        Its values, in skopt's order.
    model : object
        The model that chose it, if one did, or one like it.
    refit : tuple of (ndarray, list of float), optional
        What that model is fitted on, if it is lost.
    beside : tuple of sequence
        The points of its batch on which the model was told lies, in their order.
    lies : tuple of float
        The lies.
    criterion : str
        Which of the criteria of a hedge chose it; empty where that is not known.
    notes : tuple of Fact
        How that is known.
    """

    point: Sequence[Any]
    model: Any = None
    refit: tuple[Any, list[float]] | None = None
    beside: tuple[Sequence[Any], ...] = ()
    lies: tuple[float, ...] = ()
    criterion: str = ""
    notes: tuple[Fact, ...] = ()

    def fitted(self) -> Any:
        """Return the model, fitted again if it is lost."""
        return self.model if self.refit is None else clone(self.model).fit(*self.refit)


def asked_points(optimizer: Optimizer) -> list[AskedPoint]:
    """Return the latest batch, else the next point; none where skopt will draw it at random."""
    if optimizer.cache_:
        ((_, strategy), points) = next(iter(optimizer.cache_.items()))
        return _batch(optimizer, strategy, points)
    if not optimizer.models or getattr(optimizer, "_next_x", None) is None:
        return []
    points = [optimizer._next_x]
    criteria = list(optimizer.cand_acq_funcs_)
    if min(optimizer.space.distance(points[0], x) for x in optimizer.Xi) <= _SAME_POINT:
        # it was evaluated before: the hedge may have another one, else it is drawn at random
        points = [x for x in _candidates(optimizer) if x != points[0] and x not in optimizer.Xi]
        if not points:
            return []
    chosen = [
        name
        for name, x in zip(criteria, _candidates(optimizer), strict=True)
        if x == points[0] and len(criteria) > 1
    ]
    name, notes = "", [_NEXT_POINT]
    if chosen:
        name, drew = chosen[0], f"gp_hedge drew {join_names(chosen)} for this point"
        notes.append(fact(f"{drew}: it is the one that this criterion chose"))
    return [AskedPoint(points[0], optimizer.models[-1], criterion=name, notes=tuple(notes))]


def _candidates(optimizer: Optimizer) -> list[list[Any]]:
    """Return the point that each criterion would choose next."""
    return [
        optimizer.space.inverse_transform(np.reshape(x, (1, -1)))[0] for x in optimizer.next_xs_
    ]


def _batch(
    optimizer: Optimizer, strategy: str, points: Sequence[Sequence[Any]]
) -> list[AskedPoint]:
    """Return the points of a batch, each with the model that had been told lies about others."""
    found: list[AskedPoint] = []
    values = [] if "ps" in optimizer.acq_func else list(optimizer.yi)
    lies: list[float] = []
    for k, point in enumerate(points):
        beside = tuple(points[:k])
        refit = _told(optimizer, beside, [*values, *lies])
        notes = []
        if refit is not None and k:
            others = f"{strategy}: in place of the results of {counted(k, 'point')} before it"
            told = f"in its batch skopt told its model {lies[-1]:.6g}"
            notes.append(fact(f"{others} {told}; that model is fitted again"))
        model = None if refit is None else optimizer.base_estimator_
        found.append(AskedPoint(point, model, refit, beside, tuple(lies), notes=tuple(notes)))
        lies.append(float(_LIES[strategy]([*values, *lies])) if values else 0.0)
    return found


def _told(
    optimizer: Optimizer, beside: Sequence[Sequence[Any]], values: Sequence[float]
) -> tuple[Any, list[float]] | None:
    """Return what the model that chose a point of a batch was fitted on; None if none chose it."""
    points = [*optimizer.Xi, *beside]
    enough = len(points) >= max(optimizer.n_initial_points_, 1)
    if optimizer.base_estimator_ is None or not enough or len(values) != len(points):
        return None
    return optimizer.space.transform(points), [*map(float, values)]


def objective_model(model: Any) -> Any:
    """Return the model of the objective: acquisitions per second store one of the time as well."""
    return model.estimators_[0] if isinstance(model, MultiOutputRegressor) else model


def trials_seen(model: Any) -> int | None:
    """Return how many trials a model was fitted on, if it tells."""
    model = objective_model(model)
    if hasattr(model, "X_train_"):
        return len(model.X_train_)
    trees = _trees(model)
    if trees and getattr(model, "max_samples", None) is None:
        # with bootstrap the weights of a tree count every trial as often as it was drawn
        return round(float(trees[0].weighted_n_node_samples[0]))
    return None


def _trees(model: Any) -> list[Any]:
    """Return the trees of a forest, none for any other model."""
    if not isinstance(model, (RandomForestRegressor, ExtraTreesRegressor)):
        return []
    return [estimator.tree_ for estimator in model.estimators_]


@dataclass(frozen=True, eq=False)
class StoredModels:
    """The models a result kept.

    Attributes
    ----------
    models : tuple
        skopt's models, in the order in which they were fitted.
    seen : tuple of int
        Number of trials each was fitted on, strictly increasing.
    """

    models: tuple[Any, ...] = ()
    seen: tuple[int, ...] = ()

    def of(self, trial: int) -> tuple[Any, int]:
        """Return the model that chose a trial and the number of trials it had seen, 0 for none.

        A model chooses the next trial after those it was fitted on; where several trials were
        asked for or told together, it chooses all until the next model.
        """
        k = bisect_right(self.seen, trial) - 1
        return (self.models[k], self.seen[k]) if k >= 0 else (None, 0)


def read_models(models: Sequence[Any], specs: Specs, n: int) -> tuple[StoredModels, list[Fact]]:
    """Return the models of a result of n trials, and notes.

    Models that were not fitted on the first trials of the result are left out: which trial they
    chose is not known.
    """
    seen = [trials_seen(model) for model in models]
    if None in seen:
        # they do not tell, so the count must: one model per trial, the last one after the last
        seen = list(range(n - len(models) + 1, n + 1))
        kept_all = len(models) < specs.queue_size
        if kept_all and specs.initial != seen[0]:
            lost = "models: they are stored, but not which trials they were fitted on"
            return StoredModels(), [fact(lost)]
    counts = [count for count in seen if count is not None]
    if counts != sorted(set(counts)) or (counts and counts[-1] > n):
        other = f"models: they were fitted on {spans(counts)} trials, which does not go with"
        return StoredModels(), [fact(f"{other} the {counted(n, 'trial')} of this result")]
    return StoredModels(tuple(models), tuple(counts)), []


def as_surrogate(
    model: Any,
    space: SearchSpace,
    columns: Sequence[ModelColumns],
    X: Array,
    objective: Array,
    *,
    negated: bool,
) -> Surrogate | None:
    """Return a stored model as a surrogate that predicts what it does, None if it is unusable.

    Parameters
    ----------
    model : object
        The stored model.
    space : SearchSpace
        The search space.
    columns : sequence of ModelColumns
        Columns it may have been fitted on, the likeliest first.
    X : ndarray of shape (n, d)
        The trials it was fitted on, encoded.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    negated : bool
        Whether the model was fitted on the negated objective.
    """
    if not np.isfinite(X).all() or not (np.abs(objective) <= LARGEST).all():
        return None  # it was fitted on what cannot be read, or computed with
    model = objective_model(model)
    fitting = [c for c in columns if _was_fitted_on(model, c(X))]
    if not fitting:
        return None
    if hasattr(model, "X_train_") and hasattr(model, "kernel_"):
        return GaussianProcessSurrogate(space, model, columns=fitting[0], negated=negated)
    if _trees(model):
        return ForestSurrogate(
            space,
            model,
            columns=fitting[0],
            data=(X, objective),
            min_variance=float(getattr(model, "min_variance", 0.0)),
            negated=negated,
        )
    label = f"skopt's {type(model).__name__}"
    surrogate = ModelSurrogate(space, model, columns=fitting[0], negated=negated, label=label)
    try:
        surrogate.predict(X[:1])
    except Exception:  # a model of others, or of another release, may raise anything
        return None
    return surrogate


def _was_fitted_on(model: Any, Z: Array) -> bool:
    """Return whether a model may have been fitted on these columns.

    Two optimizers that were given the same dimension objects share them, and a Gaussian process
    sets their transform: what stands in a result need not be what its models were fitted on.
    """
    if hasattr(model, "X_train_"):
        seen = np.asarray(model.X_train_, dtype=float)
        if seen.shape != Z.shape:
            return False
        return bool((np.abs(seen - Z) <= _SAME * np.abs(seen).max(axis=0, initial=1e-300)).all())
    if getattr(model, "n_features_in_", Z.shape[1]) != Z.shape[1]:
        return False
    trees = _trees(model)
    if not trees:
        return True
    # a threshold lies between two values that were observed
    slack = _SAME * np.abs(Z).max(axis=0)
    low, high = Z.min(axis=0) - slack, Z.max(axis=0) + slack
    feature = np.concatenate([tree.feature for tree in trees])
    threshold = np.concatenate([tree.threshold for tree in trees])[feature >= 0]
    feature = feature[feature >= 0]
    return bool(((threshold >= low[feature]) & (threshold <= high[feature])).all())


@dataclass(frozen=True, eq=False)
class SkoptRecord:
    """skopt's own models and acquisition, for a Run.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        All trials, those left out of the run included, encoded.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.
    direction : {"minimize", "maximize"}
        Its direction; skopt itself minimizes.
    stored : StoredModels
        The models.
    columns : sequence of ModelColumns
        Columns they may have been fitted on, the likeliest first.
    criterion : Criterion
        The criterion on record.
    asked : mapping of int to AskedPoint
        Points that were asked for and not told, by the numbers that they get in their order.
    asked_rows : mapping of int to ndarray of shape (d,)
        The same, encoded.
    """

    space: SearchSpace
    X: Array
    objective: Array
    direction: Direction
    stored: StoredModels
    columns: Sequence[ModelColumns]
    criterion: Criterion
    asked: Mapping[int, AskedPoint] = field(default_factory=dict)
    asked_rows: Mapping[int, Array] = field(default_factory=dict)
    _surrogates: dict[int, Surrogate | None] = field(default_factory=dict, init=False, repr=False)

    def surrogate(self, before: int | None) -> Surrogate | None:
        """Return the model that chose trial `before`, if it is stored."""
        asked, trial = self._asked(before), self._trial(before)
        if asked:
            return self._of_asked(asked, trial)
        model, seen = self.stored.of(trial)
        if not seen or trial > len(self.X) or (before is None and seen < len(self.X)):
            return None
        if seen not in self._surrogates:
            told, negated = ((self.X[:seen], self.objective[:seen]), self.direction == "maximize")
            self._surrogates[seen] = as_surrogate(
                model, self.space, self.columns, *told, negated=negated
            )
        return self._surrogates[seen]

    def _asked(self, before: int | None) -> AskedPoint | None:
        """Return a trial that was asked for and not told, if it is one."""
        return None if before is None else self.asked.get(before)

    def _trial(self, before: int | None) -> int:
        """Return the number of a trial, of the next one for None."""
        return len(self.X) if before is None else before

    def _of_asked(self, asked: AskedPoint, trial: int) -> Surrogate | None:
        """Return the model that chose a point without a result, which may have been told lies."""
        if asked.model is None:
            return None
        if -trial not in self._surrogates:
            model = asked.fitted()
            first = trial - len(asked.beside)
            beside = [self.asked_rows[first + k][None, :] for k in range(len(asked.beside))]
            n = trials_seen(model)
            seen = len(self.X) if n is None else n - len(beside)
            X = np.vstack([self.X[:seen], *beside])
            y = np.concatenate([self.objective[:seen], asked.lies])
            self._surrogates[-trial] = as_surrogate(
                model, self.space, self.columns, X, y, negated=False
            )
        return self._surrogates[-trial]

    def is_readable(self) -> bool:
        """Return whether there is a model, and the latest can be read."""
        return bool(self.stored.seen) and self.surrogate(self.stored.seen[-1]) is not None

    def acquisition(self, before: int | None) -> OwnAcquisition | None:
        """Return the acquisition under which trial `before` was chosen, None if unknown."""
        if before is None and len(self.asked) == 1 and self.criterion.name == HEDGE:
            before = len(self.X)  # what chose the next point is known
        surrogate = None if self.criterion.unknown else self.surrogate(before)
        if not surrogate:
            return None
        asked, trial = self._asked(before), self._trial(before)
        if asked:
            best = float(np.min([*self.objective, *asked.lies]))
            row, model, chosen = (self.asked_rows[trial], asked.model, asked.criterion)
            return self._own(surrogate, best, row, model, asked.notes, chosen=chosen)
        model, seen = self.stored.of(trial)
        sign = sign_of(self.direction)
        best = sign * float(np.min(sign * self.objective[:seen]))
        row = self.X[trial] if trial < len(self.X) else np.array([np.nan])
        notes = []
        if seen < trial:
            together = f"trials {seen} to {trial} were asked for or told together: this is the"
            lies = "to which skopt adds made-up objectives for those between"
            notes.append(fact(f"{together} model of trial {seen}, {lies}"))
        return self._own(surrogate, best, row, model, (), notes)

    def _own(
        self,
        surrogate: Surrogate,
        best: float,
        row: Array,
        model: Any,
        notes: Sequence[Fact],
        more: Sequence[Fact] = (),
        chosen: str = "",
    ) -> OwnAcquisition | None:
        """Return the criterion on a surrogate; which one a hedge used is recorded or inferred."""
        criterion, inferred = self.criterion, list[Fact]()
        if criterion.name == HEDGE and chosen:
            criterion = replace(criterion, name=chosen)
        elif criterion.name == HEDGE:
            if np.isnan(row).any():
                return None  # only a proposal tells which of them it was
            local = not criterion.sampled and bool(has_gradients(model))
            criterion, note = infer_criterion(
                criterion, surrogate, row, best, self.direction, local=local
            )
            inferred = [note]
        acquisition = criterion.on(surrogate, best, self.direction)
        rounded = _std_rounded(surrogate, row)
        return OwnAcquisition(acquisition, (*notes, *inferred, *more, *rounded))


def _std_rounded(surrogate: Surrogate, row: Array) -> list[Fact]:
    """Return whether skopt's standard deviation at a proposal is rounding error."""
    if not isinstance(surrogate, GaussianProcessSurrogate):
        return []
    gp: Any = surrogate.gp
    if np.isnan(row).any() or not hasattr(gp, "K_inv_"):
        return []  # no proposal is asked about, or the process is not skopt's
    z = surrogate.to_columns(row[None])
    k = gp.kernel_(z, gp.X_train_)
    variance = gp.kernel_.diag(z) - np.einsum("ki,kj,ij->k", k, k, gp.K_inv_)
    own = float(gp.y_train_std_ * std_from_variance(variance)[0])
    exact = float(surrogate.predict(row[None])[1][0])
    if abs(own - exact) <= _STD_AGREES * exact:
        return []
    rounded = f"skopt's own standard deviation at this point, {own:.2g}, is rounding error"
    why = "because skopt inverts a covariance matrix with almost no noise"
    return [fact(f"{rounded}, {why}: the exact one, {exact:.2g}, is shown")]
