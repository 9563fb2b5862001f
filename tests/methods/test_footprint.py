"""Maps whose places are known, stress beside scikit-learn, runs that explored and that did not."""

import numpy as np
import optuna
import pytest
from scipy.spatial.distance import cdist, pdist

import hpo_explain as hx
from hpo_explain.methods.space.footprint import (
    border_of,
    classical_scaling,
    improved,
    stress_1,
)
from hpo_explain.space.support import gower_distances
from tests.analytic import AnalyticSurrogate, nested_space, unit_cube
from tests.handmade import tuning_run

# ---------------------------------------------------------------------- places


def test_a_plane_is_drawn_as_it_is():
    """Of two numbers, distances on the map are those of the configurations."""
    X = unit_cube(2).sample(40, seed=0)
    found = hx.methods.footprint(hx.Run(unit_cube(2), X, X[:, 0], "minimize"))
    np.testing.assert_allclose(
        pdist(found.xy), pdist(found.X) / np.sqrt(2.0), atol=1e-9
    )
    assert found.stress < 1e-6


def test_classical_scaling_of_numbers_is_their_principal_components():
    X = np.random.default_rng(0).random((30, 5)) * [3.0, 2.0, 1.0, 0.5, 0.1]
    found = classical_scaling(cdist(X, X))
    U, S, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(
        np.abs(found), np.abs(U[:, :2] * S[:2]), atol=1e-9
    )
    largest = np.abs(found).argmax(axis=0)
    assert (found[largest, [0, 1]] > 0.0).all()


def test_the_map_has_less_stress_than_where_it_begins():
    space = nested_space()
    X = space.sample(50, seed=1)
    distances = gower_distances(space, X, X)
    start = classical_scaling(distances)
    mine = improved(distances, start)
    assert stress_1(distances, mine) < 0.95 * stress_1(distances, start)


def test_the_steps_are_those_of_scikit_learn():
    """Its SMACOF from the same places, as far as both settle."""
    from sklearn.manifold import smacof

    space = nested_space()
    X = space.sample(40, seed=1)
    distances = gower_distances(space, X, X)
    start = classical_scaling(distances)
    theirs, _ = smacof(
        distances,
        init=start,
        n_init=1,
        max_iter=300,
        eps=1e-9,
        normalized_stress=False,
    )
    mine = improved(distances, start)
    assert stress_1(distances, mine) == pytest.approx(
        stress_1(distances, theirs), abs=1e-3
    )


def test_the_border_has_numbers_at_their_ends_in_every_kind_of_space():
    space = nested_space()
    X = border_of(space, 50, 0)
    assert space.is_valid(X).all()
    assert len(np.unique(X, axis=0)) == len(X) > 20
    numeric = [
        j
        for j, p in enumerate(space)
        if not isinstance(p, hx.CategoricalParameter)
    ]
    ends = X[:, numeric]
    for j, column in zip(numeric, ends.T, strict=True):
        allowed = space.parameters[j].nearest(np.array([0.0, 1.0]))
        assert {*column[~np.isnan(column)]} <= {*allowed}


# ---------------------------------------------------------------------- what is shown


def test_incumbents_were_the_best_when_they_finished_and_predictions_are_the_models():
    space = unit_cube(1)
    X = np.array([[0.5], [0.9], [0.4], [0.3], [0.8], [0.2]])
    y = np.array([5.0, 9.0, 4.0, 4.5, 8.0, 2.0])
    own = AnalyticSurrogate(space, lambda X: 3.0 * X[:, 0], 0.25)
    run = hx.Run(space, X, y, "minimize", trials=[3, 4, 6, 7, 8, 9])
    found = hx.methods.footprint(run, surrogate=own)
    assert found.trials[found.of_kind("incumbent")].tolist() == [3, 6, 9]
    assert sorted(found.trials[found.of_kind("tried")].tolist()) == [4, 7, 8]
    np.testing.assert_allclose(found.mean, 3.0 * found.X[:, 0])
    np.testing.assert_allclose(found.std, 0.25)
    maximal = hx.methods.footprint(
        hx.Run(space, X, y, "maximize"), surrogate=own
    )
    assert maximal.trials[maximal.of_kind("incumbent")].tolist() == [0, 1]


def test_the_surface_lies_between_the_predictions_and_is_empty_far_away():
    found = hx.methods.footprint(tuning_run(30))
    known = found.surface[~np.isnan(found.surface)]
    assert found.mean.min() <= known.min()
    assert known.max() <= found.mean.max()
    assert np.isfinite(found.surface_r2)
    constant = AnalyticSurrogate(unit_cube(1), 2.0)
    X = unit_cube(1).sample(10, seed=0)
    run = hx.Run(unit_cube(1), X, X[:, 0], "minimize")
    same = hx.methods.footprint(run, surrogate=constant)
    np.testing.assert_allclose(same.surface[~np.isnan(same.surface)], 2.0)
    assert np.isnan(same.surface_r2)


