"""What is clipped for fitting: divergence, but neither convergence nor a plateau."""

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from hpo_explain import Run
from hpo_explain.base.facts import Origin
from hpo_explain.run.diverged import converged, same_cost, space_filling_part
from tests.analytic import nested_space, unit_cube
from tests.noted import kinds, the_note

SPACE = unit_cube(2)

# The 70 points of skopt's gp_minimize on x0² + 4 x1² over [-5, 5]² with random_state=0, the first
# ten its initial design: positions in [0, 1], times 1e5.
# fmt: off
RECORDED = [
    (59284, 84427), (85795, 84725), (62356, 38438), (29753, 5671), (27266, 47767), (81217,
    47998), (39278, 83608), (33740, 64817), (36824, 95716), (14035, 87009), (0, 56341), (36669,
    43103), (2464, 42963), (100000, 43502), (0, 33604), (100000, 54834), (45767, 46160), (49632,
    48729), (50159, 49980), (49546, 49927), (50092, 49998), (49322, 50333), (50026, 50195),
    (50049, 49975), (59199, 51903), (49632, 50065), (50114, 49974), (47773, 49608), (50081,
    49892), (49493, 50019), (49908, 49944), (49964, 49903), (48228, 49760), (49609, 50114),
    (52239, 54357), (49994, 49965), (50104, 49977), (51730, 49877), (49617, 49605), (53016,
    49903), (50020, 49965), (49628, 49542), (50004, 49953), (50011, 49959), (50690, 50156),
    (50012, 49968), (55068, 47514), (50277, 49918), (49431, 49977), (49976, 49978), (49826,
    49888), (49991, 49993), (49921, 50182), (50435, 50846), (50085, 49844), (51435, 46310),
    (49804, 49804), (50112, 50185), (49586, 50129), (46292, 52219), (50001, 49983), (50012,
    49848), (50005, 50013), (49921, 49997), (51498, 47679), (51838, 46518), (49312, 50496),
    (47543, 50008), (49986, 50028), (49885, 49999)
]
# fmt: on
CONVERGED = np.array(RECORDED) / 1e5
BOWL = (10 * CONVERGED[:, 0] - 5) ** 2 + 4 * (10 * CONVERGED[:, 1] - 5) ** 2


def of(X, cost, initial=None, direction="minimize", **changes):
    """A run; `initial` is how many trials came first without a model, None for all proposals."""
    proposals = None if initial is None else range(initial, len(X))
    sign = 1.0 if direction == "minimize" else -1.0
    return Run(SPACE, X, sign * np.asarray(cost), direction, proposals=proposals, **changes)


# ---------------------------------------------------------------------- what is not divergence


@pytest.mark.parametrize("initial", [None, 0, 2, 5, 10], ids=str)
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_converged_run_is_learned_as_it_was_whatever_is_known_of_its_origin(initial, direction):
    run = of(CONVERGED, BOWL, initial, direction)
    assert BOWL[:10].min() > 1e3 * np.median(BOWL[30:])  # isolated beside the rest
    assert run.diverged_above() == np.inf
    assert "diverged" not in kinds(run.notes)
    np.testing.assert_array_equal(run.learned_cost(), run.cost)
    assert {run.diverged_above(before=k) for k in range(2, 71)} == {np.inf}


