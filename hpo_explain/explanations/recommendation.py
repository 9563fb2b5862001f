"""Where to search on: narrower ranges and no dominated categories, with the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain.explanations._format import format_value, join_words, plain_json
from hpo_explain.explanations._result import Shown
from hpo_explain.space import (
    Array,
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    Parameter,
    SearchSpace,
    category_index,
)
from hpo_explain.surrogates import TreeBoxes
from hpo_explain.surrogates._threads import n_threads
from hpo_explain.surrogates._tree_boxes import activity_intervals
from hpo_explain.surrogates.box_sums import (
    Intervals,
    clip_worse,
    marginal_prediction,
    restrict,
    slices,
    squeeze,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

GOOD = 0.25  # the good region where no cap was given: the best quarter of the space
_FLAT = 0.01  # of the range of predictions: within it of the best, a plateau
LITTLE = 0.1  # a value is given up below this share of the best value's gain
STDS = 2.0  # standard deviations over trees by which it must be below
FEW = 3  # a category tried less often is never called dominated
_DROPPED = "left out, because never active in the recommended space"
_SAMPLE = 2000
_LOOKUPS = 2e8  # rows times boxes: less rows where the forest is huge

Grid = tuple[tuple[Any, ...], Array]


@dataclass(frozen=True, eq=False)
class LatentSpace:
    """A search space, and where its values lie on the latent axes of an analysis.

    Attributes
    ----------
    space : SearchSpace
        The space.
    ranks : dict of int to ndarray
        For categorical columns the place of each category.
    kept : dict of int to list of tuple
        For columns that are restricted the latent intervals that are kept.
    """

    space: SearchSpace
    ranks: dict[int, Array] = field(default_factory=dict)
    kept: dict[int, Intervals] = field(default_factory=dict)

    def where_active(self, j: int) -> dict[int, Intervals]:
        """Return the latent intervals of j's ancestors in which j is active."""
        found = {}
        for ancestor, intervals in activity_intervals(self.space, self.ranks)[j].items():
            if ancestor == j:  # whether an optional one is there is up to itself
                continue
            if ancestor in self.kept:
                ends = squeeze(np.array(intervals, dtype=float), self.kept[ancestor])
                intervals = [(a, b) for a, b in ends.tolist() if b > a]
            found[ancestor] = intervals
        return found


