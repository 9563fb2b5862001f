"""What was asked for; it stands in `hpo_explain.asked.given`."""

from hpo_explain.asked.given import (
    config_of,
    default_source,
    model_of,
    options_of,
    read,
    read_objectives,
    read_one,
    some_trials,
    surrogate_of,
    trial_of,
)

__all__ = [
    "config_of",
    "default_source",
    "model_of",
    "options_of",
    "read",
    "read_objectives",
    "read_one",
    "some_trials",
    "surrogate_of",
    "trial_of",
]
