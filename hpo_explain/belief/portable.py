"""The draws of a belief as a few matrices, which any language evaluates without this library.

All is counted by the columns and categories as the space lists them. All draws are taken along: of
a third of them the page was half as large, and its predictions off by an eighth of their standard
deviation from those of all other answers.

==========  ============================================================================
array       what it holds, of s settings, d columns, F features, k draws, n trials, P places
==========  ============================================================================
rows        every trial's encoded row, each once, (m, d)
tried       the row of every trial, (t,)
trials      the rows that the settings learned from, (n,)
ends        where the draws of each setting begin and end, (s + 1,)
rate        √5 / length-scale, (s, d), with weight and amplitude of the same shape
product     variance of the product, (s,)
frequency   of the features, (s, d, F)
phase       of each place, (s, P, F), in units of 2π / 65536; ``shift`` (s, F) likewise
slope       of each feature in each draw, (k, F), in units of ``slope_unit`` (k,)
constant    what is added to each draw, (k,)
wave        of a number's own part the frequencies, (s, d, 32), with their phases ``wave_phase``
wave_slope  their weights in each draw, (d, 32, k), in units of ``wave_slope_unit`` (d, k)
step        own part of each place in each draw, (P, k)
update      what each trial adds to each draw times the kernel, (k, n)
knots       of each scale the standardized values, and their ``costs``, between ``scale_ends``
==========  ============================================================================

A column has a place for each category, and one more for being inactive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.belief.carried import Carried
from hpo_explain.belief.feasibility import Feasibility
from hpo_explain.belief.mixture import Mixture
from hpo_explain.belief.scales import EVALUATION, GRID
from hpo_explain.models.pathwise import Functions
from hpo_explain.models.product_kernel import ROOT5
from hpo_explain.space import Array, Ints, SearchSpace

Carriable = Mixture | Carried
_LARGEST = 2**15 - 1
_TURN = 2**16  # steps of a phase
_BITS = 18  # of a frequency, which may be large: its error is one of the angle
Numbers = npt.NDArray[Any]  # of the precision that is enough


@dataclass(frozen=True, eq=False)
class Portable:
    """What it takes to evaluate draws of a belief elsewhere.

    Attributes
    ----------
    draws : ndarray of int, shape (k,)
        Which of the belief's draws are there: those of each setting beside each other, and the
        constant ones last.
    arrays : dict of str to ndarray
        The matrices; those of the probability of a result begin with ``result_``.
    numbers : dict of str to object
        How standardized values become the objective, and how labels become a probability.
    """

    draws: Ints
    arrays: dict[str, Numbers]
    numbers: dict[str, Any]


def portable(draws: Carriable, tried: Array) -> Portable:
    """Return draws of a belief as matrices, with the encoded rows of all trials."""
    space = draws.space
    varying = np.flatnonzero(~draws.constant)
    constant = np.flatnonzero(draws.constant)
    settings = draws.functions
    setting, place = np.divmod(varying, len(draws.constant) // len(settings))
    own = [place[setting == s] for s in range(len(settings))]
    arrays = _matrices(settings, own, space)
    learned = [tried, draws.X]
    feasibility = draws.feasibility
    if feasibility is not None and feasibility.functions:
        means = [np.zeros(1, int)] * len(feasibility.functions)
        labels = _matrices(feasibility.functions, means, space)
        arrays |= {f"result_{name}": labels[name] for name in labels}
        learned.append(_as_listed(space, feasibility.functions[0].trials.rows))
    arrays |= _rows(learned)
    arrays |= _scales(draws)
    return Portable(
        np.concatenate([varying, constant]),
        arrays,
        {"belief": _way_back(draws, constant), "result": _probability(feasibility)},
    )


def _rows(learned: Sequence[Array]) -> dict[str, Numbers]:
    """Return the distinct rows of several sets, and which of them each set has."""
    together = np.nan_to_num(np.vstack(learned), nan=-1.0)
    rows, index = np.unique(together, axis=0, return_inverse=True)
    ends = np.cumsum([len(some) for some in learned])[:-1]
    names = "tried", "trials", "result_trials"
    of_each = np.split(index.ravel().astype(np.int32), ends)
    return {"rows": np.where(rows < 0.0, np.nan, rows)} | dict(zip(names, of_each, strict=False))


def _as_listed(space: SearchSpace, own: Array) -> Array:
    """Return rows in the space's own order as encoded rows."""
    rows = np.empty_like(own)
    for i, j in enumerate(space.order.tolist()):
        column = own[:, i].copy()
        if space.categories_in_own_order[i]:
            there = ~np.isnan(column)
            column[there] = space.codes(j)[column[there].astype(int)]
        rows[:, j] = column
    return rows


def _places(space: SearchSpace) -> Ints:
    """Return where the places of the columns as listed are among those in the own order, (P,)."""
    counts = space.categories_in_own_order
    sizes = np.where(counts == 0, 1, counts + 1)
    starts = np.cumsum(sizes) - sizes
    taken: list[int] = []
    for j in range(len(space)):
        i = int(np.flatnonzero(space.order == j)[0])
        if counts[i]:
            taken += (starts[i] + np.argsort(space.codes(j))).tolist()
        taken.append(int(starts[i] + counts[i]))
    return np.array(taken)


