"""What every result has: its subject, claims and notes, a table, a plot, and how it is shown."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from hpo_explain.base.claim import Claim
from hpo_explain.base.edge import plots, words
from hpo_explain.base.errors import NothingToExplain
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.html import plain_json, text_html
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import printable_lines
from hpo_explain.base.posterior import PosteriorDraws
from hpo_explain.base.subject import Subject
from hpo_explain.diagnostics._trust import Scope, Trust, Verdict

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_ROWS = 30
_MOST_HTML_ROWS = 60
_WIDEST = 60  # characters of a cell
_ROUNDING = 1e-9  # of the largest contribution: less is what is left of differences of its like


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(ABC):
    """A finished explanation, without a reference to a study or a model.

    Attributes
    ----------
    subject : Subject
        What is explained.
    notes : tuple of Fact
        What was assumed; ``str(note)`` is its text.
    scope : {"everywhere", "good_region", "proposals"}
        Which verdict of trust its statements need; the same for all results of a class.
    """

    scope: ClassVar[Scope]
    subject: Subject
    notes: tuple[Fact, ...] = ()

    @property
    @abstractmethod
    def claims(self) -> tuple[Claim, ...]:
        """What the result says, the most important first."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table."""

    @abstractmethod
    def _numbers(self) -> dict[str, Any]:
        """Return what `to_dict` holds beside the subject, the claims and the notes."""

    # ------------------------------------------------------------------ what it is about

    @property
    def trust(self) -> Trust | None:
        """Whether the surrogate is good enough to be explained."""
        return self.subject.trust

    @property
    def verdict(self) -> Verdict | None:
        """How far its statements can be relied on: the verdict of trust of its `scope`."""
        return self.subject.verdict(self.scope)

    @property
    def trial(self) -> int | None:
        """The trial whose configuration is explained, if it is one."""
        return self.subject.trial

    @property
    def objective_name(self) -> str:
        """What the objective is called."""
        return self.subject.objective_name

    @property
    def direction(self) -> Direction:
        """Which way the objective is better."""
        return self.subject.direction

    @property
    def acquisition(self) -> str:
        """The acquisition function's label; empty where the predicted objective is explained."""
        return self.subject.acquisition

    @property
    def assumed(self) -> bool:
        """Whether the acquisition function is assumed, not the optimizer's own."""
        return self.subject.assumed

    @property
    def optimizer(self) -> str:
        """What ran the optimization."""
        return self.subject.optimizer

    # ------------------------------------------------------------------ what else may be true

    @property
    def posterior(self) -> PosteriorDraws:
        """Its numbers for functions drawn from the posterior of a Gaussian process.

        Of what was observed (history, configurations, learning curves, densities) there are none,
        and none of advice, of spaces and of next experiments, which follow from draws and bounds of
        their own. A result that holds several others (effects, a path of proposals, predictions,
        weights) has none by itself: each of them has its own, but for regions, whose bands are
        averages of those of single configurations (Eq. 5 of Moosbauer et al. 2021).

        Raises
        ------
        NothingToExplain
            If the result does not rest on such a posterior.
        """
        raise NothingToExplain(fact("no_posterior", model=self.subject.model))

    def probability(self, first: Hashable, second: Hashable | None = None) -> float:
        """Return how probable it is that one comes before another, or before all others.

        As of :meth:`PosteriorDraws.probability`: that a hyperparameter is more important, a value
        better, a step gains more, or a contribution is larger (whatever its sign).

        Raises
        ------
        NothingToExplain
            If the result does not rest on the posterior of a Gaussian process.
        InputError
            If there is no such name.
        """
        return self.posterior.probability(first, second)

    # ------------------------------------------------------------------ how it shows itself

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions in one unit: rounding is shown as 0."""
        return ()

    @property
    def details(self) -> str:
        """What stands under the printed table, such as code to paste."""
        return ""

    @property
    def sentence(self) -> str:
        """The claims in words."""
        return str(words().sentence(self))

    def plot(self, ax: Axes | None = None, *, width: float | None = None) -> Axes:
        """Draw the result; return the axes.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure, unknown to pyplot, as high as it needs to be.
            Give a figure of your own ``layout="constrained"``, so that the labels have room.
        width : float, optional
            Width of the new figure, in inches; by default 8.
        """
        return self._drawn("", ax, width)

    def _drawn(self, kind: str, ax: Axes | None, width: float | None) -> Axes:
        axes: Axes = plots().draw(self, kind, ax=ax, width=width)
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        found: dict[str, Any] = plain_json(
            {
                **self.subject.to_dict(),
                "scope": self.scope,
                **self._numbers(),
                "sentence": self.sentence,
                "claims": [claim.to_dict() for claim in self.claims],
                "notes": [note.to_dict() for note in self.notes],
            }
        )
        return found

    def __str__(self) -> str:
        frame = printed_frame(self)
        table = frame.to_string(
            index=frame.index.name is not None,
            float_format="{:.4g}".format,
            max_rows=_MOST_ROWS,
            max_colwidth=_WIDEST,
            na_rep="",
        )
        return f"{self.sentence}\n\n{printable_lines(table)}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentence}>"

    def _repr_html_(self) -> str:
        text = self.sentence
        plot = f'<div style="overflow-x: auto">{plots().result_svg(self, alt=text)}</div>'
        return (
            f'<div style="max-width: 60em">{text_html(text)}{plot}'
            f"{frame_html(printed_frame(self))}</div>"
        )


def printed_frame(result: Any) -> pd.DataFrame:
    """Return a result's table as it is printed.

    Columns of numbers that hold none are left out; contributions that are but rounding are 0.
    """
    frame: pd.DataFrame = result.to_frame()
    if not len(frame):
        return frame
    columns = [
        name
        for name in getattr(result, "contributions_in", getattr(result, "_contributions", ()))
        if name in frame
    ]
    if columns:
        frame = frame.copy()
        sizes = frame[columns].abs()
        frame[columns] = frame[columns].mask(sizes < _ROUNDING * sizes.max().max(), 0.0)
    numbers = [getattr(kind, "kind", "") == "f" for kind in frame.dtypes]
    empty = frame.isna().all().to_numpy() & numbers
    return frame.loc[:, ~empty]


def frame_html(frame: pd.DataFrame) -> str:
    """Return a table as HTML that scrolls where it is too wide."""
    table = frame.to_html(
        border=0, escape=True, float_format="{:.4g}".format, max_rows=_MOST_HTML_ROWS, na_rep=""
    )
    return f'<div style="overflow-x: auto">{table}</div>'
