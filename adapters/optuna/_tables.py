"""Trials made of the rows of Optuna's tables, whatever reads these.

They are read table by table, not object by object: Optuna makes an object for every stored value
and parses the range of every one anew, which takes minutes for millions of values.
"""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from optuna.distributions import BaseDistribution, json_to_distribution
from optuna.trial import FrozenTrial

_AT_ONCE = (
    1_000  # trials of which the rows are held beside what is made of them
)
TABLES = {
    "trials": "trial_id number study_id state datetime_start datetime_complete",
    "trial_params": "param_id trial_id param_name param_value distribution_json",
    "trial_values": "trial_value_id trial_id objective value value_type",
    "trial_user_attributes": "trial_user_attribute_id trial_id key value_json",
    "trial_system_attributes": "trial_system_attribute_id trial_id key value_json",
    "trial_intermediate_values": "trial_intermediate_value_id trial_id step intermediate_value "
    "intermediate_value_type",
    "trial_heartbeats": "trial_heartbeat_id trial_id heartbeat",
}
"""The tables about trials, and their columns."""
# what stands for a number that databases have no value for
_NO_NUMBERS = {"INF_POS": math.inf, "INF_NEG": -math.inf, "NAN": math.nan}


class Rows(Protocol):
    """Reads the rows of a study in a table about trials."""

    def __call__(
        self, table: str, order: str, *columns: str, first: int, last: int
    ) -> Sequence[tuple[Any, ...]]:
        """Return columns of trials from the first id to the last, the trial's id before them.

        States and times are objects, kinds of numbers are names such as "INF_POS".
        """


def trials_of(ids: Sequence[int], rows: Rows) -> Iterator[FrozenTrial]:
    """Yield trials in the order of their ids, as Optuna reads them."""
    kinds: dict[str, BaseDistribution] = {}
    for start in range(0, len(ids), _AT_ONCE):
        yield from _some(ids[start : start + _AT_ONCE], rows, kinds)


def _some(
    ids: Sequence[int], rows: Rows, kinds: dict[str, BaseDistribution]
) -> Iterator[FrozenTrial]:
    """Yield the trials from the first to the last of some ids; `kinds` grows by new ranges."""

    def of(table: str, order: str, *columns: str) -> Sequence[Any]:
        return rows(table, order, *columns, first=ids[0], last=ids[-1])

    # before their rows: what a finished trial has does not change any more
    trials = of(
        "trials",
        "trial_id",
        "number",
        "state",
        "datetime_start",
        "datetime_complete",
    )
    params: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    distributions: defaultdict[int, dict[str, BaseDistribution]] = defaultdict(
        dict
    )
    for i, name, value, written in of(
        "trial_params",
        "param_id",
        "param_name",
        "param_value",
        "distribution_json",
    ):
        kind = kinds.get(written)
        if kind is None:
            kind = kinds[written] = json_to_distribution(written)
        name = sys.intern(name)
        params[i][name] = kind.to_external_repr(value)
        distributions[i][name] = kind
    values: defaultdict[int, list[float]] = defaultdict(list)
    for i, value, number_type in of(
        "trial_values", "objective", "value", "value_type"
    ):
        values[i].append(_NO_NUMBERS.get(number_type, value))
    steps: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, step, value, number_type in of(
        "trial_intermediate_values",
        "step",
        "step",
        "intermediate_value",
        "intermediate_value_type",
    ):
        steps[i][step] = _NO_NUMBERS.get(number_type, value)
    user, system = (
        _attributes(of(table, "key", "key", "value_json"))
        for table in ("trial_user_attributes", "trial_system_attributes")
    )
    for i, number, state, started, finished in trials:
        yield FrozenTrial(
            number=number,
            state=state,
            value=None,
            values=values.get(i),
            datetime_start=started,
            datetime_complete=finished,
            params=params[i],
            distributions=distributions[i],
            user_attrs=user[i],
            system_attrs=system[i],
            intermediate_values=steps[i],
            trial_id=i,
        )


def _attributes(rows: Iterable[Any]) -> defaultdict[int, dict[str, Any]]:
    """Return the attributes of trials by their ids."""
    attributes: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for i, key, written in rows:
        attributes[i][key] = json.loads(written)
    return attributes
