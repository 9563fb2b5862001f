"""What frameworks say of a hyperparameter: one table of domains; stand-ins for what is not here."""

import datetime
from types import SimpleNamespace as Ns

import ConfigSpace as CS  # noqa: N817
import hyperopt
import numpy as np
import pandas as pd
import pytest
from hyperopt import hp
from scipy import stats

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.adapters._domain import Domain, parameter_of
from hpo_explain.adapters.ax.client import _space as space_of_ax
from hpo_explain.adapters.configspace import read_configspace
from hpo_explain.adapters.hyperopt._space import read_graph
from hpo_explain.adapters.keras_tuner.tuner import entry_of
from hpo_explain.adapters.keras_tuner.tuner import read_space as space_of_keras
from hpo_explain.adapters.ray.space import read_space as space_of_ray
from hpo_explain.adapters.sklearn._space import read_space as space_of_sklearn
from hpo_explain.adapters.wandb_sweep import read_sweep
from tests.noted import noted

Float, Int, Choice = (hx.FloatParameter, hx.IntParameter, hx.CategoricalParameter)
TRIED = [0.9, 2.5]


def of(kind, **fields):
    """A stand-in: an object whose class has that name."""
    return type(kind, (Ns,), {})(**fields)


def ray_domain(kind, lower, upper, law, q=None, **of_law):
    sampler = of(law, **of_law)
    sampler = sampler if q is None else of("Quantized", sampler=sampler, q=q)
    return of(kind, lower=lower, upper=upper, sampler=sampler)


def keras(kind, **fields):
    base = {"name": "x", "conditions": (), "sampling": None, "step": None}
    return of(kind, **{**base, **fields})


def ax_range(kind, lower, upper, *, log=False):
    return of("P", name="x", lower=lower, upper=upper, log_scale=log, parameter_type=Ns(name=kind))


def sweep(entry):
    found = read_sweep({"x": entry, "y": {"values": ["a", "b"]}}, {"x": TRIED})
    return next((p for p in found.parameters if p.name == "x"), None), found.notes


def read(framework, given):
    """The hyperparameter and the notes of one domain."""
    if framework == "hyperopt":
        graph = read_graph({"any": [given]}, {"x": TRIED})
        return graph.space["x"], graph.notes
    if framework == "configspace":
        space, notes = read_configspace(CS.ConfigurationSpace({"x": given}))
    elif framework == "ray":
        space, _, notes = space_of_ray({"x": given}, [{"x": value} for value in TRIED])
    elif framework == "keras":
        space, notes = space_of_keras([entry_of(given)])
    elif framework == "ax":
        space, notes = space_of_ax(Ns(parameters={"x": given}))
    elif framework == "wandb":
        return sweep(given)
    else:
        tried = given if isinstance(given, (list, tuple, np.ndarray)) else TRIED
        space, _, notes = space_of_sklearn([{"x": given}], [{"x": v} for v in tried], range(9))
    return space["x"], notes


