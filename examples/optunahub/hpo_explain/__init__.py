"""Explanations of a study: what matters, where the best is, why a trial was tried."""

from hpo_explain import advise
from hpo_explain import changes
from hpo_explain import explain_proposal
from hpo_explain import history
from hpo_explain import importance
from hpo_explain import optimum
from hpo_explain import partial_dependence
from hpo_explain import publish
from hpo_explain import recommended_space
from hpo_explain import report
from hpo_explain import summary
from hpo_explain import trust
from hpo_explain.adapters.optuna import ExplanationCallback


__all__ = [
    "ExplanationCallback",
    "advise",
    "changes",
    "explain_proposal",
    "history",
    "importance",
    "optimum",
    "partial_dependence",
    "publish",
    "recommended_space",
    "report",
    "summary",
    "trust",
]
