"""A column that holds whole configurations: dictionaries, JSON or Python's way to write them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hpo_explain.adapters._cells import is_empty, literal
from hpo_explain.adapters.frame._names import is_called_configuration, is_called_results

if TYPE_CHECKING:
    import pandas as pd

_STARTS = ("{", "OrderedDict(", "Configuration(")
HYPEROPT_VALUES = "misc.vals."
"""What the columns of hyperparameters in a dump of Hyperopt's trials begin with."""


@dataclass(frozen=True)
class Spread:
    """A table with a column for each entry of its dictionaries.

    Attributes
    ----------
    table : pandas.DataFrame
        The table.
    column : str
        The column that held the configurations; empty where there was none. The columns of its
        entries begin with it and a point.
    rows : list of dict
        The configurations; one lacks what was inactive, and None is a value.
    """

    table: pd.DataFrame
    column: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)


def spread(table: pd.DataFrame, named: Collection[str] = ()) -> Spread:
    """Return a table in which each entry of its dictionaries is a column.

    Entries of dictionaries inside have names like ``model.depth``; those that begin with ``_`` are
    left out, as W&B's own.

    Parameters
    ----------
    table : pandas.DataFrame
        A table whose columns have text for names.
    named : collection of str
        Columns that the user named: they stay as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"params": ["{'lr': 0.1}", '{"lr": 0.2}'], "loss": [1.0, 2.0]})
    >>> found = spread(table)
    >>> found.table.to_dict("list"), found.column
    ({'loss': [1.0, 2.0], 'params.lr': [0.1, 0.2]}, 'params')
    """
    import pandas as pd

    table = _without_lists(table)
    dictionaries = {
        name: rows
        for name in table.columns
        if name not in named and (rows := _dictionaries(table[name]))
    }
    if not dictionaries:
        return Spread(table)
    parts = [table.drop(columns=[*dictionaries])]
    for name, rows in dictionaries.items():
        keys = dict.fromkeys(key for row in rows for key in row)
        entries = {f"{name}.{key}": [row.get(key) for row in rows] for key in keys}
        parts.append(pd.DataFrame(entries, index=table.index, dtype=object))
    column = _of_settings([*dictionaries])
    return Spread(_without_lists(pd.concat(parts, axis=1)), column, dictionaries.get(column, []))


def _without_lists(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which Hyperopt's lists of one value, or none, are that value."""
    import pandas as pd

    lists = [n for n in table.columns if n.startswith(HYPEROPT_VALUES)]
    values = {
        name: pd.Series(
            [_only(cell) for cell in table[name].tolist()], index=table.index, dtype=object
        )
        for name in lists
    }
    return table.assign(**values) if values else table


def _only(cell: Any) -> Any:
    value = literal(cell) if isinstance(cell, str) else cell
    if not isinstance(value, (list, tuple)) or len(value) > 1:
        return value
    return value[0] if value else None


# ---------------------------------------------------------------------- dictionaries


def _of_settings(names: list[str]) -> str:
    """Return which of several columns of dictionaries holds configurations."""
    settings = [name for name in names if not is_called_results(name)]
    settings.sort(key=lambda name: not is_called_configuration(name))
    return settings[0] if settings else ""


def _dictionaries(column: pd.Series[Any]) -> list[dict[str, Any]]:
    """Return the dictionaries in a column, an empty one for an empty cell; none of other cells."""
    rows: list[dict[str, Any]] = []
    for cell in column.tolist():
        if is_empty(cell):
            rows.append({})
            continue
        found = _dictionary(cell)
        if found is None:
            return []
        rows.append(_flat(found))
    return rows if any(rows) else []


def _dictionary(cell: Any) -> Mapping[Any, Any] | None:
    if isinstance(cell, Mapping):
        return cell
    if not isinstance(cell, str) or not cell.strip().startswith(_STARTS):
        return None
    try:
        found = json.loads(cell)
    except ValueError:
        found = literal(cell)
    if isinstance(found, list):  # the pairs of an OrderedDict
        found = dict(found)
    return found if isinstance(found, Mapping) else None


def _flat(entries: Mapping[Any, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested entries by their path; lists become tuples, which can be told apart."""
    found: dict[str, Any] = {}
    for key, value in entries.items():
        if str(key).startswith("_"):
            continue
        if isinstance(value, Mapping) and "value" in value and {*value} <= {"value", "desc"}:
            value = value["value"]  # as W&B writes its config.yaml
        if isinstance(value, Mapping):
            found |= _flat(value, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = _hashable(value)
    return found


def _hashable(value: Any) -> Any:
    return tuple(map(_hashable, value)) if isinstance(value, list) else value
