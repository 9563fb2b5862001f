"""What results have in common: how they show themselves, and what they call what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from hpo_explain._html import text_html
from hpo_explain.explanations.result import frame_html, printed_frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_ROWS = 30
_WIDEST = 60  # characters of a cell


class _Tellable(Protocol):
    @property
    def sentence(self) -> str: ...

    def to_frame(self) -> pd.DataFrame: ...


class _Showable(_Tellable, Protocol):
    def plot(self, ax: Axes | None = None) -> Axes: ...


class Told:
    """A result that is printed as its sentence and its table."""

    @property
    def _contributions(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions, all in one unit."""
        return ()

    def __str__(self: _Tellable) -> str:
        frame = printed_frame(self)
        table = frame.to_string(
            index=frame.index.name is not None,
            float_format="{:.4g}".format,
            max_rows=_MOST_ROWS,
            max_colwidth=_WIDEST,
            na_rep="",
        )
        return f"{self.sentence}\n\n{table}"

    def __repr__(self: _Tellable) -> str:
        return f"<{type(self).__name__}: {self.sentence}>"

    def _repr_html_(self: _Tellable) -> str:
        return text_html(self.sentence) + frame_html(printed_frame(self))


class Shown(Told):
    """A result that is printed as its sentence and its table; a notebook adds its plot."""

    def _repr_html_(self: _Showable) -> str:
        from hpo_explain.plotting.html import result_html

        return result_html(self, text=self.sentence)


class AboutConfiguration:
    """A result about one configuration, which may be that of a trial."""

    trial: int | None

    @property
    def subject(self) -> str:
        """The configuration in words: "trial 42" or "this configuration"."""
        return "this configuration" if self.trial is None else f"trial {self.trial}"


class AboutModel:
    """A result about what a model predicts, or about an acquisition function."""

    acquisition: str
    objective_name: str

    @property
    def explained(self) -> str:
        """What is explained, in words: the predicted objective, or the acquisition."""
        return self.acquisition or f"predicted {self.objective_name}"
