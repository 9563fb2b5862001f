"""Studies of every kind, run by Optuna itself, and what is read from them."""

import math
from types import SimpleNamespace

import numpy as np
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import RandomSampler, TPESampler
from optuna.trial import FrozenTrial, create_trial

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.base.errors import InputError, NothingToExplain
from tests.adapters.studies import (
    finished,
    optimized,
    parabola,
    rate_drop_of_dart,
    same_configurations,
    study_of,
)
from tests.noted import noted, the_note, why_left_out

# Optuna itself says so of every category that is not a number, a text, a bool or None.
LISTS = pytest.mark.filterwarnings("ignore:Choices for a categorical distribution:UserWarning")


# ---------------------------------------------------------------------- kinds of hyperparameters

KINDS = {
    "float": FloatParameter("h", -2.5, 4.0),
    "log float": FloatParameter("h", 1e-6, 1e-1, log=True),
    "float with a step": FloatParameter("h", 0.1, 0.9, step=0.1),
    "one float": FloatParameter("h", 0.7, 0.7),
    "int": IntParameter("h", -3, 7),
    "log int": IntParameter("h", 1, 512, log=True),
    "int with a step": IntParameter("h", 16, 128, step=16),
    "one int": IntParameter("h", 4, 4),
    "huge int": IntParameter("h", 0, 2**31 - 1),
    "texts": CategoricalParameter("h", ["b", "a"]),
    "bools": CategoricalParameter("h", [True, False]),
    "None and a text": CategoricalParameter("h", [None, "None"]),
    "numbers and texts of them": CategoricalParameter("h", [1, "1", 2.5, "2.5", -1]),
    "lists": CategoricalParameter("h", [[64], [64, 32], [], None]),
    "mixed": CategoricalParameter("h", [None, True, 0, 2, 0.5, "a", [1, "b"], {"c": 1}]),
}


def suggest(trial, parameter):
    if isinstance(parameter, CategoricalParameter):
        return trial.suggest_categorical(parameter.name, list(parameter.choices))
    one_of = trial.suggest_int if isinstance(parameter, IntParameter) else trial.suggest_float
    options = {"log": parameter.log, "step": parameter.step}
    return one_of(parameter.name, parameter.low, parameter.high, **options)


@LISTS
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_hyperparameter_is_read_as_it_was_suggested(kind):
    def objective(trial):
        suggest(trial, KINDS[kind])
        return trial.suggest_float("a", 0.0, 1.0)

    study = optimized(objective, 15)
    run = from_optuna(study)
    # in the order of their first suggestion
    assert run.space == SearchSpace([KINDS[kind], FloatParameter("a", 0.0, 1.0)])
    assert same_configurations(run, study)
    assert run.space.is_valid(run.X).all()
    assert run.excluded == {}


def test_nan_is_a_choice_like_any_other(tmp_path):
    def choose(trial):
        return float(trial.suggest_categorical("missing", [math.nan, 1.0]) == 1.0)

    run = from_optuna(optimized(choose, storage=f"sqlite:///{tmp_path}/study.db"))
    assert [c["missing"] == 1.0 for c in run.space.decode(run.X)] == list(run.objective == 1.0)


def test_choices_that_optuna_itself_mixes_up_are_said_to_be_mixed_up():
    study = optimized(lambda t: float(t.suggest_categorical("flag", [True, 1, "1"]) == "1"))
    run = from_optuna(study)
    assert run.space["flag"].choices == (True, 1, "1")
    assert same_configurations(run, study)  # as Optuna has them on record
    assert the_note(run.notes, "Optuna does not tell its choices True and 1 apart")


def test_a_choice_that_is_listed_twice_is_one_choice():
    def choose(trial):
        return float(trial.suggest_categorical("c", ["a", "b", "a"]) == "a")

    run = from_optuna(optimized(choose))
    assert run.space["c"].choices == ("a", "b")
    assert the_note(run.notes, "c: a choice is listed twice; it is read as one choice")


