"""Experiments that would narrow a partial dependence's band (Moosbauer et al. 2021, outlook).

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
z            a configuration that the partial dependence averages: a row of the sample, with
             λ_S at a grid point
K̂(z, x)      posterior covariance of the function at z and at a candidate x
σ²           variance of the observation noise
===========  ==========================================================================

A trial at x reduces the variance at z by ``K̂(z, x)² / (K̂(x, x) + σ²)``, whatever its result: the
posterior variance of a Gaussian process depends on where trials are, not on their objective. So the
trials are chosen one after the other, each the candidate that most reduces the variance of the band
(Eq. 5), averaged over the grid.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.asked.explains import Asked, explains
from hpo_explain.base.checks import check_count
from hpo_explain.base.errors import InputError, Option
from hpo_explain.base.facts import Fact
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.effects.effect_result import Effect
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from hpo_explain.models._repeats import different_rows
from hpo_explain.models.protocols import SupportsJoint, Surrogate
from hpo_explain.run.feasibility import PROBABLE
from hpo_explain.space import Array, SearchSpace, lowest, ranked

_BLOCK = 1000  # configurations whose covariance with the candidates is computed at once
_KNOWN = 1e-9  # share of the largest variance below which nothing is left to learn at a candidate


_WITHOUT_JOINT = declared_fact(
    "no_joint_posterior",
    "{model} has no joint posterior, so how much an experiment would narrow the band is not known: "
    "the configurations of largest uncertainty are returned. For the others use {kind='gp'}",
)
_FEWER = declared_fact(
    "fewer_experiments",
    "n is {asked}, but there {are} {found:#different configuration} to choose from. If the space "
    "has others, give a larger {larger}",
    are=lambda about: "is only" if about["found"] == 1 else "are only",
    larger=lambda about: (Option(about["option"]),),
)
_INFEASIBLE = declared_fact(
    "infeasible_left_out", "left out as probably infeasible: {n:#candidate}"
)


@explains(of="surrogate")
def next_experiments(
    asked: Asked,
    names: str | Sequence[str],
    n: int = 5,
    *,
    sample: int = 200,
    grid_size: int = 15,
    candidates: int = 500,
) -> list[dict[str, Any]]:
    """Return the experiments that would narrow the band of a partial dependence most.

    Without a joint posterior they are those of largest uncertainty, with a warning.

    Parameters
    ----------
    names : str or pair of str
        The hyperparameters.
    n : int, default 5
        Number of experiments.
    sample, grid_size, candidates
        As in :func:`choose_experiments`.

    Returns
    -------
    list of dict
        Configurations, the most useful first, as ``study.enqueue_trial`` takes them.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> [sorted(config) for config in hx.next_experiments(table, "x", n=2, objective="loss")]
    [['x'], ['x']]
    """
    found = choose_experiments(
        asked.model, names, n, sample=sample,
        grid_size=grid_size, candidates=candidates, feasible=asked.feasible, seed=asked.seed,
    )  # fmt: skip
    for note in found.notes:
        warnings.warn(str(note), stacklevel=4)  # past what reads the run and shows progress
    return found.configurations


@dataclass(frozen=True, eq=False)
class Experiments:
    """Configurations whose evaluation would narrow the band of a partial dependence.

    Attributes
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (n, d)
        Encoded configurations, all different, the most useful first.
    notes : tuple of Fact
        ``no_joint_posterior`` where they are only those of largest ŝ, and ``fewer_experiments``
        where there are not as many different ones as were asked for.
    """

    space: SearchSpace
    X: Array
    notes: tuple[Fact, ...] = ()

    @property
    def configurations(self) -> list[dict[str, Any]]:
        """The configurations in the user's units, as ``study.enqueue_trial`` takes them."""
        return self.space.decode(self.X)


def choose_experiments(
    surrogate: Surrogate,
    names: str | Sequence[str],
    n: int = 5,
    *,
    sample: int = 200,
    grid_size: int = 15,
    candidates: int = 500,
    feasible: Callable[[Array], Array] | None = None,
    seed: int = 0,
) -> Experiments:
    """Return configurations whose evaluation would narrow the band of a partial dependence most.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective. Without a joint posterior (`SupportsJoint`) the configurations
        of largest ŝ along the curves are returned, one of each curve as long as these differ, with
        a note.
    names : str or pair of str
        The hyperparameters λ_S.
    n : int, default 5
        Number of configurations.
    sample, grid_size, seed
        As in :class:`PartialDependenceExplainer`.
    candidates : int, default 500
        Number of configurations to choose from: a Latin hypercube of the space's measure.
    feasible : callable, optional
        Probability of being feasible, (n,), of encoded rows (n, d), such as that of
        ``run.feasibility()``. What is rather infeasible is not proposed, and the rest counts so
        much as it is probable.

    Returns
    -------
    Experiments
        The configurations, all different, the most useful first. With a note, fewer than `n` if
        there are not as many different ones.

    Raises
    ------
    NothingToExplain
        If two hyperparameters are never active together.
    ValueError
        If a name is unknown, or `n` is larger than the number of candidates (of rows of the
        sample, without a joint posterior).

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Section 7, Eq. 5. https://arxiv.org/abs/2111.04820
    .. [2] Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine
       Learning, Eq. 2.26.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(20, seed=1) * [1.0, 0.5]  # the upper half of y was never tried
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, X[:, 0] + X[:, 1] ** 2)
    >>> (best,) = choose_experiments(surrogate, "x", 1).configurations
    >>> best["y"] > 0.5
    True
    """
    check_count("n", n)
    joint = isinstance(surrogate, SupportsJoint)
    most = check_count("candidates", candidates) if joint else check_count("sample", sample)
    option = "candidates" if joint else "sample"
    if n > most:
        of = "candidates" if joint else "rows of the sample"
        problem = f"must be at most the number of {of}, {most}, but was {n}"
        raise InputError("n", problem, n, ("Ask for fewer, or give ", Option(option, n), "."))
    space = surrogate.space
    explainer = PartialDependenceExplainer(surrogate, sample=sample, grid_size=grid_size, seed=seed)
    effect, rows = explainer.effect_and_rows(names)
    notes = []
    if not isinstance(surrogate, SupportsJoint):
        notes.append(_WITHOUT_JOINT(model=type(surrogate).__name__))
        found, left_out = _most_uncertain(space, effect, rows, n, feasible)
    else:
        z, weight = _averaged(space, effect, rows)
        x = space.sample(candidates, seed=seed + 1)
        x = x[_different(x)[0]]
        probability = np.ones(len(x)) if feasible is None else feasible(x)
        able = probability >= PROBABLE
        x, probability, left_out = x[able], probability[able], int(np.sum(~able))
        found = x
        if len(x):
            noise = float(getattr(surrogate, "noise_std", 0.0)) ** 2
            covariances = _covariances(surrogate, z, x)
            found = x[_greedy(*covariances, weight, noise, min(n, len(x)), probability)]
    if left_out:
        notes.append(_INFEASIBLE(n=left_out))
    if len(found) < n:
        notes.append(_FEWER(asked=n, found=len(found), option=option))
    return Experiments(space, found, tuple(notes))


