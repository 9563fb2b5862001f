"""The recommended search space: what a forest says can be left out (Hutter et al. 2014).

*Numbers.* The gain of a value is what the forest's prediction is better than the bound of the good
region, averaged over all other hyperparameters, with 0 where it is worse (an exact marginal of
each capped tree). The bound is the cap of the analysis, else the best quarter of the space, or the
median of the rest where more than that is equally good. A value is given up if its gain is below a
tenth of that of the best value by more than two standard deviations over the trees. The range runs
from the first to the last value that stays, one grid point further where values are continuous.

*Categories.* A category is dominated if it is the best one at none of up to 2000 points of the
other hyperparameters, and on average over them worse than the best one by more than two standard
deviations over the trees. Points at which all categories are equal do not count, and one tried
fewer than three times is never dominated.

A conditional hyperparameter is judged where it is active. What could only be active for categories
given up is left out of the space. No value of the incumbent is given up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.explainers._latent_forest import LatentForest
from hpo_explain.explanations import Evidence, Recommendation, Subject
from hpo_explain.facts import Fact, fact
from hpo_explain.options import Direction
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    Parameter,
    SearchSpace,
    category_index,
)
from hpo_explain.surrogates import Surrogate, TreeBoxes
from hpo_explain.surrogates._threads import n_threads
from hpo_explain.surrogates.box_sums import clip_worse, marginal_prediction, restrict, slices

GOOD = 0.25  # the good region where no cap was given: the best quarter of the space
_FLAT = 0.01  # of the range of predictions: within it of the best, a plateau
LITTLE = 0.1  # a value is given up below this share of the best value's gain
STDS = 2.0  # standard deviations over trees by which it must be below
FEW = 3  # a category tried less often is never called dominated, nor a number given up
_NEAR = 0.05  # of its own scale: so far away a trial says something about a number
_SAMPLE = 2000
_LOOKUPS = 2e8  # rows times boxes: less rows where the forest is huge
_POINTS_SEED = 0  # the points are the same whatever the seed of the forest


class RecommendedSpaceExplainer:
    """Recommends a narrower search space: what may be given up, with the evidence.

    Parameters
    ----------
    forest, direction, n_trees, seed
        As of :class:`FanovaExplainer`.
    subject : Subject, optional
        What is explained, such as ``Subject.of(run)``. Its incumbent stays in the space; its
        tried configurations tell how often each category and number was tried: what was hardly
        tried is not given up. Without them no category is left out.

    Raises
    ------
    ValueError
        If `forest` is not a surrogate, or `direction` is unknown.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 5 (dominated values), Section 3.3 (good regions).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(300, seed=1)
    >>> forest = hx.ForestSurrogate.fit(space, X, (X[:, 0] - 0.2) ** 2)
    >>> narrower = RecommendedSpaceExplainer(forest).explain().space
    >>> narrower["x"].high < 0.6, narrower["y"].high
    (True, 1.0)
    """

    def __init__(
        self,
        forest: Surrogate,
        *,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        n_trees: int = 64,
        seed: int = 0,
    ) -> None:
        self._forest = LatentForest.of(
            forest, direction=direction, subject=subject, n_trees=n_trees, seed=seed
        )

    def explain(
        self, *, cap: float | None = None, given: Mapping[str, Sequence[Any]] | None = None
    ) -> Recommendation:
        """Return the recommended space.

        Parameters
        ----------
        cap : float, optional
            Bound of the good region, in the objective's units.
        given : mapping of str to sequence, optional
            Sub-space to start from, as in :meth:`FanovaExplainer.explain`.

        Returns
        -------
        Recommendation
            A valid search space, and the evidence for each change.

        Raises
        ------
        ValueError
            As in :meth:`FanovaExplainer.explain`.
        """
        forest = self._forest.within(cap, given)
        subject, boxes, sign = forest.subject, forest.boxes, forest.sign
        n = int(np.clip(_LOOKUPS / sum(len(b.value) for b in boxes), 200, _SAMPLE))
        U = np.random.default_rng(_POINTS_SEED).random((n, len(forest.space)))
        everywhere = _along(boxes, U, -1, np.zeros(1)).mean(axis=0)
        bound = forest.cap if forest.cap is not None else sign * _good(sign * everywhere)
        parameters: list[Parameter] = []
        rows = []
        for j, parameter in enumerate(forest.space.parameters):
            where = forest.where_active(j)
            part = boxes
            # where nothing activates it in the sub-space, nothing is known about it
            known = all(where.values())
            if where and known:
                part = tuple(restrict(b, where) for b in boxes)
            values, points = forest.grid(j)
            whole = _within(parameter, forest.given.get(parameter.name))
            kept, gain, margin = np.ones(len(values), dtype=bool), np.nan, np.nan
            if known and isinstance(parameter, CategoricalParameter):
                enough = _often_enough(parameter, j, values, subject)
                kept, margin = _not_dominated(part, U, j, points, sign, enough)
            elif known:
                kept, gain = _worth_it(part, j, points, bound, subject.direction)
                # trees agree with each other where they extrapolate
                kept = kept | ~_tried(parameter, j, values, subject)
            narrower = _narrow(whole, values, kept, subject.incumbent.get(parameter.name))
            if narrower == whole:
                gain, margin = np.nan, np.nan
            parameters.append(narrower)
            rows.append(_row(whole, narrower, gain, margin, subject.objective_name))
        possible, dropped = _still_possible(parameters)
        for i, row in enumerate(rows):
            if row.hyperparameter in dropped:
                rows[i] = replace(
                    row, after=(), kept=1.0, gain=np.nan, margin=np.nan, reason=fact("never_active")
                )
        return Recommendation(
            subject=subject,
            space=SearchSpace(possible),
            rows=tuple(rows),
            bound=bound,
            notes=(*_notes(subject, bound, dropped), *forest.notes),
        )


def _notes(subject: Subject, bound: float, dropped: list[str]) -> list[Fact]:
    notes = [fact("good_region", objective=subject.objective_name, bound=bound)]
    if dropped:
        notes.append(fact("never_active", names=dropped))
    if not subject.incumbent:
        notes.append(fact("no_incumbent_kept"))
    return notes


# ---------------------------------------------------------------------- the rules


def _good(costs: Array) -> float:
    """Return the cost below which the good region lies.

    Where the best of the space is a plateau, nothing is gained within it: the region is all of it,
    and what is gained there is measured from the middle of the rest.
    """
    bound, best = float(np.quantile(costs, GOOD)), float(costs.min())
    plateau = costs <= best + _FLAT * np.ptp(costs)
    if bound > costs[plateau].max() or plateau.all():
        return bound
    return float(np.median(costs[~plateau]))


def _along(boxes: Sequence[TreeBoxes], U: Array, j: int, points: Array) -> Array:
    """Return the trees' values at rows with column j replaced, (trees, n, G)."""
    with ThreadPoolExecutor(max_workers=n_threads()) as pool:
        return np.array(list(pool.map(lambda b: slices(b, U, j, points), boxes)))


