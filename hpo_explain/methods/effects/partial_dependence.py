"""Partial dependence with model uncertainty (Moosbauer et al. 2021).

===========  ==========================================================================
symbol       meaning
===========  ==========================================================================
λ_S          the hyperparameters of interest, one or two; λ_C all others
m̂, ŝ²        posterior mean and variance of the surrogate, observation noise excluded
ĉ_S(λ_S)     partial dependence: the average of m̂(λ_S, λ_C) over a sample of λ_C (Eq. 3)
ŝ_S²(λ_S)    its variance: ``1ᵀ K̂(λ_S) 1 / n²`` of the average (Eq. 4, "covariance"), or the
             average ``Σ_i K̂(λ_S)_ii / n`` of pointwise ones (Eq. 5, "average")
===========  ==========================================================================

In a hierarchical space (Appendix B) the sample holds only configurations in which λ_S is active,
and at each value of a parent only the valid ones are averaged (Eq. 7 and 8). The rows of a drawn
sample are latent: hyperparameters that another value of a parent activates have a value, so all
rows are valid. A configuration given by the user has values of what is active in it alone; where
the parent's value activates something else, or less, it is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    VARIANCES,
    Direction,
    Fact,
    InputError,
    Option,
    Subject,
    Variance,
    check_count,
    check_flag,
    check_name,
    check_option,
    check_seed,
    fact,
    one_blas_thread,
    shows_progress,
    steps,
)
from hpo_explain.belief import PROBABLE, as_draws
from hpo_explain.methods._engines.effect_kinds import (
    Attainable,
    AverageEffect,
    attainable,
    on_axes,
)
from hpo_explain.methods._engines.effect_result import Effect
from hpo_explain.methods._engines.rows_at import (
    about_names,
    are_latent,
    at_value,
    checked_sample,
    codes_of,
    composed,
    highest,
    inactive_error,
    may_be_active,
    one_or_two,
)
from hpo_explain.methods._engines.sub_space import Given, SubSpace
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences
from hpo_explain.models import SupportsBoxes, SupportsJoint, Surrogate
from hpo_explain.models._tree_boxes import activity_intervals, excluded_pair
from hpo_explain.models.box_sums import marginal_prediction, restrict
from hpo_explain.question import Explained, accepted_surrogate
from hpo_explain.space import Array, Bools, SearchSpace

_GRID_ROWS = 10_000  # of the grid and the sample at which draws are looked at
_FEWEST_ROWS = 32
_FEASIBLE_ROWS = 300  # at which it is asked what is feasible
_DRAWS = 64  # times the sample that is drawn in search of active configurations
Grid = Literal["tried"] | Mapping[str, Sequence[Any]]
"""Where effects are looked at: the values tried, or values of one's own by hyperparameter."""

_COUNTED = 100_000  # values of a hyperparameter that are looked through one by one


