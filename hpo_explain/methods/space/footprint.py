"""A map of the configurations by multidimensional scaling.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
δ_ij       distance of two configurations (Gower): numbers, categories and conditions count alike
d_ij       their distance on the map
stress-1   √(Σ (d_ij − δ_ij)² / Σ d_ij²) over pairs (Kruskal 1964)
=========  ============================================================================

The map begins with classical scaling, the two largest eigenvalues of the doubly centred −δ²/2, and
is improved by SMACOF, each step of which lowers Σ (d_ij − δ_ij)² (Borg and Groenen, Eq. 8.29).

References
----------
.. [1] Borg, I. and Groenen, P. (2005). Modern multidimensional scaling. Springer. Chapters 8, 12.
.. [2] Gower, J. C. (1971). A general coefficient of similarity and some of its properties.
   Biometrics 27.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from hpo_explain.base import (
    NORMAL_95,
    Direction,
    NothingToExplain,
    Subject,
    check_count,
    check_seed,
    declared_fact,
    one_blas_thread,
    r_squared,
    shows_progress,
)
from hpo_explain.belief import as_draws
from hpo_explain.methods.space.footprint_result import Footprint
from hpo_explain.models import Surrogate
from hpo_explain.question import (
    Explained,
    Question,
    accepted_surrogate,
    explains,
)
from hpo_explain.space import (
    Array,
    Bools,
    SearchSpace,
    gower_distances,
    nearest,
)

_MOST_TRIED = 300
_MOST_STEPS = 300
_SETTLED = 1e-7  # of the stress, in one step
_GRID = 60
_NEAR = 3.0  # widths of the kernel: further from every point the map is empty
_SAMPLE = 1000  # of the space
_EVEN = 0.95  # of the space is as near to trials spread evenly
_DESIGNS = 5


_NOTHING = declared_fact(
    "nothing_tried", "no trial is known, so there is nothing to draw"
)


@explains(of="surrogate")
def footprint(
    question: Question, *, border: int = 60, random: int = 60
) -> Footprint:
    """Draw the configurations on a map, with what the model predicts, and where none was tried.

    Places on the map are as far apart as the configurations, as well as two dimensions allow
    (``result.stress`` says how well).

    Parameters
    ----------
    border, random : int, default 60
        How many configurations that were not tried are shown, at the ends of all ranges and from
        anywhere in the space.

    Returns
    -------
    Footprint
        The map: tried configurations, incumbents and others, their places and predictions.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or an option is not allowed.

    References
    ----------
    .. [1] Sass, R. et al. (2022). DeepCAVE: an interactive analysis tool for automated machine
       learning. ICML workshop. https://arxiv.org/abs/2206.03493

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 0.5]})
    >>> found = hx.methods.footprint(table, objective="loss", border=2, random=10)
    >>> [len(found.of_kind(kind)) for kind in ("tried", "incumbent", "random")]
    [3, 2, 10]
    """
    explainer = FootprintExplainer(
        question.model,
        border=border,
        random=random,
        subject=question.subject(),
        seed=question.seed,
    )
    return explainer.explain(question.run.trials)


class FootprintExplainer:
    """Draws the configurations of a run, and others, on a map.

    Parameters
    ----------
    surrogate : Surrogate
        The model of the objective.
    border, random : int, default 60
        How many configurations on the border of the space, at most, and from anywhere in it are
        shown beside those that were tried.
    direction : {"minimize", "maximize"}, default "minimize"
        Direction of the objective.
    subject : Subject, optional
        What is explained, with the tried configurations, such as ``Subject.of(run)``.
    seed : int, default 0
        Seed of the configurations that were not tried.

    Raises
    ------
    ValueError
        If an option is not allowed.

    References
    ----------
    .. [1] Sass, R. et al. (2022). DeepCAVE: an interactive analysis tool for automated machine
       learning. ICML workshop. https://arxiv.org/abs/2206.03493

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=0)
    >>> run = hx.Run(space, X, X[:, 0], "minimize")
    >>> explainer = FootprintExplainer(run.surrogate(), subject=hx.base.Subject.of(run), random=4)
    >>> found = explainer.explain(run.trials)
    >>> len(found.of_kind("random"))
    4
    """

    def __init__(
        self,
        surrogate: Surrogate,
        *,
        border: int = 60,
        random: int = 60,
        direction: Direction = "minimize",
        subject: Subject | None = None,
        seed: int = 0,
    ) -> None:
        self._surrogate = accepted_surrogate(surrogate)
        self._space: SearchSpace = surrogate.space
        of_model = Explained.of(self._surrogate, direction)
        self._subject = of_model.completed(subject)
        self._border = check_count("border", border, minimum=0)
        self._random = check_count("random", random, minimum=0)
        self._seed = check_seed(seed)

    @shows_progress
    def explain(self, trials: npt.ArrayLike = ()) -> Footprint:
        """Return the map.

        Parameters
        ----------
        trials : array_like of int, shape (n,), optional
            The numbers of the tried configurations of the subject; by default 0, 1, ...

        Raises
        ------
        NothingToExplain
            If no trial is known.
        """
        space, subject = self._space, self._subject
        if not len(subject.tried):
            raise NothingToExplain(_NOTHING())
        tried = np.asarray(subject.tried)
        numbers = (
            np.asarray(trials, dtype=np.int64)
            if np.size(trials)
            else np.arange(len(tried))
        )
        best = _incumbents(subject.costs)
        shown = np.random.default_rng(self._seed).permutation(len(tried))[
            :_MOST_TRIED
        ]
        rows = np.union1d(shown, best).astype(np.int64)
        untried = [border_of(space, self._border, self._seed)]
        untried.append(
            space.sample(self._random, seed=self._seed + 1)[: self._random]
        )
        X = np.concatenate([tried[rows], *untried])
        kinds = [
            "incumbent" if row in best else "tried" for row in rows.tolist()
        ]
        kinds += ["border"] * len(untried[0]) + ["random"] * len(untried[1])
        radius = even_radius(space, len(tried), self._seed)
        distances = gower_distances(space, X, X)
        with one_blas_thread():  # the last digits of sums depend on it
            xy = improved(distances, classical_scaling(distances))
        mean, std = self._surrogate.predict(X)
        draws = as_draws(self._surrogate, subject.direction, seed=self._seed)
        width = _width(xy)
        grid = _axes(xy, width)
        places = np.stack(np.meshgrid(*grid), axis=-1).reshape(-1, 2)
        surface = _smoothed(places, xy, mean, width).reshape(
            len(grid[1]), len(grid[0])
        )
        return Footprint(
            subject=subject,
            X=X,
            kinds=tuple(kinds),
            trials=np.concatenate(
                [numbers[rows], np.full(len(X) - len(rows), -1)]
            ),
            xy=xy,
            mean=mean,
            std=std,
            grid=grid,
            surface=surface,
            stress=stress_1(distances, xy),
            surface_r2=_left_out_r2(xy, mean, width),
            near=_is_near(space, X, tried, radius),
            explored=explored(space, tried, self._seed, radius),
            draws=None if draws is None else draws.draws(X),
            notes=subject.notes,
        )


def classical_scaling(distances: Array) -> Array:
    """Return places (n, 2) whose distances approximate others (n, n).

    Each axis has the sign that makes its largest entry positive.

    Examples
    --------
    >>> line = np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
    >>> np.abs(np.diff(classical_scaling(line)[:, 0])).round(6).tolist()
    [1.0, 2.0]
    """
    squared = distances**2
    centred = (
        squared
        - squared.mean(axis=0)
        - squared.mean(axis=1)[:, None]
        + squared.mean()
    )
    eigenvalues, vectors = np.linalg.eigh(-0.5 * centred)
    places = vectors[:, :-3:-1] * np.sqrt(np.maximum(eigenvalues[:-3:-1], 0.0))
    if places.shape[1] < 2:
        places = np.column_stack(
            [places, np.zeros((len(places), 2 - places.shape[1]))]
        )
    largest = np.take_along_axis(
        places, np.abs(places).argmax(axis=0)[None, :], axis=0
    )
    return np.asarray(places * np.where(largest < 0.0, -1.0, 1.0))


def improved(distances: Array, xy: Array) -> Array:
    """Return the places (n, 2) that SMACOF finds from given ones, with less stress.

    Each step is a Guttman transform, which never raises the stress.
    """
    places, before = xy, np.inf
    whole = float((distances**2).sum())
    for _ in range(_MOST_STEPS):
        apart = cdist(places, places)
        stress = float(((apart - distances) ** 2).sum())
        if before - stress <= _SETTLED * whole:
            break
        before = stress
        ratio = np.divide(
            distances, apart, out=np.zeros_like(apart), where=apart > 0.0
        )
        pulled = ratio.sum(axis=1)[:, None] * places - ratio @ places
        places = pulled / len(places)
    return places


def stress_1(distances: Array, xy: Array) -> float:
    """Return Kruskal's stress-1 of places (n, 2); 0 where all are the same."""
    apart = cdist(xy, xy)
    whole = float((apart**2).sum())
    return (
        float(np.sqrt(((apart - distances) ** 2).sum() / whole))
        if whole > 0.0
        else 0.0
    )


