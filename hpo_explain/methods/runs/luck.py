"""Whether the best trial was lucky: what it would reach again, what repeats and another metric say.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
y*         the best observed objective, of trial x*
f(x*)      what x* is worth without noise, in functions that the trials allow
y* − f(x*) the luck: the best of many noisy results is better than it is worth
=========  ============================================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    NORMAL_95,
    Claim,
    Estimate,
    InputError,
    NothingToExplain,
    Result,
    Table,
    attributes,
    check_name,
    counted,
    fact,
    format_value,
    mean_ranks,
    sign_of,
)
from hpo_explain.question import Question, explains
from hpo_explain.run import Repeats, Run
from hpo_explain.run.metrics import likelier_direction
from hpo_explain.space import Array, Ints

_SHOWN = 20  # the best trials, whose values are predicted
_LEAST = 5  # trials with both values: below, ranks tell nothing


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Luck(Result):
    """How much better the best results were observed than they are worth without noise.

    Attributes
    ----------
    trials : ndarray of int, shape (n,)
        The best trials, the best observed one first.
    observed, predicted : ndarray of shape (n,)
        Their objective as it was observed, and without noise in functions that the trials allow.
    lower, upper : ndarray of shape (n,)
        The 95 % interval of the latter.
    epsilon : float
        What counts as better, in the objective's units.
    repeats : tuple of tuple of int
        Which trials have the same configuration as others: a group each.
    scatter : float
        The standard deviation of results of the same configuration; NaN without repeats.
    test : str
        The name of the other metric; empty without one.
    tested : ndarray of shape (m, 2)
        The objective and the other metric of the trials that have both.
    rank_correlation : float
        Of the two, so that 1 is the same order from the best to the worst; NaN without a test.
    rank_interval : tuple of (float, float)
        Its 95 % interval.
    best_by_test : int or None
        The trial that is best by the other metric.
    lost_by_test : float
        How much better that one is there than the best observed trial; NaN without a test.

    References
    ----------
    .. [1] Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65. Eq. 6.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = space.sample(60)
    >>> run = hx.Run(space, X, 0.1 * X[:, 0] + rng.standard_normal(60), "minimize")
    >>> found = hx.methods.luck(run)
    >>> bool(found.drop > 1.0)  # nearly all of the best one is noise
    True
    """

    table: ClassVar[Table] = Table(
        index=("trial", "trials"),
        columns=attributes("observed", "predicted", "lower", "upper"),
        held=attributes(
            "epsilon",
            "drop",
            "repeats",
            "scatter",
            "test",
            "rank_correlation",
            "rank_interval",
            "best_by_test",
            "lost_by_test",
            best=lambda result: result.to_frame().reset_index().to_dict(orient="list"),
        ),
    )
    trials: Ints
    observed: Array
    predicted: Array
    lower: Array
    upper: Array
    epsilon: float
    repeats: tuple[tuple[int, ...], ...]
    scatter: float
    test: str = ""
    tested: Array
    rank_correlation: float = np.nan
    rank_interval: tuple[float, float] = (np.nan, np.nan)
    best_by_test: int | None = None
    lost_by_test: float = np.nan

    @property
    def drop(self) -> float:
        """By how much the best trial is expected to be worse than it was observed."""
        return sign_of(self.direction) * float(self.predicted[0] - self.observed[0])

    @property
    def drop_interval(self) -> tuple[float, float]:
        """The 95 % interval of the drop."""
        sign = sign_of(self.direction)
        ends = sorted(sign * float(end[0] - self.observed[0]) for end in (self.lower, self.upper))
        return ends[0], ends[1]

    @property
    def verdict(self) -> str:
        """Whether the best trial was lucky: "was", "may have been" or "was hardly"."""
        if self.drop <= self.epsilon:
            return "was hardly"
        return "was" if self.drop_interval[0] > 0.0 else "may have been"

    @property
    def headline(self) -> str:
        """Whether the best trial was lucky."""
        return f"Trial {self.trials[0]} {self.verdict} lucky."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How lucky the best trial was, what repeats tell, and how the other metric ranks."""
        interval = low, high = self.drop_interval
        drop = Estimate(self.drop, (high - low) / 2.0)
        text = (
            f"Trial {self.trials[0]} {self.verdict} lucky: evaluated again, it is expected to be "
            f"worse by {drop}."
        )
        certain = self.verdict != "may have been"
        return (
            Claim("difference", (), self.drop, interval, text=text, certain=certain),
            self._repeated(),
            *self._by_test(),
        )

    def _repeated(self) -> Claim:
        again = sum(len(group) - 1 for group in self.repeats)
        if not again:
            text = "No configuration was evaluated twice, so the model alone estimates the noise."
            return Claim("tried", (), 0.0, text=text)
        start = f"{counted(len(self.repeats), 'configuration')} evaluated more than once "
        start += f"({counted(again, 'repeat')})"
        text = f"{start}: results scatter by {format_value(self.scatter)}."
        if self.scatter == 0.0:
            text = f"{start}: always the same result, so they show no noise."
        return Claim("spread", (), self.scatter, text=text)

    def _by_test(self) -> tuple[Claim, ...]:
        if not self.test:
            return ()
        rho, (low, high) = self.rank_correlation, self.rank_interval
        text = (
            f"The rank correlation of {self.test} and {self.objective_name} over "
            f"{counted(len(self.tested), 'trial')} is {rho:.2f} ({low:.2f} to {high:.2f}); "
        )
        if self.best_by_test == self.trials[0]:
            text += f"trial {self.best_by_test} is best by both."
        else:
            text += (
                f"by {self.test}, trial {self.best_by_test} is best, better by "
                f"{format_value(self.lost_by_test)} than trial {self.trials[0]}."
            )
        return (Claim("order", (), rho, (low, high), text=text),)


