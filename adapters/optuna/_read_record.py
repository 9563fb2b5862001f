"""Which record of a sampler a run gets."""

from __future__ import annotations

from collections.abc import Sequence

from optuna import Study
from optuna.samplers import GPSampler, TPESampler
from optuna.trial import FrozenTrial

from hpo_explain.adapters.optuna._gp_record import GpRecord
from hpo_explain.adapters.optuna._record import SamplerRecord
from hpo_explain.adapters.optuna._sampler import Choice
from hpo_explain.adapters.optuna._tpe_record import TpeRecord
from hpo_explain.adapters.optuna._wrapping import unwrapped
from hpo_explain.run import OptimizerRecord
from hpo_explain.space import SearchSpace


def read_record(
    study: Study,
    choice: Choice,
    trials: Sequence[FrozenTrial],
    space: SearchSpace,
    *,
    own_objective: bool,
) -> OptimizerRecord:
    """Return what is known about the acquisition functions under which trials were chosen.

    `own_objective` says whether the run's objective is one of the study's.
    """
    directions = tuple(study.directions)
    known = (choice.sampler, directions, tuple(trials), space, choice.origins)
    own, fixed = unwrapped(choice.own)
    if choice.model == "TPESampler":
        if own is None:
            own = TPESampler()  # marks name it, but its settings are not recorded
        return TpeRecord(
            *known, own if isinstance(own, TPESampler) else None, choice.how, tuple(fixed)
        )
    if choice.model == "GPSampler" and isinstance(own, GPSampler | None):
        # without a sampler object, the kernels' priors and settings are those of the default
        return GpRecord.of(*known, sampler=own, how=choice.how, own_objective=own_objective)
    return SamplerRecord(*known)
