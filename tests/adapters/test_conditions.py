"""Conditions inferred from which trials have which hyperparameter."""

from dataclasses import replace

import numpy as np
import pytest

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, SearchSpace
from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.space import Range
from tests.adapters.studies import optimized, rate_drop_of_dart, same_configurations
from tests.noted import noted, the_note

# ---------------------------------------------------------------------- conditions


def test_the_notes_say_which_conditions_were_inferred():
    run = from_optuna(optimized(rate_drop_of_dart, 20))
    assert run.space["rate_drop"].active_when == {"booster": ("dart",)}
    assert str(the_note(run.notes, "active when")) == (
        "rate_drop: active when booster = 'dart', inferred from the trials that have it"
    )


def test_a_condition_that_no_parent_explains_is_a_frequency():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.suggest_categorical("c", ["a", "b"])
        odd = int(10 * x) % 2
        return x + (trial.suggest_float("y", 0.0, 1.0) if odd else 0.0)

    study = optimized(objective, 60)
    run = from_optuna(study)
    share = np.mean([int(10 * t.params["x"]) % 2 for t in study.trials])
    assert run.space["y"].optional == pytest.approx(share)
    why = "y: no value of another hyperparameter explains which trials have it; counts as active"
    assert the_note(run.notes, why)
    assert same_configurations(run, study)


def test_hyperparameters_added_and_dropped_midway_are_noted():
    def objective(trial):
        total = trial.suggest_float("x", 0.0, 1.0) + trial.suggest_int("k", 1, 3)
        if trial.number >= 12:
            total += trial.suggest_float("new", 0.0, 1.0)
        if trial.number < 25:
            total += trial.suggest_float("old", 0.0, 1.0)
        return total

    run = from_optuna(optimized(objective, 30))
    assert run.space["new"].optional == pytest.approx(18 / 30)
    assert run.space["old"].optional == pytest.approx(25 / 30)
    assert the_note(run.notes, "new: added at trial 12; counts as active at its observed")
    assert the_note(run.notes, "old: dropped at trial 25; counts as active at its observed")


# ---------------------------------------------------------------------- rows made by hand


def inferred(parameters, columns, precedes=None):
    """The space inferred from values; None is inactive."""
    X = np.full((len(columns[0]), len(parameters)), np.nan)
    for j, (parameter, column) in enumerate(zip(parameters, columns, strict=True)):
        rows = [i for i, value in enumerate(column) if value is not None]
        X[rows, j] = parameter.encode([column[i] for i in rows])
    found, notes = infer_conditions(parameters, X, range(len(X)), precedes)
    space = SearchSpace(found)
    assert space.is_valid(X).all()
    return space, notes


CHILD = FloatParameter("child", 0.0, 1.0)


def child_where(column, active):
    return [0.5 if value in active else None for value in column]


def test_a_category_that_was_never_tried_counts_as_inactive_and_is_named():
    column = ["a", "b"] * 6
    space, notes = inferred(
        [CategoricalParameter("c", ["a", "b", "new"]), CHILD], [column, child_where(column, {"b"})]
    )
    assert space["child"].active_when == {"c": ("b",)}
    assert noted(notes, "(c = 'new' was never tried there and counts as inactive)")


def test_values_of_a_parent_may_lie_anywhere():
    column = [1, 2, 3, 4, 5] * 4
    space, _ = inferred([IntParameter("n", 1, 5), CHILD], [column, child_where(column, {2, 4})])
    assert space["child"].active_when == {"n": (2, 4)}


@pytest.mark.parametrize(
    "parameter",
    [IntParameter("id", 0, 29), CategoricalParameter("id", list(range(30)))],
    ids=["int", "category"],
)
def test_a_hyperparameter_with_a_value_of_its_own_in_every_trial_explains_nothing(parameter):
    rng = np.random.default_rng(0)
    column = rng.permutation(30).tolist()
    active = [0.5 if i % 3 == 0 or i % 7 == 0 else None for i in range(30)]
    space, notes = inferred([parameter, CHILD], [column, active])
    assert not space["child"].active_when
    assert space["child"].optional == pytest.approx(sum(v is not None for v in active) / 30)
    assert [str(note) for note in notes] == [
        "child: no value of another hyperparameter explains which trials have it; counts as active "
        "at its observed frequency, 0.43"
    ]


