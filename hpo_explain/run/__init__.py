"""The record of an optimization run, and what was known when."""

from hpo_explain.run._over_instances import OverInstances
from hpo_explain.run.averaged import average_instances
from hpo_explain.run.best_predicted import BestPredicted
from hpo_explain.run.chosen import ChosenAcquisition
from hpo_explain.run.curves import Curves, Pruner
from hpo_explain.run.diverged import LARGEST, diverged_above, winsorized
from hpo_explain.run.feasibility import Feasibility
from hpo_explain.run.instances import Instances
from hpo_explain.run.log_tail import LogTail
from hpo_explain.run.measured import is_measured, measured
from hpo_explain.run.noise import NoiseModel
from hpo_explain.run.objectives import Objectives, hypervolume, is_joined, pareto_ranks
from hpo_explain.run.on_log_tail import on_log_tail
from hpo_explain.run.optimizer import KnowsRegret, KnowsWhyNot, OptimizerRecord, OwnAcquisition
from hpo_explain.run.pending import WithoutResult
from hpo_explain.run.repeats import Repeats
from hpo_explain.run.reviewed import Reviewed
from hpo_explain.run.run import Run
from hpo_explain.run.thinned import thinned

__all__ = [
    "LARGEST",
    "BestPredicted",
    "ChosenAcquisition",
    "Curves",
    "Feasibility",
    "Instances",
    "KnowsRegret",
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
