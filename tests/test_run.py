"""The record of a run: frozen, what was known when, what diverged, and which surrogate."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_explain import CategoricalParameter, FloatParameter, Run, SearchSpace
from hpo_explain.base.errors import InputError, NothingToExplain
from hpo_explain.base.facts import Origin
from hpo_explain.models import ForestSurrogate, GaussianProcessSurrogate, LowerConfidenceBound
from hpo_explain.run import OwnAcquisition, WithoutResult, diverged_above, thinned
from hpo_explain.run.record import NO_FEASIBLE_TRIAL
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.noted import noted, the_note

SPACE = unit_cube(2)
X = SPACE.sample(12, seed=0)
Y = np.array([5.0, 3.0, 8.0, 1.0, 9.0, 4.0, 1.0, 7.0, 2.0, 6.0, 10.0, 11.0])


def run(**changes):
    return Run(**{"space": SPACE, "X": X, "objective": Y, "direction": "minimize"} | changes)


class Record:
    """What a framework that stores its models and criterion would know."""

    def __init__(self):
        self.model = AnalyticSurrogate(SPACE, 0.0)
        self.own = OwnAcquisition(LowerConfidenceBound(self.model, kappa=0.5), ("as stored",))

    def surrogate(self, before):
        return self.model if before == 5 else None

    def acquisition(self, before):
        return self.own if before == 5 else None


# ---------------------------------------------------------------------- frozen


def test_arrays_are_copies_that_cannot_be_written():
    rows, y = X.copy(), Y.copy()
    record = run(X=rows, objective=y, trials=list(range(12)), started=Y, finished=Y + 1)
    rows[:] = 0.0
    y[:] = 0.0
    np.testing.assert_array_equal(record.X, X)
    np.testing.assert_array_equal(record.objective, Y)
    for name in ("X", "objective", "trials", "feasible", "started", "finished"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(record, name)[0] = 1
    with pytest.raises(AttributeError):
        record.direction = "maximize"


def test_a_pickled_run_is_the_same_and_still_frozen_but_fits_anew():
    record = run(started=Y, finished=Y + 1, excluded={12: "pruned"})
    mean, _ = record.surrogate().predict(X)
    without_fit = len(pickle.dumps(run(started=Y, finished=Y + 1, excluded={12: "pruned"})))
    assert len(pickle.dumps(record)) == without_fit
    copy = pickle.loads(pickle.dumps(record))
    assert str(copy) == str(record)
    np.testing.assert_array_equal(copy.X, X)
    np.testing.assert_array_equal(copy.surrogate().predict(X)[0], mean)
    with pytest.raises(ValueError, match="read-only"):
        copy.started[0] = 1


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_trials_that_are_read_again_are_not_fitted_again(kind):
    first = run().surrogate(kind=kind)
    assert run().surrogate(kind=kind) is first
    assert run(objective=Y + 1.0).surrogate(kind=kind) is not first
    assert run(X=X[::-1]).surrogate(kind=kind) is not first
    assert run().surrogate(kind=kind, seed=1) is not first
    assert run().surrogate(before=11, kind=kind) is not first


def test_what_a_shared_fit_decodes_are_the_choices_of_its_own_run():
    """True and 1 are equal, and their encoded rows are the same."""
    found = []
    for choice in (True, 1):
        space = SearchSpace([CategoricalParameter("x", [choice, 2])])
        rows = np.array([[0.0], [1.0], [0.0]])
        surrogate = Run(space, rows, np.arange(3.0), "minimize").surrogate()
        found.append(surrogate.space.decode(rows[:1])[0]["x"])
    assert [type(choice) for choice in found] == [bool, int]


# ---------------------------------------------------------------------- reading


def test_the_incumbent_is_the_first_of_the_best():
    assert run().incumbent_trial == 3  # as good as trial 6
    assert run().incumbent == SPACE.decode(X[[3]])[0]
    assert run(direction="maximize").incumbent_trial == 11
    assert run(trials=100 + np.arange(12)).incumbent_trial == 103


def test_the_incumbent_is_feasible():
    feasible = Y != 1.0
    assert run(feasible=feasible).incumbent_trial == 8
    with pytest.raises(NothingToExplain) as caught:
        _ = run(feasible=np.zeros(12, dtype=bool)).incumbent
    assert caught.value.reason == NO_FEASIBLE_TRIAL


def test_the_best_of_some_trials_is_feasible_where_one_is_and_the_first_of_several():
    record = run(feasible=Y > 3.0)
    assert record.best([0, 1, 3, 5]) == 5
    assert record.best([8, 6, 3]) == 3
    assert run(direction="maximize").best([5, 4, 2]) == 4
    with pytest.raises(InputError, match="trials is empty"):
        record.best([])


def test_only_trials_that_differ_have_differences():
    run(objective=Y // 10).check_differences()
    run(X=X[:1], objective=Y[:1]).check_differences()
    with pytest.raises(NothingToExplain) as caught:
        run(objective=np.full(12, 3.0)).check_differences()
    assert "is constant (3 in all 12 trials)" in str(caught.value)


def test_of_a_trial_that_runs_its_configuration_is_known_and_what_was_known_before_it():
    record = run(
        without_result={12: WithoutResult("running", X[4]), 13: WithoutResult("failed", X[5])},
        started=np.arange(12.0),
        finished=np.arange(12.0) + 1.0,
    )
    assert record.pending == (12,)
    assert [record.config(trial) for trial in (12, 13)] == SPACE.decode(X[4:6])
    assert record.known_before(12).tolist() == list(range(12))


def test_who_chose_a_trial_follows_from_the_proposals_where_nothing_else_is_known():
    record = run(
        trials=[*range(10), 12, 13],
        proposals=[3, 4, 6],
        excluded={10: "failed", 11: "failed"},
        origins={4: Origin.PERSON, 5: Origin.ENQUEUED, 11: Origin.MODEL},
    )
    assert [record.origin(trial) for trial in (0, 2)] == [Origin.INITIAL] * 2
    assert [record.origin(trial) for trial in (3, 6, 11)] == [Origin.MODEL] * 3
    assert (record.origin(4), record.origin(5)) == (Origin.PERSON, Origin.ENQUEUED)
    assert [record.origin(trial) for trial in (7, 10, 13)] == [Origin.UNKNOWN] * 3
    assert {run().origin(trial) for trial in range(12)} == {Origin.MODEL}
    assert {run(proposals=[]).origin(trial) for trial in range(12)} == {Origin.INITIAL}
    assert replace(run(), proposals=[7]).origin(0) is Origin.INITIAL


def test_an_empty_run_can_be_read_but_not_explained():
    empty = run(X=np.empty((0, 2)), objective=[])
    assert len(empty) == 0
    assert "0 trials" in str(empty)
    assert empty.notes == ()
    with pytest.raises(NothingToExplain) as caught:
        empty.surrogate()
    assert str(caught.value).startswith("run has 0 finished trials; ")


# ---------------------------------------------------------------------- what was known when


def test_without_times_what_was_proposed_before_was_known():
    record = run(trials=[*range(10), 12, 13], excluded={10: "failed", 11: "pruned"})
    assert record.known_before(None).tolist() == list(range(12))
    assert record.known_before(0).tolist() == []
    assert record.known_before(4).tolist() == [0, 1, 2, 3]
    assert record.known_before(11).tolist() == list(range(10))  # left out, but it was proposed
    assert record.known_before(13).tolist() == list(range(11))
    assert record.known_before(14).tolist() == list(range(12))  # the next one


def test_where_a_time_is_missing_numbers_tell():
    started, finished = np.arange(12.0), np.arange(12.0) + 3.5
    started[6], finished[0] = np.nan, np.nan
    record = run(started=started, finished=finished)
    assert record.known_before(6).tolist() == [0, 1, 2, 3, 4, 5]
    assert record.known_before(5).tolist() == [0, 1]


def parallel():
    """Trials 0, 2, 4, 6 are kept; 1 and 3 failed, 5 still runs, and 7 was never started."""
    times = {1: (0.5, 8.0), 3: (3.0, 3.5), 5: (5.0, np.inf)}
    return run(
        X=X[:4],
        objective=Y[:4],
        trials=[0, 2, 4, 6],
        started=[0.0, 2.0, 4.0, 9.0],
        finished=[1.0, 6.0, 7.0, 10.0],
        excluded={1: "failed", 3: "failed", 5: "still running", 7: "waiting"},
        excluded_times=times,
    )


def test_the_trials_that_were_running_are_listed_whether_they_count_or_not():
    record = parallel()
    assert {n: record.running_at(n) for n in range(9)} == {
        0: (),
        1: (0,),
        2: (1,),
        3: (1, 2),
        4: (1, 2),
        5: (1, 2, 4),
        6: (5,),
        7: (),  # it has no time
        8: (5,),  # the next one
    }
    assert record.running_at(None) == (5,)


TIMES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 4)), min_size=2, max_size=12)


@given(TIMES, st.sets(st.integers(0, 11)))
def test_every_other_trial_was_finished_was_running_or_had_not_started(times, left_out):
    """Also where a coarse clock gives several trials the same time."""
    n = len(times)
    ends = {t: (start, start + length) for t, (start, length) in enumerate(times)}
    kept = [t for t in range(n) if t not in left_out]
    record = run(
        X=X[: len(kept)],
        objective=Y[: len(kept)],
        trials=kept or (),
        started=[ends[t][0] for t in kept],
        finished=[ends[t][1] for t in kept],
        excluded={t: "failed" for t in range(n) if t in left_out},
        excluded_times={t: ends[t] for t in range(n) if t in left_out},
    )
    for trial in range(n):
        now = (ends[trial][0], trial)
        running = {t for t in range(n) if (ends[t][0], t) < now < (ends[t][1], t)}
        assert set(record.running_at(trial)) == running
        known = np.asarray(record.trials)[record.known_before(trial)]
        assert set(known.tolist()) == {t for t in kept if (ends[t][1], t) < now}


def test_a_parallel_run_is_noted():
    def is_noted(**times):
        return bool(noted(run(**times).notes, "parallel: trials"))

    assert is_noted(started=np.arange(12.0), finished=np.arange(12.0) + 1.5)
    assert not is_noted(started=np.arange(12.0), finished=np.arange(12.0) + 1.0)
    assert not is_noted()
    with_excluded = {"excluded": {12: "failed"}, "excluded_times": {12: (3.5, 4.5)}}
    assert is_noted(started=np.arange(12.0), finished=np.arange(12.0) + 1.0, **with_excluded)


# ---------------------------------------------------------------------- diverged trials


@pytest.mark.parametrize(
    ("cost", "bound"),
    [
        # tail: the median is 5, the 90 % quantile 9, so the bound is 5 + 20 · 4
        ([*range(10), 86.0], 85.0),
        ([*range(10), 85.0], math.inf),
        # isolation: a third diverged; the others reach 1 from 0, so the bound is 0 + 2 · 1
        ([0, 0.2, 0.4, 0.6, 0.8, 1.0, 150, 1e5, 1e9], 2.0),
        ([0, 0.2, 0.4, 0.6, 0.8, 1.0, 97, 98, 99], math.inf),
        # what occurs more than once counts once: 0.6 + 20 · 0.4
        ([0, 0.2, 0.4, 0.6, 0.8, 1.0, 99, 99, 99], 8.6),
        ([0.5] * 8 + [0.6, 1e6], math.inf),
        # more than a tenth diverged: the median is 5, the 75 % quantile 7, 5 + 100 · 2
        ([*range(9), 700, 1e4], 205.0),
        # both: the lower bound holds; 0.3 + 20 · 0.2 and 0.1 + 2 · 0.4
        ([0.1, 0.2, 0.3, 0.4, 0.5, 1e6], 0.9),
        # a gap among the better half is progress
        ([0, 1e-6, 5, 5.1, 5.2, 5.3, 5.4, 5.5], math.inf),
        # too few to tell, or no scale to tell by
        ([0.1, 0.2, 1e6], math.inf),
        ([0.5] * 8, math.inf),
        ([0.5] * 8 + [1e6], math.inf),
    ],
)
def test_what_counts_as_diverged(cost, bound):
    shuffled = np.random.default_rng(0).permutation(np.array(cost, dtype=float))
    assert diverged_above(shuffled) == pytest.approx(bound, rel=1e-12)


COSTS = st.lists(st.integers(-(10**6), 10**6) | st.integers(-5, 5), min_size=1, max_size=40)


@given(COSTS, st.sampled_from([0.5, 1.0, 4096.0]), st.sampled_from([0.0, 3.0, -1024.0]))
def test_the_bound_moves_with_the_units_of_the_cost(costs, scale, shift):
    cost = np.array(costs, dtype=float)
    moved = diverged_above(scale * cost + shift)
    assert moved == pytest.approx(scale * diverged_above(cost) + shift, rel=1e-9, abs=1e-6)


@given(COSTS, st.integers(0, 2**40))
def test_two_thirds_of_the_different_costs_are_kept_and_fewer_diverge_beside_a_design(costs, part):
    cost = np.array(costs, dtype=float)
    bound = diverged_above(cost)
    assert (np.unique(cost) > bound).sum() <= len(np.unique(cost)) / 3
    space_filling = np.array([part >> i & 1 for i in range(len(cost))], dtype=bool)
    assert diverged_above(cost, space_filling) >= bound


DESIGN = SPACE.sample(40, seed=3)
TRUTH = 0.2 + 0.5 * (DESIGN[:, 0] - 0.3) ** 2 + 0.1 * DESIGN[:, 1]
CRASHED = np.argmin(((DESIGN - 0.9) ** 2).sum(axis=1))
LOSS = np.where(np.arange(40) == CRASHED, 1e6, TRUTH)


@pytest.mark.parametrize("kind", ["gp", "forest"])
@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_diverged_trial_does_not_decide_what_a_surrogate_learns(kind, direction):
    sign = 1.0 if direction == "minimize" else -1.0
    record = Run(SPACE, DESIGN, sign * LOSS, direction)
    new = SPACE.sample(400, seed=4)
    new = new[((new - DESIGN[CRASHED]) ** 2).sum(axis=1) > 0.3**2]
    truth = sign * (0.2 + 0.5 * (new[:, 0] - 0.3) ** 2 + 0.1 * new[:, 1])

    def explained(surrogate):
        mean, _ = surrogate.predict(new)
        return 1 - ((mean - truth) ** 2).mean() / truth.var()

    assert explained(record.surrogate(kind=kind)) > 0.7
    raw = {"gp": GaussianProcessSurrogate, "forest": ForestSurrogate}[kind]
    assert explained(raw.fit(SPACE, DESIGN, sign * LOSS)) < 0  # worse than a constant


def test_a_diverged_trial_stays_the_worst_and_is_named():
    record = Run(SPACE, DESIGN, LOSS, "minimize", objective_name="loss")
    bound = diverged_above(LOSS)
    assert TRUTH.max() < bound < 10
    note = the_note(record.notes, "diverged")
    assert note.trials == (CRASHED,)
    assert f"the loss of 1 trial ({CRASHED}) counts as {bound:.6g}, so that it does" in str(note)
    surrogate = record.surrogate(kind="forest")
    winsorized = np.minimum(LOSS, bound)
    expected = ForestSurrogate.fit(SPACE, DESIGN, winsorized)
    np.testing.assert_array_equal(surrogate.predict(X)[0], expected.predict(X)[0])
    assert record.objective[CRASHED] == 1e6  # shown as it was


# ---------------------------------------------------------------------- surrogates


def sampled_run(space, n):
    rows = space.sample(n, seed=0)
    return Run(space, rows, np.nan_to_num(rows).sum(axis=1), "minimize")


CATEGORY = [CategoricalParameter(f"c{j}", ["a", "b"]) for j in range(3)]
NUMBER = [FloatParameter(f"x{j}", 0.0, 1.0) for j in range(2)]


@pytest.mark.parametrize(
    ("space", "n", "model"),
    [
        (unit_cube(2), 1000, GaussianProcessSurrogate),
        (unit_cube(2), 1001, ForestSurrogate),
        (unit_cube(20), 10, GaussianProcessSurrogate),
        (unit_cube(21), 10, ForestSurrogate),
        (SearchSpace(CATEGORY[:2] + NUMBER), 10, GaussianProcessSurrogate),
        (SearchSpace(CATEGORY + NUMBER), 10, ForestSurrogate),
    ],
    ids=["1000", "1001", "20 d", "21 d", "half", "most"],
)
def test_the_kind_of_surrogate_depends_on_trials_dimensions_and_categories(space, n, model):
    record = sampled_run(space, n)
    assert isinstance(record.surrogate(n_trees=2), model)
    # by what was known: only the number of trials changes along a run
    known = GaussianProcessSurrogate if n > 1000 else model
    assert isinstance(record.surrogate(before=6, n_trees=2), known)


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_a_fit_is_a_pure_function_of_run_trial_kind_and_seed(kind):
    one, other = run(), run()
    # neither order nor other fits matter
    other.surrogate(before=3, kind=kind, seed=9)
    for before in (None, 8):
        np.testing.assert_array_equal(
            one.surrogate(before=before, kind=kind, seed=0).predict(X)[0],
            other.surrogate(before=before, kind=kind, seed=0).predict(X)[0],
        )
    assert one.surrogate(kind=kind) is one.surrogate(kind=kind)


def test_the_optimizers_own_model_and_acquisition_come_first():
    record = Record()
    recorded = run(record=record)
    assert recorded.surrogate(before=5) is record.model
    assert recorded.acquisition(before=5) is record.own.acquisition
    assert recorded.own_acquisition(5) is record.own
    assert isinstance(recorded.surrogate(before=5, kind="gp"), GaussianProcessSurrogate)
    assert isinstance(recorded.surrogate(before=6), GaussianProcessSurrogate)
    assert recorded.own_acquisition(6) is None


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_an_unknown_acquisition_is_the_bound_with_kappa_1_96(direction):
    record = run(direction=direction)
    assert record.own_acquisition(8) is None
    acquisition = record.acquisition(8)
    mean, std = record.surrogate(before=8).predict(X)
    sign = 1.0 if direction == "minimize" else -1.0
    np.testing.assert_allclose(sum(acquisition.terms(X).values()), -sign * mean + 1.96 * std)
    assert acquisition.direction == direction


def test_with_fewer_than_two_finished_trials_there_is_nothing_to_explain():
    one = run(X=X[:1], objective=Y[:1])
    for call, too_few in (
        (lambda: run().surrogate(before=1), "1 finished trial before trial 1 was proposed;"),
        (lambda: run().acquisition(before=0), "0 finished trials before trial 0 was proposed;"),
        (one.surrogate, "1 finished trial;"),
    ):
        with pytest.raises(NothingToExplain) as caught:
            call()
        assert str(caught.value).startswith(f"run has {too_few} a surrogate needs at least 2.")


# ---------------------------------------------------------------------- bad input

LATER = range(1, 13)
WRONG = [
    (lambda: run(direction="up"), "direction|'minimize', 'maximize'|'up'"),
    (lambda: run(X=X[:, :1]), "X|(n, 2)|(12, 1)|space.encode"),
    (lambda: run(X=X + 1), "X|row 0|space.encode"),
    (lambda: run(objective=Y[:3]), "objective|(12,)|(3,)"),
    (lambda: run(objective=np.where(Y == 8, np.nan, Y)), "objective|finite|nan|row 2|excluded"),
    (lambda: run(trials=[0] * 12), "trials|whole numbers|0|12 times"),
    (lambda: run(trials=np.arange(12) + 0.5), "trials|whole numbers|0.5"),
    (lambda: run(proposals=[3, 12]), "proposals|0-11|12|Leave"),
    (lambda: run(origins={3: "model"}), "origins|trial 3|'model'"),
    (lambda: run().origin(12), "trial 12|does not exist"),
    (lambda: run(started=[1.0]), "started|(12,)|(1,)"),
    (lambda: run(finished=["noon"] * 12), "finished|numbers|'noon'"),
    (lambda: run(excluded_times={12: (0.0, 1.0)}), "excluded_times|trial 12|in excluded as well"),
    (
        lambda: run(excluded={12: "failed"}, excluded_times={12: (0.0,)}),
        "excluded_times|start and finish|(0.0,)",
    ),
    (lambda: run().running_at(99), "trial 99|does not exist|0-11"),
    (lambda: run().config(-1), "trial -1|does not exist|0-11"),
    (lambda: run().row("best"), "number of a trial|but was 'best'|0-11"),
    (lambda: run(trials=LATER, excluded={0: "pruned"}).config(0), "trial 0|left out|pruned|1-12"),
    (lambda: run().surrogate(kind="tree"), "kind|'auto', 'gp', 'forest'|'tree'"),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=range(len(WRONG)))
def test_wrong_input_is_refused_with_argument_value_and_remedy(call, words):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        call()
    assert not isinstance(caught.value, NothingToExplain)
    assert all(word in str(caught.value) for word in words.split("|"))


def test_a_thinned_run_holds_trials_of_the_run():
    X = unit_cube(2).sample(50, seed=0)
    run = Run(unit_cube(2), X, X[:, 0], "minimize", proposals=range(10, 50))
    some = thinned(run, 20, seed=1)
    for trial in some.trials.tolist():
        assert some.config(trial) == run.config(trial)
    assert set(some.proposals) == {t for t in some.trials.tolist() if t >= 10}
    assert thinned(run, 50) is run
