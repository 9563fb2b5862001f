"""Optuna's own test cases, run on what stands in for parts of it."""

import optuna
import pytest

from hpo_explain.adapters.optuna import (
    FanovaImportanceEvaluator,
    ReviewedSampler,
    TopImportanceEvaluator,
)

of_importance = pytest.importorskip("optuna.testing.pytest_importance")
of_samplers = pytest.importorskip("optuna.testing.pytest_samplers")
pytestmark = pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")


class Importance(
    of_importance.BasicImportanceEvaluatorTestCase,
    of_importance.ConditionalImportanceEvaluatorTestCase,
):
    """What it asks of several objectives without a target is left out: one must be chosen."""


class TestFanovaImportance(Importance):
    @pytest.fixture
    def evaluator(self):
        return lambda: FanovaImportanceEvaluator(n_trees=4)


@pytest.mark.thorough
class TestTopImportance(Importance):
    @pytest.fixture
    def evaluator(self):
        return TopImportanceEvaluator


@pytest.mark.thorough
class TestReviewedSampler(
    of_samplers.BasicSamplerTestCase,
    of_samplers.RelativeSamplerTestCase,
    of_samplers.MultiObjectiveSamplerTestCase,
):
    """What it asks of samplers for a single objective is left out: TPE takes several."""

    @pytest.fixture
    def sampler(self):
        tpe = optuna.samplers.TPESampler
        return lambda: ReviewedSampler(tpe(n_startup_trials=0, multivariate=True), lambda _: None)