LOG = {"log": True}
AS_RANGE, GRID = "drawn from the distribution", "x: a grid, read as a range of numbers"
DOMAINS = [
    ("hyperopt", hp.uniform("x", -1.0, 2.0), Float("x", -1.0, 2.0), ""),
    ("hyperopt", hp.quniform("x", 0.0, 1.0, 0.25), Float("x", 0.0, 1.0, step=0.25), ""),
    ("hyperopt", hp.uniformint("x", 2, 7), Int("x", 2, 7), ""),
    ("hyperopt", hp.randint("x", 4), Int("x", 0, 3), ""),
    ("hyperopt", hp.qloguniform("x", 0.0, np.log(100.0), 1), Int("x", 1, 100, **LOG), ""),
    (
        "hyperopt",
        hp.qloguniform("x", 2.0, 4.0, 8),
        Float("x", 8.0, 56.0, **LOG),
        "without its steps of 8",
    ),
    ("hyperopt", hp.normal("x", 1, 0.1), Float("x", 1 - 0.309023, 2.5), AS_RANGE),
    ("hyperopt", hp.choice("x", [None, "a", 3]), Choice("x", [None, "a", 3]), ""),
    ("hyperopt", hp.choice("x", ["a", "a"]), Choice("x", [0, 1]), ""),
    (
        "hyperopt",
        hp.pchoice("x", [(0.2, "a"), (0.8, "b")]),
        Choice("x", ["a", "b"]),
        "the choices of x were drawn with probabilities of their own",
    ),
    ("hyperopt", hp.choice("x", [("svm", 1), ("knn", 2)]), Choice("x", ["svm", "knn"]), ""),
    ("configspace", CS.Float("x", (1e-4, 1.0), log=True), Float("x", 1e-4, 1.0, **LOG), ""),
    ("configspace", CS.Integer("x", (1, 5)), Int("x", 1, 5), ""),
    (
        "configspace",
        CS.Integer("x", (1, 2**50)),
        Float("x", 1.0, 2.0**50),
        "x: integers beyond 2**45",
    ),
    ("configspace", CS.Constant("x", 3), Choice("x", [3]), ""),
    (
        "configspace",
        CS.OrdinalHyperparameter("x", ["s", "m"]),
        Choice("x", ["s", "m"]),
        "x: ordinal; read as choices",
    ),
    (
        "configspace",
        CS.Float("x", (0.0, 1.0), distribution=CS.Normal(0.5, 0.1)),
        Float("x", 0.0, 1.0),
        AS_RANGE,
    ),
    (
        "configspace",
        CS.Categorical("x", ["a", "b"], weights=[1, 3]),
        Choice("x", ["a", "b"]),
        "the choices of x were drawn with probabilities of their own",
    ),
    ("ray", ray_domain("Float", 1e-4, 1.0, "_LogUniform"), Float("x", 1e-4, 1.0, **LOG), ""),
    ("ray", ray_domain("Float", 0.0, 1.1, "_Uniform", 0.25), Float("x", 0.0, 1.0, step=0.25), ""),
    (
        "ray",
        ray_domain("Float", 0.1, 1.0, "_LogUniform", 0.1),
        Float("x", 0.1, 1.0, **LOG),
        "read as continuous, without its steps of",
    ),
    ("ray", ray_domain("Integer", 1, 5, "_Uniform"), Int("x", 1, 4), ""),
    ("ray", ray_domain("Integer", 2, 8, "_Uniform", 2), Int("x", 2, 8, step=2), ""),
    ("ray", ray_domain("Integer", 1, 101, "_LogUniform"), Int("x", 1, 100, **LOG), ""),
    (
        "ray",
        ray_domain("Float", -np.inf, np.inf, "_Normal", mean=1.0, sd=0.1),
        Float("x", 1 - 0.309023, 2.5),
        AS_RANGE,
    ),
    ("ray", of("Categorical", categories=[True, False]), Choice("x", [True, False]), ""),
    ("ray", {"grid_search": [1, 10, 100]}, Int("x", 1, 100, **LOG), GRID),
    ("keras", keras("Boolean"), Choice("x", [True, False]), ""),
    (
        "keras",
        keras("Choice", values=[1, 2, 3], ordered=True),
        Choice("x", [1, 2, 3]),
        "x: ordinal; read as choices",
    ),
    ("keras", keras("Int", min_value=16, max_value=100, step=16), Int("x", 16, 96, step=16), ""),
    (
        "keras",
        keras("Int", min_value=1, max_value=64, step=2, sampling="log"),
        Int("x", 1, 64, **LOG),
        "",
    ),
    (
        "keras",
        keras("Float", min_value=0.0, max_value=1.1, step=0.25),
        Float("x", 0.0, 1.0, step=0.25),
        "",
    ),
    (
        "keras",
        keras("Float", min_value=1.0, max_value=9.0, sampling="reverse_log"),
        Float("x", 1.0, 9.0),
        "is read as a linear scale",
    ),
    ("ax", ax_range("FLOAT", 1e-4, 1.0, log=True), Float("x", 1e-4, 1.0, **LOG), ""),
    ("ax", ax_range("INT", 1, 5), Int("x", 1, 5), ""),
    ("ax", of("P", name="x", values=["a", "b"]), Choice("x", ["a", "b"]), ""),
    ("ax", of("P", name="x", value=7), Choice("x", [7]), ""),
    ("wandb", {"value": 3}, None, ""),
    ("wandb", {"min": 1, "max": 5}, Int("x", 1, 5), ""),
    (
        "wandb",
        {"distribution": "log_uniform", "min": np.log(0.01), "max": 0.0},
        Float("x", 0.01, 1.0, **LOG),
        "",
    ),
    (
        "wandb",
        {"distribution": "inv_log_uniform_values", "min": 0.01, "max": 1.0},
        Float("x", 0.01, 1.0, **LOG),
        "",
    ),
    (
        "wandb",
        {"distribution": "q_uniform", "min": 0.0, "max": 1.0, "q": 0.25},
        Float("x", 0.0, 1.0, step=0.25),
        "",
    ),
    (
        "wandb",
        {"distribution": "q_uniform", "min": 8, "max": 64, "q": 8},
        Int("x", 8, 64, step=8),
        "",
    ),
    (
        "wandb",
        {"distribution": "q_log_uniform_values", "min": 16, "max": 256},
        Int("x", 16, 256, **LOG),
        "",
    ),
    ("wandb", {"values": [16, 32, 64, 128]}, Int("x", 16, 128, **LOG), GRID),
    ("wandb", {"distribution": "beta", "a": 1, "b": 2}, Float("x", 0.0, 1.0), AS_RANGE),
    ("wandb", {"mu": 1.0, "sigma": 0.1}, Float("x", 1 - 0.309023, 2.5), AS_RANGE),
    ("sklearn", [1, 2, 3, 5], Int("x", 1, 5), GRID),
    ("sklearn", [10, 20, 30], Int("x", 10, 30, step=10), GRID),
    ("sklearn", [0.25, 0.5, 0.75], Float("x", 0.25, 0.75, step=0.25), GRID),
    ("sklearn", np.logspace(-3, 3, 7), Float("x", 1e-3, 1e3, **LOG), GRID),
    ("sklearn", ("sqrt", 0.5, None), Choice("x", ["sqrt", 0.5, None]), ""),
    ("sklearn", [3.0], Choice("x", [3.0]), ""),
    ("sklearn", stats.loguniform(1e-3, 1e3), Float("x", 1e-3, 1e3, **LOG), ""),
    ("sklearn", stats.expon(scale=2.0), Float("x", 0.002, -2.0 * np.log(0.001), **LOG), AS_RANGE),
]


