"""Functional ANOVA of what the trials allow, or of a random forest (Hutter et al. 2014).

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

Of a forest every number is exact, computed per tree from its boxes; importance is the mean over
trees. What trees learned of the noise counts as importance there, most of all as interaction.

Of a belief, or any model with a joint posterior, it is that of functions drawn from it, which have
no noise (`hpo_explain.belief.functionals.Anova`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from hpo_explain.base import (
    Direction,
    Fact,
    InputError,
    Option,
    Subject,
    check_count,
    check_number,
    check_seed,
    declared_fact,
    shows_progress,
)
from hpo_explain.belief import MATTERS, Anova, Best, Draws, as_draws
from hpo_explain.methods._engines.sub_space import stretch
from hpo_explain.methods.importance._latent_forest import LatentForest
from hpo_explain.methods.importance.fanova_of_draws import DrawnImportance
from hpo_explain.methods.importance.fanova_of_forest import ForestImportance
from hpo_explain.methods.importance.fanova_result import Axis, FanovaImportance
from hpo_explain.models import Surrogate, TreeBoxes
from hpo_explain.models._threads import in_parts
from hpo_explain.models.box_sums import (
    Intervals,
    main_steps,
    mean_and_variance,
    pair_variances,
    squeeze,
    subset_variances,
    total_cost,
)
from hpo_explain.question import subject_of_surrogate
from hpo_explain.space import Array, Bools, Parameter, SearchSpace, latent_rows

_OVER_TREES = declared_fact(
    "shares_over_trees",
    "shares are means over the trees; sd is over the trees, not a confidence interval",
)
_DRAWN = declared_fact(
    "shares_drawn",
    "shares are those of {draws} functions that the trials allow; noise is no part of them",
)
_CONSTANT = declared_fact(
    "trees_constant",
    "{constant} of {trees} trees {verbs} no shares",
    verbs=lambda fact: "is constant and has" if fact["constant"] == 1 else "are constant and have",
)
_LEFT_OUT = declared_fact(
    "totals_left_out",
    "total effects are left out: they need {count} pairs of leaves",
    count=lambda fact: f"{fact['pairs']:.1e}",
)
_DRAWN_ORDER = 2  # sets of more are looked at in a forest
_GRID = 40  # points of a marginal where there are more values
_ACTIVITY_ROWS = 2000


class FanovaExplainer:
    """Decomposes the variance of a model over the search space.

    Parameters
    ----------
    forest : Surrogate
        A forest whose leaves are boxes (`ForestSurrogate`), or a model with a joint posterior, such
        as ``run.belief()``, of which functions are drawn; any other surrogate is distilled into a
        forest, and the fidelity is reported.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective: a cap clips the worse side.
    subject : Subject, optional
        What is explained, with names, tried configurations and the incumbent, such as
        ``Subject.of(run)``; by default it is made from the forest and `direction`.
    n_trees : int, default 64
        Number of trees of a distilled forest.
    seed : int, default 0
        Seed of the distillation, and of the sample that estimates where hyperparameters are active.

    Raises
    ------
    ValueError
        If `forest` is not a surrogate, or `direction` is unknown.

    References
    ----------
    .. [1] Hutter, F., Hoos, H. H. and Leyton-Brown, K. (2014). An efficient approach for assessing
       hyperparameter importance. ICML. Theorem 6, Algorithm 2, Section 3.3.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(200, seed=1)
    >>> forest = hx.models.ForestSurrogate.fit(space, X, X[:, 0])
    >>> result = FanovaExplainer(forest).explain(order=2)
    >>> bool(result.share("x") > 0.95)
    True
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
        self._model = forest
        self._seed = check_seed(seed)
        self._options: dict[str, Any] = {
            "direction": direction,
            "subject": subject,
            "n_trees": check_count("n_trees", n_trees),
            "seed": seed,
        }
        self._subject = subject_of_surrogate(forest, direction, subject)

    @cached_property
    def _forest(self) -> LatentForest:
        return LatentForest.of(self._model, **self._options)

    @shows_progress
    def explain(
        self,
        *,
        order: int = 1,
        top: float | None = None,
        within: float | None = None,
        cap: float | None = None,
        given: Mapping[str, Sequence[Any]] | None = None,
        most_pairs: float = 1e8,
    ) -> FanovaImportance:
        """Return the shares of variance of all sets of up to `order` hyperparameters.

        Parameters
        ----------
        order : int, default 1
            Size of the largest sets.
        top, within : float, optional
            In place of the objective, whether a configuration is among the best `top` of the
            space (in the better `within` of it alone), as :func:`hpo_explain.importance` has it.
            Of a model that draws, up to two hyperparameters.
        cap : float, optional
            Objective at which the predictions of this forest are clipped on the worse side. The
            paper fits the forest to capped objectives (Section 3.3), as
            :func:`hpo_explain.importance` does.
        given : mapping of str to sequence, optional
            Sub-space: allowed values of categorical and integer hyperparameters, or ``(low, high)``
            of a real-valued one. A conditional hyperparameter named here is active, so its
            parents are restricted as well.
        most_pairs : float, default 1e8
            Number of pairs of leaves up to which the result computes total effects, when it is
            asked for them.

        Returns
        -------
        FanovaImportance
            The shares in each tree, or in each function drawn. The latter are asked for without
            `cap` and `given`, and up to two hyperparameters; else a model that draws is distilled
            as well.

        Raises
        ------
        ValueError
            If `order` is larger than the number of hyperparameters, `cap` is not a number, `given`
            names something that is not in the space, or leaves nothing of it, or `top` is asked of
            what cannot answer it.
        """
        d = len(self._subject.space)
        order = check_count("order", order)
        if order > d:
            raise InputError(
                "order",
                f"must be at most the number of hyperparameters, {d}, but was {order}",
                order,
            )
        draws = as_draws(self._model, self._subject.direction, seed=self._seed)
        is_drawn = draws.joint and cap is None and not given and order <= _DRAWN_ORDER
        if top is not None or within is not None:
            blocked = ""
            if cap is not None:
                blocked = "cap"
            elif given:
                blocked = "given"
            elif order > _DRAWN_ORDER:
                blocked = f"a set of {order}"
            elif not is_drawn:
                blocked = "a forest, or a model without a joint posterior,"
            check_top(top, within, blocked)
        if is_drawn:
            return of_draws(self._subject, draws, order, top, within)
        forest = self._forest.within(cap, given)
        boxes = forest.boxes
        members = [u for size in range(1, order + 1) for u in combinations(range(d), size)]
        variances, shares, varying = decomposed(boxes, order, members)
        pairs = total_cost(boxes)
        own: list[Fact] = [_OVER_TREES()]
        if not varying.all():
            own.append(_CONSTANT(constant=int((~varying).sum()), trees=len(boxes)))
        if pairs > most_pairs:
            own.append(_LEFT_OUT(pairs=pairs))
        return ForestImportance(
            subject=forest.subject,
            order=order,
            members=tuple(members),
            shares=shares[varying],
            variances=variances,
            axes=axes_of(forest.space, self._seed, intervals=forest.intervals, ranks=forest.ranks),
            boxes=boxes,
            cap=forest.cap,
            given=forest.given,
            fidelity=forest.fidelity,
            most_pairs=most_pairs,
            notes=(*own, *forest.notes),
        )


