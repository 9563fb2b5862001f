"""Which surrogate a run gets: its kind, what it learns from, and doubts of one that is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, ParamSpec, TypeVar

import numpy as np

from hpo_explain.base import Fact, Kind, fact, shorten
from hpo_explain.belief import Belief
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.models import ForestSurrogate, GaussianProcessSurrogate, Surrogate
from hpo_explain.space import Array, Bools, Ints, SearchSpace, gower_distances

# beyond, conditioning a Gaussian process costs too much: O(n³)
GP_TRIALS = 1000
# beyond, its distances say little
GP_DIMENSIONS = 20
# of a hyperparameter, beyond: all as far apart, and few tried twice
GP_CHOICES = 100
# share of categorical hyperparameters beyond which trees fit better
GP_CATEGORIES = 0.5


def explained_some(finished: int, most: int, *, seed: int) -> Fact:
    """Return that some of the finished trials are explained, and which."""
    taken = f"{most:,} of {finished:,} trials are explained"
    return fact(f"{taken}: {_which_of(most, seed)}")


def learned_from_some(finished: int, most: int, *, seed: int) -> Fact:
    """Return that a model learns from some of the finished trials, and which."""
    return fact(
        f"some trials: the model learns from {most:,} of {finished:,} trials, because all take too "
        f"long: {_which_of(most, seed)}"
    )


def _which_of(most: int, seed: int) -> str:
    """Return which of the finished trials `learned_rows` takes, in words."""
    best, latest, spread = _counts(most)
    return (
        f"the best one and those nearest to it ({best:,}), the latest ({latest:,}), and some drawn "
        f"evenly over the run ({spread:,}; seed {seed})"
    )


def kind_for(n: int, space: SearchSpace, measured: str | None = None) -> Literal["gp", "forest"]:
    """Return the kind of surrogate for a run of n trials.

    Parameters
    ----------
    n : int
        Number of trials.
    space : SearchSpace
        The search space.
    measured : str, optional
        What the objective is, where it is not what was optimized: trees predict probabilities.
    """
    choices = [p.size for p in space if p.is_category]
    beyond = (
        n > GP_TRIALS,
        len(space) > GP_DIMENSIONS,
        len(choices) > GP_CATEGORIES * len(space),
        max(choices, default=0) > GP_CHOICES,
        measured in ("failed", "infeasible"),
    )
    return "forest" if any(beyond) else "gp"


MOST_TRIALS = {"gp": 2000, "forest": 4000}
"""Trials that a model of all trials learns from: a Gaussian process takes n³ steps, and a forest is
fitted some hundred times until its shares have intervals."""
MOST_BEFORE = 1000
"""The same of a model of what was known before a trial, as there is one for each of them."""
_AROUND_BEST = 0.1
_LATEST = 0.1


def most_learned(kind: Literal["gp", "forest"], before: int | None) -> int:
    """Return the largest number of trials that a model of a kind learns from."""
    most = MOST_TRIALS[kind]
    return most if before is None else min(MOST_BEFORE, most)


def _counts(most: int) -> tuple[int, int, int]:
    """Return how many of `most` trials are near the best, how many the latest, how many drawn."""
    best = int(_AROUND_BEST * most)
    latest = int(_LATEST * most)
    return best, latest, most - best - latest


def learned_rows(space: SearchSpace, X: Array, cost: Array, most: int, *, seed: int = 0) -> Ints:
    """Return the rows that a model learns from: all, or of many the best, latest and some spread.

    A tenth are the best trial and those nearest to it, whatever they reached: the best ones of a
    noisy run are also the luckiest. A tenth are the latest others. The rest is drawn, one from each
    of as many equal parts of the run.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded rows, in the order of the run.
    cost : ndarray of shape (n,)
        Smaller is better; infinite where a trial cannot be the best.
    most : int
        How many trials are learned from.
    seed : int, default 0
        Seed of the draw.

    Returns
    -------
    ndarray of int
        Rows, in increasing order.

    Examples
    --------
    >>> from hpo_explain import FloatParameter
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> x = np.linspace(0.0, 1.0, 100)
    >>> learned_rows(space, x[:, None], (x - 0.5) ** 2, 20).tolist()[-2:]
    [98, 99]
    """
    n = len(X)
    if n <= most:
        return np.arange(n)
    best, latest, spread = _counts(most)
    incumbent = int(np.argmin(cost))
    distance = gower_distances(space, X, X[[incumbent]])[:, 0]
    distance[incumbent] = -1.0  # before its repetitions
    near_best = np.argsort(distance, kind="stable")[:best]
    others = np.setdiff1d(np.arange(n), near_best)
    earlier, last = np.split(others, [len(others) - latest])
    ends = np.linspace(0, len(earlier), spread + 1).astype(np.int64)
    places = np.random.default_rng(seed).integers(ends[:-1], ends[1:])
    return np.sort(np.concatenate([near_best, last, earlier[places]]))


_MODELS = 8  # a Gaussian process of n trials holds n² numbers
_BELIEFS = 3  # 192 functions at ten thousand rows each
_P = ParamSpec("_P")
_T = TypeVar("_T")
_FORGET: list[Callable[[], None]] = []


@dataclass(frozen=True)
class _Call:
    """Arguments of a call; equal to those of another with the same contents."""

    contents: tuple[Any, ...]
    args: tuple[Any, ...] = field(compare=False)
    options: dict[str, Any] = field(compare=False)


def _contents(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, SearchSpace):
        # True and 1 are equal, but no equal choices; equal spaces may be in other orders
        return f"{value.parameters!r} {value.order_key}"
    return value


def _remembers(size: int) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Have a fit return the same object where the same was asked for lately.

    A study is read anew by every function, and its trials are the same.
    """

    def decorated(fit: Callable[_P, _T]) -> Callable[_P, _T]:
        @lru_cache(size)
        def of_call(call: _Call) -> _T:
            return fit(*call.args, **call.options)

        def remembered(*args: _P.args, **options: _P.kwargs) -> _T:
            contents = (*args, *options, *options.values())
            key = tuple(map(_contents, contents))
            return of_call(_Call(key, args, options))

        _FORGET.append(of_call.cache_clear)
        return remembered

    return decorated


