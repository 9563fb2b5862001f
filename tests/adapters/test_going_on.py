"""Whether an optimization goes on is seen on the stacks of threads."""

import threading

import optuna
import pytest
from skopt import forest_minimize

from hpo_explain.adapters._going_on import goes_on, is_called_by
from hpo_explain.adapters.optuna import ExplanationCallback
from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback
from tests.adapters.studies import parabola


def by_optuna(look, jobs):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    study.optimize(parabola, n_trials=3, n_jobs=jobs, callbacks=[lambda *_: look()])
    return ExplanationCallback._framework


def by_skopt(look, jobs):
    forest_minimize(
        lambda x: x[0] ** 2,
        [(0.0, 1.0)],
        n_calls=3,
        n_initial_points=3,
        callback=[lambda _: look()],
        random_state=0,
    )
    return SkoptCallback._framework


@pytest.mark.parametrize(("optimize", "jobs"), [(by_optuna, 1), (by_optuna, 2), (by_skopt, 1)])
def test_a_framework_is_seen_while_it_optimizes_and_not_thereafter(optimize, jobs):
    called, going, begun, seen = [], [], threading.Event(), threading.Event()

    def look():
        called.append(is_called_by(package))
        begun.set()
        assert seen.wait(30.0)

    def elsewhere():
        assert begun.wait(30.0)
        going.append(goes_on(package))
        seen.set()

    package = {by_optuna: "optuna.study", by_skopt: "skopt"}[optimize]
    other = threading.Thread(target=elsewhere)
    other.start()
    assert optimize(look, jobs) == package
    other.join()
    assert called == [True] * 3
    assert going == [True]
    assert not goes_on(package)
    assert not is_called_by(package)


def test_a_part_of_a_name_is_no_package():
    assert is_called_by("tests")
    assert is_called_by(__name__)
    assert not is_called_by("test")
    assert not is_called_by(__name__[:-1])