def border_of(space: SearchSpace, n: int, seed: int) -> Array:
    """Return different configurations at the ends of all ranges, encoded, n at most.

    Categories are any.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.IntParameter("k", 1, 4)])
    >>> border_of(space, 40, 0).tolist()
    [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    """
    rng = np.random.default_rng(seed)
    latent = (
        space.sample(n, seed=seed, latent=True)[:n]
        if n
        else np.empty((0, len(space)))
    )
    for j in space.order.tolist():
        parameter = space.parameters[j]
        if not parameter.is_category:
            ends = parameter.nearest(np.array([0.0, 1.0]))
            here = ~np.isnan(latent[:, j])  # an optional one may be left out
            latent[here, j] = ends[rng.integers(0, 2, here.sum())]
    return space.distinct(space.project(latent))


def even_radius(space: SearchSpace, n: int, seed: int) -> float:
    """Return how near a trial is that counts as near.

    As near as 95 % of the space would be to n trials spread at random by a Latin hypercube, on
    average over five of them.
    """
    sample = space.sample(_SAMPLE, seed=seed + 2)
    designs = [space.sample(n, seed=seed + 3 + i)[:n] for i in range(_DESIGNS)]
    distances = [nearest(space, sample, design) for design in designs]
    return float(np.mean([np.quantile(one, _EVEN) for one in distances]))