def _worth_it(
    boxes: Sequence[TreeBoxes], j: int, points: Array, bound: float, direction: Direction
) -> tuple[npt.NDArray[np.bool_], float]:
    """Return which values gain enough, and the largest gain of the others, relative to the best."""
    clipped = [clip_worse(b, bound, direction) for b in boxes]
    gain = np.abs(bound - np.array([marginal_prediction(b, [j], [points]) for b in clipped]))
    mean = gain.mean(axis=0)
    best = int(np.argmax(mean))
    if mean[best] <= 0.0:
        return np.ones(len(points), dtype=bool), np.nan
    short = LITTLE * gain[:, [best]] - gain
    kept = short.mean(axis=0) - STDS * short.std(axis=0) <= 0.0
    return kept, float(mean[~kept].max() / mean[best]) if not kept.all() else np.nan


def _not_dominated(
    boxes: Sequence[TreeBoxes],
    U: Array,
    j: int,
    points: Array,
    sign: float,
    enough: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.bool_], float]:
    """Return which categories are not dominated, and the least margin of those that are."""
    costs = sign * _along(boxes, U, j, points)
    mean = costs.mean(axis=0)
    differ = np.ptp(mean, axis=1) > 0.0
    if not differ.any():
        return np.ones(len(points), dtype=bool), np.nan
    margins = (mean - mean.min(axis=1, keepdims=True))[differ].min(axis=0)
    marginal = costs.mean(axis=1)
    behind = marginal - marginal[:, [int(np.argmin(marginal.mean(axis=0)))]]
    clear = behind.mean(axis=0) > STDS * behind.std(axis=0)
    dominated = (margins > 0.0) & clear & enough
    return ~dominated, float(margins[dominated].min()) if dominated.any() else np.nan


def _tried(
    parameter: Parameter, j: int, values: Sequence[Any], subject: Subject
) -> npt.NDArray[np.bool_]:
    """Return near which numbers enough was tried to give them up; all where no trial is known."""
    if subject.tried is None:
        return np.ones(len(values), dtype=bool)
    distance = np.abs(parameter.encode(values)[:, None] - subject.tried[None, :, j])
    return np.asarray((distance <= _NEAR).sum(axis=1) >= FEW)


