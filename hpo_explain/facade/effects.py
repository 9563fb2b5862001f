"""Effects of hyperparameters, alone and together, with the model's uncertainty about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_count, check_sequence
from hpo_explain.base.options import Kind, Split, Variance
from hpo_explain.base.progress import shows_progress
from hpo_explain.base.subject import Subject
from hpo_explain.explainers.regional import RegionalPartialDependenceExplainer
from hpo_explain.explanations.partial_dependences import PartialDependences
from hpo_explain.explanations.regional import RegionalPartialDependence
from hpo_explain.facade._asked import read
from hpo_explain.methods.effects.partial_dependence import PartialDependenceExplainer
from hpo_explain.methods.importance.importance import importance
from hpo_explain.run import Run
from hpo_explain.space import Array


@shows_progress
def partial_dependences(
    run: Any,
    names: str | Sequence[str | Sequence[str]] | None = None,
    *,
    most: int = 6,
    pairs: int = 0,
    sample: int | npt.ArrayLike = 300,
    grid_size: int = 20,
    variance: Variance = "average",
    attainable: bool = True,
    kind: Kind = "auto",
    surrogate: Any = None,
    draws: int | None = None,
    seed: int = 0,
    **reading: Any,
) -> PartialDependences:
    """Show the effects of the hyperparameters that matter most, in one call and one figure.

    The counterpart of skopt's ``plot_objective``, with the uncertainty of each effect.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    names : sequence of str or pair of str, optional
        The hyperparameters, and pairs of them, in this order. By default those that explain most
        of the variance, by :func:`importance` with the same model and seed.
    most : int, default 6
        How many of these.
    pairs : int, default 0
        How many pairs, those with the largest interactions.
    sample, grid_size, variance, attainable, kind, surrogate, seed
        As in :func:`partial_dependence`.
    draws : int, optional
        Number of functions drawn from the posterior, as of :class:`PosteriorDraws`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    PartialDependences
        The effects, the most important first, then the pairs.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> rng = np.random.default_rng(0)
    >>> table = pd.DataFrame(rng.random((30, 3)), columns=["a", "b", "c"])
    >>> table["loss"] = table.b * table.c
    >>> found = hx.partial_dependences(table, most=2, pairs=1, objective="loss", sample=20)
    >>> sorted(found.names[:2]), found.names[2], found.left_out
    ([('b',), ('c',)], ('b', 'c'), ('a',))
    >>> hx.partial_dependences(table, ["a", ("b", "a")], objective="loss", sample=20).names
    (('a',), ('b', 'a'))
    """
    check_count("most", most)
    check_count("pairs", pairs, minimum=0)
    run = read(partial_dependences, run, reading, surrogate, kind)
    if names is None:
        wanted, shares = _most_important(run, most, pairs, kind, seed)
    else:
        given = [names] if isinstance(names, str) else check_sequence("names", names, "names")
        wanted, shares = given, {}
    explainer = PartialDependenceExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        grid_size=grid_size,
        variance=variance,
        attainable=attainable,
        feasible=_probability(run, seed),
        subject=Subject.of(run, draws=draws),
        seed=seed,
    )
    return explainer.explain_all(wanted, shares)


def _most_important(
    run: Run, most: int, pairs: int, kind: Kind, seed: int
) -> tuple[list[str | Sequence[str]], dict[tuple[str, ...], float]]:
    """Return the most important hyperparameters and pairs, and what all explain."""
    order = 2 if pairs and len(run.space) > 1 else 1
    found = importance(run, order, kind=kind, seed=seed)
    shares = {
        tuple(found.names[j] for j in members): share if np.isfinite(share) else 0.0
        for members, share in zip(found.members, found.estimate.tolist(), strict=True)
    }
    ranked = sorted(shares, key=lambda names: -shares[names])
    alone = [names for names in ranked if len(names) == 1][:most]
    together = [names for names in ranked if len(names) == 2][:pairs]
    return [*alone, *together], shares


@shows_progress
def regional_partial_dependence(
    run: Any,
    names: str | Sequence[str],
    *,
    sample: int | npt.ArrayLike = 1000,
    grid_size: int = 20,
    max_depth: int = 3,
    criterion: Split = "l2",
    kind: Kind = "auto",
    surrogate: Any = None,
    seed: int = 0,
    **reading: Any,
) -> RegionalPartialDependence:
    """Show the effect of one or two hyperparameters in regions of similar uncertainty.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run.
    names : str or pair of str
        The hyperparameters.
    sample, grid_size, max_depth, criterion, seed
        As in :class:`RegionalPartialDependenceExplainer`.
    kind : {"auto", "gp", "forest"}, default "auto"
        The surrogate, as in :meth:`Run.surrogate`.
    surrogate : Surrogate or object, optional
        A model of your own in place of `kind`: a surrogate, a fitted regressor of scikit-learn,
        or any object with ``predict``, as in :meth:`Run.explained_by`.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    RegionalPartialDependence
        The regions, the incumbent's first.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, a name is unknown, or an option is not allowed.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "y": [0.1, 0.2, 0.1, 0.3, 0.9]})
    >>> table["loss"] = table.x + table.y
    >>> result = hx.regional_partial_dependence(table, "x", objective="loss", sample=100)
    >>> result.regions[0].holds(result.subject.incumbent)
    True
    """
    run = read(regional_partial_dependence, run, reading, surrogate, kind)
    explainer = RegionalPartialDependenceExplainer(
        run.surrogate(kind=kind, seed=seed),
        sample=sample,
        grid_size=grid_size,
        max_depth=max_depth,
        criterion=criterion,
        subject=Subject.of(run),
        seed=seed,
    )
    return explainer.explain(names)


def _probability(run: Run, seed: int) -> Callable[[Array], Array] | None:
    """Return the probability of being feasible; None where all trials are."""
    found = run.feasibility(seed=seed)
    return None if found is None else found.probability