def _is_near(
    space: SearchSpace, rows: Array, tried: Array, radius: float
) -> Bools:
    """Return which rows have a trial within a radius."""
    return np.asarray(nearest(space, rows, tried) <= radius * (1.0 + 1e-9))


def explored(
    space: SearchSpace, tried: Array, seed: int, radius: float
) -> tuple[float, float, float]:
    """Return the share of the space that is near a trial, with its 95 % interval (Wilson)."""
    sample = space.sample(_SAMPLE, seed=seed + 2)
    near = _is_near(space, sample, tried, radius)
    n, share = len(near), float(near.mean())
    middle = (share + NORMAL_95**2 / (2 * n)) / (1.0 + NORMAL_95**2 / n)
    half = NORMAL_95 * np.sqrt(
        share * (1 - share) / n + NORMAL_95**2 / (4 * n**2)
    )
    half /= 1.0 + NORMAL_95**2 / n
    return (
        share,
        max(float(middle - half), 0.0),
        min(float(middle + half), 1.0),
    )


def _incumbents(costs: Array) -> npt.NDArray[np.int64]:
    """Return the rows that were the best so far; infeasible ones have the cost NaN."""
    finite = np.where(np.isnan(costs), np.inf, costs)
    before = np.minimum.accumulate(np.append(np.inf, finite))[:-1]
    return np.flatnonzero(finite < before)


def _width(xy: Array) -> float:
    """Return the width of the kernel: the middle distance of a point from its tenth nearest."""
    apart = np.sort(cdist(xy, xy), axis=1)
    width = float(np.median(apart[:, min(10, len(xy) - 1)])) / 2.0
    return width if width > 0.0 else 1.0


def _axes(xy: Array, width: float) -> tuple[Array, Array]:
    low, high = xy.min(axis=0) - width, xy.max(axis=0) + width
    return np.linspace(low[0], high[0], _GRID), np.linspace(
        low[1], high[1], _GRID
    )


def _smoothed(places: Array, xy: Array, values: Array, width: float) -> Array:
    """Return the mean of the values near some places, by a Gaussian kernel; NaN far from all."""
    apart = cdist(places, xy)
    weights = np.exp(-0.5 * (apart / width) ** 2)
    near = apart.min(axis=1) <= _NEAR * width
    smoothed = np.full(len(places), np.nan)
    smoothed[near] = weights[near] @ values / weights[near].sum(axis=1)
    return smoothed


def _left_out_r2(xy: Array, values: Array, width: float) -> float:
    weights = np.exp(-0.5 * (cdist(xy, xy) / width) ** 2)
    np.fill_diagonal(weights, 0.0)
    total = weights.sum(axis=1)
    weighted = total > 0.0
    return r_squared(
        values[weighted], weights[weighted] @ values / total[weighted]
    )
