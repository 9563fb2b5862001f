"""Why the optimizer tried a configuration: Shapley values of its acquisition function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hpo_explain._checks import check_fraction
from hpo_explain.diagnostics import Trust
from hpo_explain.explanations._format import format_value, join_words, plain_json
from hpo_explain.explanations._result import AboutConfiguration, Shown
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# what a contribution says about a value, by term and whether it raises the utility
_REASONS = {
    ("mean", True): ("promises", "promise", "a better {objective}"),
    ("mean", False): ("promises", "promise", "a worse {objective}"),
    ("uncertainty", True): ("leads", "lead", "where the model is unsure"),
    ("uncertainty", False): ("leads", "lead", "where the model is sure already"),
    ("exploitation", True): ("promises", "promise", "a better {objective}"),
    ("exploitation", False): ("promises", "promise", "a worse {objective}"),
    ("exploration", True): ("leads", "lead", "where the model is unsure"),
    ("exploration", False): ("leads", "lead", "where the model is sure already"),
    ("good", True): ("is", "are", "common among good trials"),
    ("good", False): ("is", "are", "rare among good trials"),
    ("bad", True): ("is", "are", "rare among the other trials"),
    ("bad", False): ("is", "are", "common among the other trials"),
}
_OTHER_REASONS = {True: ("raises", "raise", "the {term}"), False: ("lowers", "lower", "the {term}")}
_MAIN_SHARE = 0.75  # so much of the contributions of one sign is told as the main reasons
_MAIN_COUNT = 3


@dataclass(frozen=True, eq=False, repr=False)
class ProposalExplanation(Shown, AboutConfiguration):
    """Shapley values of an acquisition function at one configuration, term by term.

    Contributions are in units of the acquisition and *larger is more desirable*, whether the
    objective is minimized or maximized. They add up to the payout: how much more desirable the
    configuration is than the background is on average.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the space.
    config : mapping
        The explained configuration, in the user's units; inactive hyperparameters are left out.
    terms : tuple of str
        The additive terms of the acquisition.
    phi : ndarray of shape (d, number of terms)
        The contribution of each hyperparameter to each term; 0 where it is inactive.
    standard_error : ndarray of shape (d, number of terms + 1) or None
        Standard error of `phi` and, in the last column, of their sum, from integrating over the
        background; None where the background was given as an array.
    degrees_of_freedom : int
        Of the t-interval: independent hypercubes minus 1.
    prediction, baseline, payout, efficiency_gap : dict of str to float
        By term, plus "total": the acquisition at the configuration; its mean over the
        background; their difference; and the part of it that the contributions miss.
    acquisition : str
        Name of the acquisition function, with its settings.
    model : str
        What it looked through, as in "a GP"; empty if there is none.
    assumed : bool
        Whether the acquisition is assumed (True) or the optimizer's own (False).
    optimizer : str
        Whose acquisition it is if it is not assumed, as in "skopt's gp_minimize".
    trial : int or None
        The trial, if it is one.
    objective_name, direction : str
        What the objective is called, and which way is better.
    objective_prediction, objective_baseline : dict of str to float, or None
        Mean and std that the surrogate predicts for the configuration, and their averages over
        the background, in the objective's units; None without a surrogate.
    background_size : int
        Number of background rows.
    estimator : str
        How coalitions were valued, in words.
    draws : int or None
        Number of draws of the sampling estimator; None where coalitions were valued.
    trust : Trust or None
        Whether the surrogate is good enough to be explained.
    notes : tuple of str
        What was assumed.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Section 5.2 (here with the sign turned: larger is more desirable).

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> explanation = hx.explain_proposal(table, 4, objective="loss", background=50)
    >>> list(explanation.contributions.columns)
    ['value', 'total', 'mean', 'uncertainty']
    """

    names: tuple[str, ...]
    config: Mapping[str, Any]
    terms: tuple[str, ...]
    phi: Array
    standard_error: Array | None
    degrees_of_freedom: int
    prediction: dict[str, float]
    baseline: dict[str, float]
    payout: dict[str, float]
    efficiency_gap: dict[str, float]
    acquisition: str
    model: str = ""
    assumed: bool = True
    optimizer: str = "the optimizer"
    trial: int | None = None
    objective_name: str = "objective"
    direction: str = "minimize"
    objective_prediction: dict[str, float] | None = None
    objective_baseline: dict[str, float] | None = None
    background_size: int = 0
    estimator: str = ""
    draws: int | None = None
    trust: Trust | None = None
    notes: tuple[str, ...] = ()

    @property
    def total(self) -> Array:
        """The contribution of each hyperparameter to the whole acquisition, (d,)."""
        return np.asarray(self.phi.sum(axis=1))

    @property
    def active(self) -> npt.NDArray[np.bool_]:
        """Whether each hyperparameter is active in the configuration, (d,)."""
        return np.array([name in self.config for name in self.names])

    @property
    def values(self) -> tuple[str, ...]:
        """The proposed values in words; "inactive" where there is none."""
        return tuple(
            format_value(self.config[name]) if name in self.config else "inactive"
            for name in self.names
        )

    @property
    def contributions(self) -> pd.DataFrame:
        """Contributions by hyperparameter: columns value, total, and one per term."""
        import pandas as pd

        values = pd.Series([self.config.get(name) for name in self.names], dtype=object)
        frame = pd.DataFrame({"value": values.to_numpy(), "total": self.total})
        for t, term in enumerate(self.terms):
            frame[term] = self.phi[:, t]
        frame.index = pd.Index(self.names, name="hyperparameter")
        return frame

    @property
    def _contributions(self) -> tuple[str, ...]:
        return ("total", *self.terms)

    def to_frame(self) -> pd.DataFrame:
        """Return `contributions`, the largest first."""
        return self.contributions.iloc[self.order()]

    def order(self) -> npt.NDArray[np.int64]:
        """Return the hyperparameters' positions, the largest contribution (by size) first."""
        return np.argsort(-np.abs(self.total), kind="stable")

    def half_width(self, level: float = 0.95) -> Array | None:
        """Return half the t-interval per hyperparameter: columns as in `standard_error`."""
        check_fraction("level", level)
        if self.standard_error is None:
            return None
        from scipy.stats import t

        quantile = float(t.ppf(0.5 + level / 2.0, self.degrees_of_freedom))
        return quantile * self.standard_error

    def interval(self, level: float = 0.95) -> pd.DataFrame:
        """Return the interval of each contribution: the error of integrating over the background.

        It is *not* the model's uncertainty. With the sampling estimator it is that of the draws;
        else NaN where the background was given as an array.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.

        Returns
        -------
        pandas.DataFrame
            Index hyperparameter; columns (term or "total", "lower" or "upper").

        Raises
        ------
        ValueError
            If `level` does not lie between 0 and 1.
        """
        import pandas as pd

        half = self.half_width(level)
        centre = np.column_stack([self.phi, self.total])
        half = np.full_like(centre, np.nan) if half is None else half
        columns = {}
        for t, term in [(len(self.terms), "total"), *enumerate(self.terms)]:
            columns[(term, "lower")] = centre[:, t] - half[:, t]
            columns[(term, "upper")] = centre[:, t] + half[:, t]
        return pd.DataFrame(columns, index=pd.Index(self.names, name="hyperparameter"))

    # ------------------------------------------------------------------ in words

    @property
    def sentence(self) -> str:
        """One sentence that says what the numbers say, and whose acquisition it is."""
        payout = self.payout["total"]
        verdict = "attractive" if payout >= 0 else "unattractive"
        through = f"{self.model} with {self.acquisition}" if self.model else self.acquisition
        if self.assumed:
            start = f"{through[0].upper()}{through[1:]} would have found {self.subject} {verdict}"
        else:
            start = f"{self.optimizer} ({through}) found {self.subject} {verdict}"
        scale = max(np.abs(list(self.prediction.values())).max(), np.abs(self.phi).max(initial=0.0))
        if abs(payout) <= 1e-12 * scale and np.abs(self.total).max(initial=0.0) <= 1e-12 * scale:
            plain = start.rsplit(" ", 1)[0]
            return f"{plain} no better and no worse than an average configuration."
        reasons = self._reasons(self._leading(1.0 if payout >= 0 else -1.0))
        against = self._leading(-1.0 if payout >= 0 else 1.0)[:1]
        contrast = ""
        if against and abs(self.total[against[0]]) >= 0.1 * abs(payout):
            side = "against" if payout >= 0 else "for"
            contrast = f"; {self._value(against[0])} speaks {side} it"
        return f"{start} mainly because {reasons}{contrast}."

    def _leading(self, sign: float) -> list[int]:
        """Return the few hyperparameters that make up most of the contributions of one sign."""
        signed = sign * self.total
        whole = signed[signed > 0].sum()
        chosen: list[int] = []
        for j in self.order():
            if signed[j] <= 0 or len(chosen) == _MAIN_COUNT:
                continue
            if chosen and signed[chosen].sum() >= _MAIN_SHARE * whole:
                break
            chosen.append(int(j))
        return chosen

    def _value(self, j: int) -> str:
        return f"{self.names[j]} = {self.values[j]}"

    def _reasons(self, leading: list[int]) -> str:
        """Return "a = 1 and b = 2 promise ..., and c = 3 leads ...": one clause per reason."""
        groups: dict[tuple[str, bool], list[str]] = {}
        for j in leading:
            sign = np.sign(self.total[j])
            term = self.terms[int(np.argmax(sign * self.phi[j]))]
            groups.setdefault((term, bool(sign > 0)), []).append(self._value(j))
        clauses = []
        for (term, better), values in groups.items():
            singular, plural, rest = _REASONS.get((term, better), _OTHER_REASONS[better])
            verb = singular if len(values) == 1 else plural
            words = rest.format(objective=self.objective_name, term=term)
            clauses.append(f"{join_words(values)} {verb} {words}")
        return ", and ".join(clauses)

    # ------------------------------------------------------------------ elsewhere

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the contributions, each term beside the total; return the axes."""
        from hpo_explain.plotting.proposal import plot_proposal

        return plot_proposal(self, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        half = self.half_width()
        return {
            "trial": self.trial,
            "config": plain_json(dict(self.config)),
            "acquisition": self.acquisition,
            "model": self.model,
            "assumed": self.assumed,
            "optimizer": self.optimizer,
            "objective_name": self.objective_name,
            "direction": self.direction,
            "sentence": self.sentence,
            "contributions": [
                {
                    "hyperparameter": name,
                    "value": plain_json(self.config.get(name)),
                    "active": bool(self.active[j]),
                    "total": float(self.total[j]),
                    "terms": {term: float(self.phi[j, t]) for t, term in enumerate(self.terms)},
                    "interval_95_half_width": None if half is None else float(half[j, -1]),
                }
                for j, name in enumerate(self.names)
            ],
            "prediction": plain_json(self.prediction),
            "baseline": plain_json(self.baseline),
            "payout": plain_json(self.payout),
            "efficiency_gap": plain_json(self.efficiency_gap),
            "objective_prediction": plain_json(self.objective_prediction),
            "objective_baseline": plain_json(self.objective_baseline),
            "background_size": self.background_size,
            "estimator": self.estimator,
            "draws": self.draws,
            "trust": None if self.trust is None else self.trust.to_dict(),
            "notes": list(self.notes),
        }
