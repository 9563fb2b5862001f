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
from dataclasses import replace
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
    fact,
    r_squared,
    shows_progress,
)
from hpo_explain.belief import MATTERS, Anova, Best, Draws, as_draws
from hpo_explain.methods._engines.sub_space import SubSpace, stretch
from hpo_explain.methods.importance.fanova_of_draws import DrawnImportance
from hpo_explain.methods.importance.fanova_of_forest import MOST_PAIRS, ForestImportance
from hpo_explain.methods.importance.fanova_result import Axis, FanovaImportance, capped
from hpo_explain.models import ForestSurrogate, SupportsBoxes, Surrogate, TreeBoxes
from hpo_explain.models._threads import in_parts
from hpo_explain.models.box_sums import (
    clip_worse,
    main_steps,
    mean_and_variance,
    pair_variances,
    restrict,
    squeeze,
    subset_variances,
    total_cost,
)
from hpo_explain.question import accepted_surrogate, subject_of_surrogate
from hpo_explain.space import Array, Bools, SearchSpace, latent_rows

_OVER_TREES = fact(
    "shares are means over the trees; sd is over the trees, not a confidence interval"
)
DRAWN_ORDER = 2  # sets of more are looked at in a forest
_GRID = 40  # points of a marginal where there are more values
_ACTIVITY_ROWS = 2000
DISTILLED_ROWS = 2000


class FanovaExplainer:
    """Decomposes the variance of a model over the search space.

    Parameters
    ----------
    forest : Surrogate
        A `ForestSurrogate`, or a model with a joint posterior such as ``run.belief()``, from which
        functions are drawn. Any other surrogate is distilled into a forest, and the fidelity is
        reported.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective; a cap clips the worse side.
    subject : Subject, optional
        Names, tried configurations and the incumbent, such as ``Subject.of(run)``; by default made
        from the forest and `direction`.
    space : SearchSpace, optional
        The search space, for a model of your own.
    n_trees : int, default 64
        Number of trees of a distilled forest.
    seed : int, default 0
        Seed of the distillation and of all random draws.

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
        space: SearchSpace | None = None,
        n_trees: int = 64,
        seed: int = 0,
    ) -> None:
        if space is not None:
            forest = accepted_surrogate(forest, "forest", space)
        self._model = forest
        self._seed = check_seed(seed)
        self._n_trees = check_count("n_trees", n_trees)
        self._subject = subject_of_surrogate(forest, direction, subject)

    @cached_property
    def _forest(self) -> tuple[tuple[TreeBoxes, ...], dict[int, Array], float | None]:
        """The trees, where categories stand in them, and their R² with the model if distilled."""
        model = accepted_surrogate(self._model)
        if isinstance(model, SupportsBoxes) and (boxes := model.boxes()) is not None:
            return boxes, model.category_ranks(), None
        forest, fidelity = _distill(model, self._n_trees, self._seed)
        return forest.boxes() or (), forest.category_ranks(), fidelity

    @shows_progress
    def explain(
        self,
        *,
        order: int = 1,
        top: float | None = None,
        within: float | None = None,
        cap: float | None = None,
        given: Mapping[str, Sequence[Any]] | None = None,
    ) -> FanovaImportance:
        """Return the variance shares of all sets of up to `order` hyperparameters.

        Parameters
        ----------
        order : int, default 1
            Size of the largest sets.
        top, within : float, optional
            As in `hpo_explain.importance`. It needs a model with draws, and an `order` of at most
            2.
        cap : float, optional
            Clip predictions that are worse than this. In the paper the forest learns capped
            objectives (Section 3.3), and so it does in `hpo_explain.importance`.
        given : mapping of str to sequence, optional
            Sub-space: allowed values of categorical and integer hyperparameters, or ``(low, high)``
            of a real-valued one. A conditional hyperparameter named here is active, so its
            parents are restricted as well.

        Returns
        -------
        FanovaImportance
            The shares in each tree, or in each drawn function. A model with draws is distilled
            into a forest for `cap`, `given` and an `order` above 2.

        Raises
        ------
        ValueError
            If `order` is larger than the number of hyperparameters, `cap` is not a number, `given`
            is not in the space or leaves nothing of it, or the model does not support `top`.
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
        is_drawn = draws.joint and cap is None and not given and order <= DRAWN_ORDER
        if top is not None or within is not None:
            blocked = ""
            if cap is not None:
                blocked = "cap"
            elif given:
                blocked = "given"
            elif order > DRAWN_ORDER:
                blocked = f"a set of {order}"
            elif not is_drawn:
                blocked = "a forest, or a model without a joint posterior,"
            check_top(top, within, blocked)
        if is_drawn:
            return of_draws(self._subject, draws, order, top, within)
        boxes, ranks, fidelity = self._forest
        subject, notes = self._subject, [_OVER_TREES]
        part = SubSpace.of(subject.space, given, ranks)
        if cap is not None:
            cap = check_number("cap", cap)
            boxes = tuple(clip_worse(b, cap, subject.direction) for b in boxes)
        if part.intervals:
            boxes = tuple(restrict(b, part.intervals) for b in boxes)
            subject = replace(subject, incumbent=part.best_of(subject))
        members = [u for size in range(1, order + 1) for u in combinations(range(d), size)]
        variances, shares, varying = decomposed(boxes, order, members)
        pairs = total_cost(boxes)
        constant = int((~varying).sum())
        if constant:
            verbs = "is constant and has" if constant == 1 else "are constant and have"
            notes.append(fact(f"{constant} of {len(boxes)} trees {verbs} no shares"))
        if pairs > MOST_PAIRS:
            of_leaves = f"they need {pairs:.1e} pairs of leaves"
            notes.append(fact(f"total effects are left out: {of_leaves}"))
        if fidelity is not None:
            r2 = f"R² = {fidelity:.3f}"
            notes.append(fact(f"the model was distilled into a forest with {r2}"))
        if cap is not None:
            notes.append(fact(capped(cap, subject.direction)))
        return ForestImportance(
            subject=subject,
            order=order,
            members=tuple(members),
            shares=shares[varying],
            variances=variances,
            axes=axes_of(part, self._seed),
            boxes=boxes,
            cap=cap,
            given=part.given,
            fidelity=fidelity,
            notes=(*notes, *subject.notes),
        )