# ---------------------------------------------------------------------- what was explored


@pytest.mark.parametrize(
    ("space", "off"),
    # distances of categories are few, so that designs differ more
    [(unit_cube(3), 0.03), (nested_space(), 0.05)],
    ids=["cube", "nested"],
)
def test_trials_spread_evenly_are_near_nineteen_twentieths_of_the_space(
    space, off
):
    X = space.sample(50, seed=11)
    model = AnalyticSurrogate(space, 1.0)
    run = hx.Run(space, X, np.arange(len(X), dtype=float), "minimize")
    share, low, high = hx.methods.footprint(run, surrogate=model).explored
    assert share == pytest.approx(0.95, abs=off)
    assert low < share < high
    assert high - low < 0.05


def test_trials_in_one_corner_left_the_rest_unexplored():
    X = 0.2 * unit_cube(3).sample(50, seed=0)
    run = hx.Run(unit_cube(3), X, X[:, 0], "minimize")
    found = hx.methods.footprint(
        run, surrogate=AnalyticSurrogate(unit_cube(3), 1.0)
    )
    (claim,) = found.claims
    assert claim.kind == "tried"
    assert claim.interval[1] < 0.4


def test_a_study_of_a_conditional_space():
    def objective(trial):
        loss = trial.suggest_float("x", 0.0, 1.0)
        if trial.suggest_categorical("kind", ["a", "b"]) == "b":
            loss += trial.suggest_float("y", 0.0, 1.0)
        return loss

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=0))
    study.optimize(objective, n_trials=30)
    found = hx.methods.footprint(study, border=10, random=20)
    assert len(found.of_kind("tried", "incumbent")) == 30
    assert len(found.of_kind("random")) == 20
    assert np.isfinite(found.xy).all()
    frame = found.to_frame()
    assert list(frame)[:4] == ["kind", "trial", "map_x", "map_y"]
    assert frame["y"].isna().any()


def test_points_without_a_trial_near_are_those_beyond_the_radius():
    X = np.vstack([0.2 * unit_cube(2).sample(40, seed=0), [[0.9, 0.9]]])
    run = hx.Run(unit_cube(2), X, X[:, 0], "minimize")
    found = hx.methods.footprint(run)
    apart = cdist(found.X, X).min(axis=1)
    # the cube would be covered by 41 trials spread evenly
    assert found.near[apart == 0.0].all()
    assert not found.near[apart > 0.5].any()
    assert apart[found.near].max() < apart[~found.near].min() + 1e-9
    empty = np.isnan(found.searched) & ~np.isnan(found.surface)
    places = np.stack(np.meshgrid(*found.grid), axis=-1)[empty]
    nearest = cdist(places, found.xy).argmin(axis=1)
    assert empty.any()
    assert not found.near[nearest].any()


def test_trials_stand_at_their_places_and_where_nobody_looked_is_a_cross():
    found = hx.methods.footprint(tuning_run(30))
    figure = found.described()
    drawn = {
        dots.look: {*map(tuple, np.column_stack([dots.x, dots.y]).tolist())}
        for dots in figure.dots
    }
    tried = found.of_kind("tried", "incumbent")
    marks = "tried" if found.has_surface else "colored"
    assert drawn[marks] == {*map(tuple, found.xy[tried].tolist())}
    assert drawn["random"] == {*map(tuple, found.xy[~found.near].tolist())}
    assert found.near[tried].all()


def test_colors_are_a_surface_only_where_it_says_something():
    """Of two numbers the map is the plane; of noise the neighbours differ."""
    space = unit_cube(2)
    X = space.sample(60, seed=0)
    run = hx.Run(space, X, X[:, 0], "minimize")
    smooth = AnalyticSurrogate(space, lambda X: X[:, 0])
    rough = AnalyticSurrogate(space, lambda X: np.sin(1e4 * X[:, 0]))
    found = hx.methods.footprint(run, surrogate=smooth)
    figure = found.described()
    np.testing.assert_array_equal(figure.values, found.searched.T)
    assert np.isfinite(figure.values).any()
    assert figure.dots[0].colors is None
    found = hx.methods.footprint(run, surrogate=rough)
    figure = found.described()
    assert np.isnan(figure.values).all()
    low, high = figure.ends()
    tried = found.of_kind("tried", "incumbent")
    np.testing.assert_allclose(
        figure.dots[0].colors,
        np.clip((found.mean[tried] - low) / (high - low), 0.0, 1.0),
    )
