"""Local parameter importance around one configuration (Biedenkapp et al. 2018).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
θ          the configuration
ĝ          the surrogate's mean, or an acquisition
θ[j = a]   θ with hyperparameter j at value a (thesis, Eq. 2)
Var_a      variance over the values of j, each with its share of the space's measure
=========  ============================================================================

Another value of a parent may switch on hyperparameters that have no value in θ: ``ĝ(θ[j = a])`` is
then its average over their values. Along a real-valued hyperparameter the integral is exact for
trees (between their cuts), and by Gauss-Legendre quadrature for everything else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hpo_explain.base import (
    Claim,
    Fact,
    PosteriorDraws,
    Result,
    Table,
    check_count,
    check_name,
    fact,
    leading,
    percent,
    percent_range,
    printable,
    share_not_settled,
    shows_progress,
    unit_of,
)
from hpo_explain.belief import MATTERS, STRETCH, Draws, decide, std_of_draws
from hpo_explain.methods._engines.explainer import Explainer
from hpo_explain.models import SupportsBoxes, TreeBoxes
from hpo_explain.question import Question, explains
from hpo_explain.space import Array, Bools, Config, Ints


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LocalImportance(Result):
    """Shares of the variance along each hyperparameter around a configuration (LPI).

    A share says how much the prediction changes when this hyperparameter alone takes its other
    values, not in which direction, and not what changes together with others.

    Attributes
    ----------
    config : mapping
        The configuration, in the user's units; inactive hyperparameters are left out.
    importance, std : ndarray of shape (d,)
        Shares of the variance, which add up to 1 (all 0 where nothing changes the prediction), and
        the standard deviation of each: means over the functions that the trials allow, or shares
        of the prediction with a standard deviation over trees (or NaN). Functions in which nothing
        changes more than noise does have no shares, so means add up to less by their number.
    variance : ndarray of shape (d,)
        Variance along each hyperparameter, in squared units of the prediction: the mean over the
        functions that the trials allow, as the shares are, or that of the prediction (Eq. 2).
    varied : ndarray of bool, shape (d,)
        Whether each can take other values here.
    draws : ndarray of shape (number of draws, d)
        The shares in each function that the trials allow.
    prediction : float
        The prediction for the configuration.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.local_importance(table, objective="loss").share("x")
    1.0
    """

    table: ClassVar[Table] = Table(
        index=("hyperparameter", "names"),
        columns={
            "value": lambda result: np.array([*map(result.config.get, result.names)], dtype=object),
            "importance": "importance",
            "std": "std",
            "variance": "variance",
        },
        order="order",
        hidden=("varied", "draws"),
    )
    config: Mapping[str, Any]
    importance: Array
    variance: Array
    varied: Bools
    std: Array
    draws: Array
    prediction: float = float("nan")

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def posterior(self) -> PosteriorDraws:
        """The shares of functions drawn from the posterior, by hyperparameter."""
        return self.drawn(self.names, self.draws)

    @property
    def active(self) -> Bools:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    def share(self, name: str) -> float:
        """Return the share of a hyperparameter."""
        return float(self.importance[self._index(name)])

    def _index(self, name: str) -> int:
        return self.names.index(check_name("name", name, self.names, "hyperparameter"))

    def order(self) -> Ints:
        """Return the hyperparameters' positions, the largest share first."""
        return np.argsort(-self.importance, kind="stable")

    @property
    def answer(self) -> str:
        """What matters most here."""
        first = self.claims[0]
        if first.side == "below":
            return f"Around {self.where} no hyperparameter matters."
        return printable(f"Around {self.where} {first.hyperparameters[0]} matters most.")

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What matters around the configuration, up to three quarters of the variance.

        Certain where 95 % of the functions that the trials allow give it more than 2 %.
        """
        if not self.importance.any():
            whole = decide(self.draws.max(axis=1), MATTERS, side="below")
            text = f"Around {self.where} no hyperparameter alone changes the {self.what}."
            said = whole.claim("share", self.names, text=text)
            return (replace(said, side="below"),)
        return tuple(map(self._claim, leading(self.importance)))

    def _claim(self, j: int) -> Claim:
        decision = decide(self.draws[:, j], MATTERS, side="above", stretch=STRETCH["average"])
        low, high = decision.interval
        low, high = max(low, 0.0), min(high, 1.0)
        decision = replace(decision, interval=(low, high))
        unsettled = share_not_settled(
            label=self.names[j], threshold=MATTERS, probability=decision.probability
        )
        share = percent(float(self.importance[j]))
        if decision.known:
            share = percent_range(low, high)
        return decision.claim(
            "share",
            (self.names[j],),
            frame=f"Around {self.where} the {self.what} depends most on {{each}}.",
            text=f"{self.names[j]} ({share})",
            unsettled=unsettled,
            exact=bool(self.subject.acquisition),
        )


_MOST_VALUES = 1000  # of one hyperparameter

Points = tuple[Array, Array]


@explains
def local_importance(question: Question, config: Config | int | None = None) -> LocalImportance:
    """Measure which hyperparameters matter around one configuration.

    Parameters
    ----------
    config : dict or int, optional
        The configuration, or the number of a trial; by default the one to keep.

    Returns
    -------
    LocalImportance
        Each hyperparameter's share of the sum of variances.

    Raises
    ------
    ValueError
        If fewer than two trials are finished, or the configuration is not in the space.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2018). CAVE: Configuration assessment, visualization and
       evaluation. LION 12. https://doi.org/10.1007/978-3-030-05348-2_10

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.methods.local_importance(table, objective="loss").config
    {'x': 0.1}
    """
    at, model = question.config("config", config), question.model
    subject = question.subject(question.trial(config))
    return LocalImportanceExplainer(model, subject=subject, seed=question.seed).explain(at)


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalImportanceExplainer(Explainer):
    """Measures which hyperparameters matter around one configuration.

    Parameters
    ----------
    surrogate, direction, subject
        As in `Explainer`.
    grid_size : int, default 20
        Number of quadrature nodes along a real-valued hyperparameter, at least 2.
    sample : int, default 50
        Number of sampled values for hyperparameters that another value of a parent activates.
    seed : int, default 0
        Seed of this sample and of draws from the posterior.

    Raises
    ------
    ValueError
        If `surrogate` is not a model or an acquisition function, or a number is too small.

    References
    ----------
    .. [1] Biedenkapp, A. et al. (2018). CAVE: Configuration assessment, visualization and
       evaluation. LION 12, Section 3.2. https://doi.org/10.1007/978-3-030-05348-2_10
    .. [2] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Eq. 2.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(40, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, 3.0 * X[:, 0] + X[:, 1])
    >>> result = hx.methods.LocalImportanceExplainer(surrogate).explain({"x": 0.5, "y": 0.5})
    >>> result.importance.round(2).tolist()
    [0.9, 0.1]
    """

    grid_size: int = 20
    sample: int = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("grid_size", self.grid_size, minimum=2)
        check_count("sample", self.sample)

    @cached_property
    def _draws(self) -> Draws:
        return self.explained.draws(self.seed)

    @cached_property
    def _boxes(self) -> tuple[TreeBoxes, ...]:
        surrogate = self.explained.surrogate
        return (surrogate.boxes() or ()) if isinstance(surrogate, SupportsBoxes) else ()

    @shows_progress
    def explain(self, config: Config) -> LocalImportance:
        """Return the importance of every hyperparameter around a configuration.

        Parameters
        ----------
        config : dict
            The configuration θ, in the user's units; what is inactive is left out.

        Returns
        -------
        LocalImportance
            Each hyperparameter's share of the sum of variances; 0 if inactive.

        Raises
        ------
        ValueError
            If the configuration is not in the space.
        """
        explained, space = self.explained, self.space
        x = space.row(config, "config")
        members = [  # what can take other values: active, or optional and allowed
            j
            for j, parameter in enumerate(space.parameters)
            if not np.isnan(x[j]) or (parameter.optional < 1.0 and space.allowed(x[None, :], j)[0])
        ]
        points = [self._points(j) for j in members]
        rows, owner = self._rows(x, members, points)
        values = np.empty((0, 1))
        if len(rows):
            values = self._draws.draws(rows).T
        noise = float(self._draws.noise_at(x[None])[0])
        variances = self._variances(values, members, owner, points)
        draws = _shares_beside(variances, unit_of(values), noise)
        std = std_of_draws(draws)
        by_tree = self.explained.by_tree(rows) if len(rows) else None
        if by_tree is not None:
            shares = _shares_beside(
                self._variances(by_tree, members, owner, points), unit_of(by_tree)
            )
            varying = shares.any(axis=1)  # a constant tree has no shares
            shares = shares[varying] if varying.any() else shares
            std = (shares - shares[:1]).std(axis=0)
        at_x = explained(x[None, :])
        return LocalImportance(
            subject=self.about,
            config=space.decode(x[None, :])[0],
            importance=draws.mean(axis=0),
            variance=variances.mean(axis=0),
            varied=np.isin(np.arange(len(space)), members),
            std=std,
            draws=draws,
            prediction=float(at_x[0]),
            notes=self._notes(x, std),
        )

    def _points(self, j: int) -> Points:
        """Return positions of a hyperparameter with their shares of the measure.

        The first one of an optional hyperparameter is its absence, NaN.
        """
        parameter = self.space.parameters[j]
        grid = parameter.grid() if (parameter.size or _MOST_VALUES + 1) <= _MOST_VALUES else None
        if grid is not None:
            positions, shares = grid
        elif parameter.size is not None:
            middles = (np.arange(_MOST_VALUES) + 0.5) / _MOST_VALUES
            positions, shares = (parameter.from_latent(middles), np.full(len(middles), 1.0))
        elif self._boxes and parameter.optional == 1.0:
            cuts_of = [b.cuts[b.first[j] : b.first[j + 1]] for b in self._boxes]
            cuts = np.unique(np.concatenate(cuts_of))
            if len(cuts) > _MOST_VALUES:
                cuts = np.linspace(0.0, 1.0, _MOST_VALUES + 1)
            positions, shares = (cuts[1:] + cuts[:-1]) / 2.0, np.diff(cuts)
        else:
            nodes, shares = np.polynomial.legendre.leggauss(self.grid_size)
            positions = (nodes + 1.0) / 2.0
        shares = shares / shares.sum()
        if parameter.optional == 1.0:
            return positions, shares
        absent = 1.0 - parameter.optional
        return np.append(np.nan, positions), np.append(absent, parameter.optional * shares)

    def _rows(self, x: Array, members: Sequence[int], points: list[Points]) -> tuple[Array, Ints]:
        """Return all configurations θ[j = a], and the place of each among all points."""
        space = self.space
        sample = space.sample(self.sample, seed=self.seed, latent=True)
        missing = np.isnan(x)
        missing[members] = False  # the absence of an optional one is its value
        base = np.where(missing, sample, x)
        rows, owners, first = [], [], 0
        for j, (positions, _) in zip(members, points, strict=True):
            z = space.project(_at(np.repeat(x[None, :], len(positions), axis=0), j, positions))
            # where not, something is switched on that θ has no value of
            valid = space.is_valid(z)
            others = np.repeat(np.flatnonzero(~valid), len(base))
            filled = np.tile(base, (len(others) // len(base), 1))
            rows += [z[valid], space.project(_at(filled, j, positions[others]))]
            owners += [first + np.flatnonzero(valid), first + others]
            first += len(positions)
        if not rows:
            return np.empty((0, len(space))), np.empty(0, dtype=np.int64)
        owner = np.concatenate(owners)
        order = np.argsort(owner, kind="stable")
        return np.vstack(rows)[order], owner[order]

    def _variances(
        self, values: Array, members: Sequence[int], owner: Ints, points: list[Points]
    ) -> Array:
        """Return the variances in several functions, (functions, d), of values (n, functions)."""
        variances = np.zeros((values.shape[1], len(self.space)))
        for j, v, (_, w) in zip(members, _averaged(values, owner, points), points, strict=True):
            variances[:, j] = _variance(v, w)
        return variances

    def _notes(self, x: Array, std: Array) -> tuple[Fact, ...]:
        notes = []
        if self.explained.of_objective and not self._draws.joint:
            text = (
                "shares have no intervals: the model does not know how its predictions vary "
                "together"
            )
            if np.isfinite(std).any():
                text = "std is that of a share over the trees, not a confidence interval"
            notes.append(fact(text))
        inactive = [n for n, v in zip(self.space.names, x, strict=True) if np.isnan(v)]
        if inactive and any(self.space.conditions):
            text = "hyperparameters that another value activates are averaged over their own values"
            notes.append(fact(text, names=inactive))
        return (*notes, *self.about.notes)


def _at(rows: Array, j: int, positions: Array) -> Array:
    """Return rows in which a hyperparameter takes positions, one per row."""
    rows = rows.copy()
    rows[:, j] = positions
    return rows


def _averaged(values: Array, owner: Ints, points: list[Points]) -> list[Array]:
    """Return the mean over the rows of every point, by hyperparameter: (points, columns)."""
    if not len(owner):
        return []
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    count = np.diff(np.append(first, len(owner)))
    means = np.add.reduceat(values, first, axis=0) / count[:, None]
    ends = np.cumsum([len(positions) for positions, _ in points])
    return np.split(means, ends[:-1])


def _variance(values: Array, shares: Array) -> Array:
    """Return the variance over points, of each column."""
    # equal values have none, not even from rounding
    centred = values - values[:1]
    centred = centred - shares @ centred
    return shares @ centred**2


def _shares_beside(variances: Array, unit: float, noise: float = 0.0) -> Array:
    """Return the shares in several functions, (functions, d), of their variances.

    Of a function that hardly varies beside the noise nobody can tell what changes it: 0. In the
    unit no square overflows. They add up to 1, or are 0 where nothing varies.
    """
    whole = variances.sum(axis=1, keepdims=True) / unit / unit
    there = whole > MATTERS * (whole + (noise / unit) ** 2)
    variances = np.where(there, variances, 0.0)
    largest = variances.max(axis=1, keepdims=True, initial=0.0)
    scaled = np.divide(variances, largest, out=np.zeros_like(variances), where=largest > 0)
    whole = scaled.sum(axis=1, keepdims=True)
    return np.divide(scaled, whole, out=np.zeros_like(scaled), where=whole > 0)
