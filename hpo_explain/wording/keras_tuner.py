"""What the reader of KerasTuner's tuners leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.facts import Fact
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names


def _sampling(fact: Fact) -> str:
    return f"{names(fact)}: sampling {fact['sampling']!r} is read as a linear scale"


add_facts(
    {
        "tuner_empty": "tuner has no trial yet. Call search first.",
        "condition_not_read": lambda fact: (
            f"conditions: when {names(fact)} is active depends on different hyperparameters; it "
            "counts as active half of the time"
        ),
        "sampling_as_linear": _sampling,
        "keras_sequence": "proposals: trials count as chosen by the model from when its initial "
        "points were completed, as of trials that ran one after the other",
    }
)
