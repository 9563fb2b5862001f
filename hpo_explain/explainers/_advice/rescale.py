"""Rescale: search on the scale on which the objective changes evenly.

The trials say which that is: a Gaussian process whose input is the logarithm predicts trials that
were held out better than one whose input is the value, or the reverse. Both predict the same
trials, so that their log densities are compared trial by trial.

A scale is not advised on which the good trials lie closer together, however evenly the objective
changes: what is searched would mostly be bad. A penalty from 1e-6 to 10 of which only values above
0.1 matter acts linearly, and on a linear scale hardly any trial would be below 0.1.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from hpo_explain.base.facts import Fact, fact
from hpo_explain.explanations.advice import Action, changed_to
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.run import Run, thinned
from hpo_explain.space import Array, CategoricalParameter, FloatParameter, IntParameter, SearchSpace

_RATIO = 30.0  # of both ends of a range: of a shorter one both scales are much the same
_LEAST = 20  # trials
_MOST = 200  # trials that the models are fitted to
_CERTAIN = 3.0  # standard errors
_WORTH = 0.05  # nats per trial
_GOOD = 0.1  # of the trials
_ONE = 3.0  # the most that a single trial counts, or a few would decide

_Number = FloatParameter | IntParameter


def rescale(run: Run, others: Collection[str]) -> Action | None:
    """Return hyperparameters to search on another scale; None where no other is known better.

    Those named otherwise stay as they are.
    """
    possible = list(_possible(run, others))
    if not possible or len(run) < _LEAST:
        return None
    some = thinned(run, _MOST)
    own = _log_densities(some, run.space)
    found = [(p, reason) for p in possible if (reason := _better(some, own, p)) is not None]
    if not found:
        return None
    parameters = [parameter for parameter, _ in found]
    evidence = tuple(reason for _, reason in found)
    # what it gains cannot be told by a model on the other scale
    return changed_to("rescale", parameters, certain=True, evidence=evidence)


def _possible(run: Run, others: Collection[str]) -> Iterator[_Number]:
    """Return hyperparameters on their other scale, where that is another one."""
    for parameter in run.space:
        if isinstance(parameter, CategoricalParameter) or parameter.name in others:
            continue
        low, high = parameter.low, parameter.high
        if low <= 0.0 or high / low < _RATIO or parameter.step not in (None, 1):
            continue
        tried = run.X[:, run.space.index(parameter.name)]
        other = replace(parameter, log=not parameter.log)
        if (~np.isnan(tried)).sum() >= _LEAST and _wider_apart(run, tried, other):
            yield other


def _wider_apart(run: Run, tried: Array, parameter: _Number) -> bool:
    """Return whether good values are further apart on a hyperparameter's new scale, on average."""
    cost = np.where(np.isnan(tried) | ~np.asarray(run.feasible), np.inf, run.cost)
    good = np.argsort(cost)[: max(round(_GOOD * int(np.isfinite(cost).sum())), 1)]
    low, high = float(parameter.low), float(parameter.high)
    values = low * (high / low) ** tried[good]
    if parameter.log:
        values = low + (high - low) * tried[good]
    # the logarithm's slope over that of the linear scale
    slopes = np.log((high - low) / (values * np.log(high / low)))
    return bool(np.mean(slopes if parameter.log else -slopes) > 0.0)


def _better(run: Run, own: Array, parameter: _Number) -> Fact | None:
    """Return that a hyperparameter's other scale is certainly better; None where it is not."""
    space = SearchSpace([parameter if p.name == parameter.name else p for p in run.space])
    gains = np.clip(_log_densities(run, space) - own, -_ONE, _ONE)
    gain = float(gains.mean())
    error = float(gains.std(ddof=1)) / np.sqrt(len(gains))
    if gain < _WORTH or gain < _CERTAIN * error:
        return None
    return fact(
        "better_scale", names=[parameter.name], log=parameter.log, gain=gain, half=1.96 * error
    )


def _log_densities(run: Run, space: SearchSpace) -> Array:
    """Return the log density of each trial's objective under a model that had not seen it, (n,)."""
    X = space.encode(run.space.decode(run.X))
    held_out = GaussianProcessSurrogate.fit(space, X, run.learned_cost()).held_out()
    z = (held_out.observed - held_out.mean) / held_out.std
    return np.asarray(-0.5 * z**2 - np.log(held_out.std))
