"""Changes of the space, with what they are expected to bring."""

from __future__ import annotations

from collections.abc import Sequence

from hpo_explain.base.facts import Fact, fact
from hpo_explain.explainers._advice.prospects import TRIALS, Prospects
from hpo_explain.explanations.advice import Action, ActionKind, changed_to
from hpo_explain.space import Parameter


def change(
    kind: ActionKind,
    parameters: Sequence[Parameter],
    prospects: Prospects,
    because: Sequence[Fact],
    *,
    certain: bool,
) -> Action:
    """Return an action that has hyperparameters searched otherwise, within their own values."""
    gain = prospects.of_changed(parameters)
    brings = fact("random_trials_bring", n=TRIALS, expected=gain.expected, otherwise=gain.otherwise)
    return changed_to(
        kind,
        parameters,
        gain=gain.estimate,
        interval=gain.interval,
        certain=certain,
        evidence=(*because, brings),
    )
