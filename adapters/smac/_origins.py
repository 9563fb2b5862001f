"""Who chose a configuration of SMAC: its `origin` says so.

SMAC's local search starts from configurations that were tried before, and where it ends at the same
one it overwrites the origin of that. The initial design is on record in the facade; random
configurations are known by the forest that SMAC had then, under which they promise little.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpo_explain.adapters.smac._record import SmacRecord
from hpo_explain.base.facts import Fact, Origin, fact

_CHOSEN_BY_MODEL = (
    "Acquisition Function Maximizer: Local Search",
    "Acquisition Function Maximizer: Random Search (sorted)",
    "Acquisition Function Maximizer: Differential Evolution",
)
_DRAWN = ("Initial ", "Random Search", "Acquisition Function Maximizer: Random Search")
_TOLD = "Custom"  # told without being asked for


def origins_of(smac: Any, configurations: Mapping[int, Any]) -> dict[int, Origin]:
    """Return who chose the configurations of trials, as far as SMAC has it on record.

    Parameters
    ----------
    smac : smac facade or smac.runhistory.RunHistory
        What holds them.
    configurations : mapping of int to ConfigSpace.Configuration
        The configurations by the number of their trial.
    """
    initial = initial_of(smac, configurations)
    return {
        trial: Origin.INITIAL if trial in initial else origin_of(config.origin)
        for trial, config in configurations.items()
    }


def initial_of(smac: Any, configurations: Mapping[int, Any]) -> set[int]:
    """Return the trials of the initial design, none where it is not on record."""
    initial = getattr(getattr(smac, "_config_selector", None), "_initial_design_configs", None)
    return {trial for trial, config in configurations.items() if config in (initial or ())}


def overwritten(smac: Any, origins: dict[int, Origin], record: SmacRecord | None) -> list[Fact]:
    """Correct origins that SMAC overwrote, and say what is not certain about them.

    What its local search is said to have found is no proposal where many configurations drawn at
    random have a larger acquisition under the model of that time.
    """
    if Origin.MODEL not in origins.values():
        return []
    notes = [] if record is None else [record.note()]
    if record is not None and record.batches:
        drawn = record.drawn_among([t for t, o in origins.items() if o is Origin.MODEL])
        origins |= dict.fromkeys(drawn, Origin.INITIAL)
        if record.knows_who_chose():
            return notes
    known = hasattr(getattr(smac, "_config_selector", None), "_initial_design_configs")
    return [*notes, fact("origins_overwritten", initial=known)]


def origin_of(origin: str | None) -> Origin:
    """Return who chose a configuration.

    Examples
    --------
    >>> origin_of("Initial Design: Sobol"), origin_of("Random Search")
    (<Origin.INITIAL: 'initial'>, <Origin.INITIAL: 'initial'>)
    >>> origin_of("Acquisition Function Maximizer: Local Search")
    <Origin.MODEL: 'model'>
    """
    if origin is None:
        return Origin.UNKNOWN
    if origin in _CHOSEN_BY_MODEL:
        return Origin.MODEL
    if origin == _TOLD:
        return Origin.ADDED
    return Origin.INITIAL if origin.startswith(_DRAWN) else Origin.UNKNOWN
