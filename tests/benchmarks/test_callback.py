"""What the callback costs a study of short trials; reports may take 5 % of its time.

    python -m pytest tests/benchmarks/test_callback.py -o addopts= --benchmark-only -s

Once with the budget of 5 %, for which a study of seconds is too short: only counting remains.
Once without a limit, when a report is drawn beside it all the time: the study is read and sent.
"""

import logging
import time

import optuna
import pytest

from hpo_explain.adapters.optuna import ExplanationCallback

TRIALS = 1000


def objective(trial):
    time.sleep(0.001)
    x, y = (trial.suggest_float("x", -1.0, 1.0), trial.suggest_float("y", -1.0, 1.0))
    return x**2 + 0.1 * y


def nothing(study, trial):
    """A callback; Optuna copies every trial if there is one."""


def seconds_of(callbacks):
    """Seconds of the clock, and of a processor in this process."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    start, spent = time.perf_counter(), time.process_time()
    study.optimize(objective, n_trials=TRIALS, callbacks=callbacks)
    return time.perf_counter() - start, time.process_time() - spent


@pytest.mark.parametrize("budget", [0.05, None])
def test_a_thousand_trials_of_a_millisecond(benchmark, tmp_path, budget):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("hpo_explain").setLevel(logging.ERROR)
    alone = [min(column) for column in zip(*(seconds_of([nothing]) for _ in range(3)), strict=True)]
    callback = ExplanationCallback(tmp_path / "report.html", every=25, budget=budget)
    together = benchmark.pedantic(seconds_of, args=([callback],), rounds=1)
    overhead = [b / a - 1.0 for a, b in zip(alone, together, strict=True)]
    benchmark.extra_info["overhead"] = overhead
    print(
        f"\nalone {alone[0]:.2f} s; with the callback {together[0]:.2f} s, overhead "
        f"{overhead[0]:.1%}, of the processor's time in this process {overhead[1]:.1%}"
    )
