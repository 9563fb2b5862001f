"""How the reasons changed over a run: the explanations of all its proposals.

=========  ============================================================================
symbol     meaning
=========  ============================================================================
T          number of explained proposals
φ          contributions, (T, d, number of terms); NaN where a proposal has no such term
=========  ============================================================================
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base import (
    Claim,
    InputError,
    Result,
    Table,
    attributes,
    check_count,
    counted,
    fact,
    join_names,
    percent,
    printable,
    spans,
    worth_naming,
)
from hpo_explain.methods.proposals.contributions_result import ProposalExplanation
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

LATEST = 5  # proposals that count as the latest
_LEAST_SIDE = 3  # proposals on either side of a turning point
_AGREEING = 2.0 / 3.0  # of the proposals on either side
_MOST_DRIVERS = 2
KAPPAS = (1.0, 1.5, 2.0, 2.5, 3.0)
"""Where κ is assumed, statements must hold for all of these."""
_NEAR = 0.1  # of the proposals: a turning point moves no further
_EVEN = 0.5  # of the contributions
_MOST_TURNS = 3  # that are told


@dataclass(frozen=True)
class TurningPoint:
    """When the predicted objective began to outweigh uncertainty for a hyperparameter.

    Attributes
    ----------
    trial : int
        From which trial on.
    span : tuple of (int, int) or None
        The first and the last such trial for κ from 1 to 3, where κ is assumed; None where it is
        not, or where for some κ there is no such trial.
    certain : bool
        Whether it hardly depends on κ.
    """

    trial: int
    span: tuple[int, int] | None = None
    certain: bool = True


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DesirabilityPath(Result):
    """The contributions of every hyperparameter to the desirability of one proposal after another.

    Its subject is that of the latest proposal.

    Attributes
    ----------
    explanations : tuple of ProposalExplanation
        One per proposal, in the order of the trials.
    observed : ndarray of shape (T,)
        What each of them reached, in the user's units; NaN without a result.

    References
    ----------
    .. [1] Croppi, F. (2021). Explaining sequential model-based optimization. Master's thesis,
       LMU Munich. Sections 7 and 8, Figures 6, 12 and 15.

    Examples
    --------
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> run = hx.Run(space, [[0.1], [0.9], [0.5], [0.3]], [1.0, 9.0, 4.0, 2.0], "minimize")
    >>> path = hx.methods.desirability_path(run, background=50, progress=False)
    >>> path.trials.tolist(), list(path.to_frame()["term"].unique())
    ([2, 3], ['total', 'mean', 'uncertainty'])
    """

    table: ClassVar[Table] = Table(
        columns={},
        held=attributes(
            "trials",
            "terms",
            "acquisitions",
            "kappa",
            turning_points=lambda result: result.turning_points(),
            balance=lambda result: result.balance(),
            explanations=lambda result: [e.to_dict() for e in result.explanations],
        ),
    )
    explanations: tuple[ProposalExplanation, ...]
    observed: Array

    def __len__(self) -> int:
        return len(self.explanations)

    @property
    def names(self) -> tuple[str, ...]:
        """The hyperparameters, in the order of the space."""
        return self.subject.names

    @property
    def trials(self) -> npt.NDArray[np.int64]:
        """The numbers of the explained proposals, (T,)."""
        return np.array([e.trial for e in self.explanations], dtype=np.int64)

    @property
    def acquisitions(self) -> tuple[str, ...]:
        """The criteria by which the proposals were made, each once."""
        return tuple(dict.fromkeys(e.subject.acquisition for e in self.explanations))

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of all proposals, each once."""
        return tuple(dict.fromkeys(term for e in self.explanations for term in e.terms))

    @property
    def phi(self) -> Array:
        """The contributions by term, (T, d, number of terms)."""
        return np.stack([self._of_terms(e.terms, e.phi) for e in self.explanations])

    @property
    def total(self) -> Array:
        """The contributions to the whole acquisition, (T, d)."""
        return np.stack([e.total for e in self.explanations])

    def explanation(self, trial: int) -> ProposalExplanation:
        """Return the explanation of one proposal.

        Raises
        ------
        ValueError
            If the trial is not among the explained ones.
        """
        for explanation in self.explanations:
            if explanation.trial == trial:
                return explanation
        raise InputError(
            "trial",
            f"must be one of the explained proposals, but was {trial!r}",
            trial,
            f"They are {spans(self.trials)}.",
        )

    def half_width(self, level: float = 0.95) -> Array:
        """Return half the interval of each contribution, (T, d, terms + 1); the total comes last.

        The error of integrating over the background; NaN where it is not known.
        """
        halves = []
        for e in self.explanations:
            half = e.half_width(level)
            halves.append(
                np.concatenate([self._of_terms(e.terms, half[:, :-1]), half[:, -1:]], axis=1)
            )
        return np.stack(halves)

    def _of_terms(self, terms: tuple[str, ...], values: Array) -> Array:
        """Return columns in the order of `self.terms`, NaN where a proposal has no such term."""
        out = np.full((len(values), len(self.terms)), np.nan)
        out[:, [self.terms.index(term) for term in terms]] = values
        return out

    # ------------------------------------------------------------------ tables

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table: a row per trial, hyperparameter and term ("total" first).

        They are trial, hyperparameter, term, contribution, lower and upper: the 95 % interval of
        integrating over the background.
        """
        phi = np.concatenate([self.total[None], np.moveaxis(self.phi, 2, 0)])
        # the total's first
        half = np.roll(np.moveaxis(self.half_width(), 2, 0), 1, axis=0)
        active = np.flatnonzero(~np.isnan(phi))
        terms = ("total", *self.terms)
        every = [*itertools.product(terms, self.trials, self.names)]
        return {
            "trial": [every[row][1] for row in active],
            "hyperparameter": [every[row][2] for row in active],
            "term": [every[row][0] for row in active],
            "contribution": phi.flat[active],
            "lower": (phi - half).flat[active],
            "upper": (phi + half).flat[active],
        }

    def payouts(self) -> pd.DataFrame:
        """Return prediction, baseline and payout by trial and the criterion's own terms.

        As Figure 15 of the thesis.
        """
        import pandas as pd

        rows = [
            (e.trial, term, e.prediction[term], e.baseline[term], e.payout[term])
            for e in self.explanations
            for term in ("total", *e.own_terms)
        ]
        return pd.DataFrame(rows, columns=["trial", "term", "prediction", "baseline", "payout"])

    @property
    def predicted(self) -> dict[str, Array]:
        """The columns of `predictions`, each (T,)."""
        mean, std = np.array([*map(predicted_at, self.explanations)]).T
        return {
            "objective": self.observed,
            "mean": mean,
            "std": std,
            "percentile of mean": _percentiles(mean),
            "percentile of std": _percentiles(std),
        }

    def predictions(self) -> pd.DataFrame:
        """Return what each proposal's own model predicted, with percentiles (thesis, Table 12).

        Columns objective (NaN without a result), mean, std (the user's units; NaN without a
        surrogate), and for mean and
        std the percentage of the proposals up to that one with a smaller or equal prediction.
        """
        import pandas as pd

        rows = pd.Index(self.trials, name="trial")
        return pd.DataFrame(self.predicted, index=rows)

    # ------------------------------------------------------------------ exploring and exploiting

    @property
    def kappa(self) -> float | None:
        """The weight κ of uncertainty where it is assumed for all proposals; else None."""
        kappas = {e.kappa if e.assumed else None for e in self.explanations}
        return kappas.pop() if len(kappas) == 1 else None

    def _of_term(self, term: str) -> Array:
        """Return the contributions to a term, (T, d); NaN where a proposal has no such term."""
        if term not in self.terms:
            return np.full((len(self), len(self.names)), np.nan)
        return self.phi[:, :, self.terms.index(term)]

    def _uncertainty(self, kappa: float | None = None) -> Array:
        """Return the contributions of uncertainty, (T, d); those of the bound for another κ."""
        uncertainty = self._of_term("uncertainty")
        if kappa is None:
            return uncertainty
        factor = [kappa / e.kappa if e.kappa else 1.0 for e in self.explanations]
        return uncertainty * np.array(factor)[:, None]

    def turning_points(self, kappa: float | None = None) -> dict[str, int | None]:
        """Return for each hyperparameter the trial from which its mean led, not uncertainty.

        The trial that best separates proposals where the uncertainty contributed more from later
        ones where the mean did; None unless two thirds on either side, at least three proposals,
        agree.

        Parameters
        ----------
        kappa : float, optional
            Another weight of the uncertainty; by default that of the criterion.
        """
        lead = self._of_term("mean") - self._uncertainty(kappa)
        return {name: self._turn(lead[:, j]) for j, name in enumerate(self.names)}

    @property
    def turns(self) -> dict[str, TurningPoint]:
        """The turning points that there are, and how far they depend on an assumed κ."""
        kappas = KAPPAS if self.kappa else ()
        others = [self.turning_points(kappa) for kappa in kappas]
        return {
            name: self._turning_point(trial, [other[name] for other in others])
            for name, trial in self.turning_points().items()
            if trial is not None
        }

    def _turning_point(self, trial: int, others: list[int | None]) -> TurningPoint:
        """Return a turning point, from those for other κ."""
        places = [other for other in others if other is not None]
        if len(places) < len(others):
            return TurningPoint(trial, certain=False)
        if not places:
            return TurningPoint(trial)
        span = min(trial, *places), max(trial, *places)
        first, last = np.searchsorted(self.trials, span).tolist()
        return TurningPoint(trial, span, last - first <= _NEAR * len(self))

    def _turn(self, lead: Array) -> int | None:
        leading = np.flatnonzero(~np.isnan(lead) & (lead != 0.0))
        mean_leads = lead[leading] > 0.0
        n = len(leading)
        if n < 2 * _LEAST_SIDE:
            return None
        places = np.arange(_LEAST_SIDE, n - _LEAST_SIDE + 1)
        before = np.cumsum(~mean_leads)[places - 1]
        after = mean_leads.sum() - np.cumsum(mean_leads)[places - 1]
        agreeing = (before + after).astype(float)
        agreeing[(before / places < _AGREEING) | (after / (n - places) < _AGREEING)] = -1.0
        best = int(np.argmax(agreeing))
        return None if agreeing[best] < 0.0 else int(self.trials[leading[places[best]]])

    def balance(self, last: int = LATEST, kappa: float | None = None) -> dict[str, float]:
        """Return the shares of exploiting and exploring in the latest proposals' contributions.

        Of the absolute contributions of both terms, averaged over the last proposals; empty where
        the criterion has no such terms. Compared with the whole space exploring is underestimated:
        next to a random configuration every proposal looks well known.

        Parameters
        ----------
        last : int, default 5
            Number of proposals, or all if there are fewer.
        kappa : float, optional
            Another weight of the uncertainty; by default that of the criterion.

        Raises
        ------
        ValueError
            If `last` is not a positive number.
        """
        check_count("last", last)
        exploiting = np.abs(self._of_term("mean")[-last:]).sum(axis=1)
        exploring = np.abs(self._uncertainty(kappa)[-last:]).sum(axis=1)
        whole = exploiting + exploring
        positive = whole > 0.0  # NaN is not
        if not positive.any():
            return {}
        share = float((exploring[positive] / whole[positive]).mean())
        return {"exploiting": 1.0 - share, "exploring": share}

    # ------------------------------------------------------------------ what it says

    @property
    def answer(self) -> str:
        """What mattered most for the proposals."""
        if self.claims[0].side == "below":
            return super().answer
        drivers = [
            claim.hyperparameters[0] for claim in self.claims if claim.kind == "contribution"
        ]
        return printable(f"{join_names(drivers)} mattered most for the proposals.")

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """What drove the proposals, when uncertainty gave way to the mean, and their balance.

        Where κ is assumed, what does not hold for all κ from 1 to 3 is not certain.
        """
        total = self._sizes()
        drivers = _largest(total)
        if not drivers:
            text = f"{self._over} no hyperparameter stands out from an average configuration."
            return (Claim("contribution", self.names, 0.0, text=text, side="below"),)
        kappas = KAPPAS if self.kappa else ()
        others = [_largest(self._sizes(kappa)) for kappa in kappas]
        claims = []
        for j in drivers:
            name, certain = self.names[j], all(j in other for other in others)
            claims.append(
                Claim(
                    "contribution",
                    (name,),
                    float(total[j]),
                    frame=f"{self._over} {{each}} mattered most.",
                    text=name if certain else f"{name} (for the assumed κ)",
                    **self._if(certain),
                )
            )
        for i, (name, turn) in enumerate(self.turns.items()):
            when = f"from trial {turn.trial} on" if turn.certain else "(this depends on κ)"
            claims.append(
                Claim(
                    "order",
                    (name,),
                    float(turn.trial),
                    turn.span,
                    values=(turn.trial,),
                    frame="The predicted objective outweighed uncertainty for {each}.",
                    text=f"{name} {when}" * (i < _MOST_TURNS),
                    **self._if(turn.certain),
                )
            )
        return (*claims, *self._balance_claim())

    @property
    def _over(self) -> str:
        assumed = f" (κ = {self.kappa:g} is assumed)" if self.kappa else ""
        return f"Over {counted(len(self), 'proposal')}{assumed}"

    def _balance_claim(self) -> tuple[Claim, ...]:
        balance = self.balance()
        if not balance or not self._uncertainty().any():  # a model without
            return ()
        share = balance["exploring"]
        interval, certain, part = None, True, "uncertainty"
        if self.kappa:
            shares = [share, *(self.balance(kappa=kappa)["exploring"] for kappa in KAPPAS)]
            low, high = interval = min(shares), max(shares)
            certain = not low <= _EVEN <= high
            part += f" ({percent(low)} to {percent(high)} for κ from 1 to 3)"
        return (
            Claim(
                "form",
                (),
                share,
                interval,
                text=f"{percent(share)} of the contributions to the latest proposals are about "
                f"{part}.",
                **self._if(certain),
            ),
        )

    def _if(self, certain: bool) -> dict[str, Any]:
        """Return whether a claim is certain, and that it depends on κ if not."""
        assumed = f"it depends on κ, which is assumed to be {self.kappa:.4g}" if self.kappa else ""
        depends = f"{assumed}: it does not hold for all κ from {KAPPAS[0]:g} to {KAPPAS[-1]:g}"
        return {"certain": certain, "because": () if certain else (fact(depends),)}

    def _sizes(self, kappa: float | None = None) -> Array:
        """Return the mean absolute contribution of each hyperparameter, (d,)."""
        total = self.total
        if kappa is not None:
            total = total + self._uncertainty(kappa) - self._uncertainty()
        return np.abs(total).mean(axis=0)


def predicted_at(explanation: ProposalExplanation) -> tuple[float, float]:
    """Return the predicted mean and standard deviation; NaN without a surrogate."""
    predicted = explanation.objective_prediction or {}
    return predicted.get("mean", np.nan), predicted.get("std", np.nan)


def _percentiles(values: Array) -> Array:
    """Return the percentage of values up to each that are not larger, (T,); NaN of NaN."""
    earlier = np.tril(values[None, :] <= values[:, None])
    share = 100.0 * earlier.sum(axis=1) / np.arange(1, len(values) + 1)
    return np.where(np.isfinite(values), share, np.nan)


def _largest(sizes: Array) -> list[int]:
    """Return the positions of the few largest, without those that are 0."""
    order = np.argsort(-sizes, kind="stable").tolist()
    return worth_naming(order[:_MOST_DRIVERS], sizes, whole=0.0)
