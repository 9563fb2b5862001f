"""Who chose a configuration of SMAC: its `origin` says so.

SMAC's local search starts from configurations that were tried before, and where it ends at the same
one it overwrites the origin of that. The initial design is on record in the facade, so that it can
be told; random configurations between those of the model cannot.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hpo_explain.facts import Fact, Origin, fact

_CHOSEN_BY_MODEL = (
    "Acquisition Function Maximizer: Local Search",
    "Acquisition Function Maximizer: Random Search (sorted)",
    "Acquisition Function Maximizer: Differential Evolution",
)
_DRAWN = ("Initial ", "Random Search", "Acquisition Function Maximizer: Random Search")
_TOLD = "Custom"  # told without being asked for


def origins_of(
    smac: Any, configurations: Mapping[int, Any]
) -> tuple[dict[int, Origin], list[Fact]]:
    """Return who chose the configurations of trials, and what is not certain about it.

    Parameters
    ----------
    smac : smac facade or smac.runhistory.RunHistory
        What holds them.
    configurations : mapping of int to ConfigSpace.Configuration
        The configurations by the number of their trial.
    """
    initial = getattr(getattr(smac, "_config_selector", None), "_initial_design_configs", None)
    origins = {trial: origin_of(config.origin) for trial, config in configurations.items()}
    for trial, config in configurations.items():
        if initial is not None and config in initial:
            origins[trial] = Origin.INITIAL
    if Origin.MODEL not in origins.values():
        return origins, []
    return origins, [fact("origins_overwritten", initial=initial is not None)]


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
