"""How early trials have their final rank, and what their values depend on.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
y_s        what the finished trials reported at step s; the last one reported holds on
y          their final values, the objective
ρ_s        rank correlation of y_s and y (Spearman)
τ_s        Kendall's rank correlation of both
z          artanh ρ_s, of standard error √((1 + ρ_s²/2) / (n − 3)) (Bonett and Wright, Eq. 6)
=========  ============================================================================

From which step on ρ_s is above a level is tested backwards from the last step, until the first one
where the lower end of its interval is not: to name a step too early, the test of the last step at
which ρ_s is truly below must fail, so that no correction for the number of steps is needed.

Of n trials ρ_s is too small on average: ``E ρ_s = ((n − 2) ρ + 3 τ) / (n + 1)`` (Moran 1948), which
is much of ``1 − ρ`` where ranks nearly agree. So the end away from 0 is that of the estimate
without this bias; the other one is that of ρ_s as it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hpo_explain.base import (
    NORMAL_95,
    InputError,
    NothingToExplain,
    check_fraction,
    check_sequence,
    counted,
    fact,
    mean_ranks,
)
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.runs.learning_curves_result import LearningCurves
from hpo_explain.question import Question, explains
from hpo_explain.run import Curves, Run, thinned
from hpo_explain.space import Array, Bools

_LEAST = 3  # finished trials: with two, every correlation is 1 or -1
_LEAST_FOR_INTERVAL = 5
_LEAST_FOR_SHARES = 10
_MOST_FOR_SHARES = 200  # trials, per step: another model for each
_MOST_NAMED = 20  # steps in an error


@explains(of="surrogate", without=("surrogate",))
def learning_curves(
    question: Question, *, enough: float = 0.8, at: Sequence[float] | None = None
) -> LearningCurves:
    """Say how early the final rank of trials is known, and what their values depend on.

    It needs values that trials reported step by step: intermediate values of Optuna, iterations of
    Ray Tune, or a table with one row per trial and step (``trial=``, ``fidelity=``). Pruned trials
    tell what values at a step depend on; ranks are those of finished trials. `kind` is
    the model of the value at a step.

    Parameters
    ----------
    enough : float, default 0.8
        The rank correlation with the final values that is asked for.
    at : sequence of float, optional
        The steps at which it is asked what the value depends on; by default the first one, one
        after a quarter of the steps, and the last one. Steps with fewer than 10 trials are passed
        over.

    Returns
    -------
    LearningCurves
        The rank correlation at each step, and at a few steps the shares of hyperparameters.

    Raises
    ------
    NothingToExplain
        If no trial reported a value, or fewer than three of those that did have finished.
    ValueError
        If `enough` is not between 0 and 1, or `at` names a step at which nothing was reported.

    References
    ----------
    .. [1] Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65. Eq. 6.

    Examples
    --------
    >>> import numpy as np
    >>> import optuna
    >>> import hpo_explain as hx
    >>> study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    >>> def objective(trial):
    ...     lr = trial.suggest_float("lr", 0.0, 1.0)
    ...     for epoch in range(5):
    ...         trial.report(lr + np.exp(-epoch), epoch)
    ...     return lr + np.exp(-4.0)
    >>> study.optimize(objective, n_trials=20)
    >>> hx.methods.learning_curves(study).known_from
    0.0
    """
    check_fraction("enough", enough)
    run, curves = question.run, question.run.curves
    if curves is None:
        raise NothingToExplain(
            fact(
                f"no trial reported the {run.objective_name} step by step. Report it with "
                "trial.report in Optuna, or give a table with one row per trial and step, and the "
                "names of its columns as trial and fidelity."
            )
        )
    objective = dict(zip(np.asarray(run.trials).tolist(), run.objective, strict=True))
    final = np.array([objective.get(trial, np.nan) for trial in curves.trials.tolist()])
    done = ~np.isnan(final)
    n_finished, n_unfinished = int(done.sum()), int((~done).sum())
    if n_finished < _LEAST:
        some = f"{counted(n_finished, 'trial')} with values step by step finished"
        raise NothingToExplain(fact(f"{some}; ranks need at least 3"))
    held = curves.held()
    there = ~np.isnan(held)
    sign = run.sign
    last = len(curves.steps) - 1
    ranks = []
    for s in range(last + 1):
        rows = there[:, s] & done
        ranks.append(_ranks(sign * final[rows], sign * held[rows, s], at_end=s == last))
    correlation, lower, upper = np.array(ranks).T
    notes = []
    finished = zip(curves.values[done], final[done], strict=True)
    elsewhere = sum(row[~np.isnan(row)][-1] != value for row, value in finished)
    if elsewhere:
        some = f"in {elsewhere} of {n_finished} finished trials"
        notes.append(fact(f"the last value reported is not the objective itself {some}"))
    if n_unfinished:
        notes.append(
            fact(
                f"{counted(n_unfinished, 'trial')} reported values but no final one, so ranks and "
                "losses are those of the finished trials only"
            )
        )
    subject = question.subject()
    shares = {step: _shares(question, curves, held, step) for step in _asked(at, curves, there)}
    return LearningCurves(
        subject=subject,
        curves=curves,
        final=final,
        trials=there.sum(axis=0),
        finished=(there & done[:, None]).sum(axis=0),
        correlation=correlation,
        lower=lower,
        upper=upper,
        enough=enough,
        related_from=_from(curves.steps, lower, 0.0),
        known_from=_from(curves.steps, lower, enough),
        shares={step: result for step, result in shares.items() if result is not None},
        notes=(*notes, *subject.notes),
    )


def _ranks(y: Array, y_s: Array, *, at_end: bool) -> tuple[float, float, float]:
    """Return ρ at a step, and its interval."""
    if len(y) < _LEAST or y.min() == y.max() or y_s.min() == y_s.max():
        return (float("nan"),) * 3
    rho = float(np.corrcoef(mean_ranks(y_s), mean_ranks(y))[0, 1])
    if at_end and np.array_equal(y, y_s):
        # the last value is the objective itself: no finding about trials
        lower, upper = 1.0, 1.0
    else:
        from scipy.stats import kendalltau

        lower, upper = interval(rho, len(y), float(kendalltau(y_s, y).statistic))
    return min(max(rho, -1.0), 1.0), lower, upper


# ---------------------------------------------------------------------- what values depend on


def _asked(at: Sequence[float] | None, curves: Curves, there: Bools) -> list[float]:
    """Return the steps whose values are explained."""
    steps = curves.steps.tolist()
    if at is not None:
        for step in check_sequence("at", at, "steps"):
            if step not in steps:
                names = ", ".join(f"{one:g}" for one in steps[:_MOST_NAMED])
                more = ", ..." if len(steps) > _MOST_NAMED else ""
                problem = f"must name steps with a value, but names {step!r}"
                raise InputError("at", problem, step, f"Steps: {names}{more}.")
        return [float(step) for step in at]
    enough = np.flatnonzero(there.sum(axis=0) >= _LEAST_FOR_SHARES)
    if not len(enough):
        return []
    few = dict.fromkeys(enough[[0, (len(enough) - 1) // 4, -1]].tolist())
    return [steps[i] for i in few]


def _shares(
    question: Question, curves: Curves, held: Array, step: float
) -> FanovaImportance | None:
    """Return on which hyperparameters the value at a step depends, if enough have one."""
    run = question.run
    values = held[:, int(np.searchsorted(curves.steps, step))]
    rows = np.flatnonzero(np.isfinite(values))
    if len(rows) < _LEAST_FOR_SHARES or np.ptp(values[rows]) == 0.0:
        return None
    numbers = curves.trials[rows]
    proposed = set(run.proposals or ()).intersection(numbers.tolist())
    then = Run(
        run.space,
        curves.X[rows],
        values[rows],
        run.direction,
        trials=numbers,
        proposals=sorted(proposed),
        objective_name=f"{run.objective_name} at {curves.step_name} {step:g}",
        optimizer=run.optimizer,
    )
    then = thinned(then, _MOST_FOR_SHARES, seed=question.seed)
    shares: FanovaImportance = importance(then, kind=question.kind, seed=question.seed)
    return shares


def interval(rho: float, n: int, tau: float) -> tuple[float, float]:
    """Return the 95 % interval of a rank correlation of n pairs; NaN for fewer than 5.

    Where all ranks agree, the lower end is that of ranks of which two neighbours are swapped.

    Parameters
    ----------
    rho, tau : float
        Spearman's and Kendall's rank correlation.
    n : int
        Number of pairs.

    References
    ----------
    .. [1] Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65, 23-28. Eq. 6.
    .. [2] Moran, P. A. P. (1948). Rank correlation and product-moment correlation. Biometrika 35,
       203-206.

    Examples
    --------
    >>> lower, upper = interval(0.5, 50, 0.35)
    >>> round(lower, 2), round(upper, 2)
    (0.24, 0.7)
    """
    if n < _LEAST_FOR_INTERVAL:
        return float("nan"), float("nan")
    largest = 1.0 - 12.0 / (n**3 - n)
    without_bias = ((n + 1.0) * rho - 3.0 * tau) / (n - 2.0)
    low, high = min(without_bias, rho), max(without_bias, rho)

    def end(at: float, sign: float) -> float:
        half = NORMAL_95 * np.sqrt((1.0 + min(at**2, 1.0) / 2.0) / (n - 3.0))
        return float(np.tanh(np.arctanh(np.clip(at, -largest, largest)) + sign * half))

    return (-1.0 if low <= -largest else end(low, -1.0), 1.0 if high >= largest else end(high, 1.0))


def _from(steps: Array, lower: Array, level: float) -> float | None:
    """Return the step from which on the lower end is above a level at all steps with an interval.

    Steps without an interval at the end are passed over; one before ends the search.
    """
    defined = np.flatnonzero(~np.isnan(lower))
    if not len(defined):
        return None
    below = np.flatnonzero(~(lower[: defined[-1] + 1] > level))
    first = int(below[-1]) + 1 if len(below) else 0
    return float(steps[first]) if first <= defined[-1] else None