def test_a_grid_too_fine_to_be_counted_is_read_as_continuous():
    run = from_optuna(optimized(lambda t: t.suggest_float("x", 0.0, 1.0, step=1e-8)))
    assert run.space["x"] == FloatParameter("x", 0.0, 1.0)
    assert the_note(run.notes, "x: its grid is so fine that it is read as continuous")


# ---------------------------------------------------------------------- objective and trials


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_objective_direction_times_and_incumbent_are_the_studys(direction):
    study = optimized(parabola, 20, direction=direction)
    run = from_optuna(study)
    assert run.direction == direction
    assert run.objective.tolist() == [trial.value for trial in study.trials]
    assert run.trials.tolist() == list(range(20))
    assert run.incumbent_trial == study.best_trial.number
    assert run.incumbent["x"] == pytest.approx(study.best_params["x"], rel=1e-12)
    # seconds since the epoch
    assert run.started.tolist() == [t.datetime_start.timestamp() for t in study.trials]
    assert run.finished.tolist() == [t.datetime_complete.timestamp() for t in study.trials]


def test_a_trial_without_a_time_goes_by_its_number_and_the_notes_say_so():
    timeless = finished(number=1, start=0.5, end=9.0)
    timeless.datetime_complete = None
    study = optimized(parabola, 3)
    trials = [finished(), timeless, finished(number=2, start=2.0, end=3.0)]
    study.get_trials = lambda deepcopy=True: trials
    run = from_optuna(study)
    assert np.isnan(run.finished).tolist() == [False, True, False]
    assert run.known_before(2).tolist() == [0, 1]
    assert the_note(run.notes, "times: not recorded for 1 trial (1)").trials == (1,)
    assert not noted(from_optuna(optimized(parabola, 3)).notes, "not recorded")


def test_every_state_that_does_not_count_is_left_out_with_its_reason():
    study = optuna.create_study(sampler=RandomSampler(seed=0))

    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        if trial.number == 1:
            raise RuntimeError
        if trial.number == 2:
            trial.report(x, 0)
            raise optuna.TrialPruned
        return {3: math.inf, 4: -math.inf, 5: math.nan}.get(trial.number, x)

    study.optimize(objective, n_trials=7, catch=RuntimeError)
    study.ask()
    study.enqueue_trial({"x": 0.5})
    run = from_optuna(study)
    assert run.trials.tolist() == [0, 6]
    assert why_left_out(run) == {
        1: "failed",
        2: "pruned (pruned='last' reads the last value it reported)",
        3: "its objective value is inf",
        4: "its objective value is -inf",
        5: "failed",
        7: "still running",
        8: "waiting to be started",
    }


def test_a_pruned_trial_may_count_with_the_last_value_it_reported():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        for step in range(3):
            if trial.number in (1, 2) and step == trial.number:
                raise optuna.TrialPruned
            if trial.number != 3:
                trial.report(10 * x + step, step)
            if trial.number == 4:
                trial.report(math.nan, step + 1)
                raise optuna.TrialPruned
        if trial.number == 3:
            raise optuna.TrialPruned
        return x

    study = optimized(objective, 6)
    run = from_optuna(study, pruned="last")
    xs = [trial.params["x"] for trial in study.trials]
    found = dict(zip(run.trials.tolist(), run.objective, strict=True))
    assert found == {0: xs[0], 1: 10 * xs[1], 2: 10 * xs[2] + 1, 5: xs[5]}
    assert why_left_out(run) == {
        3: "pruned before it reported a value",
        4: "its objective value is nan",
    }
    assert str(the_note(run.notes, "pruned")) == (
        "pruned, but counted with the last value reported: 2 trials (1-2)"
    )


def constrained(form):
    """Three trials: one meets its constraint, one violates it and is best, one has none."""
    attrs = {"constraints": [-1.0, 0.0]}, {"constraints": [-1.0, 0.5]}, {}
    if form != "list":
        attrs = {"constraints:memory": 0.0}, {"constraints:memory": 0.5}, {}
    values = {"x": FloatDistribution(0.0, 1.0)}
    return study_of(
        *(
            create_trial(value=v, params={"x": v / 4}, distributions=values, system_attrs=given)
            for v, given in zip((2.0, 1.0, 3.0), attrs, strict=True)
        )
    )