@dataclass(frozen=True, eq=False)
class Evidence:
    """What was found about one hyperparameter.

    Attributes
    ----------
    hyperparameter : str
        Its name.
    before, after : str
        Its values, in the user's units.
    kept : float
        Share of its own measure that is kept.
    gain : float
        The most that any value given up gains over the good region's bound, as a share of what the
        best value gains; NaN where nothing was given up, and for categories.
    margin : float
        The least by which a category given up was worse than the best one, in the objective's
        units; NaN where none was.
    reason : str
        The same in words.
    """

    hyperparameter: str
    before: str
    after: str
    kept: float
    gain: float
    margin: float
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(Shown):
    """A search space with narrower ranges and without dominated categories.

    All of it is read off the forest, and no value of the incumbent is given up.

    *Numbers.* The gain of a value is what the forest's prediction is better than the bound of the
    good region, averaged over all other hyperparameters, with 0 where it is worse (an exact
    marginal of each capped tree). The bound is the cap of the analysis, else the best quarter of
    the space, or the median of the rest where more than that is equally good. A value is given up
    if its gain is below a tenth of that of the best value by more than two standard deviations
    over the trees. The range runs from the first to the last value that stays, one grid point
    further where values are continuous.

    *Categories.* A category is dominated if it is the best one at none of up to 2000 points of the
    other hyperparameters, and on average over them worse than the best one by more than two
    standard deviations over the trees. Points at which all categories are equal do not count, and
    one tried fewer than three times is never dominated.

    A conditional hyperparameter is judged where it is active. What could only be active for
    categories given up is left out of the space.

    Attributes
    ----------
    space : SearchSpace
        The recommended space, a part of the analysed one.
    rows : tuple of Evidence
        One per hyperparameter.
    bound : float
        The bound of the good region, in the objective's units.
    objective_name, direction : str
        What the objective is called, and which way is better.
    notes : tuple of str
        What was assumed.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Section 5 (dominated values), Section 3.3 (good regions).

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(300, seed=1)
    >>> run = hx.Run(space, X, (X[:, 0] - 0.2) ** 2, "minimize")
    >>> narrower = hx.importance(run).recommended_space().space
    >>> narrower["x"].high < 0.6, narrower["y"].high
    (True, 1.0)
    """

    space: SearchSpace
    rows: tuple[Evidence, ...]
    bound: float
    objective_name: str = "objective"
    direction: str = "minimize"
    notes: tuple[str, ...] = ()

    @property
    def evidence(self) -> pd.DataFrame:
        """One row per hyperparameter: before, after, kept, gain, margin, reason."""
        import pandas as pd

        return pd.DataFrame([row.__dict__ for row in self.rows]).set_index("hyperparameter")

    def to_frame(self) -> pd.DataFrame:
        """Return `evidence`."""
        return self.evidence

    @property
    def sentence(self) -> str:
        """One sentence that says what is given up."""
        narrowed = [row.hyperparameter for row in self.rows if row.kept < 1.0]
        if not narrowed:
            return f"For a better {self.objective_name} no value can be given up safely."
        left = float(np.prod([row.kept for row in self.rows]))
        return (
            f"For a better {self.objective_name} the search can leave out values of "
            f"{join_words(narrowed)}: {left:.2g} of the space remains."
        )

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the share of each hyperparameter's values that is kept; return the axes."""
        from hpo_explain.plotting.recommendation import plot_recommendation

        return plot_recommendation(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        return {
            "space": [
                {"kind": type(p).__name__, **plain_json(p.__dict__)} for p in self.space.parameters
            ],
            "evidence": [plain_json(row.__dict__) for row in self.rows],
            "bound": self.bound,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def recommend(
    latent: LatentSpace,
    boxes: Sequence[TreeBoxes],
    *,
    grids: Sequence[Grid],
    tried: Sequence[Sequence[Any]],
    incumbent: Mapping[str, Any],
    cap: float | None,
    given: Mapping[str, Sequence[Any]] | None,
    direction: str,
    objective_name: str,
    seed: int = 0,
) -> Recommendation:
    """Return the recommended space; the rule is that of :class:`Recommendation`.

    Parameters
    ----------
    latent : LatentSpace
        The space and its latent axes.
    boxes : sequence of TreeBoxes
        The trees.
    grids : sequence of (tuple, ndarray)
        For each hyperparameter values and their latent values.
    tried : sequence of sequence
        For each hyperparameter its values in the observed trials.
    incumbent : mapping
        The incumbent; empty if there is none.
    cap : float or None
        The objective at which `boxes` were clipped.
    given : mapping or None
        The sub-space of the analysis.
    direction : {"minimize", "maximize"}
        Which way is better.
    objective_name : str
        What the objective is called.
    seed : int, default 0
        Seed of the points.

    Returns
    -------
    Recommendation
        The space and the evidence.
    """
    sign = 1.0 if direction == "minimize" else -1.0
    n = int(np.clip(_LOOKUPS / sum(len(b.value) for b in boxes), 200, _SAMPLE))
    U = np.random.default_rng(seed).random((n, len(latent.space)))
    everywhere = _along(boxes, U, -1, np.zeros(1)).mean(axis=0)
    bound = cap if cap is not None else sign * _good(sign * everywhere)
    parameters: list[Parameter] = []
    rows = []
    for j, parameter in enumerate(latent.space.parameters):
        intervals = latent.where_active(j)
        part = boxes
        # where nothing activates it in the sub-space, nothing is known about it
        known = all(intervals.values())
        if intervals and known:
            part = [restrict(b, intervals) for b in boxes]
        whole = _within(parameter, (given or {}).get(parameter.name))
        kept, gain, margin = np.ones(len(grids[j][0]), dtype=bool), np.nan, np.nan
        if known and isinstance(parameter, CategoricalParameter):
            enough = _often_enough(parameter, grids[j][0], tried[j], incumbent)
            kept, margin = _not_dominated(part, U, j, grids[j][1], sign, enough)
        elif known:
            kept, gain = _worth_it(part, j, grids[j][1], bound, direction)
        narrower = _narrow(whole, grids[j][0], kept, incumbent.get(parameter.name))
        if narrower == whole:
            gain, margin = np.nan, np.nan
        parameters.append(narrower)
        rows.append(_row(parameter, whole, narrower, gain, margin, objective_name))
    kept_parameters, dropped = _still_possible(parameters)
    for i, row in enumerate(rows):
        if row.hyperparameter in dropped:
            rows[i] = replace(row, after="", kept=1.0, gain=np.nan, margin=np.nan, reason=_DROPPED)
    notes = [f"the good region: {objective_name} better than {bound:.6g}"]
    if dropped:
        notes.append(f"{_DROPPED}: {join_words(dropped)}")
    if not incumbent:
        notes.append("no incumbent is known, so none was protected")
    return Recommendation(
        space=SearchSpace(kept_parameters),
        rows=tuple(rows),
        bound=bound,
        objective_name=objective_name,
        direction=direction,
        notes=tuple(notes),
    )


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
    boxes: Sequence[TreeBoxes], j: int, points: Array, bound: float, direction: str
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


def _often_enough(
    parameter: CategoricalParameter,
    values: Sequence[Any],
    tried: Sequence[Any],
    incumbent: Mapping[str, Any],
) -> npt.NDArray[np.bool_]:
    """Return which categories were tried often enough to be judged, the incumbent's apart."""
    counts = np.bincount(parameter.codes(parameter.encode(tried)), minlength=parameter.size)
    enough = counts[parameter.codes(parameter.encode(values))] >= FEW
    if parameter.name in incumbent:
        own = category_index(values, incumbent[parameter.name])
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
    return _between(parameter, min(given), max(given))


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
    low = parameter.low if first <= 0 else values[first]
    high = parameter.high if last >= len(values) - 1 else values[last]
    if own is not None and parameter.low <= own <= parameter.high:
        low, high = min(low, own), max(high, own)
    return _between(parameter, low, high)


def _between(parameter: FloatParameter | IntParameter, low: Any, high: Any) -> Parameter:
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


# ---------------------------------------------------------------------- in words


def _row(
    parameter: Parameter,
    whole: Parameter,
    narrower: Parameter,
    gain: float,
    margin: float,
    objective_name: str,
) -> Evidence:
    reason = "no value can be given up safely"
    if narrower != whole and isinstance(narrower, CategoricalParameter):
        gone = [c for c in whole.choices if category_index(narrower.choices, c) is None]  # type: ignore[union-attr]
        reason = (
            f"{join_words([format_value(c) for c in gone])} never best anywhere: worse than the "
            f"best by {margin:.3g} in {objective_name} or more"
        )
    elif narrower != whole:
        reason = f"outside, at most {gain:.0%} of what the best value gains"
    return Evidence(
        hyperparameter=parameter.name,
        before=_values(whole),
        after=_values(narrower),
        kept=_measure(whole, narrower),
        gain=gain,
        margin=margin,
        reason=reason,
    )


def _values(parameter: Parameter) -> str:
    if isinstance(parameter, CategoricalParameter):
        return "{" + ", ".join(map(format_value, parameter.choices)) + "}"
    return f"[{format_value(parameter.low)}, {format_value(parameter.high)}]"


def _measure(whole: Parameter, part: Parameter) -> float:
    """Return the share of a hyperparameter's measure that a part of it has."""
    if isinstance(whole, CategoricalParameter) or isinstance(part, CategoricalParameter):
        return (part.size or 0) / (whole.size or 1)
    ends = whole.encode([part.low, part.high])
    if isinstance(whole, FloatParameter) and whole.size is None:
        return float(ends[1] - ends[0])
    below, above = whole.share_below(np.array([ends[0] - 1e-7, ends[1] + 1e-7]))
    return float(above - below)
