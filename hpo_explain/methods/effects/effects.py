"""What the objective does along hyperparameters: one of them, a pair, or all that matter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import Any

import numpy.typing as npt

from hpo_explain.base import (
    EFFECTS,
    EffectKind,
    InputError,
    Split,
    Variance,
    check_count,
    check_flag,
    check_option,
    check_sequence,
)
from hpo_explain.methods._engines.sub_space import Given
from hpo_explain.methods.effects.accumulated_local_effects import accumulated_local_effects
from hpo_explain.methods.effects.partial_dependence import Grid, PartialDependenceExplainer, all_of
from hpo_explain.methods.effects.regional_partial_dependence import (
    RegionalPartialDependenceExplainer,
)
from hpo_explain.methods.importance.importance import importance
from hpo_explain.models import SupportsJoint
from hpo_explain.question import Question, explains

_SAMPLE, _SAMPLE_OF_SEVERAL = 1000, 300
Names = str | Sequence[str] | Sequence[str | Sequence[str]] | None


@explains(of="surrogate", without=("kind",))
def partial_dependence(
    question: Question,
    names: Names = None,
    *,
    kind: EffectKind = "partial",
    regions: bool = False,
    most: int = 6,
    pairs: int = 0,
    sample: int | npt.ArrayLike | None = None,
    grid_size: int = 20,
    grid: Grid | None = None,
    variance: Variance | None = None,
    attainable: bool = True,
    max_depth: int = 3,
    criterion: Split = "l2",
    min_leaf: int = 20,
    min_improvement: float = 0.01,
    given: Given | None = None,
) -> Any:
    """Show the effects of hyperparameters and their uncertainty.

    Parameters
    ----------
    names : str, pair of str or sequence of them, optional
        A hyperparameter, a pair, or several of both. Two names are a pair. By default those that
        explain most of the variance, by `importance` with the same model and seed, as in skopt's
        ``plot_objective``.
    kind : {"partial", "accumulated"}, default "partial"
        "partial" averages over all combinations of the others. "accumulated" [3]_ adds up local
        changes along the tried configurations, relative to their average, and so avoids
        combinations that nobody tried; it takes one hyperparameter at a time.
    regions : bool, default False
        Whether to split the space into regions with similar uncertainty (or, by `criterion`, a
        similar shape of the effect). The incumbent's region comes first.
    most : int, default 6
        Number of hyperparameters if `names` is not given.
    pairs : int, default 0
        Number of pairs to add, those with the largest interactions.
    sample : int or ndarray of shape (n, d), optional
        The configurations to average over: encoded rows, or a number of random ones. By default
        1000, 300 for several effects, and fewer with draws (10,000 for all values together). For
        accumulated effects by default the tried ones.
    grid_size : int, default 20
        Number of grid points of a hyperparameter with more values; equidistant on its own scale,
        for accumulated effects quantiles of the sample.
    grid : "tried" or mapping of str to sequence, optional
        The values of the trials, or your own values such as ``{"lr": [1e-4, 1e-2]}``, in place of
        the default grid; not for accumulated effects.
    variance : {"average", "covariance"}, optional
        Whether the band of a partial dependence is the average uncertainty of single
        configurations (Eq. 5 of [1]_), or the uncertainty of their average (Eq. 4). By default
        the latter if the model has draws; in regions the former.
    attainable : bool, default True
        Whether to show, beside the average, the best objective that each value can reach with all
        others at their best (for one hyperparameter).
    max_depth : int, default 3
        Largest number of splits that lead to a region.
    criterion : {"l2", "std", "area", "variance", "mean", "interaction"}, default "l2"
        What is similar within a region: curves of ŝ² (Eq. 6), curves of ŝ ("std", as in the
        paper's program), the area under the former (Eq. 11), ŝ² or m̂ at the rows, or the effect's
        shape ("interaction" [2]_), if it differs certainly and by enough to count.
    min_leaf : int, default 20
        Smallest number of sampled configurations in a region.
    min_improvement : float, default 0.01
        Smallest share of the total impurity that a split must remove.
    given : mapping of str to sequence, optional
        A part of the space, such as ``{"booster": ["dart"]}``: lists of values, or ``(low, high)``
        of a real-valued hyperparameter. A conditional hyperparameter named here is active.

    Returns
    -------
    Effect, PartialDependences or RegionalPartialDependence
        Curve or surface with its band, in the objective's units; several effects, the most
        important first; or the effect in each region.

    Raises
    ------
    NothingToExplain
        If effects are accumulated and fewer than two values of the hyperparameter were tried.
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. https://arxiv.org/abs/2111.04820
    .. [2] Herbinger, J., Bischl, B. and Casalicchio, G. (2022). REPID: regional effect plots with
       implicit interaction detection. AISTATS. https://arxiv.org/abs/2202.07254
    .. [3] Apley, D. W. and Zhu, J. (2020). Visualizing the effects of predictor variables in black
       box supervised learning models. Journal of the Royal Statistical Society B 82(4), 1059-1086.
       https://doi.org/10.1111/rssb.12377

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(rng.random((30, 3)), columns=["a", "b", "c"])
    >>> table["loss"] = table.b * table.c
    >>> quick = {"objective": "loss", "sample": 20}
    >>> found = hx.partial_dependence(table, most=2, pairs=1, **quick)
    >>> sorted(found.names[:2]), found.names[2], found.left_out
    ([('b',), ('c',)], ('b', 'c'), ('a',))
    >>> effect = hx.partial_dependence(table, "b", kind="accumulated", **quick)
    >>> bool(effect.mean[-1] > 0 > effect.mean[0])
    True
    >>> found = hx.partial_dependence(table, "b", regions=True, **quick)
    >>> found.regions[0].holds(found.subject.incumbent)
    True
    """
    check_option("kind", kind, EFFECTS)
    wanted, shares = _several(names), dict[tuple[str, ...], float]()
    if check_flag("regions", regions) and (kind != "partial" or wanted is not None):
        problem = f"was {regions}, but is for one partial dependence"
        raise InputError("regions", problem, regions, "Name one hyperparameter, or a pair.")
    band = kind == "partial" and not regions
    _check_meaning("most", most, 6, names is None)
    _check_meaning("pairs", pairs, 0, names is None and kind == "partial")
    _check_meaning("variance", variance, None, kind == "partial")
    _check_meaning("attainable", attainable, True, band)
    _check_meaning("grid", grid, None, kind == "partial")
    _check_meaning("max_depth", max_depth, 3, regions)
    _check_meaning("criterion", criterion, "l2", regions)
    _check_meaning("min_leaf", min_leaf, 20, regions)
    _check_meaning("min_improvement", min_improvement, 0.01, regions)
    if names is None:
        ranked, shares = most_important(question, most, pairs, given)
        wanted = [*ranked]
    if sample is None and kind == "partial":
        sample = _SAMPLE if wanted is None else _SAMPLE_OF_SEVERAL
    options: dict[str, Any] = {
        "sample": sample,
        "grid_size": grid_size,
        "subject": question.subject(),
        "given": given,
        "seed": question.seed,
    }
    if regions:
        explain: Any = RegionalPartialDependenceExplainer(
            question.model,
            grid=grid,
            variance=variance or "average",
            max_depth=max_depth,
            criterion=criterion,
            min_leaf=min_leaf,
            min_improvement=min_improvement,
            **options,
        ).explain
    elif kind == "accumulated":
        explain = partial(
            accumulated_local_effects, question.model, feasible=question.feasible, **options
        )
    else:
        if variance is None:
            joint = isinstance(question.model, SupportsJoint)
            variance = "covariance" if joint else "average"
        explain = PartialDependenceExplainer(
            question.model,
            grid=grid,
            variance=variance,
            attainable=attainable,
            feasible=question.feasible,
            **options,
        ).explain
    if wanted is None:
        return explain(names)
    return all_of(explain, wanted, shares)


def _check_meaning(option: str, value: Any, default: Any, used: bool) -> None:
    """Raise InputError where an option was given that has no meaning for these effects."""
    if value != default and not used:
        problem = f"was {value!r}, but has no meaning for these effects"
        raise InputError(option, problem, value, "Leave it out.")


def _several(names: Names) -> list[str | Sequence[str]] | None:
    """Return the effects that were named; None where it is a single one."""
    if names is None:
        return []
    if isinstance(names, str):
        return None
    named = check_sequence("names", names, "names")
    is_one = len(named) in (1, 2) and all(isinstance(n, str) for n in named)
    return None if is_one else named


def most_important(
    question: Question, most: int, pairs: int = 0, given: Given | None = None
) -> tuple[list[tuple[str, ...]], dict[tuple[str, ...], float]]:
    """Return the most important hyperparameters and pairs, and what all explain.

    A hyperparameter with its interactions; of trees nothing, where that would take too long.
    """
    check_count("most", most)
    order = 2 if check_count("pairs", pairs, minimum=0) and len(question.run.space) > 1 else 1
    kind = question.kind
    if given and kind == "gp":
        kind = "auto"  # a part of the space is asked of a forest
    explained = importance(question.run, order, given=given, kind=kind, seed=question.seed)
    shares = dict[tuple[str, ...], float]()
    if not isnan(explained.totals.sum()):
        sizes = explained.sizes.tolist()
        shares = dict(zip(explained.sets, sizes, strict=True))
    ranked = [explained.sets[i] for i in explained.by_size()]
    if given:
        # of what has one value there is no effect, nor of what is never active
        free = {
            name
            for name, axis in zip(explained.names, explained.axes, strict=True)
            if axis.activity and len(axis.grid) > 1
        }
        ranked = [names for names in ranked if free.issuperset(names)]
    alone = [names for names in ranked if len(names) == 1][:most]
    together = [names for names in ranked if len(names) == 2][:pairs]
    return [*alone, *together], shares
