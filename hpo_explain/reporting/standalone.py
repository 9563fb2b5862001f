"""The profiler alone: a small page that a notebook shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hpo_explain.adapters.sources import as_runs
from hpo_explain.reporting._file import check_place, write_atomically
from hpo_explain.reporting._notebook import framed
from hpo_explain.reporting.page import Report, explained_by
from hpo_explain.reporting.panel import WHAT_IF
from hpo_explain.run import Run


@dataclass(frozen=True, repr=False)
class Panel:
    """A page in which any configuration is predicted; notebooks show it.

    Attributes
    ----------
    html : str
        The page, which needs no network and no other file.
    """

    html: str

    def write(self, path: str | Path) -> Path:
        """Write the page, and return its path.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        check_place(path)
        write_atomically(Path(path), self.html)
        return Path(path)

    def __repr__(self) -> str:
        return f"<Panel: a page of {len(self.html) / 1e6:.1f} MB; .write(path) keeps it>"

    def _repr_html_(self) -> str:
        return framed(self.html, WHAT_IF.title)


def what_if(run: Any, *, surrogate: Any = None, **reading: Any) -> Panel:
    """Return the profiler: interactive curves of the objective along each hyperparameter.

    The most important hyperparameters come first, each with its share of the variance, its trials
    and the values that :func:`recommended_space` keeps. Drag or type a value, and all other curves
    follow. The profiler shows the predicted objective with a 95 % interval, the probability that it
    is clearly better than the trial to keep, the probability of a result if trials failed, and the
    number of trials nearby. You can copy a configuration as code, compare two, share a link or save
    a picture.

    Parameters
    ----------
    run : optuna.Study, scikit-learn search, skopt result, pandas.DataFrame, path or Run
        The optimization run. With several objectives, each has a panel.
    surrogate : Surrogate or object, optional
        A model of your own, as in :meth:`Run.explained_by`. It must have a joint posterior, as a
        Gaussian process does. The page uses a copy of it and states its error.
    **reading
        Options of the adapter, such as ``objective=`` for a table.

    Returns
    -------
    Panel
        Notebooks show it; ``.write("what_if.html")`` saves it as a page. If nothing can be
        predicted, it says why.

    Raises
    ------
    ValueError
        If the run cannot be read.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import hpo_explain as hx
    >>> table = pd.DataFrame({"x": np.linspace(0.0, 1.0, 20)})
    >>> table["loss"] = (table.x - 0.3) ** 2
    >>> "What if?" in hx.what_if(table, objective="loss").html
    True
    """
    return panel_of(explained_by(surrogate, as_runs(run, **reading)))


def panel_of(runs: Mapping[str, Run]) -> Panel:
    """Return the profiler of runs by their objective; its title is the study's name."""
    names = [one.name for one in runs.values() if one.name]
    title = names[0] if names else WHAT_IF.title
    made = Report.of(runs, title=title, sections=[WHAT_IF])
    return Panel(str(made.html))