def decomposed(
    boxes: Sequence[TreeBoxes], order: int, members: list[tuple[int, ...]]
) -> tuple[Array, Array, Bools]:
    """Return V and V_U / V of each tree, and which trees vary (all where none does)."""
    rows = in_parts(
        lambda part: [_decompose(b, order, members) for b in boxes[part]],
        len(boxes),
        sum(len(b.value) for b in boxes),
    )
    variances = np.array([variance for variance, _ in rows])
    # a tree whose bootstrap missed what differs has no variance to share
    varying = variances > 0.0 if variances.any() else np.ones(len(boxes), dtype=bool)
    return variances, np.array([shares for _, shares in rows]), varying


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


def check_top(top: float | None, within: float | None, blocked: str = "") -> None:
    """Check shares of the best, and that nothing that was asked for stands in their way."""
    if top is None:
        problem = "was given without top, the share of the best"
        raise InputError("within", problem, within, ("Give ", Option("top", 0.1), " as well."))
    share_within = 1.0 if within is None else check_number("within", within)
    if not 0.0 < share_within <= 1.0:
        problem = f"must be a share of the space, above 0 and up to 1, but was {within!r}"
        raise InputError("within", problem, within)
    if not 0.0 < check_number("top", top) < share_within:
        problem = f"must lie between 0 and {share_within:g}, the share it is the best of"
        raise InputError("top", f"{problem}, but was {top!r}", top)
    if blocked:
        problem = f"asks for functions that the trials allow, which {blocked} does not have"
        raise InputError("top", problem, top, "Leave that out: the belief answers it.")


