"""What is handed into a framework pickles, copies and clones, as frameworks and clusters do."""

import copy
import pickle
import threading

import optuna
import pytest
import skopt
from optuna.samplers import RandomSampler
from sklearn.base import clone
from skopt.callbacks import CheckpointSaver

from hpo_explain.adapters.optuna import (
    ExplanationCallback,
    FanovaImportanceEvaluator,
    ReviewedSampler,
)
from hpo_explain.adapters.skopt import ExplanationCallback as SkoptCallback
from hpo_explain.reporting import Section
from tests.adapters.drawn import Drawn
from tests.adapters.studies import parabola


def accepted(explanation):
    """Accept every proposal."""


def called_back(tmp_path):
    """A callback of Optuna's that was called, with settings that pickle by value only."""
    section = Section("mine", "Mine", "", lambda context: None)
    callback = ExplanationCallback(
        tmp_path / "r.html",
        every=3,
        sections=["history", section],
        on_update=lambda path: None,
        publish=True,
        target=0,
    )
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=2, callbacks=[callback])
    return callback


HANDED_IN = {
    "callback": called_back,
    "skopt's callback": lambda folder: SkoptCallback(folder / "r.html"),
    "reviewed sampler": lambda _: ReviewedSampler(RandomSampler(seed=0), accepted),
    "evaluator": lambda _: FanovaImportanceEvaluator(),
}
WAYS = {
    "pickled": lambda thing: pickle.loads(pickle.dumps(thing)),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
    "cloned": lambda thing: clone(thing, safe=False),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", HANDED_IN)
def test_what_is_handed_in_can_be_copied(kind, way, tmp_path):
    thing = HANDED_IN[kind](tmp_path)
    copied = WAYS[way](thing)
    assert type(copied) is type(thing)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_of_a_callback_has_its_settings_and_begins_anew(way, tmp_path, monkeypatch):
    drawn = Drawn(monkeypatch)
    copied = WAYS[way](called_back(tmp_path))
    assert copied.path == tmp_path / "r.html"
    assert (copied.every, copied.publish) == (3, True)
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.optimize(parabola, n_trials=1, callbacks=[copied])
    assert copied.finish(study) == tmp_path / "r.html"
    (job,) = drawn.jobs
    assert [getattr(one, "name", one) for one in job.page.sections] == ["history", "mine"]


def test_what_a_setting_holds_that_cannot_be_copied_is_left_out(tmp_path):
    lock = threading.Lock()
    callback = SkoptCallback(tmp_path / "r.html", on_update=lambda path: lock.locked())
    assert pickle.loads(pickle.dumps(callback))._on_update is None


@pytest.mark.merge
def test_beside_a_saver_of_checkpoints_an_optimization_goes_on(tmp_path):
    callbacks = [
        SkoptCallback(tmp_path / "r.html"),
        CheckpointSaver(str(tmp_path / "saved.pkl"), store_objective=False),
    ]
    result = skopt.gp_minimize(
        lambda x: x[0] ** 2,
        [(0.0, 1.0)],
        n_calls=3,
        n_initial_points=3,
        callback=callbacks,
        random_state=0,
    )
    skopt.dump(result, tmp_path / "all.pkl", store_objective=False)
    again = skopt.load(tmp_path / "all.pkl")
    assert again.x_iters == result.x_iters
    assert callbacks[0].finish(again) is not None
