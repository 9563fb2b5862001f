"""How well the objective of a run is known, by what its trials allow it to be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from hpo_explain.base import Claim, Result, Subject, Table, attributes, counted
from hpo_explain.belief import Trust
from hpo_explain.question import Question, explains
from hpo_explain.space import Array

_SHOWN = (
    "R² over the space",
    "rank correlation among the best fifth",
    "space known within the noise",
    "R² of held-out trials",
    "held-out in 95% intervals",
)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class RunTrust(Result, Trust):
    """How well the objective of a run is known.

    Attributes
    ----------
    subject, notes
        As in every result.
    level : {"good", "fair", "poor"}
        The verdict: "good" if the lower end of R² is at least 0.5, "fair" if it is at least 0.1.
    r2 : float
        R² over the space that the mean over the draws of the belief is expected to have, never
        below 0; 0 where the objective of all trials is the same. By what trials scatter about the
        draws the objective itself may vary, unless repeated evaluations tell that it is noise.
    r2_interval : tuple of (float, float)
        What holds it with 95 %.
    rank : float
        Expected rank correlation among the best fifth of the space.
    rank_interval : tuple of (float, float)
        What holds it with 95 %.
    open : float
        Share of the space in which the objective may differ by more than one evaluation's noise.
    held_out : float
        R² of trials that were held out one by one, on the scale that ranks lead to.
    covered : float
        Share of them that 95 % intervals hold.
    n_trials : int
        How many trials are known.

    Examples
    --------
    >>> import numpy as np
    >>> import hpo_explain as hx
    >>> space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    >>> X = np.linspace(0.0, 1.0, 30)[:, None]
    >>> found = hx.trust(hx.Run(space, X, np.sin(5 * X[:, 0]), "minimize"))
    >>> found.level, found.r2 > 0.9, found.n_trials
    ('good', True, 30)
    """

    table: ClassVar[Table] = Table(
        index=("measure", "measures"),
        columns={
            "value": "values",
            "lower": lambda trust: trust.ends[:, 0],
            "upper": lambda trust: trust.ends[:, 1],
        },
        held=attributes(*Trust.__dataclass_fields__),
    )

    @property
    def measures(self) -> tuple[str, ...]:
        """What each row of the table is."""
        return _SHOWN

    @property
    def values(self) -> tuple[float, ...]:
        """The measures: the larger, the better."""
        return self.r2, self.rank, 1.0 - self.open, self.held_out, self.covered

    @property
    def ends(self) -> Array:
        """Ends of their 95 % intervals, (5, 2); NaN where there is none."""
        return np.array([self.r2_interval, self.rank_interval, *[(np.nan, np.nan)] * 3])

    @property
    def answer(self) -> str:
        """The verdict."""
        return f"Reliability: {self.level} (R² {self.r2:.2f}, at least {self.r2_interval[0]:.2f})."

    @property
    def claims(self) -> tuple[Claim, ...]:
        """R², the rank correlation among the best, and what held-out trials say."""
        names = self.subject.names
        # nothing known has no share
        r2, low = (max(value, 0.0) for value in (self.r2, self.r2_interval[0]))
        explains = f"the model explains {r2:.0%} of the variation, at least {low:.0%}"
        rank, least, most = self.rank, *self.rank_interval
        text = "The expected rank correlation among the best fifth of the space is"
        held_out = (
            f"Of {counted(self.n_trials, 'trial')}, held out one by one, {self.covered:.0%} lie "
            f"within their 95% intervals; R² is {self.held_out:.2f}. In {self.open:.0%} of the "
            "space the objective is uncertain by more than the noise of one evaluation."
        )
        return (
            Claim(
                "share",
                names,
                r2,
                (low, max(self.r2_interval[1], 0.0)),
                text=f"Reliability: {self.level} ({explains}).",
            ),
            Claim(
                "order",
                names,
                rank,
                (least, most),
                text=f"{text} {rank:.2f} ({least:.2f} to {most:.2f}).",
            ),
            Claim("tried", names, self.covered, text=held_out),
        )


@explains(of="surrogate", without=("kind", "surrogate"))
def trust(question: Question) -> RunTrust:
    """Measure how well the objective is known, and rate it as good, fair or poor.

    The measures are the R² that the mean of functions drawn from the posterior (`Run.belief`) is
    expected to have, its rank correlation among the best configurations, the share of the space
    where the objective is still open, and a check on held-out trials. A model of your own does not
    change them.

    Returns
    -------
    RunTrust
        The rating and its measures.

    Raises
    ------
    ValueError
        If fewer than two trials are finished.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5, 0.3, 0.2], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.trust(table, objective="loss").n_trials
    5
    """
    belief = question.belief
    subject = replace(Subject.of(question.run), model=belief.label)
    return RunTrust(subject=subject, **vars(belief.trust))