def _matrices(
    settings: Sequence[Functions], own: Sequence[Ints], space: SearchSpace
) -> dict[str, Numbers]:
    """Return the functions of each setting, of its own draws, by columns as listed."""
    column = np.argsort(space.order)
    place = _places(space)
    # what is never inactive needs no phase for it, and zeros take no room
    counts = space.categories_in_own_order[column]
    used = np.concatenate(
        [
            [*np.ones(count), space.is_conditional(name)]
            for count, name in zip(counts.tolist(), space.names, strict=True)
        ]
    )
    pairs = list(zip(settings, own, strict=True))
    kernels = [setting.parameters for setting in settings]
    slope, slope_unit = _short(np.vstack([f.slopes[:-1, k].T for f, k in pairs]), axis=1)
    wave_slope, wave_slope_unit = _short(
        np.concatenate([f.waves[2][column][..., k] for f, k in pairs], axis=2), axis=1
    )
    return {
        "ends": np.cumsum([0, *map(len, own)]).astype(np.int32),
        "rate": _single([ROOT5 / p.length[column] for p in kernels]),
        "weight": _single([p.weight[column] for p in kernels]),
        "amplitude": _single([p.amplitude[column] for p in kernels]),
        "product": _single([p.product for p in kernels]),
        "frequency": _rounded(np.stack([f.frequencies[column] for f in settings])),
        "phase": _turns(np.stack([f.phases[place] * used[:, None] for f in settings])),
        "shift": _turns(np.stack([f.shifts for f in settings])),
        "slope": slope,
        "slope_unit": slope_unit,
        "constant": np.concatenate(
            [f.slopes[-1, k] + f.update[:, k].sum(axis=0) for f, k in pairs]
        ),
        "wave": _rounded(np.stack([f.waves[0][column] for f in settings])),
        "wave_phase": _turns(np.stack([f.waves[1][column] for f in settings])),
        "wave_slope": wave_slope,
        "wave_slope_unit": wave_slope_unit,
        "step": np.hstack([f.steps[place][:, k] for f, k in pairs]),
        "update": np.vstack([f.update[:, k].T for f, k in pairs]),
    }


def _single(values: npt.ArrayLike) -> Numbers:
    return np.asarray(values, np.float32)


def _short(values: Numbers, axis: int) -> tuple[Numbers, Numbers]:
    """Return numbers as 16 bits each, in units that fit the largest along an axis."""
    largest = np.abs(values).max(axis=axis, initial=0.0)
    unit = _single(largest / _LARGEST)
    whole = values / np.expand_dims(np.where(unit > 0.0, unit, 1.0), axis)
    return np.round(whole).astype(np.int16), unit


def _rounded(values: Numbers) -> Numbers:
    """Return numbers whose last bits are zeros, which take no room once they are compressed."""
    part, exponent = np.frexp(values)
    scale = float(2**_BITS)
    return _single(np.ldexp(np.round(part * scale) / scale, exponent))


def _turns(phases: Numbers) -> Numbers:
    """Return angles as 16 bits: a turn has 65536 steps."""
    steps = np.round(phases * (_TURN / (2.0 * np.pi)))
    return np.asarray(steps.astype(np.int64) % _TURN).astype(np.uint16)


def _scales(draws: Carriable) -> dict[str, Numbers]:
    """Return the standardized values of all scales, and their costs, one scale after the other."""
    scales = draws.scales
    sizes = [len(scale.knots) for scale in scales]
    return {
        "scale_ends": np.cumsum([0, *sizes]).astype(np.int32),
        "knots": np.concatenate([scale.knots for scale in scales]),
        "costs": np.concatenate([scale.costs for scale in scales]),
    }


def _way_back(draws: Carriable, constant: Ints) -> dict[str, Any]:
    """Return how standardized values become the objective: as `Scale.back` and `in_units` do."""
    belief = draws.belief
    place = np.cumsum(draws.constant) - 1
    limits = draws.limits
    return {
        "reach": [scale.reach(limits) for scale in draws.scales],
        "scale": draws.scale_of_each.tolist(),
        "noise": [f.parameters.noise for f in draws.functions],
        "grid": [GRID[0], GRID[-1], len(GRID)],
        "evaluation": [nodes.tolist() for nodes in EVALUATION],
        "limits": list(limits),
        "constant": draws.constant_costs[place[constant]].tolist(),
        "unit": belief.unit,
        "origin": belief.origin,
        "bounds": [
            float(end) if np.isfinite(end) else None for end in belief.bounds or (-np.inf, np.inf)
        ],
        "sign": draws.sign,
    }


def _probability(feasibility: Feasibility | None) -> dict[str, float] | None:
    """Return how a standardized label becomes the probability of a result."""
    if feasibility is None:
        return None
    if not feasibility.functions:
        return {"share": feasibility.rate, "spread": 0.0}
    share = feasibility.feasible / (feasibility.feasible + feasibility.infeasible)
    return {"share": share, "spread": float(np.sqrt(share * (1.0 - share)))}
