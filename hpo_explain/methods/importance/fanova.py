"""Functional ANOVA of a random forest or a Gaussian process (Hutter et al. 2014).

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
trees. What trees learned of the noise counts as importance there, most of all as interaction. With
refits it is taken off: forests are fitted again to the model's predictions with redrawn residuals
(how much noise adds to each share), and to redrawn trials (how far shares depend on them).

Of a Gaussian process it is that of functions drawn from the posterior, which have no noise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.stats import t as student

from hpo_explain.base.checks import check_count, check_seed
from hpo_explain.base.errors import InputError
from hpo_explain.base.facts import Fact
from hpo_explain.base.options import Direction
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.base.text import declared_fact
from hpo_explain.methods.importance._latent_forest import LatentForest, completed_subject
from hpo_explain.methods.importance.fanova_result import Axis, FanovaImportance, ShareIntervals
from hpo_explain.models._latent_means import MOST_CATEGORIES, nodes_of, of_many_categories
from hpo_explain.models._threads import in_parts
from hpo_explain.models.anova import NODES
from hpo_explain.models.box_sums import (
    main_steps,
    mean_and_variance,
    pair_variances,
    subset_variances,
    total_cost,
)
from hpo_explain.models.forest import ForestSurrogate
from hpo_explain.models.gaussian_process import GaussianProcessSurrogate
from hpo_explain.models.protocols import Surrogate, TreeBoxes
from hpo_explain.space import Array, SearchSpace

if TYPE_CHECKING:
    from hpo_explain.models.anova import AnovaDraws

_OVER_TREES = declared_fact(
    "shares_over_trees", "shares are means over the trees; ± is their standard deviation over the "
    "trees, not a confidence interval",
)  # fmt: skip
_REFITTED = declared_fact(
    "shares_refitted", "shares are corrected for what noise adds to them; their interval is over "
    "redrawn trials and noise, std is over the trees",
)  # fmt: skip
_DRAWN = declared_fact(
    "shares_drawn", "shares are those of {draws} functions drawn from the posterior of a GP, with "
    "{kernels} kernels that the trials allow; noise is no part of them",
)  # fmt: skip
_COUNTED = declared_fact(
    "categories_counted", "of the categories of {names} at most {most} that were tried are "
    "counted, and one that stands for all never tried",
)  # fmt: skip
_CONSTANT = declared_fact(
    "trees_constant", "{constant} of {trees} trees {verbs} no shares",
    verbs=lambda told: "is constant and has" if told["constant"] == 1 else "are constant and have",
)  # fmt: skip
_LEFT_OUT = declared_fact(
    "totals_left_out", "total effects are left out: they need {count} pairs of leaves",
    count=lambda told: f"{told['pairs']:.1e}",
)  # fmt: skip
_LEVEL = 0.95
_LEAST = 0.2  # of the variance: with less in common, shares of it say nothing


class FanovaExplainer:
    """Decomposes the variance of a model over the search space.

    Parameters
    ----------
    forest : Surrogate
        A forest whose leaves are boxes (`ForestSurrogate`), or a model that draws its own
        decomposition, as a Gaussian process does (`GaussianProcessSurrogate`); any other surrogate
        is distilled into a forest, and the fidelity is reported.
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
    >>> forest = hx.ForestSurrogate.fit(space, X, X[:, 0])
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
        self._subject = completed_subject(forest, direction, subject)

    @cached_property
    def _forest(self) -> LatentForest:
        return LatentForest.of(self._model, **self._options)

    @shows_progress
    def explain(
        self,
        *,
        order: int = 1,
        cap: float | None = None,
        given: Mapping[str, Sequence[Any]] | None = None,
        refits: int = 0,
        most_pairs: float = 1e8,
    ) -> FanovaImportance:
        """Return the shares of variance of all sets of up to `order` hyperparameters.

        Parameters
        ----------
        order : int, default 1
            Size of the largest sets.
        cap : float, optional
            Objective at which the predictions of this forest are clipped on the worse side. The
            paper fits the forest to capped objectives (Section 3.3), as
            :func:`hpo_explain.importance` does.
        given : mapping of str to sequence, optional
            Sub-space: allowed values of categorical and integer hyperparameters, or ``(low, high)``
            of a real-valued one. A conditional hyperparameter named here is active, so its
            parents are restricted as well.
        refits : int, default 0
            Number of refits of a forest from which shares are corrected for noise and get an
            interval; 0 explains the forest as it is. It must know its trials
            (`ForestSurrogate`).
        most_pairs : float, default 1e8
            Number of pairs of leaves up to which the result computes total effects, when it is
            asked for them.

        Returns
        -------
        FanovaImportance
            The shares in each tree, or in each function drawn from a posterior. The latter are
            asked for without `cap` and `given`, and up to three hyperparameters; else a model
            that draws is distilled as well.

        Raises
        ------
        ValueError
            If `order` is larger than the number of hyperparameters, `cap` is not a number, or
            `given` names something that is not in the space, or leaves nothing of it.
        """
        d = len(self._subject.space)
        order = check_count("order", order)
        refits = check_count("refits", refits, minimum=0)
        if order > d:
            raise InputError(
                "order",
                f"must be at most the number of hyperparameters, {d}, but was {order}",
                order,
            )
        if cap is None and not given and isinstance(self._model, GaussianProcessSurrogate):
            draws = self._model.anova(order, draws=self._subject.draws, seed=self._seed)
            if draws is not None:
                return of_draws(self._subject, draws, self._seed)
        forest = self._forest.within(cap, given)
        boxes = forest.boxes
        members = [u for size in range(1, order + 1) for u in combinations(range(d), size)]
        variances, shares, varying = decomposed(boxes, order, members)
        intervals = None
        if refits:
            intervals = self._refitted(shares[varying], order, members, cap, given, refits)
        pairs = total_cost(boxes)
        own: list[Fact] = [_OVER_TREES() if intervals is None else _REFITTED()]
        if not varying.all():
            own.append(_CONSTANT(constant=int((~varying).sum()), trees=len(boxes)))
        if pairs > most_pairs:
            own.append(_LEFT_OUT(pairs=pairs))
        activity = forest.activity(self._seed)
        return FanovaImportance(
            subject=forest.subject,
            order=order,
            members=tuple(members),
            shares=shares[varying],
            variances=variances,
            axes=tuple(Axis(*forest.grid(j), float(activity[j])) for j in range(d)),
            boxes=boxes,
            intervals=intervals,
            cap=forest.cap,
            given=forest.given,
            fidelity=forest.fidelity,
            most_pairs=most_pairs,
            notes=(*own, *forest.notes),
        )

    def _refitted(
        self,
        shares: Array,
        order: int,
        members: list[tuple[int, ...]],
        cap: float | None,
        given: Mapping[str, Sequence[Any]] | None,
        n: int,
    ) -> ShareIntervals:
        """Return the shares corrected by refits, with their intervals."""
        if not isinstance(self._model, ForestSurrogate):
            problem = "was given, but this model cannot be fitted again"
            raise InputError("refits", problem, n, "Leave it out, or pass a ForestSurrogate.")
        found = self._model.refits(n, seed=self._seed)

        def mean_shares(model: ForestSurrogate) -> Array:
            forest = LatentForest(self._subject, model.boxes() or (), model.category_ranks())
            _, each, varying = decomposed(forest.within(cap, given).boxes, order, members)
            return np.asarray(each[varying].mean(axis=0))

        return corrected(
            shares.mean(axis=0),
            np.array([mean_shares(model) for model in found.noise]),
            np.array([mean_shares(model) for model in found.trials]),
            len(self._subject.space),
        )


