"""A map of the configurations: which lie near each other, and where none was tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from hpo_explain.base import (
    Claim,
    PosteriorDraws,
    Result,
    Table,
    filled,
)
from hpo_explain.space import Array, Bools

KINDS = ("tried", "incumbent", "border", "random")
"""What a point of the map is: an incumbent was the best trial so far when it finished."""
_ROUGH = 0.2  # stress-1: "poor" by Kruskal
_SHOWN = 0.5  # R²


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Footprint(Result):
    """Configurations in two dimensions, with what the model predicts there.

    Attributes
    ----------
    X : ndarray of shape (m, d)
        The configurations, encoded.
    kinds : tuple of str
        What each is: "tried", "incumbent", or not tried, on the "border" of the space or "random".
    trials : ndarray of int, shape (m,)
        The number of the trial; -1 where it was not tried.
    xy : ndarray of shape (m, 2)
        Their places on the map, in units of the distance of configurations.
    mean, std : ndarray of shape (m,)
        The surrogate's prediction, in the objective's units.
    grid : tuple of ndarray of shape (G,)
        The axes of the map.
    surface : ndarray of shape (G, G)
        The mean of the predictions near each place, one row per value of the second axis; NaN
        where no configuration is near.
    stress : float
        How far distances on the map are from those of configurations: the root of the share of
        their squares that is off (Kruskal's stress-1).
    surface_r2 : float
        R² of the map's colors with the predictions, each point left out in turn.
    near : ndarray of bool, shape (m,)
        Which of them have a trial as near as `explored` counts.
    explored : tuple of float
        Share of the space that is as near to a trial as 95 % of it would be to as many trials
        spread evenly at random, with its 95 % interval over the sample. It is about distances of
        configurations, not of the map.
    draws : ndarray of shape (number of draws, m) or None
        The objective of each draw at the points; None without a joint posterior.
    subject, notes
        As of every result.

    References
    ----------
    .. [1] Biedenkapp, A., Marben, J., Lindauer, M. and Hutter, F. (2018). CAVE: configuration
       assessment, visualization and evaluation. LION. Section 3.2 (footprints).
    .. [2] Sass, R. et al. (2022). DeepCAVE: an interactive analysis tool for automated machine
       learning. ICML workshop. https://arxiv.org/abs/2206.03493

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=0)
    >>> found = hx.methods.footprint(hx.Run(space, X, X[:, 0], "minimize"))
    >>> found.stress < 0.01, found.explored[0] > 0.8
    (True, True)
    """

    table: ClassVar[Table] = Table(
        columns={},
        held={
            "configurations": lambda result: result.subject.space.decode(
                result.X
            ),
            **{
                name: name
                for name in (
                    "kinds",
                    "trials",
                    "xy",
                    "mean",
                    "std",
                    "stress",
                    "surface_r2",
                    "near",
                    "explored",
                )
            },
        },
    )
    says: ClassVar[Mapping[str, str]] = {
        "explored": "{share:%} of the space (95% interval {low:%} to {high:%}) is as near to a "
        "trial as 95% would be if as many trials had been spread evenly.",
        "short": "{share:%} of the space is near to a trial.",
        "near": "Distances on the map are off by {stress:%}.",
        "rough": "Distances on the map are off by {stress:%}: configurations that seem near may be "
        "far apart.",
        "pale": "Predictions differ among neighbours on it.",
    }
    X: Array
    kinds: tuple[str, ...]
    trials: npt.NDArray[np.int64]
    xy: Array
    mean: Array
    std: Array
    grid: tuple[Array, Array]
    surface: Array
    stress: float
    surface_r2: float
    near: Bools
    explored: tuple[float, float, float]
    draws: Array | None = None

    @property
    def posterior(self) -> PosteriorDraws:
        """What each function drawn predicts for the points, by row; better comes first.

        The map and what was explored are about distances, and the same for each.
        """
        if self.draws is None:
            return super().posterior
        return PosteriorDraws(
            tuple(range(len(self.mean))), self.draws, self.subject.best_first
        )

    @property
    def searched(self) -> Array:
        """The surface where trials are near: NaN where the nearest point of the map has none."""
        places = np.stack(np.meshgrid(*self.grid), axis=-1).reshape(-1, 2)
        nearest = cdist(places, self.xy).argmin(axis=1)
        near = self.near[nearest].reshape(self.surface.shape)
        return np.where(near, self.surface, np.nan)

    @property
    def has_surface(self) -> bool:
        """Whether predictions vary smoothly over the map, so that a color says something."""
        return self.surface_r2 >= _SHOWN

    def of_kind(self, *kinds: str) -> npt.NDArray[np.int64]:
        """Return the rows of the points of some kinds."""
        return np.flatnonzero([kind in kinds for kind in self.kinds])

    @property
    def claims(self) -> tuple[Claim, ...]:
        """How much of the space was explored."""
        share, low, high = self.explored
        return (
            self.claim(
                "tried",
                self.subject.names,
                share,
                (low, high),
                says="explored",
                certain=True,
                because=(),
                share=share,
                low=low,
                high=high,
            ),
        )

    @property
    def headline(self) -> str:
        """How much was explored."""
        return self.briefly("short", share=self.explored[0])

    @property
    def finding(self) -> str:
        """How much was explored, and how far the map can be relied on."""
        kinds = ["rough" if self.stress >= _ROUGH else "near"]
        kinds += [] if self.has_surface else ["pale"]
        about = [filled(self.says[kind], stress=self.stress) for kind in kinds]
        return " ".join([super().finding, *about])

    @property
    def named_columns(self) -> list[tuple[str, Any]]:
        """Kind, trial, place, prediction and nearness of each point, and its configuration."""
        tried = self.trials >= 0
        configurations = self.subject.space.decode(self.X)
        return [
            ("kind", self.kinds),
            ("trial", np.where(tried, self.trials, np.nan)),
            ("map_x", self.xy[:, 0]),
            ("map_y", self.xy[:, 1]),
            ("mean", self.mean),
            ("std", self.std),
            ("near", self.near),
            *(
                (name, [config.get(name, np.nan) for config in configurations])
                for name in self.subject.names
            ),
        ]
