"""A result that declares its table and its words; all else follows from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hpo_explain.base.claim import Claim as OldClaim
from hpo_explain.base.claim import between
from hpo_explain.base.edge import plotly, renderer, views
from hpo_explain.base.facts import Fact, fact
from hpo_explain.base.phrases import join_words, printable
from hpo_explain.base.text import (
    UNCLEAR,
    Estimate,
    filled,
    reservation,
    role_of,
    told_apart,
)
from hpo_explain.explanations.result import Result as OldResult

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


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
    """

    columns: Mapping[str, str | Callable[[Any], Any]]
    index: tuple[str, str] = ("", "")
    keys: str = ""
    held: Mapping[str, str | Callable[[Any], Any]] = field(default_factory=dict)
    order: str = ""
    contributions: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim(OldClaim):
    """A claim with its words; of several in a row with the same frame they fill it together."""

    text: str = field(default="", compare=False)
    frame: str = field(default="{each}", compare=False)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Result(OldResult):
    """A result that declares its table as `table`, and its templates as `says`."""

    table: ClassVar[Table]
    says: ClassVar[Mapping[str, str]]

    @property
    def what(self) -> str:
        """What is explained: the predicted objective, or the acquisition."""
        return self.subject.acquisition or f"predicted {self.subject.objective_name}"

    @property
    def where(self) -> str:
        """The configuration that it is about, in words."""
        return "this configuration" if self.trial is None else f"trial {self.trial}"

    # ------------------------------------------------------------------ from the table

    @property
    def contributions_in(self) -> tuple[str, ...]:
        """Columns of the table that hold contributions in one unit: rounding is shown as 0."""
        return self.table.contributions

    def _column(self, held: str | Callable[[Any], Any]) -> Any:
        found = getattr(self, held) if isinstance(held, str) else held(self)
        if not self.table.index[1]:
            return found
        missing = np.full(len(getattr(self, self.table.index[1])), np.nan)
        return missing if found is None else found

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a table."""
        import pandas as pd

        name, labels = self.table.index
        columns = {key: self._column(held) for key, held in self.table.columns.items()}
        if self.table.keys:
            known = {key: np.ravel(found) for key, found in columns.items() if found is not None}
            frame = pd.DataFrame(known)
            for i, (key, values) in enumerate(getattr(self, self.table.keys)):
                frame.insert(i, key, pd.Series(values, dtype=values.dtype), allow_duplicates=True)
            return frame
        rows = pd.Index(getattr(self, labels), name=name) if labels else None
        frame = pd.DataFrame(columns, index=rows)
        return frame.iloc[getattr(self, self.table.order)()] if self.table.order else frame

    def _numbers(self) -> dict[str, Any]:
        table = self.table
        if table.held:
            return {
                key: getattr(self, held) if isinstance(held, str) else held(self)
                for key, held in table.held.items()
            }
        inside = {*table.columns.values(), *table.hidden, "subject", "notes"}
        beside = [held.name for held in fields(self) if held.name not in inside]
        columns = {key: self._column(held) for key, held in table.columns.items()}
        if table.index[1]:
            columns = {table.index[0]: getattr(self, table.index[1]), **columns}
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        return {**{name: getattr(self, name) for name in (*beside, *table.beside)}, "rows": rows}

    # ------------------------------------------------------------------ from the views

    def plot(self, ax: Axes | None = None, *, view: str = "", width: float | None = None) -> Any:
        """Draw the result, or another view of it by its name.

        On `ax`, or on a new figure of a `width` in inches, as high as it needs to be, which
        pyplot knows where pyplot is in use: a notebook shows it.

        Returns
        -------
        matplotlib.axes.Axes or ndarray of them
            The axes; of several panels, which stand in place of `ax`, an array of theirs.
        """
        return renderer().drawn(self.described(view), ax=ax, width=width)

    def to_plotly(self, *, view: str = "") -> Any:
        """Return the result, or another view of it, as a ``plotly.graph_objects.Figure``."""
        return plotly().drawn(self.described(view))

    def described(self, view: str = "") -> Any:
        """Return a view of the result as the description of a figure."""
        return views(type(self).__module__.removesuffix("_result"))[view].describe(self)

    # ------------------------------------------------------------------ from the claims

    def claim(
        self,
        kind: Any,
        names: tuple[str, ...],
        estimate: Estimate,
        *,
        says: str,
        values: tuple[Any, ...] = (),
        untried: tuple[Fact, ...] = (),
        known: bool = False,
        within: tuple[float, float] = (-np.inf, np.inf),
        **words: Any,
    ) -> Claim:
        """Return a claim with its words; it is certain unless there is a reason against it.

        A number that may be 0 is not, nor one of a model that is not trusted, does not say how
        uncertain it is, or learned from no such values (`untried`). What an acquisition function
        says of itself is certain. `known`: a number without an interval was judged already.
        """
        because: tuple[Fact, ...] = ()
        if estimate.unclear:
            because = (UNCLEAR(),)
        elif not self.subject.acquisition:
            unknown = () if known or estimate.half is not None else (fact("uncertainty_unknown"),)
            because = (*unknown, *self.subject.doubts(self.scope), *untried)
        interval = between(estimate.value, estimate.half)
        if interval is not None:
            interval = max(interval[0], within[0]), min(interval[1], within[1])
        return self.told(
            kind, names, estimate.value, interval, says=says, values=values, certain=not because,
            because=because, about=estimate, **words,
        )  # fmt: skip

    def told(
        self,
        kind: Any,
        names: tuple[str, ...],
        estimate: float = np.nan,
        interval: tuple[float, float] | None = None,
        *,
        says: str,
        certain: bool,
        because: tuple[Fact, ...],
        values: tuple[Any, ...] = (),
        term: str = "",
        about: Estimate | None = None,
        **words: Any,
    ) -> Claim:
        """Return a claim of which is known whether it is certain, with its words or without any."""
        if about is not None:
            words |= {"estimate": about, "size": abs(about)}
        frame, text = self.words(says, names=names, **words) if says else ("{each}", "")
        return Claim(
            kind, names, values, estimate, interval, certain, because, term, text=text, frame=frame
        )

    def words(self, says: str, **words: Any) -> tuple[str, str]:
        """Return what several such claims fill together, and the words of one."""
        frame, _, each = self.says[says].rpartition(" | ")
        words["found"] = self
        return filled(frame or "{each}", each="{each}", **words), filled(each, **words)

    @property
    def finding(self) -> str:
        """The claims in words, without what they rest on."""
        parts: list[str] = []
        told = [claim for claim in self.claims if isinstance(claim, Claim) and claim.text]
        for frame, several in groupby(told, key=lambda claim: claim.frame):
            texts = [claim.text for claim in several]
            parts += texts if frame == "{each}" else [frame.replace("{each}", join_words(texts))]
        return " ".join(parts)

    @property
    def caution(self) -> str:
        """Why not all that is told is certain, in a sentence; empty where it is."""
        told = [claim for claim in self.claims if getattr(claim, "text", "") and not claim.certain]
        return reservation(reason for claim in told for reason in claim.because)

    @property
    def basis(self) -> str:
        """What the claims rest on, and what else is to be known, in sentences."""
        rests = [r for claim in self.claims for r in claim.because if role_of(r) == "basis"]
        return told_apart([*self.remarks, *rests])

    @property
    def remarks(self) -> tuple[Fact, ...]:
        """Notes that the sentence tells, too."""
        return ()

    @property
    def sentence(self) -> str:
        """The claims in words, why they are not certain, and what they rest on."""
        return printable(" ".join(filter(None, [self.finding, self.caution, self.basis])))


def settled(claim: Claim, certain: bool) -> Claim:
    """Return a claim of which it is known otherwise whether it is certain."""
    return replace(claim, certain=certain, because=())
