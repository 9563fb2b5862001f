"""Repeat: evaluate the best trials again where noise hides which of them is best.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
m           contenders: the tried configurations that are most probably the best
μ, K        posterior mean and covariance of their costs, (m,) and (m, m)
σ²          variance of the noise of one evaluation
==========  ============================================================================

After r further evaluations of each, the posterior means are normal around μ with the covariance
``K (K + σ²/r I)⁻¹ K``. What the repeats gain is ``min μ - E[min of these means]``: choosing by them
improves the expected objective so much [1]_.

References
----------
.. [1] Frazier, P., Powell, W. and Dayanik, S. (2009). The knowledge-gradient policy for correlated
   normal beliefs. INFORMS Journal on Computing 21(4), 599-613.
"""

from __future__ import annotations

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.posterior import normal_draws
from hpo_explain.explainers._advice.analyses import Analyses, believed
from hpo_explain.explainers._advice.improvement import Candidates
from hpo_explain.explanations.advice import Action
from hpo_explain.models._repeats import different_rows
from hpo_explain.models.protocols import SupportsJoint
from hpo_explain.run import Run
from hpo_explain.run.run import NOTABLE_NOISE
from hpo_explain.space import Array, ranked

_CONTENDERS = 3
_TIMES = (1, 2, 3, 5)
_ENOUGH = 0.8  # of what could be gained by knowing all
_WORTH = 0.01  # of the spread of the good half, and at least as much as a new trial
_MOST_ROWS = 60  # among which contenders are sought
_DRAWS = 4000
_TIED = 3


def repeat(analyses: Analyses, candidates: Candidates) -> Action | None:
    """Return which trials to evaluate again, and how often; None where that tells little."""
    run, model = analyses.run, analyses.run.surrogate()
    noise = _notable_noise(run)
    if noise is None or not isinstance(model, SupportsJoint):
        return _ties(run)
    if not believed(analyses.trust):
        return None
    rows, trials = _best_rows(run, candidates)
    covariance = model.posterior_covariance(run.X[rows])
    mean = candidates.sign * model.predict(run.X[rows])[0]
    chosen = _contenders(mean, covariance)
    if len(chosen) < 2:
        return None
    mean, covariance = mean[chosen], covariance[np.ix_(chosen, chosen)]
    gains = [_gain(mean, covariance, noise**2 / times) for times in _TIMES]
    known = _gain(mean, covariance, 0.0)
    if known < max(_WORTH * candidates.spread, float(candidates.expected.max(initial=0.0))):
        return None  # a new configuration brings more than knowing these
    enough = [k for k, gain in enumerate(gains) if gain >= _ENOUGH * known]
    k = enough[0] if enough else len(_TIMES) - 1
    which = [trials[i] for i in chosen]
    return Action(
        "repeat",
        gain=gains[k],
        interval=(0.0, known),
        certain=True,
        evidence=(_again(run, noise), fact("best_hidden", trials=which, noise=noise, known=known)),
        configurations=tuple(run.config(trial) for trial in which),
        trials=tuple(which),
        times=_TIMES[k],
    )


def luck(analyses: Analyses) -> Fact | None:
    """Return what the best would score again; None where noise has no part in that."""
    noise = _notable_noise(analyses.run)
    if noise is None or not believed(analyses.trust):
        return None
    found = _again(analyses.run, noise)
    return found if abs(found["observed"] - found["mean"]) > found["std"] else None


def _notable_noise(run: Run) -> float | None:
    """Return the standard deviation of the noise; None where it is small, or not known."""
    noise = float(getattr(run.surrogate(), "noise_std", np.nan))
    spread = float(np.std(run.learned_cost()))
    notable = spread > 0.0 and np.nan_to_num(noise) >= NOTABLE_NOISE * spread
    return noise if notable else None


def _ties(run: Run) -> Action | None:
    """Return that the best trials cannot be told apart by their objective."""
    if not np.asarray(run.feasible).any():
        return None
    rows = run.X[[run.row(trial) for trial in run.tied]]
    first, _ = different_rows(rows)
    which = [run.tied[i] for i in sorted(first.tolist())]
    if len(which) < _TIED or np.ptp(run.objective) == 0.0:
        return None
    return Action(
        "repeat",
        evidence=(fact("best_tied", trials=which, objective=run.objective_name),),
        configurations=tuple(run.config(trial) for trial in which[:_CONTENDERS]),
        trials=tuple(which),
    )


def _again(run: Run, noise: float) -> Fact:
    """Return what the incumbent would score again."""
    found = run.best_predicted()
    return fact(
        "would_score_again",
        trials=[found.incumbent_trial],
        objective=run.objective_name,
        observed=found.incumbent_observed,
        mean=found.incumbent_mean,
        std=found.incumbent_std,
        noise=noise,
    )


def _best_rows(run: Run, candidates: Candidates) -> tuple[list[int], list[int]]:
    """Return rows of the best predicted feasible configurations, each once, and their trials."""
    first, _ = different_rows(run.X)
    rows = [int(i) for i in first if np.asarray(run.feasible)[i]]
    predicted = candidates.sign * run.surrogate().predict(run.X[rows])[0]
    chosen = [rows[i] for i in ranked(predicted)[:_MOST_ROWS]]
    return chosen, [int(np.asarray(run.trials)[i]) for i in chosen]


def _contenders(mean: Array, covariance: Array) -> list[int]:
    """Return the places that are most probably the least, the most probable first."""
    least = np.argmin(normal_draws(mean, covariance, _DRAWS, 0), axis=0)
    counts = np.bincount(least, minlength=len(mean))
    order = np.argsort(-counts, kind="stable")[:_CONTENDERS]
    return [int(i) for i in order if counts[i] >= 0.05 * _DRAWS]


def _gain(mean: Array, covariance: Array, variance: float) -> float:
    """Return min μ - E[min of the means after evaluations with a variance of the noise]."""
    noisy = covariance + (variance + 1e-12 * np.trace(covariance)) * np.eye(len(mean))
    of_means = covariance @ np.linalg.solve(noisy, covariance)
    return float(mean.min() - normal_draws(mean, of_means, _DRAWS, 0).min(axis=0).mean())
