"""What the sections around one configuration share: whether they apply, cautions and notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from markupsafe import Markup

from hpo_explain.diagnostics import Trust
from hpo_explain.reporting._render import render
from hpo_explain.reporting.section import Content, NotApplicable
from hpo_explain.run import Run
from hpo_explain.wording import trust as words

if TYPE_CHECKING:
    import pandas as pd


class _Result(Protocol):
    @property
    def sentence(self) -> str: ...

    @property
    def trust(self) -> Trust | None: ...

    @property
    def notes(self) -> tuple[Any, ...]: ...

    def to_frame(self) -> pd.DataFrame: ...


_Found = TypeVar("_Found", bound=_Result)


def applied(run: Run, explain: Callable[[], _Found]) -> _Found:
    """Return an explanation of a run, or say why there is none.

    Raises
    ------
    NotApplicable
        If the objective is constant, or the explanation is refused.
    """
    if len(run) >= 2 and np.ptp(run.objective) == 0.0:
        raise NotApplicable(
            f"The {run.objective_name} is constant ({run.objective[0]:g} in all {len(run)} "
            "trials): no hyperparameter made a difference."
        )
    try:
        return explain()
    except ValueError as error:
        raise NotApplicable(str(error)) from error


def shown(
    name: str, result: _Result, plots: Sequence[Markup], *, lead: str = "", caution: str = ""
) -> Content:
    """Return the content of a section: its lead, the finding, plots, notes, and its table."""
    body = render(
        "around.html.j2",
        lead=lead,
        sentence=result.sentence.removesuffix(caution).rstrip(),
        caution=" ".join(filter(None, (words.caution(result.trust), caution))),
        plots=plots,
        notes=result.notes,
    )
    return Content(result.sentence, body, {name: result.to_frame()})