def test_what_holds_wherever_a_hyperparameter_is_active_is_kept_though_more_is_unexplained():
    rng = np.random.default_rng(1)
    column = rng.choice(["a", "b"], 80).tolist()
    active = [0.5 if c == "a" and rng.random() < 0.5 else None for c in column]
    space, notes = inferred([CategoricalParameter("c", ["a", "b"]), CHILD], [column, active])
    share = sum(v is not None for v in active) / column.count("a")
    assert space["child"].active_when == {"c": ("a",)}
    assert space["child"].optional == pytest.approx(share)
    why = "child: inactive unless c = 'a', and no value of another hyperparameter explains the rest"
    assert noted(notes, f"{why}; counts as active at its observed frequency, {share:.2g}")


def test_what_always_comes_together_without_a_reason_is_drawn_together():
    together = [i % 3 == 0 or i % 5 == 0 for i in range(40)]
    c, lead = (CategoricalParameter("c", ["a", "b"]), CategoricalParameter("lead", ["p", "q"]))
    parameters = [c, CHILD, lead, IntParameter("other", 0, 1)]
    columns = [
        ["a", "b"] * 20,
        [0.5 if t else None for t in together],
        [("p", "q")[i % 2] if t else None for i, t in enumerate(together)],
        [i // 2 % 2 if t else None for i, t in enumerate(together)],
    ]
    space, notes = inferred(parameters, columns)
    assert space["lead"].optional == pytest.approx(np.mean(together))
    assert space["child"].active_when == {"lead": ("p", "q")}
    assert space["other"].active_when == {"lead": ("p", "q")}
    drawn = space.sample(500, seed=0)
    assert (np.isnan(drawn[:, 1:]).sum(axis=1) % 3 == 0).all()
    (note,) = notes
    assert str(note).startswith("child, lead and other: ")
    assert str(note).endswith(f"frequency, {np.mean(together):.2g}, all together")


def test_a_parents_value_says_more_than_that_a_sibling_is_active():
    model = ["svm", "forest"] * 12
    layers = [1, 1, 1, 2, 2, 2, 3, 3] * 3
    kernel = ["rbf" if i % 3 else "poly" for i in range(24)]
    svm = [m == "svm" for m in model]
    kernels = [k if s else None for k, s in zip(kernel, svm, strict=True)]
    child = [0.5 if s and n >= 2 else None for s, n in zip(svm, layers, strict=True)]
    kinds_ = {"kernel": ["rbf", "poly"], "model": ["svm", "forest"]}
    parameters = [CategoricalParameter(*kind) for kind in kinds_.items()]
    parameters += [IntParameter("layers", 1, 3), CHILD]
    space, notes = inferred(parameters, [kernels, model, layers, child])
    assert space["kernel"].active_when == {"model": ("svm",)}
    assert space["child"].active_when == {"model": ("svm",), "layers": (2, 3)}
    assert noted(notes, "child: active when model = 'svm' and layers >= 2, inferred")
    assert not noted(notes, "is active")


def test_a_parent_is_suggested_before_its_child_unless_nothing_is():
    column, kind = ["a", "b"] * 10, CategoricalParameter("after", ["a", "b"])
    columns = [column, column, child_where(column, {"a"})]
    twins = [kind, replace(kind, name="before"), CHILD]
    order = lambda parent, child: (parent, child) != ("after", "child")  # noqa: E731
    space, _ = inferred(twins, columns, precedes=order)
    assert space["child"].active_when == {"before": ("a",)}
    # trials added by hand may have their hyperparameters in any order
    space, _ = inferred([kind, CHILD], columns[1:], precedes=lambda parent, child: False)
    assert space["child"].active_when == {"after": ("a",)}


# ---------------------------------------------------------------------- thresholds on numbers


def of_numbers(n=40, seed=0):
    return np.random.default_rng(seed).uniform(0.0, 1.0, n).tolist()


def child_in(column, low, high):
    return [0.5 if low <= value < high else None for value in column]


C = FloatParameter("c", 0.0, 1.0)


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [(-np.inf, 0.5, Range(high=0.5)), (0.5, np.inf, Range(0.5)), (0.3, 0.7, Range(0.3, 0.7))],
)
def test_a_threshold_lies_between_the_values_tried_on_its_sides(low, high, found):
    column = of_numbers(200)
    space, (note,) = inferred([C, CHILD], [column, child_in(column, low, high)])
    assert space["child"].active_when == {"c": found}
    for end in (end for end in (low, high) if np.isfinite(end)):
        below = max(value for value in column if value < end)
        above = min(value for value in column if value >= end)
        assert f"between {below:.6g} and {above:.6g}" in str(note)