@pytest.mark.parametrize("form", ["list", "one attribute each"])
def test_infeasible_trials_are_left_out_or_kept_but_never_the_incumbent(form):
    study = constrained(form)
    dropped = from_optuna(study, infeasible="drop")
    assert dropped.trials.tolist() == [0, 2]
    assert dropped.feasibility() is None
    reads = "infeasible='keep' reads it"
    assert why_left_out(dropped) == {1: f"infeasible, as a constraint is above 0 ({reads})"}
    kept = from_optuna(study)
    assert kept.trials.tolist() == [0, 1, 2]
    assert kept.feasibility().infeasible == 1
    assert kept.feasible.tolist() == [True, False, True]
    assert kept.incumbent_trial == dropped.incumbent_trial == 0
    assert the_note(kept.notes, "infeasible, but counted, except as the incumbent: 1 trial (1)")
    assert the_note(kept.notes, "without constraints, unlike the others").trials == (2,)


@pytest.mark.skipif(not hasattr(FrozenTrial, "constraints"), reason="needs Optuna 5")
def test_constraints_set_by_the_objective_itself_are_read():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.set_constraint("x at most a half", x - 0.5)
        return x

    study = optimized(objective, 20)
    above = [trial.number for trial in study.trials if trial.params["x"] > 0.5]
    assert above
    assert np.flatnonzero(~from_optuna(study).feasible).tolist() == above
    assert list(from_optuna(study, infeasible="drop").excluded) == above


def test_a_trial_without_hyperparameters_is_left_out():
    study = study_of(finished(), create_trial(value=1.0))
    assert why_left_out(from_optuna(study)) == {1: "it has no hyperparameter"}


def test_hyperparameters_that_only_left_out_trials_have_are_named():
    study = study_of(finished(), finished(math.inf, x=0.5, y=0.5))
    run = from_optuna(study)
    assert run.space.names == ("x",)
    assert the_note(run.notes, "y: only in trials that were left out")


# ---------------------------------------------------------------------- targets


@pytest.fixture
def two_objectives():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        return x, 1.0 - x**2

    return optimized(objective, 15, directions=["minimize", "maximize"])


def test_several_objectives_need_a_target(two_objectives):
    with pytest.raises(ValueError, match="target must be given") as error:
        from_optuna(two_objectives)
    assert "0: minimize, 1: maximize" in str(error.value)
    assert "target=" in str(error.value)


@pytest.mark.parametrize("name", ["accuracy", "pareto_rank", "duration"])
def test_a_target_by_name_is_the_objective_of_that_name(two_objectives, name):
    two_objectives.set_metric_names(["loss", name])
    run = from_optuna(two_objectives, target=name)
    assert (run.objective_name, run.direction) == (name, "maximize")
    assert run.objective.tolist() == [trial.values[1] for trial in two_objectives.trials]
    with pytest.raises(InputError, match=rf"'{name}s' is unknown. Did you mean '{name}'"):
        from_optuna(two_objectives, target=f"{name}s")


def test_a_target_may_be_a_function_of_the_trial():
    study = optimized(parabola, direction="maximize")

    def seconds(trial):
        return trial.duration.total_seconds()

    run = from_optuna(study, target=seconds)
    assert run.objective.tolist() == [t.duration.total_seconds() for t in study.trials]
    assert (run.objective_name, run.direction) == ("seconds", "minimize")
    assert the_note(run.notes, "direction: minimize, assumed, as target= is a function")
    assert from_optuna(study, target=seconds, direction="maximize").direction == "maximize"


@pytest.mark.parametrize(("index", "direction"), [(0, "minimize"), (1, "maximize")])
def test_a_function_that_returns_an_objective_has_its_direction(two_objectives, index, direction):
    run = from_optuna(two_objectives, target=lambda trial: trial.values[index])
    assert run.direction == direction
    text = f"direction: {direction}, as target= returns the values of the study's objective {index}"
    assert the_note(run.notes, text)


