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

A criterion of mean and standard deviation has no terms of either in general: what each gain owes to
the two is shared out as `models.acquisition.split` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    ESTIMATORS,
    Estimator,
    Subject,
    check_count,
    check_fraction,
    check_option,
    check_seed,
    shows_progress,
)
from hpo_explain.belief import Draws
from hpo_explain.methods._engines.game import CoalitionGame
from hpo_explain.methods._engines.orders import SHARES, columns_of
from hpo_explain.methods._engines.uncertainty import drawn_contributions
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.methods.proposals.integration import ShapleyEstimate, integrated, sampled
from hpo_explain.methods.proposals.reference import Reference
from hpo_explain.models import PREDICTED, Acquisition, OfPredictions, SupportsDensities, split_of
from hpo_explain.question import Explained, accepted_acquisition
from hpo_explain.space import Array, Config


class ShapleyExplainer:
    """Explains why an acquisition function rates a configuration as desirable.

    Parameters
    ----------
    acquisition : Acquisition
        The acquisition function, as named additive terms. Contributions to a criterion of mean and
        standard deviation are divided into "mean" and "uncertainty", others term by term. For TPE
        (a `DensityRatio`) only the densities of active hyperparameters count.
    background : int, str, dict or ndarray of shape (n, d), default 1000
        The reference set that the configuration is compared with: a number of random rows (ten
        independent Latin hypercubes, which give intervals), encoded rows (no intervals), a single
        configuration (baseline Shapley), or a word:

        - "global" or "auto": random rows, from 200 up to 2000 (400 if coalitions are sampled),
          until the intervals reach `precision`; a note says what was reached;
        - "local": the same around the explained configuration;
        - "hybrid": the same with half of the rows there;
        - "candidates": draws from the optimizer's own candidates (TPE, a `DensityRatio`);
        - "thesis": 1000 rows per hyperparameter, as in ShapleyMBO.
    estimator : {"auto", "exact", "kernel", "sampling"}, default "auto"
        How coalitions are valued:

        - "auto": all coalitions of up to 11 hyperparameters; above that sampled orders for TPE (and
          from 8 on for a growing background), or `shap.KernelExplainer` for a background of fixed
          size;
        - "exact": all coalitions, from the structure of a `DensityRatio`, up to 11 active
          hyperparameters;
        - "kernel": `shap.KernelExplainer`, for any acquisition function;
        - "sampling": random background rows and orders (Algorithm 2 of [1]_); the intervals are
          those of the orders, and the "auto" background is "thesis".
    orders : int, default 1000
        Number of orders K that the sampling estimator draws, each with a background row; at least
        2.
    precision : float, default 0.01
        Half-width of the widest 95 % interval at which a growing background stops, relative to the
        largest contribution; between 0 and 1.
    subject : Subject, optional
        Names for plots and sentences, such as ``Subject.of(run)``; by default made from the
        acquisition function.
    belief : Draws, optional
        Draws of the objective, such as ``run.belief()``; the result then also states the effect of
        the values on the objective.
    seed : int, default 0
        Seed of the background, of sampled coalitions and of draws.

    Raises
    ------
    ValueError
        If `background` is neither a positive number nor rows or a configuration of the space,
        `estimator` is unknown or "exact" not possible, `orders` is below 2, or `precision` is not
        between 0 and 1.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Definitions 7 and 8, Algorithms 2 and 3, Section 8.
    .. [2] Lundberg, S. M. and Lee, S.-I. (2017). A unified approach to interpreting model
       predictions. NeurIPS. https://arxiv.org/abs/1705.07874
    .. [3] Sundararajan, M. and Najmi, A. (2020). The many Shapley values for model explanation.
       ICML. (baseline Shapley) https://arxiv.org/abs/1908.08474

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0), hx.FloatParameter("y", 0.0, 1.0)])
    >>> X = space.sample(30, seed=1)
    >>> surrogate = hx.models.GaussianProcessSurrogate.fit(space, X, (X[:, 0] - 0.2) ** 2)
    >>> acquisition = hx.models.LowerConfidenceBound(surrogate)
    >>> explainer = hx.methods.ShapleyExplainer(acquisition, background=100)
    >>> explanation = explainer.explain({"x": 0.2, "y": 0.5})
    >>> explanation.to_frame().index[0]
    'x'
    """

    def __init__(
        self,
        acquisition: Acquisition,
        *,
        background: int | str | Config | npt.ArrayLike = 1000,
        estimator: Estimator = "auto",
        orders: int = 1000,
        precision: float = 0.01,
        subject: Subject | None = None,
        belief: Draws | None = None,
        seed: int = 0,
    ) -> None:
        self._belief = belief
        acquisition = accepted_acquisition(acquisition)
        self._acquisition = acquisition
        self._split = split_of(acquisition)
        self._explained = Explained.of(acquisition)
        self._subject = self._explained.completed(subject)
        self._estimator = check_option("estimator", estimator, ESTIMATORS)
        self._orders = check_count("orders", orders, minimum=2)
        self._precision = check_fraction("precision", precision)
        self._seed = check_seed(seed)
        self._reference = Reference.of(
            acquisition, background, sampling=estimator == "sampling", seed=seed
        )

    @shows_progress
    def explain(self, config: Config, *, not_chosen: Sequence[str] = ()) -> ProposalExplanation:
        """Return the Shapley values of every term of the acquisition at a configuration.

        Parameters
        ----------
        config : dict
            The configuration, in the user's units, without inactive hyperparameters.
        not_chosen : sequence of str, optional
            Hyperparameters that have no value yet. The explanation is then the mean over the
            configurations that complete it, as in the background.

        Returns
        -------
        ProposalExplanation
            Contributions by hyperparameter and term, with intervals.

        Raises
        ------
        ValueError
            If the configuration is not in the space, or is incomplete and the background lies
            around it.
        """
        space = self._acquisition.space
        self._reference.check_complete(tuple(not_chosen))
        absent = tuple(space.index(name) for name in not_chosen)
        if absent:
            x = np.full(len(space), np.nan)
            for name, value in config.items():
                x[space.index(name)] = space[name].encode([value])[0]
        else:
            x = space.row(config, "config")
        acquisition = self._acquisition
        if isinstance(acquisition, SupportsDensities):
            active = ~np.isnan(x)
            active[list(absent)] = True
            acquisition = acquisition.of_active(active)
        game = CoalitionGame.of(
            self._split or acquisition,
            x,
            estimator=self._estimator,
            seed=self._seed,
            absent=absent,
            grows=self._reference.grows,
        )
        estimate = self._estimate(game, config)
        estimate = estimate.of_all(game.players, len(space))
        columns, background = self._columns, estimate.background
        own = dict(zip(self._acquisition.term_names, estimate.phi.T, strict=False))
        phi = estimate.phi[:, columns]
        earned = {**own, "total": phi.sum(axis=1)}
        at_x, predicted_at_x = self._means_over(acquisition, game.explained(background))
        baseline, predicted_baseline = self._means_over(acquisition, background)
        payout = {name: at_x[name] - baseline[name] for name in at_x}
        gap = {name: payout[name] - float(earned[name].sum()) for name in at_x}
        explanation = ProposalExplanation(
            subject=self._subject,
            config=space.decode(x[None, :])[0],
            not_chosen=tuple(not_chosen),
            terms=columns_of(game.acquisition)[columns],
            phi=phi,
            standard_error=estimate.standard_error(columns),
            difference_error=estimate.difference_error(columns),
            degrees_of_freedom=estimate.degrees_of_freedom,
            prediction=at_x,
            baseline=baseline,
            payout=payout,
            efficiency_gap=gap,
            objective_prediction=predicted_at_x,
            objective_baseline=predicted_baseline,
            background_size=len(background),
            estimator=estimate.how,
            orders=self._orders if self._estimator == "sampling" else None,
            draws=self._drawn(game, estimate),
            kappa=getattr(self._acquisition, "kappa", None),
            notes=(*estimate.notes, *self._subject.notes),
        )
        if self._split is None:
            return explanation
        predicted = slice(self._split.own, self._split.own + len(PREDICTED))
        shares = dict(zip(SHARES, phi.sum(axis=0).tolist(), strict=True))
        return replace(
            explanation,
            own=own,
            payout={**payout, **shares},
            moves=estimate.phi[:, predicted],
            moves_error=estimate.standard_error(predicted)[:, :-1],
        )

    @property
    def _columns(self) -> slice:
        """Which columns of a game are shown: the terms, or the shares of mean and uncertainty."""
        return slice(None) if self._split is None else slice(-len(SHARES), None)

    def _estimate(self, game: CoalitionGame, config: Config) -> ShapleyEstimate:
        reference = self._reference
        if self._split is None:
            reference = replace(reference, acquisition=game.acquisition)
        if self._estimator == "sampling":
            return sampled(game, reference, config, orders=self._orders)
        return integrated(game, reference, config, columns=self._columns, precision=self._precision)

    def _means_over(
        self, acquisition: Acquisition, latent: Array
    ) -> tuple[dict[str, float], dict[str, float] | None]:
        """Return the mean of each term over rows, and what the model predicts on average."""
        surrogate = self._explained.surrogate
        X = acquisition.space.project(latent)
        predicted = None if surrogate is None else surrogate.predict(X)
        if predicted is not None and isinstance(acquisition, OfPredictions):
            terms = acquisition.terms_of(*predicted)
        else:
            terms = acquisition.terms(X)
        means = {name: float(np.mean(terms[name])) for name in acquisition.term_names}
        means["total"] = sum(means.values())
        if predicted is None:
            return means, None
        mean, std = map(float, np.mean(predicted, axis=1))
        return means, {"mean": mean, "std": std}

    def _drawn(self, game: CoalitionGame, estimate: ShapleyEstimate) -> Array:
        """Return contributions to each draw of the objective; to one alone without a posterior."""
        phi, values = estimate.phi[:, 0], None
        if self._explained.of_objective:
            error = estimate.standard_error(slice(None))[:, 0]
            values = phi, np.nan_to_num(error)
        if self._belief is None or not self._belief.joint:
            return phi[None] if values else np.full((1, len(phi)), np.nan)
        return drawn_contributions(
            game,
            self._belief,
            estimate.background,
            values_and_error=values,
            fixed=self._reference.given is not None,
            seed=self._seed,
        )