def forget() -> None:
    """Have everything be fitted again, as in a new process."""
    for clear in _FORGET:
        clear()


@_remembers(_MODELS)
def fitted(
    space: SearchSpace,
    kind: Kind,
    n_trees: int,
    seed: int,
    X: Array,
    y: Array,
    *,
    tuned: bool = False,
    notes: tuple[Fact, ...] = (),
) -> GaussianProcessSurrogate | ForestSurrogate:
    """Return a surrogate fitted to encoded rows, and their objective in the user's units.

    A forest that is `tuned` has leaves as large as held-out trials say.
    """
    if kind == "gp":
        process = GaussianProcessSurrogate.fit(space, X, y, seed=seed)
        process.notes = notes
        return process
    forest = ForestSurrogate.fit(space, X, y, n_trees=n_trees, seed=seed)
    forest.notes = notes
    return forest.tuned() if tuned else forest


@_remembers(_BELIEFS)
def classified(space: SearchSpace, X: Array, feasible: Bools, seed: int) -> Feasibility:
    """Return how probable it is that a configuration gives a result that counts."""
    return Feasibility.fit(space, X, feasible, seed=seed)


believed = _remembers(_BELIEFS)(Belief)
"""The belief of trials, by the arguments of `Belief`."""


# times the error of the median at the trials: a model that has learned nothing, and predicts the
# mean, stays below it unless the objective is far more skewed than a lognormal one with σ = 2
_FAR = 1.5


def doubts_of_model(model: Surrogate, X: Array, objective: Array) -> tuple[Fact, ...]:
    """Return that a model knows no uncertainty, and that it misses the trials; empty if neither.

    Parameters
    ----------
    model : Surrogate
        The model.
    X : ndarray of shape (n, d)
        Encoded rows of the trials.
    objective : ndarray of shape (n,)
        Their objective, in the user's units.

    Examples
    --------
    >>> from hpo_explain import FloatParameter, SearchSpace
    >>> from hpo_explain.models import ModelSurrogate
    >>> from sklearn.linear_model import LinearRegression
    >>> space = SearchSpace([FloatParameter("x", 0.0, 1.0)])
    >>> X = np.array([[0.1], [0.5], [0.9]])
    >>> model = ModelSurrogate(space, LinearRegression().fit(X, -X[:, 0]))
    >>> [str(doubt)[:40] for doubt in doubts_of_model(model, X, X[:, 0])]
    ['your LinearRegression has no uncertainty', 'your LinearRegression misses the trials:']
    """
    doubts = []
    label = shorten(getattr(model, "label", "a model of yours"), 200)
    if not getattr(model, "has_std", True):
        doubts.append(
            fact(
                f"{label} has no uncertainty, as it predicts the mean alone: nothing has an "
                "interval or is certain, and acquisition functions take a standard deviation of 0"
            )
        )
    if not len(objective):
        return tuple(doubts)
    error_of_median = np.abs(objective - np.median(objective)).sum()
    error = np.abs(objective - model.predict(X)[0]).sum()
    if error > _FAR * error_of_median > 0.0:
        doubts.append(
            fact(
                f"{label} misses the trials: its errors there are {error / error_of_median:.2g} "
                "times those of the median objective. Was it fitted on run.X, and on the objective "
                "in its own units, neither negated nor standardized?"
            )
        )
    return tuple(doubts)
