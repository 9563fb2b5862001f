r"""Accumulated local effects with model uncertainty (Apley and Zhu 2020).

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
f            posterior mean of the surrogate; the band is that of the function itself
z_k          values of a hyperparameter: quantiles of the sample, or all of a few values
N(k)         configurations of the sample in step k, from z_{k-1} to z_k
Δ(k)         mean over N(k) of ``f(z_k, x_\j) - f(z_{k-1}, x_\j)``: a local effect (Eq. 15)
g(z_k)       ``Δ(1) + ... + Δ(k)``, less its mean over the sample (Eq. 15 and 16)
===========  ==========================================================================

Every prediction is made near a configuration of the sample: of its own values only one changes, to
the next one. A partial dependence combines all values with all others, also where nothing was ever
tried.

All is linear in f, so its covariance follows exactly from the model's: D K̂ Dᵀ of the steps, with
the signs D of the means over N(k), and then of the sums.

What another value of a parent activates has no value in a configuration; it takes that of the
nearest one that has it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Direction,
    Fact,
    InputError,
    NothingToExplain,
    Subject,
    check_count,
    check_seed,
    counted,
    fact,
    format_value,
    listed,
)
from hpo_explain.belief import Draws, as_draws, std_of_draws
from hpo_explain.methods._engines.effect_kinds import AccumulatedEffect, AverageEffect
from hpo_explain.methods._engines.rows_at import (
    about_names,
    checked_sample,
    codes_of,
    highest,
    one_or_two,
)
from hpo_explain.methods._engines.sub_space import Given, SubSpace
from hpo_explain.methods.effects.accumulated import (
    Steps,
    accumulate,
    filled,
    order_of_categories,
    steps_between,
    steps_between_quantiles,
)
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer, on_grid
from hpo_explain.models import Surrogate, mean_of
from hpo_explain.question import Explained, accepted_surrogate
from hpo_explain.space import Array, SearchSpace, gower_distances

_MOST_ROWS = 1000  # of the sample
# of the partial dependence that stands beside it
_PARTIAL_ROWS, _PARTIAL_GRID = (300, 41)


def accumulated_local_effects(
    surrogate: Surrogate,
    names: str | Sequence[str],
    *,
    sample: int | npt.ArrayLike | None = None,
    grid_size: int = 20,
    feasible: Callable[[Array], Array] | None = None,
    direction: Direction = "minimize",
    subject: Subject | None = None,
    given: Given | None = None,
    seed: int = 0,
) -> AccumulatedEffect:
    """Return the accumulated local effects of one hyperparameter.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    names : str
        The hyperparameter.
    sample : None, int or ndarray of shape (n, d), default None
        The configurations whose local effects are averaged: those tried (of the subject), so many
        rows of the space's measure, or encoded rows.
    grid_size : int, default 20
        The most values of a hyperparameter, at least 2. A number with more has quantiles of the
        sample.
    feasible : callable, optional
        Probability of being feasible, (n,), of encoded rows (n, d), such as that of
        ``run.feasibility()``: a value at which nothing is feasible is not called the best.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with the incumbent and the tried configurations, such as
        ``Subject.of(run)``; by default it is made from the surrogate and `direction`.
    given : mapping of str to sequence, optional
        Sub-space, as in `FanovaExplainer.explain`: of the sample what lies in it counts.
    seed : int, default 0
        Seed of a drawn sample, and of the choice among more than 1000 configurations (500 for a
        pair).

    Returns
    -------
    AccumulatedEffect
        Curve (or surface) with its uncertainty.

    Raises
    ------
    NothingToExplain
        If the sample has fewer than two values of one, where all of them are active.
    ValueError
        If a name is unknown, there are several, the grid has one value, the
        sample is outside the space, or `given` leaves nothing of it.

    References
    ----------
    .. [1] Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black
       box supervised learning models. Journal of the Royal Statistical Society B 82(4), 1059-1086.
       Eq. 15 to 19. https://doi.org/10.1111/rssb.12377

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 2.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] + X[:, 1])
    >>> effect = accumulated_local_effects(surrogate, "x", sample=X, grid_size=5)
    >>> effect.mean.round(1) + 0.0
    array([-0.5, -0.3,  0. ,  0.2,  0.5])
    """
    surrogate = accepted_surrogate(surrogate)
    space = surrogate.space
    part = SubSpace.of(space, given)
    whole = Explained.of(surrogate, direction).completed(subject)
    subject = part.of_subject(whole)
    name, *others = one_or_two(space, names)
    if others:
        problem = f"was {names!r}, but effects are accumulated along one hyperparameter"
        raise InputError("names", problem, names, "Ask for the partial dependence of the pair.")
    j = space.index(name)
    most = check_count("grid_size", grid_size, minimum=2)
    rows = _where_active(subject, _sample(part, whole, sample, check_seed(seed)), j)
    notes = about_names(subject, [name])
    if len(rows) > _MOST_ROWS:
        count = counted(_MOST_ROWS, "configuration")
        notes.append(fact(f"averaged over {count} drawn from those tried"))
        chosen = np.random.default_rng(seed).choice(len(rows), _MOST_ROWS, replace=False)
        rows = rows[np.sort(chosen)]
    steps = _steps(space, rows, j, most)
    latent = _completed(space, rows) if space.decides_activity([j]) else rows
    draws = as_draws(surrogate, subject.direction, seed=seed)
    mean, of_draws = _accumulated(surrogate, draws, latent, j, steps)
    # categories in their own order, not in that in which they were accumulated
    order = np.argsort(steps.positions)
    positions = (steps.positions[order],)
    effect = AccumulatedEffect(
        **on_grid(whole, surrogate, [j], positions, part),
        mean=mean[order],
        std=std_of_draws(of_draws[order].T),
        draws=of_draws[order],
        sample_size=len(rows),
        feasible=highest(space, feasible, latent, [j], positions),
        notes=(*_order(space, name, steps), *notes, *subject.notes),
    )
    explainer = PartialDependenceExplainer(
        surrogate,
        sample=_PARTIAL_ROWS,
        grid_size=_PARTIAL_GRID,
        subject=whole,
        given=part.given,
        seed=seed,
    )
    return _beside(effect, explainer.explain(name), steps.at[:, order].mean(axis=0))


def _sample(part: SubSpace, whole: Subject, sample: int | npt.ArrayLike | None, seed: int) -> Array:
    """Return the encoded configurations that are averaged, those in the part of the space."""
    if sample is None:
        if not len(whole.tried):
            problem = "is None, but the tried configurations are not known"
            remedy = "Give encoded rows, a number of rows, or a subject that knows the trials."
            raise InputError("sample", problem, sample, remedy)
        rows = whole.tried
    elif np.ndim(sample) == 0:
        latent = part.sample(check_count("sample", sample), seed=seed)
        rows = whole.space.project(latent)
    else:
        rows = checked_sample(whole.space, sample)
    return rows[part.holds(rows)]


def _where_active(subject: Subject, sample: Array, j: int) -> Array:
    """Return the rows in which the hyperparameter is active, of many categories those looked at."""
    rows = sample[~np.isnan(sample[:, j])]
    if subject.space.parameters[j].is_category:
        rows = rows[np.isin(rows[:, j], codes_of(subject, j, 1))]
    return rows


def _steps(space: SearchSpace, rows: Array, j: int, most: int) -> Steps:
    levels = np.unique(rows[:, j])
    if len(levels) < 2:
        name = space.names[j]
        few = f"fewer than two values of {name} were tried, so nothing changes along it"
        raise NothingToExplain(fact(few, names=[name]))
    if space.parameters[j].is_category:
        levels = order_of_categories(space, rows, j)
    elif len(levels) > most:
        return steps_between_quantiles(rows[:, j], most)
    return steps_between(rows[:, j], levels)


def _order(space: SearchSpace, name: str, steps: Steps) -> list[Fact]:
    """Return in which order categories are accumulated."""
    if not space[name].is_category or len(steps.positions) < 3:
        return []
    order = listed([*map(format_value, space[name].decode(steps.positions))], 8)
    categories = f"the categories of {name} are accumulated from one to the most"
    similar = f"similar one by the trials' other hyperparameters ({order})"
    return [fact(f"{categories} {similar}", names=[name])]


def _beside(
    effect: AccumulatedEffect, averaged: AverageEffect, weights: Array
) -> AccumulatedEffect:
    """Return the effect with the partial dependence, centred over the sample as it is itself."""
    (places,), (positions,) = averaged.positions, effect.positions
    if effect.categorical[0]:
        values = averaged.mean[np.searchsorted(places, positions)]
    else:
        there = ~np.isnan(averaged.mean)
        values = np.interp(positions, places[there], averaged.mean[there])
    return replace(effect, partial=values - weights @ values)


def _accumulated(
    surrogate: Surrogate, draws: Draws, latent: Array, j: int, steps: Steps
) -> tuple[Array, Array]:
    """Return g, and g of each draw (..., k): of steps that no row takes as of the nearest one."""
    space, sizes, groups = draws.space, np.zeros(len(steps.rows), dtype=int), list[Array]()
    for k, rows in enumerate(steps.rows):
        ends = []
        for position in steps.positions[[k, k + 1]]:
            z = latent[rows].copy()
            z[:, j] = position
            ends.append(space.project(z))
        there = np.all([~np.isnan(z[:, j]) for z in ends], axis=0)
        sizes[k] = there.sum()
        if sizes[k]:
            groups += [z[there] for z in ends]
    if not groups:
        never = f"no trial has a value of {space.names[j]} that can be changed by itself"
        raise NothingToExplain(fact(never))
    nearest = np.searchsorted(np.flatnonzero(sizes), filled(sizes, steps))
    lengths = np.array([*map(len, groups)])
    starts = np.cumsum(lengths) - lengths

    def accumulated(values: Array) -> Array:
        means = np.add.reduceat(values, starts, axis=0) / lengths[:, None]
        return accumulate((means[1::2] - means[::2])[nearest], steps)

    every = np.vstack(groups)
    values = draws.draws(every).T
    predicted = values.mean(axis=1)
    if draws.joint and draws is not surrogate:
        predicted = mean_of(surrogate, every)
    mean, of_draws = accumulated(predicted[:, None])[..., 0], accumulated(values)
    return mean, of_draws + (mean - of_draws.mean(axis=-1))[..., None]


def _completed(space: SearchSpace, rows: Array) -> Array:
    """Return latent rows: what is inactive takes its value in the nearest row that has one."""
    latent = rows.copy()
    for j, parameter in enumerate(space.parameters):
        gone = np.isnan(rows[:, j])
        if not gone.any() or parameter.optional < 1.0:
            continue
        if gone.all():
            latent[:, j] = space.from_latent(np.full((1, len(space)), 0.5))[0, j]
        else:
            donors = rows[~gone]
            nearest = np.argmin(gower_distances(space, rows[gone], donors), axis=1)
            latent[gone, j] = donors[nearest, j]
    return latent
