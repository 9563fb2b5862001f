"""Reads the trials of a study in a database table by table, not object by object.

Optuna makes an object for every stored value and parses the range of every one anew, which takes
minutes for millions of values.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, json_to_distribution
from optuna.storages import RDBStorage
from optuna.storages._rdb import models
from optuna.trial import FrozenTrial, TrialState
from sqlalchemy import select
from sqlalchemy.orm import Session

_AT_ONCE = 1_000  # trials of which the rows are held beside what is made of them

_KNOWN = {
    "trials": "trial_id number study_id state datetime_start datetime_complete",
    "trial_params": "param_id trial_id param_name param_value distribution_json",
    "trial_values": "trial_value_id trial_id objective value value_type",
    "trial_user_attributes": "trial_user_attribute_id trial_id key value_json",
    "trial_system_attributes": "trial_system_attribute_id trial_id key value_json",
    "trial_intermediate_values": "trial_intermediate_value_id trial_id step intermediate_value "
    "intermediate_value_type",
    "trial_heartbeats": "trial_heartbeat_id trial_id heartbeat",
}

# without the types of their columns, which SQLAlchemy's versions do not have in common
_TRIAL: Any = models.TrialModel
_VALUE: Any = models.TrialValueModel
_STEP: Any = models.TrialIntermediateValueModel


class TableStorage(RDBStorage):
    """A database whose trials are read at once; Optuna's own reading where tables are others."""

    def _get_trials(
        self,
        study_id: int,
        states: Container[TrialState] | None,
        included_trial_ids: set[int],
        trial_id_greater_than: int,
    ) -> list[FrozenTrial]:
        some = states is not None or bool(included_trial_ids) or trial_id_greater_than > -1
        if some or not are_known():
            return super()._get_trials(study_id, states, included_trial_ids, trial_id_greater_than)
        with Session(self.engine) as session:
            return list(_trials(session, study_id))


def are_known() -> bool:
    """Say whether Optuna's tables about trials are those that are read here."""
    tables = models.BaseModel.metadata.tables
    found = {
        name: {column.name for column in table.columns}
        for name, table in tables.items()
        if name.startswith("trial")
    }
    return found == {name: set(columns.split()) for name, columns in _KNOWN.items()}


def _trials(session: Session, study_id: int) -> Iterator[FrozenTrial]:
    """Yield the trials in the order of their ids, as Optuna reads them."""
    asked = select(_TRIAL.trial_id).where(_TRIAL.study_id == study_id).order_by(_TRIAL.trial_id)
    ids = session.execute(asked).scalars().all()
    kinds: dict[str, BaseDistribution] = {}
    for start in range(0, len(ids), _AT_ONCE):
        yield from _some(session, study_id, ids[start : start + _AT_ONCE], kinds)


def _some(
    session: Session, study_id: int, ids: Sequence[int], kinds: dict[str, BaseDistribution]
) -> Iterator[FrozenTrial]:
    """Yield the trials from the first to the last of some ids; `kinds` grows by new ranges."""

    def rows(model: Any, order: str, *names: str) -> Sequence[Any]:
        """Return the rows of these trials in the table of a model."""
        columns = model.__table__.c
        asked = select(columns.trial_id, *(columns[name] for name in names))
        asked = asked.join(_TRIAL.__table__, columns.trial_id == _TRIAL.trial_id)
        asked = asked.where(_TRIAL.study_id == study_id, columns.trial_id.between(ids[0], ids[-1]))
        return session.connection().execute(asked.order_by(columns[order])).all()

    # before their rows: what a finished trial has does not change any more
    asked = select(_TRIAL).where(_TRIAL.study_id == study_id)
    asked = asked.where(_TRIAL.trial_id.between(ids[0], ids[-1])).order_by(_TRIAL.trial_id)
    trials = session.execute(asked).scalars().all()
    params: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    distributions: defaultdict[int, dict[str, BaseDistribution]] = defaultdict(dict)
    for i, name, value, written in rows(
        models.TrialParamModel, "param_id", "param_name", "param_value", "distribution_json"
    ):
        kind = kinds.get(written)
        if kind is None:
            kind = kinds[written] = json_to_distribution(written)
        name = sys.intern(name)
        params[i][name] = kind.to_external_repr(value)
        distributions[i][name] = kind
    values: defaultdict[int, list[float]] = defaultdict(list)
    for i, value, kept_as in rows(_VALUE, "objective", "value", "value_type"):
        values[i].append(_VALUE.stored_repr_to_value(value, kept_as))
    steps: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for i, step, value, kept_as in rows(
        _STEP, "step", "step", "intermediate_value", "intermediate_value_type"
    ):
        steps[i][step] = _STEP.stored_repr_to_intermediate_value(value, kept_as)
    user, system = (
        _attributes(rows(model, "key", "key", "value_json"))
        for model in (models.TrialUserAttributeModel, models.TrialSystemAttributeModel)
    )
    for trial in trials:
        i = trial.trial_id
        yield FrozenTrial(
            number=trial.number,
            state=trial.state,
            value=None,
            values=values.get(i),
            datetime_start=trial.datetime_start,
            datetime_complete=trial.datetime_complete,
            params=params[i],
            distributions=distributions[i],
            user_attrs=user[i],
            system_attrs=system[i],
            intermediate_values=steps[i],
            trial_id=i,
        )


def _attributes(rows: Iterable[Any]) -> defaultdict[int, dict[str, Any]]:
    """Return the attributes of trials by their ids."""
    found: defaultdict[int, dict[str, Any]] = defaultdict(dict)
    for i, key, written in rows:
        found[i][key] = json.loads(written)
    return found
