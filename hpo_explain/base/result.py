"""A result that declares its table and its words; all else follows from them."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from hpo_explain.base.checks import check_option
from hpo_explain.base.claim import Claim as Claim
from hpo_explain.base.claim import (
    reservation,
    told_apart,
)
from hpo_explain.base.csv_text import Cells as Cells
from hpo_explain.base.csv_text import csv_text
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.html import plain_json, text_html
from hpo_explain.base.loaders import pages, plotly, renderer, views
from hpo_explain.base.numbers import ROUNDING_OF_SUMS, format_value, more_digits
from hpo_explain.base.options import Direction
from hpo_explain.base.phrases import (
    chained,
    first_words,
    join_words,
    joined,
    printable,
    printable_lines,
    shorten,
)
from hpo_explain.base.posterior import Order, PosteriorDraws
from hpo_explain.base.subject import Subject

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from hpo_explain.belief.trust import Trust

_FORMATS = (".png", ".svg", ".pdf", ".html", ".csv", ".json")
_MOST_ROWS = 30
_MOST_HTML_ROWS = 60
_WIDEST = 60  # characters of a cell
_HEADING = 60  # characters of what is explained, in a heading


@dataclass(frozen=True, kw_only=True)
class Table:
    """The columns of a result's table: each is the name of an attribute with a value per row.

    Attributes
    ----------
    index : tuple of (str, str), optional
        What rows are called, and the attribute that holds their labels.
    keys : str
        In place of an index: the attribute that holds (name, values) of columns that say which row
        it is, and whose names are the user's. Such a table's columns may have several axes, and one
        that is None is left out.
    held : mapping of str to str or callable
        What `to_dict` holds in place of rows.
    columns : mapping of str to str or callable
        What each holds: an attribute, or a function of the result. None, for not known, is NaN.
    order : str
        The method that returns the order of the rows; by default they are as they come.
    contributions : tuple of str
        Columns of contributions in one unit: rounding is shown as 0.
    beside : tuple of str
        Attributes that are no fields and stand beside the rows in `to_dict`.
    hidden : tuple of str
        Fields that do not.
    printed : bool
        Whether it is printed under the sentence, which says all where it is not.
    """

    columns: Mapping[str, str | Callable[[Any], Any]]
    index: tuple[str, str] = ("", "")
    keys: str = ""
    held: Mapping[str, str | Callable[[Any], Any]] = field(default_factory=dict)
    order: str = ""
    contributions: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    printed: bool = True


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(ABC):
    """The result of an explanation: a sentence, a table and a figure.

    It keeps no reference to a study or a model.

    Attributes
    ----------
    subject : Subject
        What is explained.
    notes : tuple of Fact
        The assumptions; ``str(note)`` is the text of one.
    """

    table: ClassVar[Table]
    subject: Subject
    notes: tuple[Fact, ...] = ()

    @property
    @abstractmethod
    def claims(self) -> tuple[Claim, ...]:
        """The statements of the result, the most important first."""

    # ------------------------------------------------------------------ what it is about

    @property
    def trust(self) -> Trust | None:
        """How well the objective is known; None if that does not matter to the result."""
        return self.subject.trust

    @property
    def too_few(self) -> str:
        """The sentence that there are too few trials to learn from; empty if there are enough."""
        return self.subject.too_few if self.trust else ""

    @property
    def reliance(self) -> str:
        """The reliability in words; empty if it is good or unknown."""
        level = "good" if self.trust is None else self.trust.level
        return "" if level == "good" else f"Reliability: {level}."

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
        """The numbers of the result for functions drawn from a Gaussian process's posterior.

        Results of observations (history, learning curves, densities), advice and recommended
        spaces have none. If a result holds several others (effects, a path of proposals,
        predictions), ask each of them; regions have none.

        Raises
        ------
        NothingToExplain
            If the result does not rest on such a posterior.
        """
        return self.drawn((), np.empty((0, 0)))

    def drawn(
        self, names: tuple[Hashable, ...], values: npt.NDArray[Any], first: Order = "largest"
    ) -> PosteriorDraws:
        """Return numbers, (k, m), for each of k functions; a single one is no posterior."""
        if len(values) < 2:
            raise NothingToExplain(
                fact(
                    f"the result of {self.subject.model or 'a model'} has no draws from a "
                    "posterior; single results of a Gaussian process (kind='gp') have them"
                )
            )
        return PosteriorDraws(names, values, first)

    def probability(self, first: Hashable, second: Hashable | None = None) -> float:
        """Return the probability that one comes before another, or before all others.

        A hyperparameter comes before another if it is more important, a value if it is better, a
        step if it gains more, and a contribution if it is larger in absolute terms.

        Raises
        ------
        NothingToExplain
            If the result does not rest on the posterior of a Gaussian process.
        InputError
            If there is no such name.
        """
        return self.posterior.probability(first, second)

    @property
    def what(self) -> str:
        """What is explained: the predicted objective, or the acquisition."""
        return self.subject.acquisition or f"predicted {self.subject.objective_name}"

    @property
    def what_short(self) -> str:
        """`what`, shortened for a heading."""
        return shorten(self.what, _HEADING)

    @property
    def where(self) -> str:
        """The explained configuration, in words."""
        return "this configuration" if self.trial is None else f"trial {self.trial}"

    # ------------------------------------------------------------------ from the table

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions in one unit: rounding is shown as 0."""
        return self.table.contributions

    def _column(self, held: str | Callable[[Any], Any]) -> Any:
        column = getattr(self, held) if isinstance(held, str) else held(self)
        if not self.table.index[1]:
            return column
        missing = np.full(len(getattr(self, self.table.index[1])), np.nan)
        return missing if column is None else column

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of the table, with a value per row."""
        return {name: self._column(held) for name, held in self.table.columns.items()}

    @property
    def _labels(self) -> list[tuple[str, Any]]:
        """The column of the rows' labels, if they have any."""
        name, labels = self.table.index
        return [(name, getattr(self, labels))] if labels else []

    @property
    def named_columns(self) -> list[tuple[str, Any]]:
        """The columns of `to_frame` in order; users' names may be those of other columns, too."""
        if not self.table.keys:
            return [*self.columns.items()]
        several = self.columns.items()
        raveled = [(k, np.ravel(v)) for k, v in several if v is not None]
        return [*getattr(self, self.table.keys), *raveled]

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table."""
        import pandas as pd

        name, labels = self.table.index
        rows = pd.Index(getattr(self, labels), name=name) if labels else None
        columns = self.named_columns
        by_place = {
            # objects are what they are: None may be a category
            i: pd.Series(values, rows, dtype=object) if _are_objects(values) else values
            for i, (_, values) in enumerate(columns)
        }
        frame = pd.DataFrame(by_place, index=rows)
        frame.columns = pd.Index([name for name, _ in columns], dtype=object)
        if self.table.order:
            frame = frame.iloc[getattr(self, self.table.order)()]
        return frame

    def cells(self) -> Cells:
        """Return the columns of `to_frame` as plain values, labels first, without pandas."""
        order = getattr(self, self.table.order)() if self.table.order else None
        cells = []
        for name, column in [*self._labels, *self.named_columns]:
            values = [value.item() if isinstance(value, np.generic) else value for value in column]
            if order is not None:
                values = [values[i] for i in order]
            cells.append((name, values))
        return cells

    def printed_cells(self) -> Cells:
        """Return the columns that a terminal shows under the sentence."""
        return self.cells() if self.table.printed and not self.too_few else []

    def _numbers(self) -> dict[str, Any]:
        table = self.table
        if table.held:
            return {
                key: getattr(self, held) if isinstance(held, str) else held(self)
                for key, held in table.held.items()
            }
        inside = {*table.columns.values(), *table.hidden, "subject", "notes"}
        beside = [held.name for held in fields(self) if held.name not in inside]
        columns = {**dict(self._labels), **self.columns}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {**{name: getattr(self, name) for name in (*beside, *table.beside)}, "rows": rows}

    # ------------------------------------------------------------------ from the views

    def plot(self, ax: Axes | None = None, *, view: str = "", width: float | None = None) -> Any:
        """Draw the result with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; by default a new figure.
        view : str, default ""
            The name of another view.
        width : float, optional
            Width of a new figure, in inches; its height follows from the content.

        Returns
        -------
        matplotlib.axes.Axes or ndarray of them
            The axes; an array if there are several panels, which replace `ax`.
        """
        return renderer().drawn(self.described(view), ax=ax, width=width)

    def to_plotly(self, *, view: str = "", dark: bool = False) -> Any:
        """Draw the result with plotly.

        Parameters
        ----------
        view : str, default ""
            The name of another view.
        dark : bool, default False
            Whether the figure is for a dark page.

        Returns
        -------
        plotly.graph_objects.Figure
            The figure, with the values in its tooltips.
        """
        return plotly().drawn(self.described(view), dark=dark)

    def save(self, path: str | Path, *, view: str = "") -> None:
        """Save the result as a picture, a page, a table or JSON.

        Parameters
        ----------
        path : str or pathlib.Path
            The file; it is replaced if it exists. Its ending decides the content: ".png", ".svg"
            or ".pdf" (the figure), ".html" (sentence, figure and table), ".csv" (the table) or
            ".json" (all of `to_dict`).
        view : str, default ""
            The name of another view.

        Raises
        ------
        InputError
            If the ending is another one.

        Examples
        --------
        >>> import tempfile
        >>> import pandas as pd
        >>> import hpo_explain as hx
        >>> table = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hx.history(table, objective="loss").save(f"{folder}/history.csv")
        ...     print(Path(f"{folder}/history.csv").read_text().splitlines()[0][:5])
        trial
        """
        form = Path(path).suffix.lower()
        if form not in _FORMATS:
            problem = f"must end in {', '.join(_FORMATS)}, but was {str(path)!r}"
            raise InputError("path", problem, path, "Choose one of these endings.")
        if form == ".csv":
            content = csv_text(self.cells(), nothing="None").encode()
        elif form == ".json":
            content = json.dumps(self.to_dict(), indent=2, allow_nan=False).encode()
        elif form == ".html":
            page = f'<!doctype html><meta charset="utf-8"><title>{escape(self.headline)}</title>'
            content = f"{page}{self._repr_html_()}".encode()
        else:
            content = pages().image_of(self, form.removeprefix("."), view)
        Path(path).write_bytes(content)

    @property
    def views_of(self) -> Any:
        """The views of the result by name."""
        modules = [kind.__module__ for kind in type(self).__mro__]
        of_method = [name for name in modules if name.endswith("_result")]
        return views([*of_method, *modules][0].removesuffix("_result"))

    def described(self, view: str = "") -> Any:
        """Return a view of the result as the description of a figure."""
        views_of = self.views_of
        return views_of[check_option("view", view, views_of)].describe(self)

    # ------------------------------------------------------------------ from the claims

    @property
    def finding(self) -> str:
        """The claims in words, without their basis."""
        said: list[str] = []
        worded = [claim for claim in self.claims if isinstance(claim, Claim) and claim.text]
        for frame, several in groupby(worded, key=lambda claim: claim.frame):
            texts = [claim.text for claim in several]
            if frame == "{each}":
                said += texts
                continue
            before, _, after = frame.rpartition("{each}")  # names, of whatever text, stand before
            said.append(chained([before, join_words(texts), after]))
        return joined(said, " ")

    @property
    def caution(self) -> str:
        """Why some claims are uncertain, in a sentence; empty if all are certain."""
        worded = [
            claim for claim in self.claims if getattr(claim, "text", "") and not claim.certain
        ]
        return reservation(reason for claim in worded for reason in claim.because)

    @property
    def basis(self) -> str:
        """The basis of the claims and important notes, in sentences."""
        rests = [r for claim in self.claims for r in claim.because if r.role == "basis"]
        return told_apart([*self.remarks, *rests])

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """Notes that are part of the sentence."""
        return ()

    @property
    def sentence(self) -> str:
        """The claims in words, with their uncertainty and their basis."""
        texts = filter(None, [self.finding, self.caution, self.basis])
        return self.too_few or printable(joined(texts, " "))

    @property
    def headline(self) -> str:
        """The answer in a few words, as in the heading of a section."""
        return self.too_few or self.answer

    @property
    def answer(self) -> str:
        """The answer in a few words, if there are enough trials."""
        worded = [claim for claim in self.claims if claim.text]
        if not worded:
            return self.sentence
        before, _, after = worded[0].frame.rpartition("{each}")
        return printable(f"{before}{worded[0].text}{after}")

    # ------------------------------------------------------------------ how it shows itself

    @property
    def said(self) -> str:
        """The text above the printed table."""
        return " ".join(filter(None, [self.sentence, self.reliance]))

    @property
    def details(self) -> str:
        """The text below the printed table, such as code to paste."""
        return ""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that `json.dumps` accepts."""
        plain: dict[str, Any] = plain_json(
            {
                **self.subject.to_dict(),
                **self._numbers(),
                "sentence": self.sentence,
                "claims": [claim.to_dict() for claim in self.claims],
                "notes": [note.to_dict() for note in self.notes],
            }
        )
        return plain

    def __str__(self) -> str:
        if not self.table.printed or self.too_few:
            return self.said
        frame = printed_frame(self)
        table = frame.to_string(
            index=frame.index.name is not None,
            float_format="{:.4g}".format,
            max_rows=_MOST_ROWS,
            max_colwidth=_WIDEST,
            na_rep="",
        )
        return f"{self.said}\n\n{printable_lines(table)}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentence}>"

    def _repr_html_(self) -> str:
        text = self.sentence
        if self.too_few:
            return text_html(self.said)
        plot = f'<div style="overflow-x: auto">{pages().plot_svg(self.plot, alt=text)}</div>'
        return (
            f'<div style="max-width: 60em">{text_html(self.said)}{plot}'
            f"<details><summary>Table</summary>{frame_html(printed_frame(self))}</details></div>"
        )


