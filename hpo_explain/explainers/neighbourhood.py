"""The L1-neighbourhood of a configuration: what regions are compared with (Moosbauer et al. 2021).

=======  ================================================================================
symbol   meaning
=======  ================================================================================
λ̂        the configuration in the middle, usually the incumbent
‖·‖₁     the sum over hyperparameters of the distance of positions on their own scale, in units of
         the range; 1 for two categories, and where only one of the two is active
=======  ================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_count, check_name
from hpo_explain.base.errors import InputError
from hpo_explain.space import Array, CategoricalParameter, Config, SearchSpace, encode_one


def l1_neighbourhood(
    space: SearchSpace,
    X: npt.ArrayLike,
    config: Config,
    n: int,
    *,
    without: str | Sequence[str] = (),
) -> npt.NDArray[np.int64]:
    """Return which rows are closest to a configuration in L1 distance.

    A partial dependence on these rows is the naive local effect: no conditions say where it holds,
    and its extent does not depend on the model's uncertainty.

    Parameters
    ----------
    space : SearchSpace
        The search space.
    X : ndarray of shape (N, d)
        Encoded or latent rows, such as the sample of a partial dependence.
    config : dict
        The configuration in the middle, in the user's units.
    n : int
        Number of rows wanted: that of the region it is compared with.
    without : str or sequence of str, optional
        Hyperparameters whose distance does not count, such as those whose effect is asked for.

    Returns
    -------
    ndarray of int, shape (n,)
        Places of the rows in `X`, in ascending order; of equally close rows the first.

    Raises
    ------
    ValueError
        If the configuration is not one of the space, a name is unknown, or there are fewer than
        `n` rows.

    References
    ----------
    .. [1] Moosbauer, J. et al. (2021). Explaining hyperparameter optimization via partial
       dependence plots. NeurIPS. Appendix C.3.2. https://arxiv.org/abs/2111.04820

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 2.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.encode([{"x": 0.0, "y": 0.5}, {"x": 1.0, "y": 0.9}, {"x": 1.2, "y": 0.6}])
    >>> l1_neighbourhood(space, X, {"x": 1.0, "y": 0.5}, 2).tolist()
    [1, 2]
    >>> l1_neighbourhood(space, X, {"x": 1.0, "y": 0.5}, 2, without="x").tolist()
    [0, 2]
    """
    rows = space.project(space.check_rows("X", X))
    if check_count("n", n) > len(rows):
        raise InputError("n", f"must be at most the number of rows, {len(rows)}, but was {n}", n)
    left_out = {
        check_name("without", name, space.names, "hyperparameter")
        for name in ([without] if isinstance(without, str) else without)
    }
    centre = encode_one(space, config, "config")
    distance: Array = np.zeros(len(rows))
    for j, parameter in enumerate(space.parameters):
        if parameter.name in left_out:
            continue
        gap = np.abs(rows[:, j] - centre[j])
        if isinstance(parameter, CategoricalParameter):
            gap = np.where(np.isnan(gap), gap, gap > 0.0)
        both = np.isnan(rows[:, j]) & np.isnan(centre[j])
        distance += np.where(both, 0.0, np.where(np.isnan(gap), 1.0, gap))
    return np.sort(np.argsort(distance, kind="stable")[:n])