class PartialDependenceExplainer:
    """Averages a surrogate over the space, for one or two hyperparameters.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    sample : int or ndarray of shape (n, d), default 1000
        The sample of λ_C: a number of rows (one Latin hypercube), or encoded rows. Rows that are
        valid with a value inserted are averaged (Eq. 8).
    grid_size : int, default 20
        Number of grid points, at least 2, of a hyperparameter with more values; equidistant on its
        own scale.
    grid : "tried" or mapping of str to sequence, optional
        The values of the trials, or your own values by hyperparameter, in place of the default
        grid.
    variance : {"average", "covariance"}, default "average"
        Eq. 5, or Eq. 4 for surrogates with a joint posterior.
    attainable : bool, default False
        Whether to search the best over all others at each value, too (for one hyperparameter).
    feasible : callable, optional
        Function from encoded rows (n, d) to probabilities of being feasible (n,), such as that of
        ``run.feasibility()``. Values without feasible configurations are not called the best.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        Names, the incumbent and the tried configurations, such as ``Subject.of(run)``; by default
        made from the surrogate and `direction`.
    space : SearchSpace, optional
        The search space, for a model of your own.
    given : mapping of str to sequence, optional
        Sub-space, as in `FanovaExplainer.explain`. The average, the grid and the tried values are
        restricted to it.
    seed : int, default 0
        Seed of the sample.

    Raises
    ------
    ValueError
        If an option is unknown or out of range, a value of the `grid` is impossible, the grid is
        empty, the sample is outside the space, `given` leaves nothing of it, or the surrogate for
        "covariance" has no joint posterior.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Eq. 3 to 5, Appendix B. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 2.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, X[:, 0] + X[:, 1])
    >>> effect = PartialDependenceExplainer(surrogate, sample=100, grid_size=5).explain("x")
    >>> effect.grid
    (0.0, 0.5, 1.0, 1.5, 2.0)
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        sample: int | npt.ArrayLike = 1000,
        grid_size: int = 20,
        grid: Grid | None = None,
        variance: Variance = "average",
        attainable: bool = False,
        feasible: Callable[[Array], Array] | None = None,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        space: SearchSpace | None = None,
        given: Given | None = None,
        seed: int = 0,
    ) -> None:
        surrogate = accepted_surrogate(surrogate, space=space)
        self._surrogate = surrogate
        self._space = surrogate.space
        self._part = SubSpace.of(self._space, given)
        self._whole = Explained.of(surrogate, direction).completed(subject)
        self._subject = self._part.of_subject(self._whole)
        self._grid_size = check_count("grid_size", grid_size, minimum=2)
        self._grid = _checked_grid(self._space, grid)
        self._variance = check_option("variance", variance, VARIANCES)
        self._attainable = check_flag("attainable", attainable)
        self._feasible = feasible
        self._seed = check_seed(seed)
        self._boxes, self._ranks = None, dict[int, Array]()
        if isinstance(surrogate, SupportsBoxes):
            self._boxes = surrogate.boxes()
            self._ranks = surrogate.category_ranks()
        joint = isinstance(surrogate, SupportsJoint) or self._boxes is not None
        if variance == "covariance" and not joint:
            raise InputError(
                "variance",
                "is 'covariance', which needs a joint posterior (SupportsJoint) or trees "
                f"(ForestSurrogate), but {type(surrogate).__name__} has neither",
                variance,
                ("Use ", Option("variance", "average"), "."),
            )
        self._rows_given: Array | None = None
        self._size, self._latent = 0, True
        self._draws = as_draws(surrogate, self._subject.direction, seed=self._seed)
        if np.ndim(sample) == 0:
            self._size = check_count("sample", sample)
        else:
            self._rows_given = checked_sample(self._space, sample)
            self._latent = are_latent(self._space, self._rows_given)

    @shows_progress
    def explain(self, names: str | Sequence[str]) -> AverageEffect:
        """Return the partial dependence on one or two hyperparameters.

        Parameters
        ----------
        names : str or pair of str
            The hyperparameters λ_S.

        Returns
        -------
        AverageEffect
            Curve or surface, its uncertainty, and the averaged curves.

        Raises
        ------
        NothingToExplain
            If two hyperparameters are never active together.
        ValueError
            If a name is unknown, there are not one or two different names, one is inactive in the
            whole sample, or a forest has no exact marginal for "covariance".
        """
        return self.effect_and_rows(names)[0]

    def effect_and_rows(
        self, names: str | Sequence[str], fewest: int = _FEWEST_ROWS
    ) -> tuple[AverageEffect, Array, Array]:
        """Return the partial dependence, the latent rows of the sample, and its curves in draws.

        Draws are looked at at `fewest` rows of it, or more where the grid is small: (k, m, G).
        """
        with one_blas_thread():  # the last digits of sums depend on it
            space, is_drawn = self._space, self._draws is self._surrogate
            wanted = one_or_two(space, names)
            members = [space.index(name) for name in wanted]
            if self._part.given and (len(members) == 1 or excluded_pair(space, *members) is None):
                # else it says why there is nothing
                self._part.where_active(members)
            positions = [self._positions(j, len(members)) for j in members]
            shape = tuple(len(p) for p in positions)
            values = _points(positions)
            few = max(fewest, _GRID_ROWS // len(values))
            rows = self._rows(members, few if is_drawn else self._size)
            curves = self._in_draws(rows if is_drawn else rows[:few], members, values)
            of_draws = averaged(curves, axis=1)
            if is_drawn:
                ice_mean, ice_std = curves.mean(axis=0), curves.std(axis=0)
                std = of_draws.std(axis=0)
            else:
                ice_mean, ice_std = self._predicted(rows, members, values)
            if self._variance == "average":
                std = averaged(ice_std**2) ** 0.5
            elif not is_drawn:
                std = self._std_of_mean(rows, members, values)
            mean, std = averaged(ice_mean).reshape(shape), std.reshape(shape)
            by_tree = self._exact(members, positions)
            if len(by_tree):
                mean = by_tree.mean(axis=0)
            if len(by_tree) and self._variance == "covariance":
                std = by_tree.std(axis=0)
            # fewer rows, and so many draws, have another mean
            of_draws = np.moveaxis(of_draws.reshape(-1, *shape), 0, -1)
            of_draws = of_draws + (mean - of_draws.mean(axis=-1))[..., None]
            some = rows[:_FEASIBLE_ROWS]
            feasible = highest(space, self._feasible, some, members, positions, latent=self._latent)
            effect = AverageEffect(
                **on_grid(self._whole, self._surrogate, members, positions, self._part),
                mean=mean,
                std=std,
                ice_mean=ice_mean.reshape(-1, *shape),
                ice_std=ice_std.reshape(-1, *shape),
                variance=self._variance,
                draws=of_draws,
                feasible=feasible,
                attainable=self._reached(members, positions[0], feasible),
                exact=len(by_tree) > 0,
                notes=self._notes(wanted, ice_mean, std, len(by_tree) > 0),
            )
            return effect, rows, curves[:, :few]

    def _in_draws(self, rows: Array, members: list[int], values: Array) -> Array:
        """Return the curves of rows in each function, (k, m, G); NaN where a row is not valid."""
        blocks = [
            (places, valid, self._draws.costs_at(z, members, values[places]))
            for places, valid, z in self._composed(rows, members, values)
        ]
        k = blocks[0][2].shape[1] if blocks else 1
        # in memory as a belief has them, by row: other orders take longer to copy and to average
        curves = np.full((len(rows), len(values), k), np.nan)
        for places, valid, costs in blocks:
            curves[valid, places] = self._draws.sign * costs.transpose(2, 0, 1)
        return curves.transpose(2, 0, 1)

    def _predicted(self, rows: Array, members: list[int], values: Array) -> tuple[Array, Array]:
        """Return m̂ and ŝ of rows, each (n, G); NaN where a row is not valid."""
        mean, std = np.full((2, len(rows), len(values)), np.nan)
        for places, valid, z in self._composed(rows, members, values):
            each = [self._surrogate.predict(at_value(z, members, at)) for at in values[places]]
            mean[valid, places], std[valid, places] = np.moveaxis(np.array(each), 0, 2)
        return mean, std

    def _positions(self, j: int, members: int) -> Array:
        """Return the positions of a grid: all values where there are few, else some of them."""
        parameter = self._space.parameters[j]
        own = self._own_positions(j)
        if own is not None:
            return own
        equidistant = np.linspace(*self._part.ends(j), self._grid_size)
        if parameter.size is None:
            return equidistant
        if parameter.is_category:
            codes = codes_of(self._subject, j, members)
            return codes[self._part.has(j, codes)]
        counted = parameter.size <= (_COUNTED if j in self._part.intervals else self._grid_size)
        grid = parameter.grid() if counted else None
        positions = np.unique(parameter.nearest(equidistant)) if grid is None else grid[0]
        left = positions[self._part.has(j, positions)]
        some = np.linspace(0, len(left) - 1, min(len(left), self._grid_size))
        return left[some.round().astype(int)]

    def _own_positions(self, j: int) -> Array | None:
        """Return the positions of the values tried, or of those given; None where none are."""
        name, tried = self._space.names[j], self._subject.tried
        if isinstance(self._grid, str):
            positions = tried[:, j] if len(tried) else np.empty(0)
        elif name in self._grid:
            positions = self._grid[name]
        else:
            return None
        positions = np.unique(positions[~np.isnan(positions)])
        positions = positions[self._part.has(j, positions)]
        if not len(positions):
            problem = f"has no value of {name}: none of those that are left was tried or given"
            raise InputError("grid", problem, self._grid, "Leave it out, or give values.")
        return positions

    def std_on(self, effect: Effect, rows: Array) -> Array:
        """Return ŝ_S of Eq. 4 at an effect's grid, of some rows of its sample alone."""
        members = [self._space.index(name) for name in effect.names]
        return self._std_of_mean(rows, members, _points(effect.positions)).reshape(
            effect.mean.shape
        )

    def _std_of_mean(self, rows: Array, members: list[int], values: Array) -> Array:
        """Return ŝ_S of Eq. 4 at the values; NaN of trees, whose marginals have it."""
        std = np.full(len(values), np.nan)
        if isinstance(self._surrogate, SupportsJoint):
            for places, _, z in self._composed(rows, members, values):
                at = values[places]
                std[places] = self._surrogate.std_of_mean(z, np.array(members), at)
        return std

    def _composed(
        self, rows: Array, members: list[int], values: Array
    ) -> Iterator[tuple[slice, Bools | slice, Array]]:
        """Yield grid points, which rows are valid there, and these as configurations.

        All at once, unless activity depends on the value (Eq. 8).
        """
        if not self._space.decides_activity(members):
            yield (
                slice(None),
                slice(None),
                self._space.project(at_value(rows, members, values[0])),
            )
            return
        for g, value in enumerate(values):
            z, valid = composed(self._space, rows, members, value, latent=self._latent)
            if valid.any():
                yield slice(g, g + 1), valid, z[valid]

    def _reached(
        self, members: list[int], positions: Array, feasible: Array | None
    ) -> Attainable | None:
        if not self._attainable or len(members) > 1:
            return None
        reached = attainable(
            self._draws,
            members[0],
            positions,
            self._subject.direction,
            feasible=self._allowed(members),
            seed=self._seed,
        )
        if feasible is None:
            return reached
        # where no trial is near, the classifier is undecided, and the search would go there
        able = feasible >= PROBABLE
        mean, std = (np.where(able, values, np.nan) for values in (reached.mean, reached.std))
        return replace(reached, mean=mean, std=std)

    def _allowed(self, members: list[int]) -> Callable[[Array], Array] | None:
        """Return the probability of being feasible, and in the part that is left."""
        part, feasible = self._part, self._feasible
        if not part.intervals:
            return feasible

        def allowed(X: Array) -> Array:
            inside = part.holds(X, free=members).astype(float)
            return inside if feasible is None else inside * feasible(X)

        return allowed

    def _exact(self, members: list[int], positions: list[Array]) -> Array:
        """Return each tree's marginal over all configurations in which the members are active.

        (trees, G) or (trees, G1, G2); none without trees, for a sample of the user's own, or where
        one member decides whether the other is active.
        """
        space, boxes = self._space, self._boxes
        if boxes is None:
            return np.empty(0)
        active = activity_intervals(space, self._ranks)
        optional = [j for j in members if space.parameters[j].optional < 1.0]
        ancestors = {k for j in members for k in active[j]}.difference(optional)
        decides = ancestors.intersection(members) or (len(members) == 2 and ancestors)
        if decides or self._rows_given is not None:
            if self._variance == "average":
                return np.empty(0)
            raise InputError(
                "variance",
                "is 'covariance', which for trees needs their exact marginals; there are none for "
                "a given sample, nor for a pair of which one decides whether the other is active",
                self._variance,
                ("Use ", Option("variance", "average"), ", or ", Option("sample", 1000), "."),
            )
        part = SubSpace.of(space, self._part.given, self._ranks).where_active(members)
        intervals = {k: ends for k, ends in part.intervals.items() if k not in members}
        intervals |= {j: active[j][j] for j in optional if j in active[j]}
        if intervals:
            boxes = tuple(restrict(b, intervals) for b in boxes)
        points = []
        for j, p in zip(members, positions, strict=True):
            places = self._ranks[j][p.astype(int)] if j in self._ranks else p
            parameter = space.parameters[j]
            latent = np.array([np.mean(parameter.latent_interval(p, p)) for p in places])
            points.append(np.minimum(latent, 1.0 - 1e-12))
        return np.stack([marginal_prediction(b, members, points) for b in boxes])

    def _rows(self, members: list[int], most: int) -> Array:
        """Return latent rows of the sample in which all members can be active, at most so many."""
        space = self._space
        if self._rows_given is not None:
            rows = self._rows_given[self._part.holds(self._rows_given, free=members)]
            rows = rows[may_be_active(space, rows, members)]
        else:
            wanted = size = min(self._size, most)
            rows = np.empty((0, len(space)))
            while len(rows) < wanted and size <= _DRAWS * wanted:
                sample = self._part.sample(size, seed=self._seed)
                rows = sample[may_be_active(space, sample, members)][:wanted]
                size *= 2
        if not len(rows):
            raise inactive_error(space, members)
        return rows

    def _notes(
        self, names: tuple[str, ...], ice_mean: Array, std: Array, exact: bool
    ) -> tuple[Fact, ...]:
        # averages over trees have no variance within leaves
        over_trees = exact and self._variance == "covariance"
        noise = getattr(self._surrogate, "std_with_noise", False)
        noise = noise and not over_trees
        notes = list[Fact]()
        if not np.isnan(std).all():  # a model without uncertainty has no band
            about, how = "the uncertainty about the average", "without observation noise"
            if self._variance == "average":
                about = "the uncertainty about single configurations"
            elif exact:
                about = "the spread of the average over the trees"
            if noise:
                how = "observation noise included, which this model cannot tell apart"
            band = f"the band is {about}, {how}"
            notes.append(fact(band, kind="effect_band", noise=noise))
        notes += about_names(self._subject, names)
        if np.isnan(ice_mean).any():
            notes.append(fact("NaN: values without a valid configuration"))
        return (*notes, *self._subject.notes)


