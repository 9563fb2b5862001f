"""Explore: configurations far from all trials, where the model expects hardly more of any other.

==========  ============================================================================
symbol      meaning
==========  ============================================================================
m(x)        predicted objective of configuration x
T_j         total effect of hyperparameter λ_j on m, relative to the largest of all [1]_
d_j(x, z)   Gower's dissimilarity of x and z in λ_j, in [0, 1]
D(x, z)     ``sqrt(sum_j T_j d_j(x, z)²)``
==========  ============================================================================

A model foresees what the trials show. Of an optimum that is narrow, and lies where no trial was, it
knows nothing, so its expected improvement does not lead there. Each configuration is the one that
most reduces the mean over the space of the squared distance D² from the nearest trial, or from the
nearest configuration chosen before: places are covered, not corners.

References
----------
.. [1] Jansen, M. J. W. (1999). Analysis of variance designs for model output. Computer Physics
   Communications 117.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hpo_explain.base.facts import fact
from hpo_explain.explainers._advice.analyses import Analyses, believed
from hpo_explain.explainers._advice.attempt import shortened
from hpo_explain.explainers._advice.improvement import tried
from hpo_explain.explainers._advice.prospects import Prospects
from hpo_explain.explanations.advice import Action
from hpo_explain.methods.effects.effect_result import PROBABLE
from hpo_explain.models.acquisition.surrogate_based import ExpectedImprovement
from hpo_explain.models.protocols import Surrogate
from hpo_explain.run import Run
from hpo_explain.space import Array, SearchSpace, lowest
from hpo_explain.space.support import squared_differences

_HARDLY = 0.02  # expected improvement, as a share of the standard deviation of results
_MATTERS = 0.01  # T_j below which a hyperparameter does not count
_SAMPLE, _EFFECTS = 1000, 256  # rows to choose from, and to average total effects over
_MOST = 6  # configurations
_BLOCK = 500  # trials whose distances are computed at once


def explore(
    analyses: Analyses,
    prospects: Prospects,
    attempted: Action | None,
    avoid: Callable[[Array], npt.NDArray[np.bool_]],
) -> Action | None:
    """Return configurations far from all trials; None where the model expects enough of others.

    Parameters
    ----------
    analyses : Analyses
        The analyses of the run.
    prospects : Prospects
        What is expected of it.
    attempted : Action or None
        The configurations to try, which are not among those returned.
    avoid : callable
        Which of encoded rows (n, d) are not to be evaluated, (n,).
    """
    run = analyses.run
    expected, usual = 0.0 if attempted is None else attempted.gain, _usual(prospects)
    if not believed(analyses.trust) or expected >= _HARDLY * usual:
        return None
    effects = total_effects(run.surrogate(), run.space)
    effects[effects < _MATTERS] = 0.0
    known = [tried(run)]
    if attempted is not None:
        known.append(run.space.encode([dict(config) for config in attempted.configurations]))
    rows = _allowed(run, avoid)
    n = _MOST if attempted is None else min(max(len(attempted.configurations) // 2, 1), _MOST)
    nearest = _nearest(run.space, rows, np.vstack(known), effects)
    places = _covering(nearest, _squared(run.space, rows, rows, effects), n)
    if not places:
        return None
    configs = [shortened(run.space, config) for config in run.space.decode(rows[places])]
    counted = [name for name, effect in zip(run.space.names, effects, strict=True) if effect]
    return Action(
        "explore",
        tuple(configs[0]),
        tuple(configs[0].values()),
        evidence=(
            fact("hardly_more", objective=run.objective_name, expected=expected, spread=usual),
            fact("far_from_trials", names=counted, distance=float(np.sqrt(nearest[places[0]]))),
        ),
        configurations=tuple(configs),
    )


def promising(prospects: Prospects, rows: Array) -> bool:
    """Return whether enough is expected of one of some encoded rows (n, d), which is seen soon."""
    if not len(rows):
        return False
    model = prospects.model
    best = float(model.predict(prospects.scaled.X[[prospects.best]])[0][0])
    criterion = ExpectedImprovement(model, best=best, direction=prospects.scaled.direction)
    expected = np.sum([*criterion.terms_of(*model.predict(rows)).values()], axis=0)
    return float(np.max(expected)) >= _HARDLY * _usual(prospects)


def _usual(prospects: Prospects) -> float:
    """Return the standard deviation of results, of which a few very bad ones do not decide."""
    scaled = prospects.scaled
    return float(np.std(scaled.objective[np.asarray(scaled.feasible)]))


def total_effects(model: Surrogate, space: SearchSpace) -> Array:
    """Return the total effect of each hyperparameter on the prediction, the largest 1, (d,)."""
    rows, others = (space.sample(_EFFECTS, seed=seed, latent=True) for seed in (1, 2))
    usual = model.predict(space.project(rows))[0]
    found = np.zeros(len(space))
    for j in range(len(space)):
        mixed = np.array(rows)
        mixed[:, j] = others[:, j]
        found[j] = np.mean((model.predict(space.project(mixed))[0] - usual) ** 2)
    return found / max(float(found.max()), np.finfo(float).tiny)


def _allowed(run: Run, avoid: Callable[[Array], npt.NDArray[np.bool_]]) -> Array:
    """Return encoded rows of the space that may be evaluated, (n, d)."""
    rows = run.space.sample(_SAMPLE, seed=3)
    rows = rows[~avoid(rows)]
    feasibility = run.feasibility()
    if feasibility is not None and len(rows):
        rows = rows[feasibility.probability(rows) >= PROBABLE]
    return np.asarray(rows)


def _covering(nearest: Array, among: Array, n: int) -> list[int]:
    """Return places of rows, each the one that most reduces the mean of D² to the nearest.

    Parameters
    ----------
    nearest : ndarray of shape (m,)
        D² of rows from the nearest trial.
    among : ndarray of shape (m, m)
        D² of rows from each other.
    n : int
        Number of places; fewer where nothing is left to be reduced.
    """
    places: list[int] = []
    while len(nearest) and len(places) < n:
        reduced = np.maximum(nearest[:, None] - among, 0.0).sum(axis=0)
        place = lowest(-reduced)
        if reduced[place] <= 0.0:
            break
        places.append(place)
        nearest = np.minimum(nearest, among[:, place])
    return places


def _squared(space: SearchSpace, rows: Array, others: Array, effects: Array) -> Array:
    """Return D² of rows (n, d) from others (m, d), (n, m)."""
    squared = np.zeros((len(rows), len(others)))
    parts = squared_differences(space, rows, others)
    for effect, part in zip(effects, parts, strict=True):
        squared += effect * part
    return squared


def _nearest(space: SearchSpace, rows: Array, others: Array, effects: Array) -> Array:
    """Return D² of rows (n, d) from the nearest of others (m, d), (n,)."""
    blocks = [others[start : start + _BLOCK] for start in range(0, len(others), _BLOCK)]
    least = [_squared(space, rows, block, effects).min(axis=1) for block in blocks]
    return np.asarray(np.min(least, axis=0))