@pytest.mark.parametrize(("framework", "given", "expected", "note"), DOMAINS)
def test_a_domain_is_a_hyperparameter(framework, given, expected, note):
    found, notes = read(framework, given)
    said = [text for text in map(str, notes) if "called by their numbers" not in text]
    assert (len(said), note in "".join(said)) == (bool(note), True)
    if isinstance(expected, Float):
        assert (type(found), found.step) == (Float, expected.step)
        assert found.low == pytest.approx(expected.low, abs=1e-4)
        assert found.high == pytest.approx(expected.high)
        assert found.log == expected.log
    else:
        assert found == expected


@pytest.mark.parametrize(
    "given",
    [
        hp.quniform("x", 0.1, 2.0, 0.3),
        hp.quniform("x", 1, 10, 2),
        hp.uniformint("x", 1, 6),
        hp.qloguniform("x", 0.0, 3.0, 1),
        hp.randint("x", 2, 6),
        hp.loguniform("x", -3.0, 0.0),
    ],
)
def test_every_value_that_hyperopt_draws_is_in_the_range_and_the_ends_are_drawn(given):
    parameter = read_graph(given, {}).space["x"]
    rng = np.random.default_rng(0)
    drawn = [float(hyperopt.pyll.stochastic.sample(given, rng)) for _ in range(300)]
    positions = parameter.encode(drawn)
    assert ((positions >= 0.0) & (positions <= 1.0)).all()
    assert (positions.min() <= 0.02, positions.max() >= 0.98) == (True, True)


def test_a_grid_that_is_as_fine_as_a_continuum_is_read_as_one():
    parameter, (note,) = parameter_of("x", Domain(0.0, 1.0, step=1e-7))
    assert parameter == Float("x", 0.0, 1.0)
    assert str(note) == "x: read as continuous, without its steps of 1e-07"


# ---------------------------------------------------------------------- stand-ins for frameworks

UNIFORM = ray_domain("Float", 0.0, 1.0, "_Uniform")
STATES = ["TERMINATED", "TERMINATED", "ERROR", "RUNNING"]


def of_ray():
    trials = [Ns(status=state, evaluated_params=None) for state in STATES]
    results = [
        Ns(
            config={"layer": {"x": i / 10}, "made": 3},
            error="oom" if state == "ERROR" else None,
            metrics={
                "loss": 1.0 - i,
                "timestamp": 100.0 + i,
                "time_total_s": 5.0,
                "training_iteration": 3,
            },
            metrics_dataframe=None,
        )
        for i, state in enumerate(STATES)
    ]
    grid = type("ResultGrid", (list,), {"__module__": "ray.tune"})(results)
    grid._experiment_analysis = Ns(default_metric="loss", default_mode="min", trials=trials)
    return grid