# ---------------------------------------------------------------------- what effects share


def all_of(
    explain: Callable[[str | Sequence[str]], Effect],
    names: Sequence[str | Sequence[str]],
    shares: Mapping[tuple[str, ...], float] | None = None,
) -> PartialDependences:
    """Return the effects of several hyperparameters and pairs, each as `explain` returns it."""
    if not len(names):
        problem = "is empty"
        raise InputError("names", problem, names, "Name at least one hyperparameter.")
    effects = tuple(map(explain, steps(names, "effects")))
    alone = {name for effect in effects for name in effect.names if len(effect.names) == 1}
    return PartialDependences(
        subject=effects[0].subject,
        effects=effects,
        shares=dict(shares or {}),
        left_out=tuple(n for n in effects[0].subject.space.names if n not in alone),
        notes=tuple(dict.fromkeys(note for effect in effects for note in effect.notes)),
    )


def _checked_grid(space: SearchSpace, grid: Any) -> Literal["tried"] | dict[str, Array]:
    """Return "tried", or the positions of the values given by hyperparameter."""
    if isinstance(grid, str):
        check_option("grid", grid, ("tried",))
        return "tried"
    if not isinstance(grid, Mapping | None):
        problem = f"must be 'tried', or map hyperparameters to lists of values, but was {grid!r}"
        raise InputError("grid", problem, grid, "Write {name: [value, ...]}.")
    axes = {}
    for name, values in (grid or {}).items():
        parameter = space[check_name("grid", name, space.names, "hyperparameter")]
        try:
            axes[name] = parameter.encode(values)
        except InputError as error:
            what = f"holds an impossible value: {error.argument} "
            raise error.inside("grid", what, values) from None
        except TypeError:
            problem = f"holds an impossible value: {name} is {values!r}, not a list"
            raise InputError("grid", problem, values, "Give a list of values.") from None
    return axes


