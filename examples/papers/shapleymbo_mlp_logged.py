"""The thesis's own tuning of a network (Croppi 2021, Section 7.2), as far as it is published.

github.com/croppi-f/ShapleyMBO has the model of iteration 95 (the trials that it learned, and its
parameters), the 7,000 rows with which proposals were compared, and 784 contributions: seven of each
of 112 proposals, from K = 20,000 draws with their variances. With these parameters the model is the
thesis's to all digits, and what it says of the best-predicted proposal, made in iteration 95, is a
test without repetitions: of its mean and standard deviation there is no error, of contributions
that of the R tool's draws alone.

Not published are the values observed from iteration 95 on, and the model of iteration 113 that
learned them.

Contributions have the opposite sign of the thesis's: what is positive is attractive.
"""

from __future__ import annotations

import json
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

import hpo_explain as hx
from examples.papers.dice_kriging import DiceKriging
from examples.papers.frame import (
    NETWORK_BACKGROUND,
    NETWORK_CONTRIBUTIONS,
    NETWORK_DESIGN,
    NETWORK_PARAMETERS,
    Profile,
)
from examples.papers.lcbench import HIGH, LOG, LOW, SPACE
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation

FILES = (NETWORK_BACKGROUND, NETWORK_CONTRIBUTIONS, NETWORK_DESIGN, NETWORK_PARAMETERS)
NAMES = list(SPACE.names)
BEST, DRAWS = 95, 20_000


def encoded(table: pd.DataFrame) -> np.ndarray:
    """Return rows whose batch size and units are logarithms to the base 2, encoded."""
    low, high = LOW.astype(float), HIGH.astype(float)
    low[LOG], high[LOG] = np.log2(low[LOG]), np.log2(high[LOG])
    return (table[NAMES].to_numpy() - low) / (high - low)


class Logged(NamedTuple):
    """The thesis's run.

    Attributes
    ----------
    model : DiceKriging
        The model of iteration 95.
    background : ndarray of shape (7000, 7)
        What proposals were compared with.
    table : DataFrame
        The R tool's answers, a row per iteration and hyperparameter.
    """

    model: DiceKriging
    background: np.ndarray
    table: pd.DataFrame

    @property
    def best(self) -> pd.DataFrame:
        """The R tool's answers on iteration 95, by hyperparameter."""
        rows = self.table[self.table["iter"] == BEST]
        return rows.set_index("feature").loc[NAMES]

    @property
    def proposal(self) -> np.ndarray:
        """The proposal of iteration 95, an encoded row (1, 7)."""
        return encoded(self.best[["feature_value"]].T)

    @property
    def phi(self) -> np.ndarray:
        """The R tool's φ(m) and φ(se), larger is more desirable, (7, 2)."""
        return self.best[["phi_mean", "phi_se"]].to_numpy() * [-1.0, 1.0]

    @property
    def error(self) -> np.ndarray:
        """The standard errors of φ(m), φ(se) and φ(cb), (7, 3)."""
        names = ["phi_var_mean", "phi_var_se", "phi_var_cb"]
        return np.sqrt(self.best[names].to_numpy() / DRAWS)


@cache
def logged(profile: Profile) -> Logged:
    """Return the thesis's run."""
    design = profile.read(NETWORK_DESIGN)
    text = (profile.data / NETWORK_PARAMETERS).read_text(encoding="utf-8")
    parameters = json.loads(text)
    scales = pd.DataFrame([parameters["range_theta"]], columns=NAMES)
    origin = encoded(scales * 0.0)
    model = DiceKriging.of_parameters(
        SPACE,
        encoded(design),
        design["y"].to_numpy(),
        theta=(encoded(scales) - origin)[0],
        signal=parameters["sd2"],
        nugget=parameters["nugget"],
        trend=parameters["trend_const"],
    )
    background = encoded(profile.read(NETWORK_BACKGROUND))
    return Logged(model, background, profile.read(NETWORK_CONTRIBUTIONS))


@cache
def explained(profile: Profile) -> ProposalExplanation:
    """Return contributions to the proposal of iteration 95 through its model, all coalitions."""
    run = logged(profile)
    explainer = hx.methods.ShapleyExplainer(
        hx.models.LowerConfidenceBound(run.model, kappa=1.0),
        background=run.background,
        estimator="exact",
    )
    return explainer.explain(SPACE.decode(run.proposal)[0])