def _often_enough(
    parameter: CategoricalParameter, j: int, values: Sequence[Any], subject: Subject
) -> npt.NDArray[np.bool_]:
    """Return which categories were tried often enough to be judged, the incumbent's apart."""
    column = np.empty(0) if subject.tried is None else subject.tried[:, j]
    codes = parameter.codes(column[~np.isnan(column)])
    counts = np.bincount(codes, minlength=parameter.size)
    enough = counts[parameter.codes(parameter.encode(values))] >= FEW
    if parameter.name in subject.incumbent:
        own = category_index(values, subject.incumbent[parameter.name])
        if own is not None:
            enough[own] = False
    return np.asarray(enough)


# ---------------------------------------------------------------------- spaces


def _within(parameter: Parameter, given: Sequence[Any] | None) -> Parameter:
    """Return a hyperparameter in a sub-space."""
    if given is None:
        return parameter
    if isinstance(parameter, CategoricalParameter):
        choices = [c for c in parameter.choices if category_index(list(given), c) is not None]
        return replace(parameter, choices=choices)
    return replace(parameter, low=min(given), high=max(given))


def _narrow(
    parameter: Parameter, values: Sequence[Any], kept: npt.NDArray[np.bool_], own: Any
) -> Parameter:
    """Return a hyperparameter with the values that stay, the incumbent's own among them."""
    if kept.all() or not kept.any():
        return parameter
    stay = [value for value, keep in zip(values, kept, strict=True) if keep]
    if isinstance(parameter, CategoricalParameter):
        choices = [c for c in parameter.choices if category_index(stay, c) is not None]
        return replace(parameter, choices=choices)
    places = np.flatnonzero(kept)
    # between the values that are shown there are others, which are not known to be worth nothing
    beyond = 0 if parameter.size == len(values) else 1
    first, last = places[0] - beyond, places[-1] + beyond
    low: Any = parameter.low if first <= 0 else values[first]
    high: Any = parameter.high if last >= len(values) - 1 else values[last]
    if own is not None and parameter.low <= own <= parameter.high:
        low, high = min(low, own), max(high, own)
    return replace(parameter, low=low, high=high)


def _still_possible(parameters: Sequence[Parameter]) -> tuple[list[Parameter], list[str]]:
    """Return hyperparameters whose conditions can be met, and the names of the others."""
    left = list(parameters)
    while True:
        values = {p.name: p for p in left}
        checked = [_conditions_within(p, values) for p in left]
        found = [p for p in checked if p is not None]
        if len(found) == len(left):
            names = {p.name for p in found}
            return found, [p.name for p in parameters if p.name not in names]
        left = found


def _conditions_within(parameter: Parameter, parents: Mapping[str, Parameter]) -> Parameter | None:
    """Return a hyperparameter whose conditions name possible values only; None if there are none.

    A condition that is always met is kept: it says the same, and the space stays recognizable.
    """
    conditions = {}
    for name, values in (parameter.active_when or {}).items():
        possible = [v for v in values if name in parents and _has(parents[name], v)]
        if not possible:
            return None
        conditions[name] = possible
    return replace(parameter, active_when=conditions) if conditions else parameter


def _has(parameter: Parameter, value: Any) -> bool:
    if isinstance(parameter, CategoricalParameter):
        return category_index(parameter.choices, value) is not None
    return bool(parameter.low <= value <= parameter.high)


# ---------------------------------------------------------------------- evidence


def _row(
    whole: Parameter, narrower: Parameter, gain: float, margin: float, objective_name: str
) -> Evidence:
    before, after = _values(whole), _values(narrower)
    if narrower == whole:
        reason = fact("nothing_given_up")
    elif isinstance(narrower, CategoricalParameter):
        gone = tuple(c for c in before if category_index(after, c) is None)
        reason = fact("never_best", categories=gone, margin=margin, objective=objective_name)
    else:
        reason = fact("little_gain", gain=gain)
    return Evidence(
        hyperparameter=whole.name,
        before=before,
        after=after,
        kept=_measure(whole, narrower),
        gain=gain,
        margin=margin,
        reason=reason,
    )


def _values(parameter: Parameter) -> tuple[Any, ...]:
    if isinstance(parameter, CategoricalParameter):
        return tuple(parameter.choices)
    return parameter.low, parameter.high


def _measure(whole: Parameter, part: Parameter) -> float:
    """Return the share of a hyperparameter's measure that a part of it has."""
    if isinstance(whole, CategoricalParameter) or isinstance(part, CategoricalParameter):
        return (part.size or 0) / (whole.size or 1)
    ends = whole.encode([part.low, part.high])
    if isinstance(whole, FloatParameter) and whole.size is None:
        return float(ends[1] - ends[0])
    below, above = whole.share_below(np.array([ends[0] - 1e-7, ends[1] + 1e-7]))
    return float(above - below)