def of_draws(
    subject: Subject,
    draws: Draws,
    order: int,
    top: float | None = None,
    within: float | None = None,
) -> FanovaImportance:
    """Return the shares of functions that the trials allow."""
    anova: Anova | Best = draws.anova
    if top is not None:
        # among better and worse halves the worse trials are told apart, too
        halves = max(top, within or 0.0) > 0.5
        functions = draws if halves else draws.among_best
        anova = Best(functions, top, 1.0 if within is None else within)
    # of a function that hardly varies beside the noise nobody can tell what decides it
    there = (anova.of_evaluations > MATTERS)[:, None]
    shares = anova.mains if order == 1 else np.hstack([anova.mains, anova.of_pairs])
    alone = tuple((j,) for j in range(len(subject.space)))
    return DrawnImportance(
        subject=subject,
        order=order,
        members=alone if order == 1 else alone + anova.pairs,
        shares=np.where(there, shares, 0.0),
        variances=anova.variance,
        axes=axes_of(subject.space, draws.seed),
        anova=anova,
        top=top,
        within=within,
        notes=(_DRAWN(draws=len(anova.mains)), *subject.notes),
    )


# ---------------------------------------------------------------------- the latent axes


def axes_of(
    space: SearchSpace,
    seed: int,
    *,
    intervals: Mapping[int, Intervals] | None = None,
    ranks: Mapping[int, Array] | None = None,
) -> tuple[Axis, ...]:
    """Return each hyperparameter's grid and activity.

    Parameters
    ----------
    space : SearchSpace
        The whole space.
    seed : int
        Seed of the sample that estimates where hyperparameters are active.
    intervals : mapping of int to list of tuple, optional
        Of a sub-space, the latent intervals of the restricted columns.
    ranks : mapping of int to ndarray, optional
        Of a forest, the place of each category on the latent axis by column.
    """
    intervals, ranks = intervals or {}, ranks or {}
    activity = _activity(space, seed, intervals, ranks)
    return tuple(
        Axis(*_grid(parameter, intervals.get(j), ranks.get(j)), float(activity[j]))
        for j, parameter in enumerate(space.parameters)
    )


def _grid(
    parameter: Parameter, intervals: Intervals | None, ranks: Array | None
) -> tuple[tuple[Any, ...], Array]:
    """Return values of a hyperparameter in the user's units, and their latent values."""
    share = parameter.optional or 1.0

    def spread(u: Array) -> Array:
        """Return numbers in [0, 1] spread over the latent values that are looked at."""
        return share * u if intervals is None else stretch(u, intervals)

    if parameter.size is None:
        latent = spread(np.linspace(0.0, 1.0, _GRID))
        positions = latent / share
    elif parameter.is_category:
        positions = np.arange(parameter.size, dtype=float)
        places = positions if ranks is None else ranks
        latent = share * (places + 0.5) / parameter.size
    else:
        grid = parameter.grid() if parameter.size <= _GRID else None
        if grid is None:
            some = spread((np.arange(_GRID) + 0.5) / _GRID) / share
            positions = np.unique(parameter.from_latent(some))
        else:
            positions = grid[0]
        middles = [np.mean(parameter.latent_interval(p, p)) for p in positions]
        latent = share * np.array(middles)
    if intervals is not None:
        inside = np.zeros(len(latent), dtype=bool)
        for low, high in intervals:
            inside |= (low <= latent) & (latent <= high)
        positions, latent = (positions[inside], squeeze(latent[inside], intervals))
    return tuple(parameter.decode(positions)), np.minimum(latent, 1.0 - 1e-12)


def _activity(
    space: SearchSpace, seed: int, part: Mapping[int, Intervals], ranks: Mapping[int, Array]
) -> Array:
    """Return the share of the space in which each hyperparameter is active, (d,)."""
    U = np.empty((_ACTIVITY_ROWS, len(space)))
    U[:, space.order] = np.random.default_rng(seed).random(U.shape)
    for j, intervals in part.items():
        U[:, j] = stretch(U[:, j], intervals)
    rows = latent_rows(U, space.parameters)
    for j, places in ranks.items():  # the categories are in the trees' order
        active = ~np.isnan(rows[:, j])
        rows[active, j] = np.argsort(places)[rows[active, j].astype(int)]
    return np.asarray((~np.isnan(space.project(rows))).mean(axis=0))