def test_a_threshold_of_a_log_scale_is_found_on_it_and_one_of_many_integers_too():
    rng = np.random.default_rng(1)
    rates = (10 ** rng.uniform(-5.0, -1.0, 60)).tolist()
    lr = FloatParameter("lr", 1e-5, 1e-1, log=True)
    space, _ = inferred([lr, CHILD], [rates, child_in(rates, 0.0, 1e-3)])
    found = space["child"].active_when["lr"].high
    assert max(r for r in rates if r < 1e-3) < found
    assert found <= min(r for r in rates if r >= 1e-3)
    sizes = rng.integers(1, 5001, 60).tolist()
    n = IntParameter("n", 1, 5000)
    space, _ = inferred([n, CHILD], [sizes, child_in(sizes, 2000, 9999)])
    assert isinstance(space["child"].active_when["n"], Range)


def test_a_threshold_is_below_the_end_of_the_range_where_all_active_trials_are():
    column = [*of_numbers(20), 1.0, 1.0, 1.0]
    space, _ = inferred([C, CHILD], [column, child_in(column, 1.0, 2.0)])
    assert max(column[:20]) < space["child"].active_when["c"].low < 1.0


def test_a_category_and_a_threshold_together_are_found():
    column = of_numbers(80)
    kind = ["a", "b"] * 40
    child = [
        0.5 if k == "a" and value < 0.4 else None for k, value in zip(kind, column, strict=True)
    ]
    parameters = [CategoricalParameter("kind", ["a", "b"]), C, CHILD]
    space, _ = inferred(parameters, [kind, column, child])
    condition = space["child"].active_when
    assert condition["kind"] == ("a",)
    # those of kind "b" say nothing about where it is
    of_a = [v for v, k in zip(column, kind, strict=True) if k == "a"]
    assert max(v for v in of_a if v < 0.4) < condition["c"].high
    assert condition["c"].high <= min(v for v in of_a if v >= 0.4)


def test_a_category_that_explains_it_comes_before_a_threshold():
    column = of_numbers()
    kind = ["low" if value < 0.5 else "high" for value in column]
    parameters = [C, CategoricalParameter("kind", ["low", "high"]), CHILD]
    columns = [column, kind, child_in(column, 0.0, 0.5)]
    space, _ = inferred(parameters, columns)
    assert space["child"].active_when == {"kind": ("low",)}


def test_a_threshold_is_suggested_before_what_it_activates():
    column = of_numbers()
    columns = [column, child_in(column, 0.0, 0.5)]
    space, _ = inferred([C, CHILD], columns, lambda parent, child: False)
    assert not space["child"].active_when


@pytest.mark.parametrize("lacking", [1, 2])
def test_one_trial_on_a_side_is_no_threshold_and_two_of_forty_are(lacking):
    column = sorted(of_numbers())
    child = [0.5] * (40 - lacking) + [None] * lacking
    order = np.random.default_rng(0).permutation(40)
    columns = [[values[i] for i in order] for values in (column, child)]
    space, _ = inferred([C, CHILD], columns)
    assert bool(space["child"].active_when) == (lacking == 2)


def test_activity_at_random_is_hardly_ever_explained_by_a_threshold():
    rng = np.random.default_rng(2)
    others = [replace(C, name=f"c{i}") for i in range(5)]
    explained = 0
    for _ in range(300):
        columns = [rng.uniform(size=8).tolist() for _ in others]
        child = [0.5 if rng.random() < 0.5 else None for _ in range(8)]
        if any(child):
            space, _ = inferred([*others, CHILD], [*columns, child])
            explained += bool(space["child"].active_when)
    assert explained <= 0.02 * 300


def test_one_trial_across_a_threshold_leaves_it_a_frequency():
    column = of_numbers()
    child = child_in(column, 0.0, 0.5)
    child[int(np.argmax(column))] = 0.5
    space, (note,) = inferred([C, CHILD], [column, child])
    assert not space["child"].active_when
    assert note.kind == "active_at_frequency"
