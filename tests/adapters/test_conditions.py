"""Conditions inferred from which trials have which hyperparameter."""

from dataclasses import replace

import numpy as np
import pytest

from hpo_explain import (
    CategoricalParameter,
    FloatParameter,
    IntParameter,
    SearchSpace,
)
from hpo_explain.adapters._conditions import infer_conditions
from hpo_explain.adapters.optuna import from_optuna
from hpo_explain.base.facts import fact
from hpo_explain.base.text import tell
from tests.adapters.studies import (
    optimized,
    rate_drop_of_dart,
    same_configurations,
)
from tests.noted import kinds, noted, the_note

# ---------------------------------------------------------------------- conditions


def test_the_notes_say_which_conditions_were_inferred():
    run = from_optuna(optimized(rate_drop_of_dart, 20))
    assert run.space["rate_drop"].active_when == {"booster": ("dart",)}
    note = the_note(run.notes, "active_when")
    assert note.names == ("rate_drop",)
    assert note["rules"] == (
        fact("parent_equals", names=["booster"], value="dart"),
    )


def test_a_condition_that_no_parent_explains_is_a_frequency():
    def objective(trial):
        x = trial.suggest_float("x", 0.0, 1.0)
        trial.suggest_categorical("c", ["a", "b"])
        return x + (trial.suggest_float("y", 0.0, 1.0) if x > 0.7 else 0.0)

    study = optimized(objective, 60)
    run = from_optuna(study)
    share = np.mean([trial.params["x"] > 0.7 for trial in study.trials])
    assert run.space["y"].optional == pytest.approx(share)
    note = the_note(run.notes, "active_at_frequency")
    assert (note.names, note["why"]) == (("y",), fact("unexplained_activity"))
    assert same_configurations(run, study)


def test_hyperparameters_added_and_dropped_midway_are_noted():
    def objective(trial):
        total = trial.suggest_float("x", 0.0, 1.0) + trial.suggest_int(
            "k", 1, 3
        )
        if trial.number >= 12:
            total += trial.suggest_float("new", 0.0, 1.0)
        if trial.number < 25:
            total += trial.suggest_float("old", 0.0, 1.0)
        return total

    run = from_optuna(optimized(objective, 30))
    assert run.space["new"].optional == pytest.approx(18 / 30)
    assert run.space["old"].optional == pytest.approx(25 / 30)
    why = {
        note.names: note["why"]
        for note in noted(run.notes, "active_at_frequency")
    }
    assert why == {
        ("new",): fact("added_midway", trials=[12]),
        ("old",): fact("dropped_midway", trials=[25]),
    }


# ---------------------------------------------------------------------- rows made by hand


def inferred(parameters, columns, precedes=None):
    """The space inferred from values; None is inactive."""
    X = np.full((len(columns[0]), len(parameters)), np.nan)
    for j, (parameter, column) in enumerate(
        zip(parameters, columns, strict=True)
    ):
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
        [CategoricalParameter("c", ["a", "b", "new"]), CHILD],
        [column, child_where(column, {"b"})],
    )
    assert space["child"].active_when == {"c": ("b",)}
    assert notes[0]["untried"] == (
        fact("never_tried", names=["c"], choices=("new",)),
    )


def test_values_of_a_parent_may_lie_anywhere():
    column = [1, 2, 3, 4, 5] * 4
    space, _ = inferred(
        [IntParameter("n", 1, 5), CHILD], [column, child_where(column, {2, 4})]
    )
    assert space["child"].active_when == {"n": (2, 4)}


@pytest.mark.parametrize(
    "parameter",
    [
        IntParameter("id", 0, 29),
        CategoricalParameter("id", list(range(30))),
    ],
    ids=["int", "category"],
)
def test_a_hyperparameter_with_a_value_of_its_own_in_every_trial_explains_nothing(
    parameter,
):
    rng = np.random.default_rng(0)
    column = rng.permutation(30).tolist()
    active = [0.5 if i % 3 == 0 or i % 7 == 0 else None for i in range(30)]
    space, notes = inferred([parameter, CHILD], [column, active])
    assert not space["child"].active_when
    assert space["child"].optional == pytest.approx(
        sum(v is not None for v in active) / 30
    )
    (note,) = notes
    assert (note.names, note["why"]) == (
        ("child",),
        fact("unexplained_activity"),
    )
    assert note["share"] == pytest.approx(0.43, abs=0.005)


