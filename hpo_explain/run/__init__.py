"""The record of an optimization run, and what was known when."""

from hpo_explain.run._text import spans
from hpo_explain.run.diverged import diverged_above
from hpo_explain.run.instances import Instances
from hpo_explain.run.optimizer import OptimizerRecord, OwnAcquisition
from hpo_explain.run.run import Run

__all__ = ["Instances", "OptimizerRecord", "OwnAcquisition", "Run", "diverged_above", "spans"]
