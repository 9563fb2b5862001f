"""How long it takes to say why TPE proposed a trial, densities included.

python -m pytest tests/benchmarks/test_tpe.py -o addopts= --benchmark-only -s
"""

import numpy as np
import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import RandomSampler, TPESampler

import hpo_explain as hx
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.methods._engines.background import hypercubes
from hpo_explain.methods._engines.game import CoalitionGame

UNIVARIATE = {"multivariate": False, "constant_liar": False}
JOINT = {"multivariate": True, "constant_liar": True}


def run_of(d, n_trials, options):
    """A run whose latest trial TPE proposed after `n_trials` others."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng = np.random.default_rng(0)
    space = {f"x{j}": FloatDistribution(0.0, 1.0) for j in range(d)}
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    for values in rng.random((n_trials, d)):
        study.add_trial(
            optuna.create_trial(
                value=float((values[0] - 0.3) ** 2 + values[1] * values[2] + values.mean()),
                params=dict(zip(space, values.tolist(), strict=True)),
                distributions=space,
            )
        )
    study.sampler = TPESampler(seed=0, **options)
    study.optimize(
        lambda trial: sum(trial.suggest_float(name, 0.0, 1.0) for name in space), n_trials=1
    )
    return study


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize(
    ("d", "n_trials", "options"),
    [
        pytest.param(30, 1000, UNIVARIATE, id="univariate-30-1000"),  # at most 0.5 s
        pytest.param(8, 200, JOINT, id="joint-8-200"),  # at most 3 s
        pytest.param(11, 1000, JOINT, id="joint-11-1000"),
        pytest.param(20, 1000, JOINT, id="joint-20-1000"),
        pytest.param(50, 1000, JOINT, id="joint-50-1000"),
    ],
)
@pytest.mark.parametrize("precision", [0.01, 0.05])
def test_why_tpe_proposed_a_trial(benchmark, d, n_trials, options, precision):
    study = run_of(d, n_trials, options)

    def explain():
        return hx.explain_proposal(from_optuna(study), n_trials, precision=precision)

    explanation = benchmark.pedantic(explain, rounds=3, warmup_rounds=1)
    benchmark.extra_info["rows"] = explanation.background_size
    reached = explanation.half_width()[:, -1].max() / np.abs(explanation.total).max()
    print(benchmark.name, explanation.background_size, "rows,", explanation.estimator, reached)
    assert not explanation.subject.assumed


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("options", [UNIVARIATE, JOINT], ids=["univariate", "joint"])
def test_the_densities_alone(benchmark, options):
    run = from_optuna(run_of(30, 1000, options))

    def rebuild():
        run.record._found._made.clear()
        return run.acquisition(before=1000)

    benchmark.pedantic(rebuild, rounds=3, warmup_rounds=1)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("d", [20, 50])
def test_walks_of_a_proposal_alone(benchmark, d):
    """200 background rows: intervals within 10 % for 20 hyperparameters; in 0.1 s of one core."""
    run = from_optuna(run_of(d, 1000, JOINT))
    acquisition, x = run.acquisition(before=1000), run.X[run.row(1000)]
    game = CoalitionGame.of(acquisition, x, estimator="auto", seed=0)
    cubes = hypercubes(run.space, 200, seed=0)
    benchmark.pedantic(lambda: game.shapley(cubes), rounds=3, warmup_rounds=1)