def test_what_holds_wherever_a_hyperparameter_is_active_is_kept_though_more_is_unexplained():
    rng = np.random.default_rng(1)
    column = rng.choice(["a", "b"], 80).tolist()
    active = [0.5 if c == "a" and rng.random() < 0.5 else None for c in column]
    space, notes = inferred(
        [CategoricalParameter("c", ["a", "b"]), CHILD], [column, active]
    )
    share = sum(v is not None for v in active) / column.count("a")
    assert space["child"].active_when == {"c": ("a",)}
    assert space["child"].optional == pytest.approx(share)
    rule = fact("parent_equals", names=["c"], value="a")
    assert notes[0]["why"] == fact("partly_explained_activity", rules=(rule,))


def test_what_always_comes_together_without_a_reason_is_drawn_together():
    together = [i % 3 == 0 or i % 5 == 0 for i in range(40)]
    c, lead = (
        CategoricalParameter("c", ["a", "b"]),
        CategoricalParameter("lead", ["p", "q"]),
    )
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
    assert notes[0]["together"]


def test_a_parents_value_says_more_than_that_a_sibling_is_active():
    model = ["svm", "forest"] * 12
    layers = [1, 1, 1, 2, 2, 2, 3, 3] * 3
    kernel = ["rbf" if i % 3 else "poly" for i in range(24)]
    svm = [m == "svm" for m in model]
    kernels = [k if s else None for k, s in zip(kernel, svm, strict=True)]
    child = [
        0.5 if s and n >= 2 else None for s, n in zip(svm, layers, strict=True)
    ]
    kinds_ = {"kernel": ["rbf", "poly"], "model": ["svm", "forest"]}
    parameters = [CategoricalParameter(*kind) for kind in kinds_.items()]
    parameters += [IntParameter("layers", 1, 3), CHILD]
    space, notes = inferred(parameters, [kernels, model, layers, child])
    assert space["kernel"].active_when == {"model": ("svm",)}
    assert space["child"].active_when == {"model": ("svm",), "layers": (2, 3)}
    assert "parent_active" not in kinds(
        rule for note in notes for rule in note["rules"]
    )


def test_a_parent_is_suggested_before_its_child_unless_nothing_is():
    column, kind = ["a", "b"] * 10, CategoricalParameter("after", ["a", "b"])
    columns = [column, column, child_where(column, {"a"})]
    twins = [kind, replace(kind, name="before"), CHILD]
    order = lambda parent, child: (parent, child) != ("after", "child")  # noqa: E731
    space, _ = inferred(twins, columns, precedes=order)
    assert space["child"].active_when == {"before": ("a",)}
    # trials added by hand may have their hyperparameters in any order
    space, _ = inferred(
        [kind, CHILD], columns[1:], precedes=lambda parent, child: False
    )
    assert space["child"].active_when == {"after": ("a",)}


# ---------------------------------------------------------------------- words

EQUALS = fact("parent_equals", names=["booster"], value="dart")
AT_LEAST = fact("parent_at_least", names=["layers"], low=3)

SENTENCES = [
    (
        fact(
            "active_when",
            names=["rate", "skip"],
            rules=(EQUALS, AT_LEAST),
            untried=(),
        ),
        "rate and skip: active when booster = 'dart' and layers >= 3, inferred from the trials "
        "that have it",
    ),
    (
        fact(
            "active_at_frequency",
            names=["y"],
            share=0.4286,
            why=fact("partly_explained_activity", rules=(EQUALS,)),
            together=False,
        ),
        "y: inactive unless booster = 'dart', and no category or whole number of another "
        "hyperparameter explains the rest; counts as active at its observed frequency, 0.43",
    ),
]


@pytest.mark.parametrize(
    ("told", "sentence"), SENTENCES, ids=[told.kind for told, _ in SENTENCES]
)
def test_a_condition_is_told_in_a_sentence(told, sentence):
    assert tell(told) == sentence