@explains(of="optimizer", without=())
def luck(question: Question, *, test: str | None = None) -> Luck:
    """Estimate what the best trials are worth without noise, and whether the best one was lucky.

    Parameters
    ----------
    test : str, optional
        Another recorded metric of the trials, such as a test score: a user attribute of Optuna, or
        another score of a scikit-learn search.

    Returns
    -------
    Luck
        The best trials as observed and as predicted, the repeated configurations, and how the
        other metric ranks the trials.

    Raises
    ------
    NothingToExplain
        If fewer than two trials are finished, none is feasible, or fewer than five have the metric
        `test`.
    InputError
        If the metric does not exist.

    Examples
    --------
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> def objective(trial):
    ...     x = trial.suggest_float("x", 0.0, 1.0)
    ...     trial.set_user_attr("test_loss", x**2)
    ...     return x
    >>> study.optimize(objective, n_trials=30)
    >>> round(hx.methods.luck(study, test="test_loss").rank_correlation, 9)
    1.0
    """
    run, decision = question.run, question.decision
    if decision is None:
        raise NothingToExplain(
            fact("the model does not say how its predictions vary together, so luck is unknown")
        )
    rows = _best_rows(run)
    predicted = decision.predictions(run.X[rows])
    ends = np.array([one.interval for one in predicted])
    repeats = _repeats(run)
    scatter, *_ = Repeats.of(run.X, np.zeros(len(run), dtype=int), run.objective).pooled()
    return Luck(
        subject=question.subject(),
        trials=run.trials[rows],
        observed=run.objective[rows],
        predicted=np.array([one.estimate for one in predicted]),
        lower=ends[:, 0],
        upper=ends[:, 1],
        epsilon=decision.counts.between,
        repeats=repeats,
        scatter=scatter if repeats else np.nan,
        **_tested(run, rows[0], test),
    )


def _best_rows(run: Run) -> Ints:
    """Return the rows of the best feasible trials, each configuration once."""
    rows = np.flatnonzero(run.feasible)
    rows = rows[np.argsort(run.cost[rows], kind="stable")]
    return rows[np.sort(run.space.distinct_places(run.X[rows]))][:_SHOWN]


def _repeats(run: Run) -> tuple[tuple[int, ...], ...]:
    """Return the trials of each configuration that was evaluated more than once."""
    keys = run.space.keys(run.X)
    _, which, counts = np.unique(keys, return_inverse=True, return_counts=True)
    by_key = run.trials[np.argsort(which, kind="stable")]
    groups = np.split(by_key, np.cumsum(counts)[:-1])
    return tuple(sorted(tuple(group.tolist()) for group in groups if len(group) > 1))


def _tested(run: Run, best: int, test: str | None) -> dict[str, Any]:
    """Return what the other metric says of the order of trials."""
    if test is None:
        return {"tested": np.empty((0, 2))}
    if not run.attributes:
        problem = f"was {test!r}, but nothing but the objective was recorded of the trials"
        remedy = "Record it with trial.set_user_attr in Optuna, or leave test out."
        raise InputError("test", problem, test, remedy)
    values = run.attributes[check_name("test", test, run.attributes, "recorded metric")]
    rows = np.flatnonzero(np.isfinite(values) & run.feasible)
    if len(rows) < _LEAST:
        some = counted(len(rows), "trial")
        raise NothingToExplain(fact(f"{some} with a value of {test}; ranks need {_LEAST}"))
    if np.ptp(values[rows]) == 0.0 or np.ptp(run.objective[rows]) == 0.0:
        same = test if np.ptp(values[rows]) == 0.0 else run.objective_name
        raise NothingToExplain(fact(f"{same} is the same in all trials, so there are no ranks"))
    cost = sign_of(likelier_direction(test)) * values
    y, other = run.cost[rows], cost[rows]
    rho = float(np.corrcoef(mean_ranks(y), mean_ranks(other))[0, 1])
    first = int(rows[np.argmin(other)])
    return {
        "test": test,
        "tested": np.column_stack([run.objective[rows], values[rows]]),
        "rank_correlation": rho,
        "rank_interval": interval(rho, len(rows)),
        "best_by_test": int(run.trials[first]),
        "lost_by_test": float(cost[best] - cost[first]),
    }


def interval(rho: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a rank correlation of n pairs, by Bonett and Wright's Eq. 6.

    Examples
    --------
    >>> lower, upper = interval(0.5, 50)
    >>> round(lower, 2), round(upper, 2)
    (0.24, 0.69)
    """
    z = np.arctanh(np.clip(rho, -1.0 + 1e-12, 1.0 - 1e-12))
    half = NORMAL_95 * np.sqrt((1.0 + rho**2 / 2.0) / (n - 3.0))
    return float(np.tanh(z - half)), float(np.tanh(z + half))