def _distill(model: Surrogate, n_trees: int, seed: int) -> tuple[ForestSurrogate, float]:
    """Return a forest fitted to a model's mean, and its R² on other configurations."""
    seeds = np.random.default_rng(seed).integers(2**31, size=2)
    space = model.space
    X = space.sample(DISTILLED_ROWS, seed=int(seeds[0]))
    forest = ForestSurrogate.fit(space, X, model.predict(X)[0], n_trees=n_trees, seed=seed)
    fresh = space.sample(DISTILLED_ROWS, seed=int(seeds[1]))
    truth = model.predict(fresh)[0]
    fidelity = r_squared(truth, forest.predict(fresh)[0])
    return forest, 1.0 if np.isnan(fidelity) else fidelity


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
        percent = top / 100.0
        hint = f"Did you mean top={percent:g}?" if 0.0 < percent < share_within <= top else ""
        raise InputError("top", f"{problem}, but was {top!r}", top, hint)
    if blocked:
        problem = f"needs functions drawn from the posterior, which {blocked} does not have"
        raise InputError("top", problem, top, "Leave that out: the belief has them.")


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
        axes=axes_of(SubSpace(subject.space), draws.seed),
        anova=anova,
        top=top,
        within=within,
        notes=(_of_functions(len(anova.mains)), *subject.notes),
    )


def _of_functions(count: int) -> Fact:
    return fact(f"shares are those of {count} functions drawn from the posterior, without noise")


# ---------------------------------------------------------------------- the latent axes


def axes_of(part: SubSpace, seed: int) -> tuple[Axis, ...]:
    """Return each hyperparameter's grid and activity in a part of the space.

    Of a model without trees its `ranks` are empty: no category has a latent place.
    """
    activity = _activity(part, seed)
    return tuple(Axis(*_grid(part, j), float(share)) for j, share in enumerate(activity))


def _grid(part: SubSpace, j: int) -> tuple[tuple[Any, ...], Array]:
    """Return values of a hyperparameter in the user's units, and their latent values."""
    parameter = part.space.parameters[j]
    share = parameter.optional
    intervals = part.intervals.get(j, [(0.0, share)])
    grid = parameter.grid() if (parameter.size or np.inf) <= _GRID else None
    if parameter.size is None:
        latent = stretch(np.linspace(0.0, 1.0, _GRID), intervals)
        positions = latent / share
    elif parameter.is_category:
        positions = np.arange(parameter.size, dtype=float)
        latent = share * (part.ranks.get(j, positions) + 0.5) / parameter.size
    else:
        some = stretch((np.arange(_GRID) + 0.5) / _GRID, intervals) / share
        positions = np.unique(parameter.from_latent(some)) if grid is None else grid[0]
        middles = [np.mean(parameter.latent_interval(p, p)) for p in positions]
        latent = share * np.array(middles)
    if j in part.intervals:
        inside = np.any([(low <= latent) & (latent <= high) for low, high in intervals], axis=0)
        positions, latent = (positions[inside], squeeze(latent[inside], intervals))
    return tuple(parameter.decode(positions)), np.minimum(latent, 1.0 - 1e-12)


def _activity(part: SubSpace, seed: int) -> Array:
    """Return the share of the space in which each hyperparameter is active, (d,)."""
    space = part.space
    U = np.empty((_ACTIVITY_ROWS, len(space)))
    U[:, space.order] = np.random.default_rng(seed).random(U.shape)
    for j, intervals in part.intervals.items():
        U[:, j] = stretch(U[:, j], intervals)
    rows = latent_rows(U, space.parameters)
    for j, places in part.ranks.items():  # the categories are in the trees' order
        active = ~np.isnan(rows[:, j])
        rows[active, j] = np.argsort(places)[rows[active, j].astype(int)]
    return (~np.isnan(space.project(rows))).mean(axis=0)
