"""Functional ANOVA of a random forest: exact hyperparameter importance (Hutter et al. 2014).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
Θ          the search space with its measure, here the latent cube [0, 1)^d
ŷ          the prediction of a tree: constant on each leaf, a box of the cube
U          a set of hyperparameters
a_U        marginal prediction: ŷ averaged over all others (Theorem 6)
f_U        what a_U adds to the marginals of U's subsets (Eq. 4)
V_U / V    variance of f_U, as a share of that of ŷ (Eq. 6): the importance of U
=========  ============================================================================

Every number is worked out per tree, from its boxes; importance is the mean over trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hpo_explain import diagnostics
from hpo_explain._checks import check_count, check_direction, check_number, unknown_name
from hpo_explain.diagnostics import Trust
from hpo_explain.explainers._accepted import accepted_surrogate
from hpo_explain.explanations import Axis, FanovaImportance, LatentSpace
from hpo_explain.space import Array, CategoricalParameter, FloatParameter, SearchSpace
from hpo_explain.surrogates import ForestSurrogate, SupportsBoxes, Surrogate, TreeBoxes
from hpo_explain.surrogates._threads import in_parts
from hpo_explain.surrogates.box_sums import (
    Intervals,
    clip_worse,
    main_steps,
    mean_and_variance,
    pair_variances,
    restrict,
    squeeze,
    subset_variances,
    total_cost,
)

GRID = 40  # points of a marginal where there are more values
DISTILLED_ROWS = 2000


class FanovaExplainer:
    """Decomposes the variance of a forest over the search space.

    Parameters
    ----------
    forest : Surrogate
        A forest whose leaves are boxes (`SupportsBoxes`); any other surrogate is distilled into
        one, and the fidelity is reported.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective: a cap clips the worse side.
    n_trees : int, default 64
        Number of trees of a distilled forest.
    seed : int, default 0
        Seed of the distillation and of the activity shown.

    Raises
    ------
    ValueError
        If `forest` is no surrogate, or `direction` is unknown.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Theorem 6, Algorithm 2, Section 3.3.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(200, seed=1)
    >>> forest = hx.ForestSurrogate.fit(space, X, X[:, 0])
    >>> result = FanovaExplainer(forest).explain(order=2)
    >>> bool(result.share("x") > 0.95)
    True
    """

    def __init__(
        self,
        forest: Surrogate,
        *,
        direction: str = "minimize",
        n_trees: int = 64,
        seed: int = 0,
    ) -> None:
        if not isinstance(forest, Surrogate):
            raise ValueError(
                f"forest must be a surrogate, but was {type(forest).__name__}. Wrap a forest of "
                "scikit-learn with hpo_explain.ForestSurrogate(space, forest)."
            )
        self._model = accepted_surrogate(forest, "forest")
        self._direction = check_direction(direction)
        self._seed = seed
        self._space = forest.space
        self._fidelity: float | None = None
        boxes = forest.boxes() if isinstance(forest, SupportsBoxes) else None
        if boxes is None:
            forest, self._fidelity = _distill(forest, check_count("n_trees", n_trees), seed)
            boxes = forest.boxes()
        if boxes is None or not isinstance(forest, SupportsBoxes):  # a distilled forest has boxes
            raise ValueError(f"forest must be a surrogate, but was {forest!r}.")
        self._boxes = boxes
        self._ranks = forest.category_ranks()

    def explain(
        self,
        *,
        order: int = 1,
        cap: float | None = None,
        given: Mapping[str, Sequence[Any]] | None = None,
        most_pairs: float = 1e8,
        tried: Array | None = None,
    ) -> FanovaImportance:
        """Return the shares of variance of all sets of up to `order` hyperparameters.

        Parameters
        ----------
        order : int, default 1
            Size of the largest sets.
        cap : float, optional
            Objective at which predictions are clipped on the worse side.
        given : mapping of str to sequence, optional
            Sub-space: allowed values of categorical and integer hyperparameters, or ``(low, high)``
            of a real-valued one. A conditional hyperparameter named here is active, so its
            parents are restricted as well.
        most_pairs : float, default 1e8
            Total effects are worked out when they are first asked for, from every pair of leaves
            of a tree, some 20 ns each; not where all trees have more pairs than this.
        tried : ndarray of shape (n, d), optional
            Encoded rows of the observed trials, for plots.

        Returns
        -------
        FanovaImportance
            Mean and standard deviation over trees.

        Raises
        ------
        ValueError
            If `order` is larger than the number of hyperparameters, `cap` is no number, or `given`
            names something that is not in the space, or leaves nothing of it.
        """
        d = len(self._space)
        order = check_count("order", order)
        if order > d:
            raise ValueError(
                f"order must be at most the number of hyperparameters, {d}, but was {order}."
            )
        if cap is not None:
            cap = check_number("cap", cap)
        intervals = self._intervals({} if given is None else given)
        boxes = [self._prepared(b, cap, intervals) for b in self._boxes]
        members = [u for size in range(1, order + 1) for u in combinations(range(d), size)]
        rows = in_parts(
            lambda part: [_decompose(b, order, members) for b in boxes[part]],
            len(boxes),
            sum(len(b.value) for b in boxes),
        )
        variances = np.array([variance for variance, _ in rows])
        varying = variances > 0.0
        shares = np.array([shares for _, shares in rows])
        notes = ["standard deviations are over the trees of the forest"]
        if varying.any() and not varying.all():
            # a tree whose bootstrap missed what differs has no variance to share
            shares = shares[varying]
            constant = int((~varying).sum())
            are = "is constant and has" if constant == 1 else "are constant and have"
            notes.append(f"{constant} of {len(boxes)} trees {are} no shares")
        if self._fidelity is not None:
            notes.append(f"the model was distilled into a forest with R² = {self._fidelity:.3f}")
        if cap is not None:
            side = "above" if self._direction == "minimize" else "below"
            notes.append(f"predictions {side} {cap:.6g} count as {cap:.6g}")
        if total_cost(boxes) > most_pairs:
            notes.append(f"total effects are left out: {total_cost(boxes):.1e} pairs of leaves")
        return FanovaImportance(
            names=self._space.names,
            order=order,
            members=tuple(members),
            shares=shares,
            variances=variances,
            axes=tuple(self._axes(intervals, tried)),
            boxes=tuple(boxes),
            latent=LatentSpace(self._space, self._ranks, intervals),
            incumbent={},
            direction=self._direction,
            cap=cap,
            given=None if given is None else {name: list(v) for name, v in given.items()},
            fidelity=self._fidelity,
            most_pairs=most_pairs,
            trust=self._trust,
            notes=tuple(notes),
        )

    @cached_property
    def _trust(self) -> Trust:
        return diagnostics.trust(self._model)

    def _prepared(
        self, boxes: TreeBoxes, cap: float | None, intervals: dict[int, Intervals]
    ) -> TreeBoxes:
        if cap is not None:
            boxes = clip_worse(boxes, cap, self._direction)
        return restrict(boxes, intervals) if intervals else boxes

    # ------------------------------------------------------------------ the latent axes

    def _intervals(self, given: Mapping[str, Sequence[Any]]) -> dict[int, Intervals]:
        """Return the latent intervals of a sub-space."""
        if not isinstance(given, Mapping):
            raise ValueError(
                f"given must map hyperparameters to lists of values, but was {given!r}. "
                "Write {name: [value, ...]}."
            )
        from hpo_explain.surrogates._tree_boxes import activity_intervals

        intervals: dict[int, Intervals] = {}
        activity = activity_intervals(self._space, self._ranks)
        for name, values in given.items():
            if name not in self._space.names:
                raise ValueError(
                    "given: " + unknown_name("hyperparameter", name, self._space.names)
                )
            j = self._space.index(name)
            kept = list(values) if isinstance(values, Iterable) else []
            if isinstance(values, (str, bytes)) or not kept:
                raise ValueError(
                    f"given[{name!r}] must be a list of values, or (low, high) of a real-valued "
                    f"hyperparameter, but was {values!r}."
                )
            # only a hyperparameter that is active has a value
            for k, inside in [(j, self._latent_intervals(j, kept)), *activity[j].items()]:
                intervals[k] = _meet(intervals.get(k, [(0.0, 1.0)]), inside)
                if not intervals[k]:
                    raise ValueError(
                        f"given leaves nothing of the space: {name!r} is "
                        f"{self._space.condition_text(name)}, and {self._space.names[k]!r} has no "
                        "value left. Allow one of them, or leave one of the two out."
                    )
        return intervals

    def _latent_intervals(self, j: int, kept: list[Any]) -> Intervals:
        from hpo_explain.surrogates._tree_boxes import latent_interval

        parameter = self._space.parameters[j]
        share = parameter.optional or 1.0
        try:
            positions = parameter.encode(kept)
        except ValueError as error:
            raise ValueError(f"given: {error}") from None
        if isinstance(parameter, FloatParameter):
            if len(kept) != 2 or not positions[0] < positions[1]:
                raise ValueError(
                    f"given[{parameter.name!r}] must be (low, high) with low below high, "
                    f"but was {kept!r}: nothing of the space would be left."
                )
            if parameter.size is None:
                return [(share * float(positions[0]), share * float(positions[1]))]
            low = parameter.share_below(positions[:1] - 1e-7)[0]
            return [(share * float(low), share * float(parameter.share_below(positions[1:])[0]))]
        ranks = self._ranks.get(j)
        places = positions if ranks is None else ranks[positions.astype(int)]
        intervals = [latent_interval(self._space, j, float(p)) for p in np.unique(places)]
        return [(share * low, share * high) for low, high in intervals]

    def _axes(self, intervals: dict[int, Intervals], tried: Array | None) -> Iterable[Axis]:
        space = self._space
        rows = np.empty((0, len(space))) if tried is None else space.check_rows("tried", tried)
        sample = _sub_sample(space, self._latent_to_row, intervals, self._seed)
        activity = (~np.isnan(sample)).mean(axis=0)
        for j, parameter in enumerate(space.parameters):
            positions, latent = self._grid(j, intervals.get(j, [(0.0, parameter.optional or 1.0)]))
            if j in intervals:
                latent = squeeze(latent, intervals[j])
            yield Axis(
                grid=tuple(parameter.decode(positions)),
                latent=np.minimum(latent, 1.0 - 1e-12),
                log=getattr(parameter, "log", False),
                categorical=isinstance(parameter, CategoricalParameter),
                activity=float(activity[j]),
                parameter=parameter,
                tried_positions=rows[:, j],
            )

    def _grid(self, j: int, kept: Intervals) -> tuple[Array, Array]:
        """Return positions of a marginal's grid in latent intervals, and their latent values."""
        parameter = self._space.parameters[j]
        share = parameter.optional or 1.0
        if parameter.size is None:
            latent = _stretch(np.linspace(0.0, 1.0, GRID), kept)
            return latent / share, latent
        if isinstance(parameter, CategoricalParameter):
            positions = np.arange(parameter.size, dtype=float)
            latent = share * (self._ranks.get(j, positions) + 0.5) / parameter.size
        else:
            if parameter.size <= GRID:
                grid = parameter.grid()
                positions = np.zeros(1) if grid is None else grid[0]
            else:
                latent = _stretch((np.arange(GRID) + 0.5) / GRID, kept) / share
                positions = np.unique(parameter.from_latent(latent))
            middle = [np.mean(parameter.latent_interval(p, p)) for p in positions]
            latent = share * np.array(middle)
        inside = np.zeros(len(latent), dtype=bool)
        for low, high in kept:
            inside |= (low <= latent) & (latent <= high)
        return positions[inside], latent[inside]

    def _latent_to_row(self, U: Array) -> Array:
        """Return the configurations of latent points, whose categories are in the trees' order."""
        rows = self._space.from_latent(U)
        for j, ranks in self._ranks.items():
            order = np.argsort(ranks)
            active = ~np.isnan(rows[:, j])
            rows[active, j] = order[rows[active, j].astype(int)]
        return self._space.project(rows)


