"""The record of an optimization run, and what was known when."""

from hpo_explain.run.acquisitions import (
    ChosenAcquisition,
    KnowsWhyNot,
    OptimizerRecord,
    OwnAcquisition,
)
from hpo_explain.run.averaged import OverInstances, average_instances
from hpo_explain.run.diverged import LARGEST, diverged_above, winsorized
from hpo_explain.run.feasibility import Feasibility
from hpo_explain.run.measured import is_measured, measured
from hpo_explain.run.noise import NoiseModel
from hpo_explain.run.objectives import Objectives, hypervolume, is_joined, pareto_ranks
from hpo_explain.run.parts import (
    FAILED,
    NO_VALUE,
    RUNNING,
    WAITING,
    WAS_PRUNED,
    Curves,
    Instances,
    Pruner,
    Reviewed,
    WithoutResult,
)
from hpo_explain.run.repeats import Repeats
from hpo_explain.run.run import BestPredicted, Run
from hpo_explain.run.thinned import LogTail, on_log_tail, thinned

__all__ = [
    "FAILED",
    "LARGEST",
    "NO_VALUE",
    "RUNNING",
    "WAITING",
    "WAS_PRUNED",
    "BestPredicted",
    "ChosenAcquisition",
    "Curves",
    "Feasibility",
    "Instances",
    "KnowsWhyNot",
    "LogTail",
    "NoiseModel",
    "Objectives",
    "OptimizerRecord",
    "OverInstances",
    "OwnAcquisition",
    "Pruner",
    "Repeats",
    "Reviewed",
    "Run",
    "WithoutResult",
    "average_instances",
    "diverged_above",
    "hypervolume",
    "is_joined",
    "is_measured",
    "measured",
    "on_log_tail",
    "pareto_ranks",
    "thinned",
    "winsorized",
]
