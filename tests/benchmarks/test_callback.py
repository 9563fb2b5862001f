"""What the callback costs a study of trials that take a millisecond: its budget is 5 %.

    python -m pytest tests/benchmarks/test_callback.py -o addopts= --benchmark-only -s

The first report and the last one are exempt; they are told apart.
"""

import logging
import time

import optuna
import pytest

from hpo_explain.adapters.optuna import ExplanationCallback

TRIALS = 1000


def objective(trial):
    time.sleep(0.001)
    x, y = trial.suggest_float("x", -1.0, 1.0), trial.suggest_float("y", -1.0, 1.0)
    return x**2 + 0.1 * y


def seconds_of(callbacks):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    start = time.perf_counter()
    study.optimize(objective, n_trials=TRIALS, callbacks=callbacks)
    return time.perf_counter() - start


@pytest.mark.parametrize("every", [25])
def test_a_thousand_trials_of_a_millisecond(benchmark, tmp_path, every):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    logging.getLogger("hpo_explain").setLevel(logging.ERROR)
    alone = min(seconds_of([]) for _ in range(3))
    callback = ExplanationCallback(tmp_path / "report.html", every=every)
    updates = callback._updates
    start = time.perf_counter()
    benchmark.pedantic(seconds_of, args=([callback],), rounds=1)
    together = time.perf_counter() - start
    exempt = updates._reporting - updates._spent
    overhead = (together - exempt - alone) / alone
    benchmark.extra_info["overhead"] = overhead
    print(
        f"\nalone {alone:.2f} s; with the callback {together:.2f} s, of which the first report "
        f"took {exempt:.2f} s and later ones {updates._spent:.2f} s; "
        f"overhead {overhead:.1%} (budget 5 %)"
    )
