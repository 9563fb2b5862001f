"""Each option of each function refuses what it cannot use, under its own name.

``WRONG`` has values that an option of a name never takes, whatever function has it. A new option
gets its row there: the test of a function that has another fails.
"""

import inspect
import itertools
import re

import numpy as np
import optuna
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain import adapters
from hpo_explain.base.errors import InputError
from tests.public import functions, public

FUNCTIONS = [name for name in functions() if name not in ("guide", "publish")]
OF_OBJECTIVES = {"pareto"}


def parameters(function):
    """The options of a public function, without the ones of reading."""
    found = inspect.signature(public(function)).parameters.values()
    return [option for option in found if option.kind is not option.VAR_KEYWORD]


OPTIONS = {option.name for name in FUNCTIONS for option in parameters(name)}
ADAPTERS = [getattr(adapters, name) for name in dir(adapters) if name.startswith("from_")]
READING = {n for reader in ADAPTERS for n in inspect.signature(reader).parameters}
OF_FILES = {"study_name", "trust_pickle"}


@pytest.fixture(scope="module")
def run():
    """A run of TPE with learning curves, where two configurations were evaluated twice."""
    drawn = np.random.default_rng(0)

    def objective(trial):
        x, k = trial.suggest_float("x", 0.0, 1.0), trial.suggest_int("k", 1, 9)
        for step in (1, 2, 3):
            trial.report(x + k / step, step)
        return x + k / 10 + 0.01 * drawn.standard_normal()

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(n_startup_trials=8, seed=0))
    for x in (0.2, 0.2, 0.7, 0.7):
        study.enqueue_trial({"x": x, "k": 3})
    study.optimize(objective, n_trials=12)
    return hx.from_optuna(study)


class Nothing:
    def __repr__(self):
        return "Nothing()"


WORD = ["misspelt", 3, None, ["a"]]
NUMBER = ["x", None, True, [1]]
COUNT = ["x", -3, 1.5, True, [3]]
FLAG = ["yes", 3, None]
CONFIG = ["x", 99, 1.5, True, [1], {"xx": 1}, {"x": 5.0, "k": 2}, {"x": 0.5}]
TRIALS = ["x", 5, {"x": 1}, ["x"], [99], [1.5], [True], [None]]
ROWS = [0, 1.5, True, [], [[0.5]], [[9.0, 9.0]], [["a", "b"]], Nothing()]
WRONG = {
    "acquisition": ["ucb", 3, ["ei"], {"a": 1}, Nothing()],
    "at": ["x", 3, ["x"], [99.0], {"a": 1}],
    "attainable": FLAG,
    "background": [*ROWS, "everything", None, {"xx": 1}, {"x": 5.0, "k": 2}, {"x": 0.5}],
    "before": ["3", 99, -1, -1.5, True, [3], {"x": 1}],
    "candidates": COUNT,
    "cap": ["x", "150%", [1], True, {"a": 1}],
    "config": CONFIG,
    "criterion": WORD,
    "default": CONFIG,
    "enough": [*NUMBER, -1, 2],
    "estimator": WORD,
    "given": ["x", 3, ["x"], {"xx": [1]}, {"x": 5}, {"x": [0.2]}, {"x": (2, 3)}, {"k": [20]}],
    "grid": ["x", 3, ["x"], {"xx": [1]}, {"x": 5}, {"x": [5.0]}, {"x": []}],
    "grid_size": COUNT,
    "index": WORD,
    "instances": [*FLAG, True],
    "keep": [*NUMBER, 0, 2],
    "kernel_width": ["x", -1, 0, True, [1]],
    "kind": ["svm", 3, None, ["gp"], {"a": 1}],
    "lose": ["x", True, [1], 0, -1],
    "loss": [*NUMBER, -1, 2],
    "mark": ["x", 3, None, [99], ["a"], [True], {"a": 1}],
    "max_depth": COUNT,
    "min_improvement": [*NUMBER, -1, 1],
    "min_leaf": COUNT,
    "model": WORD,
    "more": COUNT,
    "most": COUNT,
    "n": COUNT,
    "n_jobs": ["x", 0, 1.5, True, [1]],
    "n_trees": COUNT,
    "name": ["xx", 3, ["x"], {"x": 1}],
    "names": ["xx", 3, [], ["x", "xx"], ["x", 3], {"x": 1}],
    "of": WORD,
    "over": ["misspelt", 3, None, ["a"], True],
    "optimum": ["x", np.nan, True, [1]],
    "order": COUNT,
    "orders": COUNT,
    "pairs": COUNT,
    "path": [3, None, ["x"]],
    "pending": FLAG,
    "permutations": COUNT,
    "precision": [*NUMBER, 0, 2],
    "progress": FLAG,
    "reach": ["x", True, [1], np.nan],
    "regions": FLAG,
    "run": [3, None, "no-such.db", {"a": 1}, [1, 2]],
    "runs": [3, "x", {}, {"a": 3, "b": 4}, {"a": "no-such.db", "b": 4}],
    "sample": [*ROWS, "x", -3, {"a": 1}],
    "sampling": WORD,
    "sections": ["x", 3, ["importanc"], [3], {"a": 1}],
    "seed": ["x", None, -1, -1.5, True, [1], {"a": 1}, np.array([1, 2])],
    "settle": ["misspelt", 3, ["x"], {"a": 1}, Nothing()],
    "share": [*NUMBER, -1, 2],
    "size": COUNT,
    "source": CONFIG,
    "surrogate": ["svm", 3, ["gp"], {"a": 1}, Nothing()],
    "target": CONFIG,
    "test": ["x", 3],
    "title": [3, ["x"]],
    "to": CONFIG,
    "top": ["x", True, [1], 0, 1],
    "trade_off": ["x", 3, {}, {"a": -1}, {"a": "x"}, {"xx": 1}],
    "trial": ["lastest", 99, 1.5, None, True, [1], {"xx": 1}, {"x": 5.0, "k": 2}],
    "trials": [*TRIALS, []],
    "variance": WORD,
    "within": ["x", True, [1], 0, 2],
}


