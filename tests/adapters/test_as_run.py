import re
from importlib.metadata import EntryPoint

import numpy as np
import optuna
import pandas as pd
import pytest
from skopt import Optimizer

import hpo_explain as hx
from hpo_explain import adapters
from hpo_explain.adapters import as_run, sources
from tests.stubs import MORE

TABLE = pd.DataFrame({"x": [0.1, 0.9, 0.5], "loss": [1.0, 9.0, 4.0]})


class Study(optuna.Study):
    """A study of one's own."""


class Tuner:
    """What some other framework returns."""


def study():
    made = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=0))
    made.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=4)
    return made


def optimizer():
    made = Optimizer([(0.0, 1.0)], n_initial_points=4, random_state=0)
    for _ in range(3):
        point = made.ask()
        made.tell(point, point[0])
    return made


def test_every_reader_of_a_source_is_public():
    readers = {known.reader for known in sources.KNOWN if ":" not in known.reader}
    assert readers <= {*dir(adapters)} & {*MORE["hpo_explain.adapters"]}


def test_a_run_is_returned_as_it_is():
    run = hx.from_frame(TABLE, "loss")
    assert as_run(run) is run


def test_a_class_derived_from_study_is_one_too():
    made = study()
    made.__class__ = Study
    assert len(as_run(made)) == 4


def entry_point(monkeypatch, *names):
    points = [EntryPoint(n, f"{__name__}:{n}", sources.ENTRY_POINTS) for n in names]

    def found(*, group):
        assert group == "hpo_explain.adapters"
        return points

    monkeypatch.setattr(sources.metadata, "entry_points", found)


def not_mine(source, **options):
    return None


def from_tuner(source, **options):
    if not isinstance(source, Tuner):
        return None
    space = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])
    return hx.Run(space, np.array([[0.5]]), np.array([1.0]), "minimize", **options)


def careless(source, **options):
    return {"x": 1}


def test_an_adapter_of_others_reads_what_is_its_own(monkeypatch):
    entry_point(monkeypatch, "missing", "not_mine", "from_tuner")
    run = as_run(Tuner(), objective_name="loss")
    assert run.objective_name == "loss"


def test_the_adapters_that_come_along_are_asked_first(monkeypatch):
    entry_point(monkeypatch, "careless")
    assert len(as_run(TABLE, objective="loss")) == 3


def test_an_adapter_that_returns_no_run_is_named(monkeypatch):
    entry_point(monkeypatch, "careless")
    with pytest.raises(ValueError, match=r"'careless' .* returned a dict"):
        as_run(Tuner())


def test_an_adapter_that_cannot_be_loaded_is_named_where_nobody_reads_the_source(monkeypatch):
    entry_point(monkeypatch, "missing", "not_mine")
    with pytest.raises(ValueError, match="could not be asked: missing"):
        as_run(Tuner())


def only_with_seed(source, *, seed=0):
    raise AssertionError


def test_an_adapter_is_asked_only_with_options_that_it_takes(monkeypatch):
    entry_point(monkeypatch, "only_with_seed", "from_tuner")
    assert as_run(Tuner(), objective_name="loss").objective_name == "loss"
    with pytest.raises(ValueError, match=r"only_with_seed \(got an unexpected .* 'objective'"):
        as_run(3, objective="loss")


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (lambda: 3, {}, ["builtins.int", "optuna.Study", "pandas.DataFrame", "entry-point"]),
        (Tuner, {}, ["Tuner", "skopt", "Run"]),
        (
            lambda: TABLE.rename(columns={"loss": "y"}),
            {},
            ["objective is missing", "Give objective='y'"],
        ),
        (
            lambda: TABLE,
            {"objective": "loss", "directon": "maximize"},
            ["directon is not an option of from_frame", "'direction'"],
        ),
        (optimizer, {"objective": "loss"}, ["objective is not an option of from_skopt", "names"]),
        (study, {"objective": "loss"}, ["objective is not an option of from_optuna", "target"]),
        (lambda: hx.from_frame(TABLE, "loss"), {"objective": "loss"}, ["objective", "Run"]),
    ],
)
def test_what_cannot_be_read_is_told(source, options, words):
    with pytest.raises(ValueError, match=re.escape(words[0])) as error:
        as_run(source(), **options)
    for word in words:
        assert word in str(error.value)