def test_a_target_may_be_missing_in_some_trials():
    study = optimized(parabola, 6)
    run = from_optuna(study, target=lambda t: None if t.number % 2 else float(t.number))
    assert run.trials.tolist() == [0, 2, 4]
    assert why_left_out(run) == dict.fromkeys((1, 3, 5), "target= returned None")


# ---------------------------------------------------------------------- ranges


Float, Int, Category = (FloatDistribution, IntDistribution, CategoricalDistribution)
CHANGES = [
    (Int(0, 8, step=4), Int(2, 8, step=6), IntParameter("h", 0, 8, step=2)),
    (Int(4, 4), Int(0, 8, step=4), IntParameter("h", 0, 8, step=4)),
    (Int(0, 9, step=3), Int(1, 1), IntParameter("h", 0, 9, step=1)),
    (Int(0, 9), Int(1, 9, log=True), IntParameter("h", 0, 9)),
    (Int(2, 9), Int(1, 9, log=True), IntParameter("h", 1, 9, log=True)),
    (Float(0, 1, step=0.25), Float(0.1, 1.1, step=0.5), FloatParameter("h", 0, 1.1, step=0.05)),
    (Float(0, 0.9, step=0.3), Float(0, 1), FloatParameter("h", 0, 1)),
    (Float(0.5, 2), Int(1, 3), FloatParameter("h", 0.5, 3)),
    (Float(1, 2), Float(0.5, 3, log=True), FloatParameter("h", 0.5, 3, log=True)),
    (Category(["a", "b"]), Category(["b", "c"]), CategoricalParameter("h", ["a", "b", "c"])),
    (Category([True]), Category([1, "1"]), CategoricalParameter("h", [True, 1, "1"])),
]


@pytest.mark.parametrize(("first", "second", "expected"), CHANGES)
def test_distributions_that_changed_are_read_as_one_that_holds_all_values(first, second, expected):
    trials = []
    for kind in (first, second):
        ends = kind.choices if isinstance(kind, Category) else (kind.low, kind.high)
        trials += [
            create_trial(value=1.0, params={"h": v}, distributions={"h": kind}) for v in ends
        ]
    study = study_of(*trials)
    run = from_optuna(study)
    assert run.space["h"] == expected
    assert [config["h"] for config in run.space.decode(run.X)] == pytest.approx(
        [trial.params["h"] for trial in trials]
    )
    assert run.excluded == {}
    assert noted(run.notes, "changed during the study")


def test_a_hyperparameter_that_is_a_category_and_a_number_cannot_be_read():
    number, text = (
        create_trial(value=1.0, params={"h": value}, distributions={"h": kind})
        for value, kind in ((1, Int(0, 3)), ("a", Category(["a"])))
    )
    with pytest.raises(InputError, match=r"study has hyperparameter 'h'.*State the space yourself"):
        from_optuna(study_of(number, text))


@pytest.mark.filterwarnings("ignore:Fixed parameter:UserWarning")
def test_an_enqueued_value_outside_the_range_is_left_out_unless_the_space_holds_it():
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.enqueue_trial({"x": 5.0})
    study.optimize(parabola, n_trials=5)
    run = from_optuna(study)
    assert run.trials.tolist() == [1, 2, 3, 4]
    why = "x = 5.0 is outside its range [-1.0, 1.0] (a wider space= reads this trial)"
    assert why_left_out(run) == {0: why}
    wider = SearchSpace([FloatParameter("x", -1.0, 5.0)])
    assert from_optuna(study, space=wider).trials.tolist() == [0, 1, 2, 3, 4]


# ---------------------------------------------------------------------- a space of the user's own


def of_dart(booster, high, *choices):
    rate = FloatParameter("rate_drop", 0.0, high, active_when={"booster": [booster]})
    return SearchSpace([rate, CategoricalParameter("booster", ["dart", "gbtree", *choices])])


def test_a_space_of_the_users_own_is_taken_as_it_is():
    space = of_dart("dart", 2.0, "gblinear")
    study = optimized(rate_drop_of_dart, 20)
    run = from_optuna(study, space=space)
    assert run.space == space
    assert same_configurations(run, study)
    assert not noted(run.notes, "active when")


