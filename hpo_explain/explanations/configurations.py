"""Where the trials of a run lie in its search space, in their order, and what was hardly tried."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.claim import Claim
from hpo_explain.diagnostics._sampling_bias import SamplingBias
from hpo_explain.diagnostics._trust import Scope
from hpo_explain.explanations.result import Result
from hpo_explain.space import Array
from hpo_explain.space.support import FEW, Support

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_TRIED = 0.75  # share of a hyperparameter's range; of more, gaps are not worth a claim


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Configurations(Result):
    """The configurations of the trials, and how much of each range was tried.

    No model takes part in it. A value is tried if at least three finished trials have one near it,
    as in the dimmed parts of effects.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, those that are drawn first before others.
    trials : ndarray of int, shape (n,)
        The trials whose configuration is known, by number; of those that failed, were pruned or
        still run, what was chosen.
    X : ndarray of shape (n, d)
        Their values, encoded, in the order of the space; NaN where a hyperparameter is inactive.
    objective : ndarray of shape (n,)
        What each reached, in the user's units; NaN without a result.
    states : tuple of str
        What has become of each: "finished", "infeasible", "failed", "pruned", "running", "waiting".
    highlighted : tuple of int
        Trials that are drawn in colors of their own.
    bias : SamplingBias or None
        Whether the trials crowd in a part of the space; None for fewer than two.
    subject, notes
        As of every result.

    Examples
    --------
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": [0.1, 0.12, 0.15, 0.2, 0.9], "loss": [1.0, 9.0, 4.0, 2.0, 1.5]})
    >>> hx.configurations(table, objective="loss").claims[0].kind
    'untried'
    """

    scope: ClassVar[Scope] = "everywhere"
    names: tuple[str, ...]
    trials: npt.NDArray[np.int64]
    X: Array
    objective: Array
    states: tuple[str, ...]
    highlighted: tuple[int, ...] = ()
    bias: SamplingBias | None = None

    def __len__(self) -> int:
        return len(self.trials)

    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """Which trials have a result, (n,)."""
        return ~np.isnan(self.objective)

    @property
    def columns(self) -> list[int]:
        """The columns of `X` of the hyperparameters, in the order of `names`."""
        return [self.subject.space.index(name) for name in self.names]

    @property
    def incumbent_trial(self) -> int | None:
        """The best feasible trial, the first of several; None where there is none."""
        able = np.array([state == "finished" for state in self.states], dtype=bool)
        if not able.any():
            return None
        sign = 1.0 if self.direction == "minimize" else -1.0
        return int(self.trials[np.argmin(np.where(able, sign * self.objective, np.inf))])

    @cached_property
    def _support(self) -> Support:
        return Support(self.subject.space, self.X[self.finished])

    @cached_property
    def coverage(self) -> pd.DataFrame:
        """Of each hyperparameter: in how many finished trials it was active, and what was tried.

        ``share`` is that of its range, on its own scale; ``untried`` holds the ranges, or
        categories as (category, category), with fewer than three trials near.
        """
        import pandas as pd

        support = self._support
        rows = {
            name: {
                "active": int(support.branch(name).sum()),
                "share": support.share(name),
                "untried": support.gaps(name),
            }
            for name in self.names
        }
        frame = pd.DataFrame.from_dict(rows, orient="index", columns=["active", "share", "untried"])
        return frame.rename_axis("hyperparameter")

    def untried(self, name: str) -> tuple[tuple[Any, Any], ...]:
        """Return the ranges of a hyperparameter that were hardly tried, in the user's units."""
        gaps: tuple[tuple[Any, Any], ...] = self.coverage["untried"][name]
        return gaps

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Which ranges of which hyperparameters were hardly tried, the largest shares first."""
        if int(self.finished.sum()) < FEW:
            return ()
        shares = self.coverage["share"]
        barely = [name for name in self.names if shares[name] < _TRIED]
        return tuple(
            Claim("untried", (name,), self.untried(name), estimate=1.0 - float(shares[name]))
            for name in sorted(barely, key=lambda name: float(shares[name]))
        )

    def plot_parallel(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw all hyperparameters as parallel coordinates; return the axes.

        Parameters
        ----------
        ax, width
            As of :meth:`plot`.
        """
        return self._drawn("parallel", ax, width)

    def to_frame(self) -> pd.DataFrame:
        """Return a row per trial: its values, its objective, and what has become of it."""
        import pandas as pd

        configs = self.subject.space.decode(self.X)
        frame = pd.DataFrame({"trial": self.trials})
        for name in self.names:
            values = [config.get(name, np.nan) for config in configs]
            frame.insert(len(frame.columns), name, values, allow_duplicates=True)
        for name, column in (("objective", self.objective), ("state", list(self.states))):
            frame.insert(len(frame.columns), name, column, allow_duplicates=True)
        return frame

    def _numbers(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "trials": self.trials,
            "configurations": self.subject.space.decode(self.X),
            "objective": self.objective,
            "states": self.states,
            "highlighted": self.highlighted,
            "incumbent_trial": self.incumbent_trial,
            "coverage": self.coverage.to_dict("index"),
            "bias": None if self.bias is None else self.bias.to_dict(),
        }