def called(function, run, option, value):
    """Call a function with one value, and with what it cannot do without."""
    whole = {"a": run, "b": run}
    given = {"run": whole if function in OF_OBJECTIVES else run, "runs": whole}
    given |= {"names": "x", "name": "x", "path": "never.html"}
    there = {p.name for p in parameters(function) if p.default is p.empty}
    options = {name: given[name] for name in there} | {option: value}
    return public(function)(**options)


@pytest.mark.parametrize("option", sorted(OPTIONS))
def test_a_wrong_value_is_refused_by_the_name_of_its_option(option, run):
    for function, value in itertools.product(FUNCTIONS, WRONG[option]):
        known = inspect.signature(public(function)).parameters
        if option not in known:
            continue
        if value is None and known[option].default is None:
            continue
        may_be_named = {*known} | (READING | OF_FILES if "reading" in known else set())
        with pytest.raises(InputError) as caught:
            called(function, run, option, value)
        text = str(caught.value)
        told = f"{function}: {value!r}: {text}"
        assert caught.value.argument == option, told
        assert {*re.findall(r"(\w+)=", text)} <= may_be_named, told


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_misspelt_option_is_refused_by_its_name(function, run):
    with pytest.raises(InputError) as caught:
        called(function, run, "sede", 3)
    assert caught.value.argument == "sede"


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_was_probably_meant_is_an_option_of_the_function(function, run):
    own = [name for name in inspect.signature(public(function)).parameters if len(name) > 3]
    meant = next((name for name in own if name not in ("reading", "runs", "names", "path")), None)
    if meant is None:
        pytest.skip("it has no option of its own")
    with pytest.raises(InputError) as caught:
        called(function, run, f"{meant}x", 3)
    assert f"Did you mean {meant!r}?" in str(caught.value)


def test_a_table_that_cannot_be_read_is_the_run():
    twice = pd.DataFrame([[0.1, 0.2, 1.0], [0.3, 0.4, 2.0]], columns=["x", "x", "loss"])
    with pytest.raises(InputError) as caught:
        hx.importance(twice, objective="loss")
    assert caught.value.argument == "run"
    with pytest.raises(InputError) as caught:
        hx.from_frame(twice, objective="loss")
    assert caught.value.argument == "frame"


def test_an_integer_of_numpy_is_a_seed(run):
    by_numpy = hx.importance(run, kind="forest", n_trees=4, seed=np.int64(3))
    by_python = hx.importance(run, kind="forest", n_trees=4, seed=3)
    assert by_numpy.to_dict() == by_python.to_dict()
