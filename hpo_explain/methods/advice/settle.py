"""Which configurations settle what a result leaves open.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
f(x)       cost at a row, over the draws
g_j        the numbers, such as shares of the variance, over the draws
ε(x)       standard deviation of one evaluation at a row
y          what an evaluation is seen to be: f(x) + ε(x) e, where e is independent noise
=========  ============================================================================

By linear regression of g_j on y, an evaluation reduces the variance of g_j by
``cov(g_j, f(x))² / (var f(x) + ε(x)²)``. The row with the largest sum over j comes first. The next
one is chosen of what the regression on those before it leaves of f and g: draws are conditioned
linearly [1]_. That is the expected information gain about g where all is normal [2]_.

References
----------
.. [1] Wilson, J. T. et al. (2020). Efficiently sampling functions from Gaussian process posteriors.
   ICML. Section 2.
.. [2] Neiswanger, W., Wang, K. A. and Ermon, S. (2021). Bayesian algorithm execution: estimating
   computable properties of black-box functions using mutual information. ICML.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hpo_explain.base import (
    InputError,
    Option,
    Result,
    check_name,
    counted,
    fact,
    format_value,
    join_names,
    unit_of,
)
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods.advice.advise_result import Action, Narrowed
from hpo_explain.methods.advice.rules import shortened
from hpo_explain.methods.around.changes_result import Changes
from hpo_explain.methods.around.local_importance import LocalImportance
from hpo_explain.methods.effects.effects import partial_dependence
from hpo_explain.methods.importance.fanova_result import FanovaImportance
from hpo_explain.methods.importance.importance import importance
from hpo_explain.methods.importance.most import how_sure
from hpo_explain.methods.proposals.contributions_result import PredictionExplanation
from hpo_explain.question import Question
from hpo_explain.run.grids import untried
from hpo_explain.space import Array, Ints

# what intervals are of, of results that become narrower by it than by random trials: no other was
# measured
_MEASURED: Mapping[Any, str] = {
    FanovaImportance: "importance",
    Effect: "the effect of {names}",
    Changes: "what the changes bring",
    PredictionExplanation: "the contributions to the prediction",
    LocalImportance: "local importance",
}
# of the intervals' width: trials that leave more narrow nothing
_HARDLY = 0.98
# of the largest variance of f, or of what numbers may vary by: what is known already
_NOTHING = 1e-9
_SHARES = FanovaImportance, LocalImportance


def settling(question: Question, settled: Result | str, n: int) -> Action:
    """Return the n configurations that are expected to narrow a result's intervals most.

    Parameters
    ----------
    question : Question
        What is asked of the run.
    settled : Result or str
        The result; or "importance", or a hyperparameter for its effect.
    n : int
        How many.

    Raises
    ------
    InputError
        If the result has no such intervals, or is about other trials; or no trial narrows them.
    """
    draws, decision = question.draws, question.decision
    if decision is None or not draws.joint:
        problem = "needs functions drawn from the posterior, which the model does not have"
        remedy = ("Leave ", Option("surrogate"), " out: the belief has them.")
        raise _refused(settled, problem, *remedy)
    if not np.ptp(question.run.objective):
        problem = "was given, but all trials have the same objective"
        raise _refused(settled, problem, "Make more trials: it is unknown yet what changes it.")
    result = _result(question, settled)
    posterior = result.posterior
    run = question.run
    rows = untried(run.X, run.tried, run.notes)  # of a grid that was enumerated what is left
    if rows is None:
        rows = draws.space.distinct(draws.landscape.rows)
    rows = rows[decision.may_be_tried(rows)]
    if not len(rows):
        problem = "was given, but every trial that may be made was"
        raise _refused(settled, problem, "Repeat trials, or search a space with more values.")
    costs = draws.costs(rows).astype(float)
    # in which no square overflows
    unit, unit_of_numbers = unit_of(costs), unit_of(posterior.values)
    unsettled = Unsettled(
        costs / unit, posterior.values / unit_of_numbers, draws.noise_at(rows) / unit
    )
    count = min(n, len(rows))
    widths = unsettled.numbers.std(axis=0)
    # they vary by rounding alone, as the share of a single hyperparameter
    most = 1.0 if isinstance(result, _SHARES) else unit
    if widths.max() * unit_of_numbers <= np.sqrt(_NOTHING) * most:
        raise _nothing_narrows(settled, count)
    chosen = rows[unsettled.best_rows(count)]
    left = unsettled.expected_left(count)
    average = float(left @ widths / widths.sum())
    if average > _HARDLY:
        raise _nothing_narrows(settled, count)
    configs = shortened(draws.space, draws.space, chosen)
    named = _measured(result).format(names=join_names(getattr(result, "names", ())))
    intervals, trials = f"the 95% intervals of {named}", counted(count, "trial")
    if how_sure(question.ask(importance).claims[0]) != "nothing":
        text = f"expect {intervals} to be {average:.0%} as wide as now after {trials}"
        reason = fact(text, names=[named], left=average)
    else:
        # measured: after trials of noise alone they were as wide as before
        left = np.full_like(left, np.nan)
        nothing = "nothing is known to matter yet: if noise is all there is,"
        text = f"{nothing} {intervals} stay as wide as now after {trials}"
        reason = fact(text, names=[named])
    return Action(
        "settle",
        tuple(configs[0]),
        tuple(configs[0].values()),
        evidence=(reason,),
        configurations=tuple(configs),
        narrows=tuple(
            Narrowed(_label(label), float(width * unit_of_numbers), float(share))
            for label, width, share in zip(posterior.names, widths, left, strict=True)
        ),
    )


def _refused(settled: Result | str, problem: str, *remedy: str | Option) -> InputError:
    return InputError("settle", problem, settled, remedy)


def _nothing_narrows(settled: Result | str, count: int) -> InputError:
    """Return what is said where few trials narrow nothing; a name stands for the same draws."""
    problem = f"names a result that {counted(count, 'trial')} would not make more certain"
    more = ("Ask for more trials with ", Option("n"))
    if isinstance(settled, str):
        return _refused(settled, problem, *more, ".")
    same = (", or give a result of the same ", Option("seed"), " and model.")
    return _refused(settled, problem, *more, *same)


def _result(question: Question, settled: Result | str) -> Result:
    """Return the result that is meant, which must be of the same trials."""
    if settled == "importance":
        shares: FanovaImportance = question.ask(importance)
        return shares
    names = question.run.space.names
    if isinstance(settled, str):
        check_name("settle", settled, ("importance", *names), "result")
        effect: Effect = question.ask(partial_dependence, names=settled)
        return effect
    kind = type(settled).__name__
    is_average = getattr(settled, "kind", "average") == "average"
    if is_average and _measured(settled):
        if not np.array_equal(settled.subject.tried, question.run.X, equal_nan=True):
            problem = "is about other trials, or a part of the space"
            raise _refused(settled, problem, "Give a result of this run, as a whole.")
        return settled
    problem = (
        "must be a result of importance, partial_dependence, changes, explain_prediction or "
        f"local_importance, but was of type {kind}"
    )
    remedy = "Give one of these, 'importance', or the name of a hyperparameter for its effect."
    raise _refused(settled, problem, remedy)


def _measured(result: object) -> str:
    """Return what the intervals of a result are of; empty where that was not measured."""
    of_kind = (named for kind, named in _MEASURED.items() if isinstance(result, kind))
    return next(of_kind, "")


def _label(name: Hashable) -> str:
    """Return what a number is of: a hyperparameter, or a value (of two, a pair of them)."""
    values = name if isinstance(name, tuple) else (name,)
    return ", ".join(map(format_value, values))


# ---------------------------------------------------------------------- by the draws


@dataclass(frozen=True, eq=False)
class Unsettled:
    """Numbers that the draws leave open, and rows that may be evaluated.

    Attributes
    ----------
    costs : ndarray of shape (k, n)
        The cost of each draw at each row.
    numbers : ndarray of shape (k, m)
        The numbers in each draw, in one unit.
    noise : ndarray of shape (n,)
        Standard deviation of one evaluation at each row.
    """

    costs: Array
    numbers: Array
    noise: Array

    def best_rows(self, count: int) -> Ints:
        """Return which different rows narrow the numbers most, in their order, (count,)."""
        k = len(self.costs)
        f, g = _centered(self.costs), _centered(self.numbers)
        least = _NOTHING * float((f * f).mean(axis=0).max())
        chosen = list[int]()
        for _ in range(count):
            covariance = g.T @ f / k
            variance = (f * f).mean(axis=0)
            # squares of covariances of so few draws are too large by chance
            chance = (g * g).mean(axis=0).sum() * variance / k
            explained = (covariance * covariance).sum(axis=0) - chance
            seen = np.maximum(variance + self.noise**2, least)
            score = explained / seen
            score[chosen] = -np.inf
            row = int(np.argmax(score))
            chosen.append(row)
            y = np.append(f[:, row], self.noise[row] * np.sqrt(k))
            f, g = _left_by(y, f), _left_by(y, g)
        return np.array(chosen)

    def left(self, rows: Ints, of: Unsettled) -> Array:
        """Return the variance of the numbers that rows leave, (m,), where other draws say how.

        `of` has other draws of the same: by them the numbers are regressed on the evaluations.
        """
        f, g = _centered(of.costs[:, rows]), _centered(of.numbers)
        seen = f.T @ f / len(f) + np.diag(self.noise[rows] ** 2)
        weights = np.linalg.lstsq(seen, f.T @ g / len(f), rcond=_NOTHING)[0]
        rest = _centered(self.numbers) - (_centered(self.costs[:, rows]) @ weights)
        by_noise = (weights * self.noise[rows, None]) ** 2
        return (rest * rest).mean(axis=0) + by_noise.sum(axis=0)

    def expected_left(self, count: int) -> Array:
        """Return the share of their standard deviation that so many rows leave, (m,).

        Rows are chosen by one half of the draws, and what they leave is measured in the other.
        """
        halves = [
            Unsettled(self.costs[start::2], self.numbers[start::2], self.noise) for start in (0, 1)
        ]
        variance = np.zeros(self.numbers.shape[1])
        for chooses, measures in (halves, halves[::-1]):
            rows = chooses.best_rows(count)
            variance += measures.left(rows, chooses) / 2.0
        whole = self.numbers.var(axis=0)
        there = whole > 0.0
        share = np.divide(variance, whole, out=np.ones_like(whole), where=there)
        return np.sqrt(np.minimum(share, 1.0))


def _centered(values: Array) -> Array:
    return np.asarray(values - values.mean(axis=0), float)


def _left_by(y: Array, values: Array) -> Array:
    """Return what the regression on an evaluation leaves of draws, with a row for its noise.

    As a part of its own that no other evaluation has, noise is one more row: no number is drawn.
    """
    longer = np.vstack([values, np.zeros(values.shape[1])])
    size = y @ y
    if size <= 0.0:
        return longer
    return longer - np.outer(y, y @ longer) / size