def _different(X: Array) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return where each different row is first, and for all rows which of these they are."""
    return different_rows(np.round(X, 12))  # values inside the unit interval differ by rounding


def _averaged(space: SearchSpace, effect: Effect, rows: Array) -> tuple[Array, Array]:
    """Return the different configurations that the partial dependence averages, and their weights.

    The rows of the sample are all alike where λ_S is all that is active: one covariance does.
    """
    members = [space.index(name) for name in effect.names]
    parts, weights = [], []
    for place in np.ndindex(*effect.mean.shape):
        z = rows.copy()
        z[:, members] = [p[i] for p, i in zip(effect.positions, place, strict=True)]
        z = space.project(z)
        z = z[~np.isnan(z[:, members]).any(axis=1)]
        parts.append(z)
        weights.append(np.full(len(z), 1.0 / max(len(z), 1)))
    every = np.vstack(parts)
    first, which = _different(every)
    weight = np.bincount(which, weights=np.concatenate(weights))
    return every[first], weight / weight.sum()


def _covariances(surrogate: SupportsJoint, z: Array, x: Array) -> tuple[Array, Array]:
    """Return K̂(z, x) and K̂(x, x)."""
    blocks = []
    for start in range(0, len(z), _BLOCK):
        together = surrogate.posterior_covariance(np.vstack([x, z[start : start + _BLOCK]]))
        blocks.append(together[len(x) :, : len(x)])
    return np.vstack(blocks), together[: len(x), : len(x)]


def _greedy(
    cross: Array, among: Array, weight: Array, noise: float, n: int, probability: Array
) -> list[int]:
    """Return the places of the candidates chosen one after the other."""
    chosen: list[int] = []
    unit = float(np.diag(among).max()) or 1.0  # squares of what is tiny are 0
    cross, among, noise, least = cross / unit, among / unit, noise / unit, _KNOWN
    for _ in range(n):
        variance = np.diag(among)
        reduction = weight @ cross**2 / np.maximum(variance + noise, least)
        reduction *= probability
        reduction[chosen] = -np.inf
        best = lowest(-reduction)
        chosen.append(best)
        # what is left after a trial there, whatever it finds
        scale = max(float(variance[best]) + noise, least)
        cross = cross - np.outer(cross[:, best], among[best]) / scale
        among = among - np.outer(among[:, best], among[best]) / scale
    return chosen


def _most_uncertain(
    space: SearchSpace,
    effect: Effect,
    rows: Array,
    n: int,
    feasible: Callable[[Array], Array] | None,
) -> tuple[Array, int]:
    """Return different configurations of largest ŝ along the curves, and how many are infeasible.

    One of each curve, and others of the same curves only where these are too few.
    """
    curves = np.nan_to_num(np.asarray(effect.ice_std).reshape(len(rows), -1), nan=-np.inf)
    left_out = 0
    if feasible is not None:
        valid = np.flatnonzero(np.isfinite(curves))
        probability = feasible(_along(space, effect, rows, *np.divmod(valid, curves.shape[1])))
        gone = valid[probability < PROBABLE]
        curves.flat[valid] *= probability
        curves.flat[gone] = -np.inf
        left_out = len(gone)
    order = ranked(-curves.max(axis=1))
    order = order[np.isfinite(curves[order].max(axis=1))]
    found = _along(space, effect, rows, order, curves[order].argmax(axis=1))
    found = found[_different(found)[0]]
    if len(found) < n:
        ordered = np.argsort(-curves, axis=None, kind="stable")
        valid = ordered[np.isfinite(curves.ravel()[ordered])]
        others = _along(space, effect, rows, *np.divmod(valid, curves.shape[1]))
        found = np.vstack([found, others])
        found = found[_different(found)[0]]
    return found[:n], left_out


def _along(
    space: SearchSpace,
    effect: Effect,
    rows: Array,
    which: npt.NDArray[np.intp],
    places: npt.NDArray[np.intp],
) -> Array:
    """Return the configurations at places of the grid, of the curves of some rows."""
    found = rows[which]
    for name, positions, index in zip(
        effect.names, effect.positions, np.unravel_index(places, effect.mean.shape), strict=True
    ):
        found[:, space.index(name)] = positions[index]
    return space.project(found)
