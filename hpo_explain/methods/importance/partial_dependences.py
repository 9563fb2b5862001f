"""Partial dependences of all that matters, in one figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hpo_explain.asked.explains import Asked, explains
from hpo_explain.base.checks import check_count, check_sequence
from hpo_explain.base.options import Variance
from hpo_explain.methods.effects.partial_dependence import explainer_of
from hpo_explain.methods.effects.partial_dependences_result import PartialDependences
from hpo_explain.methods.importance.importance import importance


@explains(of="surrogate")
def partial_dependences(
    asked: Asked,
    names: str | Sequence[str | Sequence[str]] | None = None,
    *,
    most: int = 6,
    pairs: int = 0,
    sample: int | npt.ArrayLike = 300,
    grid_size: int = 20,
    variance: Variance | None = None,
    attainable: bool = True,
) -> PartialDependences:
    """Show the effects of the hyperparameters that matter most, in one call and one figure.

    The counterpart of skopt's ``plot_objective``, with the uncertainty of each effect.

    Parameters
    ----------
    names : sequence of str or pair of str, optional
        The hyperparameters, and pairs of them, in this order. By default those that explain most
        of the variance, by :func:`importance` with the same model and seed.
    most : int, default 6
        How many of these.
    pairs : int, default 0
        How many pairs, those with the largest interactions.
    sample : int or ndarray of shape (n, d), default 300
        As of :func:`partial_dependence`.
    grid_size : int, default 20
        As of :func:`partial_dependence`.
    variance : {"average", "covariance"}, optional
        As of :func:`partial_dependence`.
    attainable : bool, default True
        As of :func:`partial_dependence`.

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
    shares: dict[tuple[str, ...], float] = {}
    if names is None:
        wanted, shares = _most_important(asked, most, pairs)
    else:
        wanted = [names] if isinstance(names, str) else check_sequence("names", names, "names")
    options: dict[str, Any] = {"sample": sample, "grid_size": grid_size, "attainable": attainable}
    return explainer_of(asked, variance, **options).explain_all(wanted, shares)


def _most_important(
    asked: Asked, most: int, pairs: int
) -> tuple[list[str | Sequence[str]], dict[tuple[str, ...], float]]:
    """Return the most important hyperparameters and pairs, and what all explain."""
    order = 2 if pairs and len(asked.run.space) > 1 else 1
    found = importance(asked.run, order, kind=asked.kind, seed=asked.seed)
    shares = {
        tuple(found.names[j] for j in members): share if np.isfinite(share) else 0.0
        for members, share in zip(found.members, found.estimate.tolist(), strict=True)
    }
    ranked = sorted(shares, key=lambda names: -shares[names])
    alone = [names for names in ranked if len(names) == 1][:most]
    together = [names for names in ranked if len(names) == 2][:pairs]
    return [*alone, *together], shares