def decomposed(
    boxes: Sequence[TreeBoxes], order: int, members: list[tuple[int, ...]]
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
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


# ---------------------------------------------------------------------- draws of a posterior


def of_draws(subject: Subject, draws: AnovaDraws, seed: int) -> FanovaImportance:
    """Return the shares of functions drawn from a posterior, with their credible intervals.

    `seed` is that of the sample that estimates where hyperparameters are active.
    """
    activity = LatentForest(subject, (), {}).activity(seed)
    axes = []
    for j, parameter in enumerate(subject.space.parameters):
        at = nodes_of(parameter, NODES[1]).positions
        at = at[~np.isnan(at)]
        axes.append(Axis(tuple(parameter.decode(at)), at, float(activity[j])))
    note = _DRAWN(draws=len(draws.shares), kernels=draws.functions.kernels)
    return FanovaImportance(
        subject=subject,
        order=len(draws.members[-1]),
        members=draws.members,
        rows="draws",
        shares=draws.shares,
        variances=draws.variances,
        axes=tuple(axes),
        intervals=credible(draws),
        functions=draws.functions,
        drawn_totals=draws.totals,
        notes=(note, *_counted(subject.space), *subject.notes),
    )


def _counted(space: SearchSpace) -> tuple[Fact, ...]:
    """Return a note on the hyperparameters that have more categories than are counted."""
    names = [space.names[j] for j in of_many_categories(space)]
    return (_COUNTED(names=names, most=MOST_CATEGORIES),) if names else ()


# ---------------------------------------------------------------------- intervals of shares


def corrected(shares: Array, noise: Array, trials: Array, d: int) -> ShareIntervals:
    """Return a forest's shares without what the noise adds, and how far they may be off.

    A forest fitted to its own predictions with redrawn residuals sees other shares than those it
    was fitted to; so much noise has already added to its own (the bootstrap's correction of a
    bias). The interval joins three errors: that of the noise, that of the choice of trials, and
    the correction itself, which is only of first order.

    Parameters
    ----------
    shares : ndarray of shape (number of sets,)
        The forest's own shares.
    noise, trials : ndarray of shape (number of refits, number of sets)
        Shares of refits to redrawn residuals, and to redrawn trials.
    d : int
        Number of hyperparameters: the first sets.

    References
    ----------
    .. [1] Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapter 10.
    """
    each = _corrected(shares, noise, trials)
    mains = _corrected(*(a[..., :d].sum(axis=-1, keepdims=True) for a in (shares, noise, trials)))
    return ShareIntervals(*each, mains=tuple(float(number[0]) for number in mains))  # type: ignore[arg-type]


def _corrected(shares: Array, noise: Array, trials: Array) -> tuple[Array, Array, Array]:
    bias = noise.mean(axis=0) - shares
    estimate = np.clip(shares - bias, 0.0, 1.0)
    quantile = student.ppf(0.5 + _LEVEL / 2.0, max(len(noise) - 1, 1))
    ddof = int(len(noise) > 1)
    variance = noise.var(axis=0, ddof=ddof) + trials.var(axis=0, ddof=ddof) + bias**2
    half = quantile * np.sqrt(variance)
    lower, upper = np.clip(estimate - half, 0.0, 1.0), np.clip(estimate + half, 0.0, 1.0)
    estimate = estimate / max(float(estimate.sum()), 1.0)  # each is corrected by itself
    return estimate, np.minimum(lower, estimate), upper


def credible(draws: AnovaDraws) -> ShareIntervals:
    """Return the mean shares of draws with their 95 % intervals.

    A share is a square, so that in no draw it is 0 where something is uncertain, nor 1. The
    interval therefore also covers the shares of what two draws have in common, which have no such
    bias: they scatter around 0 where nothing is known of an effect.

    Parameters
    ----------
    draws : AnovaDraws
        The draws.
    """
    d = draws.totals.shape[1]
    mains = draws.products[:, :d].sum(axis=1)
    together = np.maximum(draws.rest + mains, _LEAST)
    lower, upper = _covering(draws.shares, draws.products / together[:, None])
    sums = draws.shares[:, :d].sum(axis=1)
    low, high = _covering(sums, mains / together)
    return ShareIntervals(
        importance=draws.shares.mean(axis=0),
        lower=lower,
        upper=upper,
        mains=(float(sums.mean()), float(low), float(high)),
    )


def _covering(shares: Array, common: Array) -> tuple[Array, Array]:
    """Return the ends of an interval that covers 95 % of both, within [0, 1]."""
    ends = [0.5 - _LEVEL / 2.0, 0.5 + _LEVEL / 2.0]
    (low, high), (less, more) = (np.quantile(a, ends, axis=0) for a in (shares, common))
    return np.clip(np.minimum(low, less), 0.0, 1.0), np.clip(np.maximum(high, more), 0.0, 1.0)
