"""What results have in common: how they show themselves, and what they call what they are about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from hpo_explain._html import text_html

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_ROWS = 30
_WIDEST = 60  # characters of a cell
_MOST_HTML_ROWS = 60
_ROUNDING = 1e-9  # of the largest contribution: less is what is left of differences of its like


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


def printed_frame(result: Any) -> pd.DataFrame:
    """Return a result's table as it is printed.

    That is without the columns of numbers that hold none; contributions that are but rounding are
    written as 0.
    """
    frame: pd.DataFrame = result.to_frame()
    if not len(frame):
        return frame
    columns = list(getattr(result, "_contributions", ()))
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