@pytest.mark.parametrize("jitter", [False, True], ids=["two values", "all different"])
@pytest.mark.parametrize("initial", [None, 3, 10], ids=str)
def test_a_plateau_is_no_scale(initial, jitter):
    """An SVM: 38 of 60 accuracies within 2e-5 of each other, the others spread below."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        flat = rng.uniform(0.96996, 0.96998, 38) if jitter else rng.choice([0.96996, 0.96998], 38)
        accuracy = rng.permutation(np.concatenate([flat, rng.uniform(0.11, 0.968, 22)]))
        run = of(SPACE.sample(60, seed=seed), -accuracy, initial, "maximize")
        assert run.diverged_above() == np.inf


# ---------------------------------------------------------------------- what is


DIVERGED = {
    "one": [1e6],
    "sizes": [1e3, 1e5, 1e9],
    "a ladder": [20.0, 300.0, 4e3, 1e5, 1e12],
    "a penalty": [1e6] * 8,
}


@pytest.mark.parametrize("bad", DIVERGED.values(), ids=DIVERGED.keys())
@pytest.mark.parametrize("initial", [None, 3, 10, 40], ids=str)
def test_diverged_losses_do_not_stand_out_of_what_is_learned(bad, initial):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        cost = rng.uniform(0.1, 0.9, 40)
        cost[rng.choice(np.arange(4, 40), len(bad), replace=False)] = bad
        run = of(SPACE.sample(40, seed=seed), cost, initial)
        assert 0.9 < run.diverged_above() < 50.0  # 0.5 + 100 · 0.4 at most
        np.testing.assert_array_equal(run.learned_cost()[cost < 1.0], cost[cost < 1.0])
        assert set(the_note(run.notes, "diverged").trials) <= set(np.flatnonzero(cost > 1.0))


def test_a_loss_that_diverges_after_convergence_is_clipped_near_the_initial_design():
    cost = np.append(BOWL, 1e9)
    run = of(np.vstack([CONVERGED, [[0.3, 0.6]]]), cost, 10)
    assert the_note(run.notes, "diverged").trials == (70,)
    assert BOWL.max() < run.diverged_above() < 30 * BOWL.max()
    assert run.diverged_above(before=70) == np.inf


def test_who_chose_a_trial_decides_what_fills_the_space():
    by_model = dict.fromkeys(range(10, 70), Origin.MODEL)
    told = of(CONVERGED, BOWL, origins=by_model | dict.fromkeys(range(10), Origin.UNKNOWN))
    assert told.diverged_above() == of(CONVERGED, BOWL, 10).diverged_above() == np.inf


# ---------------------------------------------------------------------- the space-filling part


def test_where_they_are_few_the_furthest_join_them():
    """Against the definition, by brute force; conditions and categories included."""
    space = nested_space()
    X = space.sample(40, seed=2)
    found = space_filling_part(space, X, np.arange(40) >= 3)
    assert found.sum() == 10

    def distance(a, b):
        numeric = [not hasattr(p, "choices") for p in space]
        apart = np.where(numeric, (a - b) ** 2, a != b)
        return np.sqrt(
            np.where(np.isnan(a) | np.isnan(b), np.isnan(a) != np.isnan(b), apart).mean()
        )

    chosen = [0, 1, 2]
    while len(chosen) < 10:
        gaps = [min(distance(X[i], X[j]) for j in chosen) for i in range(40)]
        chosen.append(int(np.argmax(gaps)))
    assert sorted(chosen) == np.flatnonzero(found).tolist()


# ---------------------------------------------------------------------- the same


SAME = {"as it is": (1.0, 0.0), "small": (1e-6, 0.0), "moved": (1.0, 1e6), "negated": (-1.0, 1e6)}


@pytest.mark.parametrize(("scale", "shift"), SAME.values(), ids=SAME)
def test_neither_unit_nor_zero_decides_which_objectives_are_the_same(scale, shift):
    rng = np.random.default_rng(0)
    best, near = np.mean([0.1, 0.2, 0.6]), np.nextafter(0.3, 1.0)
    y = np.array([0.9, best, 0.5, near, 0.3 + 2e-7, 2.0, *rng.uniform(0.4, 1.0, 10)])
    direction = "minimize" if scale > 0 else "maximize"
    run = Run(SPACE, SPACE.sample(len(y), seed=0), scale * y + shift, direction)
    assert sorted(run.tied) == [1, 3]


def test_neither_one_value_nor_rounding_decides_which_costs_are_the_same():
    far = np.array([*[0.0] * 7, 0.5, 1e14])
    assert not same_cost(0.0, 0.5, far)
    rounded = np.array([*[0.0] * 7, 1e-16, 5.0])
    assert same_cost(0.0, 1e-16, rounded)


# ---------------------------------------------------------------------- who chose is not known


def controller(seed, d, initial, n=70, rate=0.8):
    """A controller that closes in on an optimum after some random trials; costs fall by 1e-9."""
    rng = np.random.default_rng(seed)
    optimum, scale = rng.uniform(0.2, 0.8, d), 10.0 ** rng.uniform(0.0, 3.0, d)
    X = rng.random((n, d))
    width = np.maximum(0.5 * rate ** np.arange(1, n - initial + 1), 1e-5)
    moved = optimum + 0.5 * width[:, None] * rng.normal(size=(n - initial, d))
    X[initial:] = np.clip(moved, 0.0, 1.0)
    return X, ((X - optimum) ** 2) @ scale + 1e-9 * rng.random(n)


def table_of(X, y):
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).assign(loss=y)


@pytest.mark.parametrize("initial", [3, 6, 10, 15])
@pytest.mark.parametrize("d", [1, 2, 6])
def test_a_converged_run_of_a_plain_table_keeps_its_early_trials(d, initial):
    for seed in range(3):
        run = hx.from_frame(table_of(*controller(seed, d, initial)), "loss")
        assert run.origin(0) is Origin.UNKNOWN
        assert "diverged" not in kinds(run.notes)
        np.testing.assert_array_equal(run.learned_cost(), run.cost)


@pytest.mark.parametrize("count", [1, 2, 4])
def test_what_diverged_in_a_plain_table_is_clipped_wherever_it_is(count):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X, y = rng.random((40, 3)), rng.uniform(0.1, 0.9, 40)
        bad = rng.choice(40, count, replace=False)
        y[bad] = 10.0 ** rng.uniform(4.0, 8.0, count)
        run = hx.from_frame(table_of(X, y), "loss")
        assert set(the_note(run.notes, "diverged").trials) == set(bad.tolist())
        assert run.learned_cost().max() < 50.0


def test_only_what_leads_a_run_or_is_close_to_the_others_is_convergence():
    cost = np.full(12, 0.5)
    cost[-1] = 0.0
    early, once, scattered, near = (cost.copy() for _ in range(4))
    early[[0, 1, 2, 4]] = once[0] = scattered[[0, 6]] = 1e6
    near[[0, 6]] = 4.0
    assert converged(early, 2.0)
    assert not converged(once, 2.0)  # may be an accident
    assert not converged(scattered, 2.0)
    assert converged(near, 2.0)
    assert not converged(cost, 2.0)


def test_what_overflows_is_clipped_whoever_chose_it():
    y = np.array([1e200, 1e199, *np.linspace(0.1, 0.9, 38)])
    run = hx.from_frame(table_of(SPACE.sample(40, seed=0), y), "loss")
    assert run.learned_cost().max() <= 1e150
