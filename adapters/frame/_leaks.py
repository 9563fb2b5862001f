"""Columns that were measured with the objective: what knows the result explains nothing.

A table does not say which of its columns were set and which came out. Two signs are looked for in
columns of numbers that differ from row to row: a name of nothing but words of measurement, such as
train_loss; and values that put the rows in the order of the objective while the other columns
predict them. A hyperparameter that decides the objective does the first of these too, but it was
chosen whatever the others were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from hpo_explain.adapters.frame._cells import as_float, is_empty, is_number
from hpo_explain.base.facts import Fact, fact
from hpo_explain.space import Array

if TYPE_CHECKING:
    import pandas as pd

_MEASURED = frozenset((
    "loss", "acc", "accuracy", "auc", "auroc", "auprc", "f1", "score", "rmse", "mse", "mae",
    "mape", "r2", "logloss", "nll", "perplexity", "ppl", "bleu", "rouge", "iou", "dice",
    "precision", "recall", "reward", "error", "err", "objective", "metric", "fitness", "regret",
    "runtime", "duration", "elapsed", "latency", "throughput", "time", "timestamp", "walltime",
))  # fmt: skip
_OF_WHAT = frozenset((
    "train", "training", "val", "valid", "validation", "test", "eval", "dev", "holdout", "cv",
    "oob", "mean", "std", "avg", "average", "best", "final", "last", "min", "max", "total",
    "epoch", "fold", "top", "top1", "top5", "weighted", "macro", "micro", "balanced", "ms", "s",
    "sec", "secs", "seconds", "fit",
))  # fmt: skip
_GAINS = frozenset((
    "acc", "accuracy", "auc", "auroc", "auprc", "f1", "r2", "reward", "bleu", "rouge", "iou",
    "dice", "precision", "recall",
))  # fmt: skip
_LEAST_ROWS = 10
_SAME_ORDER = 0.99  # of the rank correlation with the objective
_PREDICTED = 0.3  # R² of the other columns, out of bag
_DIFFERENT, _ALL_DIFFERENT = 0.3, 0.9  # share of the rows with a value of their own


def without_measured(
    table: pd.DataFrame, names: Sequence[str], objective: Array
) -> tuple[list[str], list[Fact]]:
    """Return the columns that may be hyperparameters, and a note on each one that is not.

    Parameters
    ----------
    table : pandas.DataFrame
        The table.
    names : sequence of str
        The columns that are hyperparameters unless they were measured.
    objective : ndarray of shape (n,)
        The objective; NaN where there is none.
    """
    numbers = {name: column for name in names if (column := _numbers(table[name])) is not None}
    left_out = {
        name: fact("measured_by_name", names=[name])
        for name, column in numbers.items()
        if _is_called_measured(name) and _differs(column, _DIFFERENT) and not _is_whole(column)
    }
    notes: list[Fact] = []
    suspected = {
        name: correlation
        for name, column in numbers.items()
        if name not in left_out
        and _differs(column, _ALL_DIFFERENT)
        and abs(correlation := _rank_correlation(column, objective)) >= _SAME_ORDER
    }
    others = [name for name in names if name not in left_out and name not in suspected]
    for name, correlation in suspected.items():
        if others and _predicted(table[others], numbers[name]) >= _PREDICTED:
            left_out[name] = fact("measured_by_order", names=[name], correlation=correlation)
        else:
            notes.append(fact("orders_like_objective", names=[name], correlation=correlation))
    kept = [name for name in names if name not in left_out]
    if not kept:  # nothing else could be explained
        return list(names), notes
    return kept, [*left_out.values(), *notes]


def _numbers(column: pd.Series[Any]) -> Array | None:
    """Return a column of numbers as floats, NaN where a cell is empty; None for another one."""
    cells = column.tolist()
    if not all(is_empty(cell) or is_number(cell) for cell in cells):
        return None
    return np.array([np.nan if is_empty(cell) else as_float(cell) for cell in cells])


def _is_called_measured(name: str) -> bool:
    """Say whether a name has nothing but words of measurement.

    Examples
    --------
    >>> [_is_called_measured(n) for n in ("train_loss", "valAcc", "loss_weight", "test_size")]
    [True, True, False, False]
    """
    lowered = [word.lower() for word in _words(name)]
    known = all(word in _MEASURED or word in _OF_WHAT for word in lowered)
    return known and any(word in _MEASURED for word in lowered)


def sounds_like_gain(name: str) -> bool:
    """Say whether the last word of a name is that of a score which is better where it is larger.

    Examples
    --------
    >>> sounds_like_gain("val_accuracy"), sounds_like_gain("loss")
    (True, False)
    """
    words = [word.lower() for word in _words(name) if word.lower() not in _OF_WHAT]
    return bool(words) and words[-1] in _GAINS and "neg" not in words


def _words(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+\d?|[A-Z]+(?![a-z])\d?", name)


def _is_whole(column: Array) -> bool:
    present = column[np.isfinite(column)]
    return bool((present == np.round(present)).all())


def _differs(column: Array, share: float) -> bool:
    present = column[~np.isnan(column)]
    return len(present) > 2 and len(np.unique(present)) > max(2.0, share * len(present))


def _rank_correlation(column: Array, objective: Array) -> float:
    """Return the rank correlation where both are known; 0 where that is in few rows."""
    both = np.isfinite(column) & np.isfinite(objective)
    if both.sum() < _LEAST_ROWS or np.ptp(objective[both]) == 0.0:
        return 0.0
    first, second = rankdata(column[both]), rankdata(objective[both])
    return float(np.corrcoef(first, second)[0, 1])


def _predicted(others: pd.DataFrame, column: Array) -> float:
    """Return how well other columns predict the order of one: R² out of bag."""
    from sklearn.ensemble import RandomForestRegressor

    rows = ~np.isnan(column)
    features = np.column_stack([_codes(others[name]) for name in others.columns])[rows]
    forest = RandomForestRegressor(200, min_samples_leaf=2, oob_score=True, random_state=0)
    return float(forest.fit(features, rankdata(column[rows])).oob_score_)


def _codes(column: pd.Series[Any]) -> npt.NDArray[np.float64]:
    numbers = _numbers(column)
    if numbers is not None:
        return np.where(np.isfinite(numbers), numbers, -1e9)
    texts: dict[str, int] = {}
    cells = [repr(cell) for cell in column.tolist()]
    return np.array([texts.setdefault(cell, len(texts)) for cell in cells], dtype=float)