def _points(positions: Sequence[Array]) -> Array:
    """Return the points of a grid, (G, number of hyperparameters)."""
    axes = np.meshgrid(*positions, indexing="ij")
    return np.stack(axes, axis=-1).reshape(-1, len(positions))


def averaged(values: Array, axis: int = 0) -> Array:
    """Return the mean of each column over the rows that have a value."""
    with np.errstate(invalid="ignore"):
        return np.nansum(values, axis=axis) / (~np.isnan(values)).sum(axis=axis)


def on_grid(
    whole: Subject,
    surrogate: Surrogate,
    members: Sequence[int],
    positions: Sequence[Array],
    part: SubSpace,
) -> dict[str, Any]:
    """Return what every effect on a grid in a part of the space knows of it and of the trials."""
    subject = part.of_subject(whole)
    # else it is known: nothing was tried
    has_trials = not len(whole.tried) or len(subject.tried) > 0
    parameters = [subject.space.parameters[j] for j in members]
    grid = [tuple(p.decode(at)) for p, at in zip(parameters, positions, strict=True)]
    held = on_axes(subject, members, positions, grid)
    held["supported"] &= has_trials
    noise_std = float(getattr(surrogate, "noise_std", 0.0))
    return {**held, "given": part.given, "noise_std": noise_std}