def of_flaml():
    made = type("ExperimentAnalysis", (Ns,), {"__module__": "flaml.tune"})
    trials = [
        Ns(
            config={"layer": {"x": np.float64(i / 10)}, "made": 3},
            status=state,
            last_result={"loss": 1.0 - i},
            start_time=95.0 + i,
            last_update_time=100.0 + i,
        )
        for i, state in enumerate(STATES)
    ]
    return made(default_metric="loss", default_mode="min", trials=trials)


def of_ax():
    start = datetime.datetime.fromtimestamp(95.0)
    states = ["COMPLETED", "COMPLETED", "FAILED", "RUNNING"]
    trials = {
        i: Ns(
            status=Ns(name=state),
            arm=Ns(parameters={"layer/x": i / 10}),
            generation_method_str="Sobol" if i == 0 else "BoTorch",
            time_run_started=start + datetime.timedelta(seconds=i),
            time_completed=start + datetime.timedelta(seconds=5 + i),
        )
        for i, state in enumerate(states)
    }
    data = {"metric_name": "loss", "trial_index": [0, 1], "mean": [1.0, 0.0], "sem": [0.1, 0.1]}
    entry = of(
        "P", name="layer/x", lower=0.0, upper=1.0, log_scale=False, parameter_type=Ns(name="FLOAT")
    )
    made = type("Experiment", (Ns,), {"__module__": "ax.core"})
    return made(
        optimization_config=Ns(objective=Ns(metric_names=["loss"], expression="-loss")),
        search_space=Ns(parameters={"layer/x": entry}),
        trials=trials,
        lookup_data=lambda: Ns(df=pd.DataFrame(data)),
        metrics={"loss": Ns(signature="loss")},
    )


def of_keras():
    states = ["COMPLETED", "COMPLETED", "FAILED", "RUNNING"]
    trials = {
        i: Ns(
            status=state,
            score=1.0 - i if state == "COMPLETED" else None,
            hyperparameters=Ns(values={"layer/x": i / 10}),
        )
        for i, state in enumerate(states)
    }
    given = [keras("Float", name="layer/x", min_value=0.0, max_value=1.0)]
    made = type("Oracle", (Ns,), {"__module__": "keras_tuner.engine"})
    kind = type("BayesianOptimizationOracle", (made,), {})
    return kind(
        objective=Ns(name="loss", direction="min"),
        trials=trials,
        get_space=lambda: Ns(space=given),
        num_initial_points=1,
    )


COMPUTED = "made: computed from others (sample_from), and left out"
PARAM_SPACE = {"layer": {"x": UNIFORM}, "made": of("Function", func=max)}


@pytest.mark.parametrize(
    ("made", "options", "proposals", "said"),
    [
        (of_ray, {"space": PARAM_SPACE}, (), [COMPUTED, "Ray does not record which search"]),
        (of_ray, {"space": PARAM_SPACE, "optimizer": "BOHB"}, (0, 1), [COMPUTED]),
        (of_flaml, {"space": PARAM_SPACE}, (), [COMPUTED, "FLAML's own search goes on"]),
        (of_ax, {}, (1,), ["the standard errors that loss was told with are left out"]),
        (of_keras, {}, (1,), ["trials count as chosen by the model from when"]),
    ],
)
def test_a_framework_that_is_not_here_is_read_by_its_attributes(made, options, proposals, said):
    run = as_run(made(), **options)
    assert run.space == hx.SearchSpace([Float("layer/x", 0.0, 1.0)])
    assert (run.objective.tolist(), run.direction) == ([1.0, 0.0], "minimize")
    assert run.config(1) == {"layer/x": pytest.approx(0.1)}
    assert {t: why.kind for t, why in run.excluded.items()} == {2: "failed", 3: "running"}
    assert run.proposals == proposals
    assert all(noted(run.notes, words) for words in said)
    assert all(str(note) for note in run.notes)
    if run.durations is not None and not np.isnan(run.durations).all():
        np.testing.assert_allclose(run.durations, 5.0)


@pytest.mark.parametrize(
    ("made", "option"), [(of_ray, "metric"), (of_flaml, "metric"), (of_ax, "objective")]
)
def test_an_unknown_metric_is_told(made, option):
    with pytest.raises(hx.base.InputError, match=option):
        as_run(made(), **{option: "accuracy"})