def _decompose(boxes: TreeBoxes, order: int, members: list[tuple[int, ...]]) -> tuple[float, Array]:
    """Return V and V_U / V of one tree (Algorithm 2)."""
    _, variance = mean_and_variance(boxes)
    d = len(boxes.first) - 1
    shares = np.zeros(len(members))
    if variance <= 0.0:
        return 0.0, shares
    shares[:d] = main_steps(boxes)[1]
    if order >= 2:
        shares[d : d + d * (d - 1) // 2] = pair_variances(boxes)[np.triu_indices(d, 1)]
    place = {u: i for i, u in enumerate(members)} if order >= 3 else {}
    for size in range(3, order + 1):
        for u, value in subset_variances(boxes, size).items():
            shares[place[tuple(sorted(u))]] = value
    # rounding: a share is never negative
    return variance, np.maximum(shares / variance, 0.0)


def _meet(first: Intervals, second: Intervals) -> Intervals:
    """Return the intervals that lie in one of the first and one of the second."""
    both = [(max(a, c), min(b, d)) for a, b in first for c, d in second]
    return sorted((low, high) for low, high in both if low < high)


def _distill(model: Surrogate, n_trees: int, seed: int) -> tuple[ForestSurrogate, float]:
    """Return a forest fitted to a model's mean over the space, and its R² with it elsewhere."""
    seeds = np.random.default_rng(seed).integers(2**31, size=2)
    space = model.space
    X = space.sample(DISTILLED_ROWS, seed=int(seeds[0]))
    forest = ForestSurrogate.fit(space, X, model.predict(X)[0], n_trees=n_trees, seed=seed)
    fresh = space.sample(DISTILLED_ROWS, seed=int(seeds[1]))
    truth = model.predict(fresh)[0]
    spread = float(np.sum((truth - truth.mean()) ** 2))
    missed = float(np.sum((truth - forest.predict(fresh)[0]) ** 2))
    return forest, 1.0 if spread == 0.0 else 1.0 - missed / spread


def _sub_sample(
    space: SearchSpace, to_row: Any, intervals: dict[int, Intervals], seed: int
) -> Array:
    """Return 2000 configurations of the sub-space."""
    U = np.random.default_rng(seed).random((2000, len(space)))
    for j, kept in intervals.items():
        U[:, j] = _stretch(U[:, j], kept)
    return np.asarray(to_row(U))


def _stretch(u: Array, kept: Intervals) -> Array:
    """Return numbers in [0, 1] spread evenly over intervals: the inverse of `squeeze`."""
    starts, ends = np.array(kept).T
    edges = np.concatenate([[0.0], np.cumsum(ends - starts)])
    scaled = u * edges[-1]
    which = np.clip(np.searchsorted(edges, scaled, side="right") - 1, 0, len(kept) - 1)
    return np.asarray(np.minimum(starts[which] + scaled - edges[which], ends[which]))
