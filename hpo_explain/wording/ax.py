"""What the reader of Ax's clients leaves out and assumes, in words."""

from __future__ import annotations

from hpo_explain.base.errors import Option
from hpo_explain.base.facts import Fact
from hpo_explain.base.phrases import listed
from hpo_explain.wording._registry import add_facts
from hpo_explain.wording.reading import names

_SHOWN = 3


def _sem_known(fact: Fact) -> str:
    told = f"the standard errors that {names(fact)} was told with are"
    if fact["own"]:
        return (
            f"noise: {told} known to Ax's own model; models that are fitted here, as for "
            "importance, estimate the noise from the values"
        )
    return f"noise: {told} left out; the surrogate estimates the noise from the values"


add_facts(
    {
        "client_empty": "client has no trial yet. Complete some first.",
        "ax_acquisition": "Ax averages the expected improvement over draws, which is not rebuilt",
        "ax_models": "models: for each proposal Ax's Gaussian process is fitted again by Ax's own "
        "code to the trials completed by then; where no trial is asked about, to all",
        "sem_known": _sem_known,
        "parameter_constraints": lambda fact: (
            f"constraints: Ax keeps to {listed(fact['constraints'], _SHOWN)}, and the search space "
            "here does not: averages and advice may take in other configurations; ",
            Option("background"),
            " takes an array without them",
        ),
    }
)