def attributes(*names: str, **others: str | Callable[[Any], Any]) -> dict[str, Any]:
    """Return what a table holds that are attributes of these names, and others.

    Examples
    --------
    >>> attributes("trials", best="incumbent")
    {'trials': 'trials', 'best': 'incumbent'}
    """
    return {name: name for name in names} | others


def below_each_other(tables: Sequence[Sequence[tuple[str, Any]]]) -> dict[str, Any]:
    """Return the columns of tables that stand below each other; NaN where one has no such column.

    Examples
    --------
    >>> below_each_other([[("x", [1, 2])], [("x", [3]), ("y", [4])]])
    {'x': [1, 2, 3], 'y': [nan, nan, 4]}
    """
    names = dict.fromkeys(name for table in tables for name, _ in table)
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for table in tables:
        own = dict(table)
        missing = [np.nan] * len(table[0][1])
        for name, column in columns.items():
            column.extend(own.get(name, missing))
    return columns


def _are_objects(values: Any) -> bool:
    return isinstance(values, np.ndarray) and values.dtype == object


def as_objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    """Return values as a column of a table that keeps them: None, which may be a category, too."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def printed_frame(result: Result) -> pd.DataFrame:
    """Return a result's table as it is printed.

    A column of numbers of which none is known is left out, and categories are told apart as in
    sentences. Contributions that are tiny beside the
    largest one are rounding errors, and shown as 0.
    """
    frame = result.to_frame().copy()
    columns = [name for name in result.contributions_in if name in frame]
    if columns and len(frame):
        sizes = frame[columns].abs()
        frame[columns] = frame[columns].mask(sizes < ROUNDING_OF_SUMS * sizes.max().max(), 0.0)
    for name in frame.columns:
        cells = frame[name].tolist()
        whole = [first_words(c, _WIDEST) if isinstance(c, str) else c for c in cells]
        digits = more_digits(cells)
        if digits or whole != cells:
            frame[name] = digits or whole
    for name in frame.columns.intersection([*result.subject.names]):
        if frame[name].dtype == object:  # categories: True is not "True"
            frame[name] = frame[name].map(format_value)
    empty = [
        len(frame) > 0 and getattr(column.dtype, "kind", "") == "f" and bool(column.isna().all())
        for _, column in frame.items()
    ]
    return frame.loc[:, [not one for one in empty]]


def frame_html(frame: pd.DataFrame) -> str:
    """Return a table as HTML that scrolls where it is too wide."""
    table = frame.to_html(
        border=0, escape=True, float_format="{:.4g}".format, max_rows=_MOST_HTML_ROWS, na_rep=""
    )
    # the marks of HTML are not among the characters that are not seen
    return f'<div style="overflow-x: auto">{printable_lines(table)}</div>'