def test_trials_that_a_space_of_the_users_own_rules_out_are_left_out():
    space = of_dart("gbtree", 1.0, "none")
    study = optimized(rate_drop_of_dart, 20)
    with pytest.raises(
        InputError, match=r"space fits no trial of the study: rate_drop is"
    ) as error:
        from_optuna(study, space=space)
    assert error.value.argument == "space"
    kind = {"booster": CategoricalDistribution(["dart", "gbtree", "none"])}
    study.add_trial(create_trial(value=1.0, params={"booster": "none"}, distributions=kind))
    run = from_optuna(study, space=space)
    assert run.trials.tolist() == [20]
    assert {*map(str, run.excluded.values())} == {
        "rate_drop is set, but active when booster = gbtree in space=",
        "rate_drop is missing, but active when booster = gbtree in space=",
    }


# ---------------------------------------------------------------------- bad input


def test_a_study_without_a_usable_trial_says_what_it_has():
    study = optimized(lambda trial: math.nan, 3)
    study.ask()
    with pytest.raises(NothingToExplain, match="4 trials, 3 x failed; 1 x still running"):
        from_optuna(study)
    with pytest.raises(NothingToExplain, match=r"study has no trials yet. Run study.optimize"):
        from_optuna(optuna.create_study())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"infeasible": True}, r"infeasible must be one of 'drop', 'keep', but was True"),
        ({"direction": "max"}, r"direction must be one of 'minimize', 'maximize', but was 'max'"),
        ({"direction": "maximize"}, r"direction was 'maximize', but the study says 'minimize'"),
        ({"target": 1}, r"target must be below 1, the number of the study's objectives"),
        ({"target": True}, r"target must be a whole number, but was True"),
        ({"target": "loss"}, r"'loss' is unknown.* The objectives have no names: give an index\."),
        ({"target": lambda t: t.user_attrs["x"]}, r"target raised KeyError \('x'\) for trial 0"),
        ({"target": lambda t: "1.0"}, r"target returned '1.0' for trial 0.*return a number"),
        ({"sampler": TPESampler}, r"sampler must be a sampler of Optuna.*Give an object"),
        ({"space": {"x": (0, 1)}}, r"space must be a SearchSpace, but was dict"),
        (
            {"space": SearchSpace([FloatParameter("y", 0, 1)])},
            r"space lacks x, which trials of the study have",
        ),
    ],
)
def test_bad_options_are_named_with_their_value_and_a_remedy(options, text):
    with pytest.raises(InputError, match=text) as caught:
        from_optuna(optimized(parabola, 3), **options)
    assert caught.value.argument in options


@pytest.mark.parametrize("study", ["sqlite:///study.db", None, [1, 2], SimpleNamespace(trials=[])])
def test_what_is_no_study_is_refused_with_the_remedy(study):
    with pytest.raises(InputError, match=r"study must be an optuna.Study.*optuna.load_study"):
        from_optuna(study)


def test_a_best_trial_outside_its_range_is_named():
    """As an enqueued value may be."""
    study = optuna.create_study(sampler=RandomSampler(seed=0))
    study.enqueue_trial({"x": 5.0})
    with pytest.warns(UserWarning, match="out of range"):
        study.optimize(lambda trial: -trial.suggest_float("x", 0.0, 1.0), n_trials=4)
    run = from_optuna(study)
    note = the_note(run.notes, "best: ")
    assert note.trials == (0,)
    assert str(note).startswith("best: trial 0 (-5) is better than every")


def test_a_conditional_integer_is_no_warning():
    """NaN, for what is inactive, has no integer."""
    depth = IntParameter("depth", 1, 9)
    found = depth.nearest(np.array([0.3, np.nan]))
    assert found[0] == pytest.approx(0.25)
    assert np.isnan(found[1])


def test_what_is_measured_of_any_study_is_meant_by_a_name_like_it():
    study = optuna.create_study()
    study.add_trials(
        [optuna.create_trial(value=v, params={}, distributions={}) for v in (1.0, 2.0)]
    )
    with pytest.raises(InputError, match=r"'durations' is unknown\. Did you mean 'duration'"):
        from_optuna(study, target="durations")
