"""Shapley values of an acquisition function at a configuration (ShapleyMBO).

=========  ============================================================================
symbol     meaning
=========  ============================================================================
x          the explained configuration, encoded (thesis: θ)
b          a background row, latent
S          a coalition: the hyperparameters that keep the value of x
z_S        x on S, b elsewhere, projected onto the space
u_t(z)     term t of the acquisition at z
v_t(S)     value of the coalition: the mean of u_t(z_S) over the background
φ_t        Shapley values of v_t; because they are linear, Σ_t φ_t explains Σ_t u_t
=========  ============================================================================
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hpo_explain import diagnostics
from hpo_explain._checks import check_option
from hpo_explain.acquisition import Acquisition, SurrogateBased
from hpo_explain.explainers.background import complete, hypercubes
from hpo_explain.explainers.exact_shapley import shapley_weights
from hpo_explain.explainers.kernel_shap import EXACT_PLAYERS, kernel_shap
from hpo_explain.explanations import ProposalExplanation
from hpo_explain.space import Array, Config
from hpo_explain.surrogates import SupportsCoalitions, Surrogate

ESTIMATORS = ("auto", "exact", "kernel")


class ShapleyExplainer:
    """Explains why an acquisition function finds a configuration desirable.

    Parameters
    ----------
    acquisition : Acquisition
        The utility to explain, as named additive terms.
    background : int or ndarray of shape (n, d), default 1000
        The reference sample: a number of rows (drawn from the space's measure as ten
        independent Latin hypercubes, which gives intervals), or encoded rows (no intervals).
    estimator : {"auto", "exact", "kernel"}, default "auto"
        "exact" values every coalition through the surrogate's own structure, without composed
        rows (a `SupportsCoalitions` surrogate, up to 11 active hyperparameters). "kernel" is
        `shap.KernelExplainer`: every coalition up to 11, its sampling above; any acquisition.
        "auto" is "exact" where it is possible; the two agree.
    seed : int, default 0
        Seed of the background and of sampled coalitions.

    Raises
    ------
    ValueError
        If `background` is neither a positive number nor rows of the space, `estimator` is
        unknown, or "exact" is asked for where it is not possible.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Definitions 7 and 8, Algorithm 3.
    .. [2] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS. https://arxiv.org/abs/1705.07874

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=1)
    >>> surrogate = hx.GaussianProcessSurrogate.fit(space, X, (X[:, 0] - 0.2) ** 2)
    >>> explainer = hx.ShapleyExplainer(hx.LowerConfidenceBound(surrogate), background=100)
    >>> explanation = explainer.explain({"x": 0.2, "y": 0.5})
    >>> explanation.to_frame().index[0]
    'x'
    """

    def __init__(
        self,
        acquisition: Acquisition,
        *,
        background: int | npt.ArrayLike = 1000,
        estimator: str = "auto",
        seed: int = 0,
    ) -> None:
        self._acquisition = acquisition
        self._estimator = check_option("estimator", estimator, ESTIMATORS)
        self._seed = seed
        space = acquisition.space
        if np.ndim(background) == 0:
            self._backgrounds = hypercubes(space, background, seed=seed)  # type: ignore[arg-type]
            self._sampled = len(self._backgrounds) > 1
        else:
            self._backgrounds = [complete(space, background, seed=seed)]
            self._sampled = False

    def explain(self, config: Config) -> ProposalExplanation:
        """Return the Shapley values of every term of the acquisition at a configuration.

        Parameters
        ----------
        config : dict
            The configuration, in the user's units; what is inactive is left out.

        Returns
        -------
        ProposalExplanation
            Contributions by hyperparameter and term, with intervals.

        Raises
        ------
        ValueError
            If the configuration is not one of the space.
        """
        acquisition, space = self._acquisition, self._acquisition.space
        x = space.encode(config)[0]
        players = self._players(x)
        terms = acquisition.term_names
        weights = np.array([len(b) for b in self._backgrounds], dtype=float)
        weights /= weights.sum()

        at_x = self._terms(x[None, :])[0]
        at_background = np.stack(
            [self._terms(space.project(b)).mean(axis=0) for b in self._backgrounds]
        )
        by_cube, estimator = self._shapley(x, players)
        phi = np.zeros((len(space), len(terms)))
        phi[players] = np.tensordot(weights, by_cube, axes=1)

        baseline = weights @ at_background
        payout = at_x - baseline
        standard_error = None
        if self._sampled:
            spread = np.concatenate([by_cube, by_cube.sum(axis=2, keepdims=True)], axis=2)
            standard_error = np.zeros((len(space), len(terms) + 1))
            standard_error[players] = spread.std(axis=0, ddof=1) / np.sqrt(len(by_cube))
        surrogate = acquisition.surrogate if isinstance(acquisition, SurrogateBased) else None
        return ProposalExplanation(
            names=space.names,
            config=space.decode(x[None, :])[0],
            terms=terms,
            phi=phi,
            standard_error=standard_error,
            degrees_of_freedom=len(by_cube) - 1,
            prediction=_by_term(terms, at_x),
            baseline=_by_term(terms, baseline),
            payout=_by_term(terms, payout),
            efficiency_gap=_by_term(terms, payout - phi.sum(axis=0)),
            acquisition=acquisition.label,
            model="" if surrogate is None else getattr(surrogate, "label", "a model of yours"),
            direction=getattr(acquisition, "direction", "minimize"),
            objective_prediction=_mean_prediction(surrogate, x[None, :]),
            objective_baseline=_mean_prediction(
                surrogate, space.project(np.vstack(self._backgrounds))
            ),
            background_size=sum(len(b) for b in self._backgrounds),
            estimator=estimator,
            trust=None if surrogate is None else diagnostics.trust(surrogate),
        )

    def _players(self, x: Array) -> npt.NDArray[np.int64]:
        """Return the columns that take part: active ones, and optional ones left out by choice."""
        space = self._acquisition.space
        absent = [
            parameter.optional is not None and bool(space.allowed(x[None, :], j)[0])
            for j, parameter in enumerate(space.parameters)
        ]
        return np.flatnonzero(~np.isnan(x) | np.array(absent))

    def _terms(self, X: Array) -> Array:
        terms = self._acquisition.terms(X)
        return np.column_stack([terms[name] for name in self._acquisition.term_names])

    def _shapley(self, x: Array, players: npt.NDArray[np.int64]) -> tuple[Array, str]:
        """Return Shapley values (hypercube, player, term), and how they came about in words."""
        n = len(players)
        if n == 0:
            return np.zeros((len(self._backgrounds), 0, len(self._acquisition.term_names))), "none"
        values = self._coalition_values(x, players) if self._estimator != "kernel" else None
        if values is not None:
            return shapley_weights(n) @ values, f"exact, all {2**n} coalitions"
        if self._estimator == "exact":
            raise ValueError(
                f"estimator='exact' is not possible here: it needs at most {EXACT_PLAYERS} active "
                f"hyperparameters (there are {n}) and a surrogate that supports coalitions. "
                "Use estimator='kernel'."
            )
        by_cube = np.stack([self._kernel(x, players, b) for b in self._backgrounds])
        how = f"all {2**n}" if n <= EXACT_PLAYERS else f"sampled, of {n} hyperparameters,"
        return by_cube, f"KernelExplainer, {how} coalitions"

    def _coalition_values(self, x: Array, players: npt.NDArray[np.int64]) -> Array | None:
        """Return v (hypercube, coalition, term) through the surrogate's structure, if it can."""
        acquisition = self._acquisition
        if len(players) > EXACT_PLAYERS or not isinstance(acquisition, SurrogateBased):
            return None
        surrogate = acquisition.surrogate
        if not isinstance(surrogate, SupportsCoalitions):
            return None
        blocks = surrogate.predict_coalitions(x, np.vstack(self._backgrounds), players)
        if blocks is None:
            return None
        sizes = [len(b) for b in self._backgrounds]
        cube = np.repeat(np.arange(len(sizes)), sizes)
        values = np.zeros((len(sizes), 2 ** len(players), len(acquisition.term_names)))
        for block in blocks:
            share = np.zeros((len(sizes), block.mean.shape[1]))
            here = cube[block.rows]
            share[here, np.arange(len(here))] = 1.0 / np.array(sizes)[here]
            terms = acquisition.terms_of(block.mean, block.std)
            for t, name in enumerate(acquisition.term_names):
                values[:, :, t] += share @ terms[name].T
        return values

    def _kernel(self, x: Array, players: npt.NDArray[np.int64], background: Array) -> Array:
        def game(coalitions: npt.NDArray[np.bool_], rows: npt.NDArray[np.int64]) -> Array:
            z = background[rows]
            z[:, players] = np.where(coalitions, x[players], z[:, players])
            return self._terms(self._acquisition.space.project(z))

        return kernel_shap(game, len(background), len(players), seed=self._seed)


def _mean_prediction(surrogate: Surrogate | None, X: Array) -> dict[str, float] | None:
    if surrogate is None:
        return None
    mean, std = surrogate.predict(X)
    return {"mean": float(np.mean(mean)), "std": float(np.mean(std))}


def _by_term(terms: tuple[str, ...], values: Array) -> dict[str, float]:
    return {
        **{t: float(v) for t, v in zip(terms, values, strict=True)},
        "total": float(values.sum()),
    }
