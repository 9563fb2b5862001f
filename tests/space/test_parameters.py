"""One hyperparameter: its values, positions, measure; the bad input it refuses."""

import math
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpo_explain import CategoricalParameter, FloatParameter, IntParameter, Run, SearchSpace, advise
from hpo_explain.base.errors import InputError
from hpo_explain.space import category_index

FINE = (np.arange(200_000) + 0.5) / 200_000

NUMERIC = [
    IntParameter("k", 1, 5),
    IntParameter("k", 3, 3),
    IntParameter("k", 8, 512, values=[64, 8, 128]),
    IntParameter("k", 8, 512, log=True, values=[8, 64, 128, 512]),
    IntParameter("k", 8, 40, values=[16]),
    FloatParameter("x", 0.0, 1.0, values=[0.0, 0.1, 0.5]),
    FloatParameter("x", 1e-4, 1.0, log=True, values=[1e-4, 3e-4, 0.1]),
    IntParameter("k", -4, 11, step=3),
    IntParameter("k", 0, 10, step=4),  # 8 is the largest value on the grid
    IntParameter("k", 1, 12, log=True),
    IntParameter("k", 7, 7, log=True),
    FloatParameter("f", 0.0, 1.0, step=0.25),
    FloatParameter("f", 0.1, 0.95, step=0.2),
    FloatParameter("f", 2.0, 2.0),
    FloatParameter("f", -3.0, -3.0, step=0.5),
]
GRIDS = [*NUMERIC, CategoricalParameter("c", ["a", "b", "c"]), CategoricalParameter("c", [0])]
CONTINUOUS = [
    FloatParameter("f", -2.0, 6.0),
    FloatParameter("f", 1e-6, 1e2, log=True),
    FloatParameter("f", 1e6, 1e6 + 1e-3),
]


# ---------------------------------------------------------------------- the measure


@pytest.mark.parametrize("parameter", GRIDS, ids=repr)
def test_latent_values_lead_to_each_value_in_proportion_to_its_measure(parameter):
    positions, measures = parameter.grid()
    reached = parameter.from_latent(FINE)
    assert np.unique(reached).tolist() == positions.tolist()
    shares = [(reached == position).mean() for position in positions]
    # each end of a value's interval of u is off by at most one of the 200,000 points
    np.testing.assert_allclose(shares, measures, atol=1e-5)
    assert measures.sum() == pytest.approx(1.0, abs=1e-12)


def test_values_of_a_log_integer_weigh_their_log_interval():
    _, measures = IntParameter("k", 2, 5, log=True).grid()
    weights = [math.log((k + 0.5) / (k - 0.5)) for k in (2, 3, 4, 5)]
    whole = math.log(5.5 / 1.5)
    np.testing.assert_allclose(measures, [weight / whole for weight in weights], rtol=1e-12)


@pytest.mark.parametrize("parameter", CONTINUOUS, ids=repr)
def test_continuous_latent_values_are_positions(parameter):
    assert parameter.grid() is None
    assert parameter.size is None
    assert parameter.from_latent(FINE).tolist() == FINE.tolist()


@pytest.mark.parametrize("parameter", NUMERIC + CONTINUOUS, ids=repr)
@pytest.mark.parametrize("radius", [0.05, 0.3, 1.0])
def test_a_latent_interval_leads_to_all_positions_near_and_to_no_other(parameter, radius):
    positions = FINE if parameter.size is None else parameter.grid()[0]
    for centre in positions[:: max(1, len(positions) // 5)]:
        low, high = parameter.latent_interval(centre - radius, centre + radius)
        reached = parameter.from_latent(low + FINE * (high - low))
        assert np.abs(reached - centre).max() <= radius + 1e-9
        if parameter.size is not None:
            near = positions[np.abs(positions - centre) <= radius + 1e-9]
            assert np.unique(reached).tolist() == near.tolist()
        else:
            assert reached.min() == pytest.approx(max(0.0, centre - radius), abs=1e-4)
            assert reached.max() == pytest.approx(min(1.0, centre + radius), abs=1e-4)


@pytest.mark.parametrize("high", range(2, 40))
def test_the_last_value_of_a_log_integer_ends_the_latent_range(high):
    parameter = IntParameter("k", 1, high, log=True)
    below = float(parameter.share_below(np.array([1.0 - 1e-6]))[0])
    assert parameter.latent_interval(1.0, 1.0) == pytest.approx((below, 1.0))


# ---------------------------------------------------------------------- positions and values


def test_a_log_position_is_the_share_of_the_logarithm():
    lr = FloatParameter("lr", 1e-5, 1e-1, log=True)
    np.testing.assert_allclose(lr.encode([1e-5, 1e-4, 1e-2, 1e-1]), [0, 0.25, 0.75, 1], atol=1e-15)
    np.testing.assert_allclose(lr.decode(np.array([0.5])), [1e-3], rtol=1e-12)


def test_a_log_integer_position_is_the_share_of_the_logarithm():
    units = IntParameter("units", 1, 16, log=True)
    np.testing.assert_allclose(units.encode([1, 2, 4, 16]), [0, 0.25, 0.5, 1], atol=1e-15)
    assert units.decode(np.array([0.0, 0.25, 0.5, 1.0])) == [1, 2, 4, 16]


@pytest.mark.parametrize(
    ("parameter", "high"),
    [
        (IntParameter("k", 0, 10, step=4), 8),
        (IntParameter("k", 0, 3, step=7), 0),
        (FloatParameter("f", 0.0, 1.0, step=0.3), 0.9),
        (FloatParameter("f", 0.0, 0.3, step=0.1), 0.3),  # 0.3 / 0.1 is below 3 in floating point
        (FloatParameter("f", 0.0, 0.6, step=0.2), 0.6),
    ],
    ids=repr,
)
def test_the_end_of_a_range_is_the_largest_value_on_the_grid(parameter, high):
    assert parameter.high == pytest.approx(high, abs=1e-12)
    assert parameter.decode(np.array([1.0] if parameter.size > 1 else [0.0]))[0] == parameter.high


def test_no_value_lies_above_the_range_by_rounding():
    """Three steps of .2 are .6000000000000001, which Optuna refuses where .6 is the end."""
    assert FloatParameter("f", 0.0, 0.6, step=0.2).decode(np.ones(1)) == [0.6]


@pytest.mark.parametrize("parameter", GRIDS, ids=repr)
def test_every_value_of_a_grid_survives_the_round_trip(parameter):
    positions, _ = parameter.grid()
    values = parameter.decode(positions)
    assert len(values) == parameter.size == len(set(values))
    assert parameter.encode(values).tolist() == positions.tolist()
    assert parameter.nearest(positions).tolist() == positions.tolist()


@pytest.mark.parametrize("parameter", CONTINUOUS, ids=repr)
def test_every_position_of_a_range_survives_the_round_trip(parameter):
    positions = np.linspace(0.0, 1.0, 1001)
    # a range of 1e-3 at 1e6 resolves positions to 1e-7
    atol = 4 * np.spacing(parameter.high) / (parameter.high - parameter.low)
    back = parameter.encode(parameter.decode(positions))
    np.testing.assert_allclose(back, positions, rtol=0, atol=max(atol, 1e-14))


@given(
    low=st.integers(-50, 50), width=st.integers(0, 60), step=st.integers(1, 7), log=st.booleans()
)
def test_whole_numbers_decode_to_whole_numbers_on_their_grid(low, width, step, log):
    low = abs(low) + 1 if log else low
    parameter = IntParameter("k", low, low + width, log=log, step=1 if log else step)
    expected = list(range(low, low + width + 1, parameter.step))
    decoded = parameter.decode(parameter.encode(expected))
    assert decoded == expected
    assert {type(value) for value in decoded} == {int}
    assert [parameter.code(value) for value in expected] == expected


@pytest.mark.parametrize(
    ("parameter", "position", "nearest"),
    [
        (IntParameter("k", 1, 5), 0.3, 0.25),
        (IntParameter("k", 1, 5), -7.0, 0.0),
        (IntParameter("k", 1, 16, log=True), 0.26, 0.25),
        (FloatParameter("f", 0.0, 1.0, step=0.5), 0.8, 1.0),
        (FloatParameter("f", 0.0, 1.0), 1.1, 1.0),
        (CategoricalParameter("c", ["a", "b", "c"]), 1.4, 1.0),
        (CategoricalParameter("c", ["a", "b", "c"]), -np.inf, 0.0),
    ],
)
def test_the_nearest_position_stands_for_a_value(parameter, position, nearest):
    assert parameter.nearest(np.array([position])).tolist() == [nearest]


# ---------------------------------------------------------------------- rounded values


@pytest.mark.parametrize(
    ("parameter", "value", "position"),
    [
        (FloatParameter("f", 0.0, 1.0, step=0.1), 0.30000001, 0.3),
        (FloatParameter("f", 0.0, 0.3), 0.1 + 0.2, 1.0),  # 0.30000000000000004
        (FloatParameter("f", 1e-5, 1e-1, log=True), 1e-5 * (1 - 1e-12), 0.0),
        (FloatParameter("f", 1e6, 1e6 + 1e-6), np.nextafter(1e6, 0), 0.0),
        (FloatParameter("f", 0.7, 0.7), 0.7000000000001, 0.0),
        (IntParameter("k", 1, 5), 3.0000001, 0.5),
        (IntParameter("k", 1, 5), np.float32(3), 0.5),
        (FloatParameter("f", 0.0, 1.0), "0.5", 0.5),  # as a table of texts gives it
    ],
)
def test_values_that_were_only_rounded_are_still_in_their_range(parameter, value, position):
    assert parameter.encode([value])[0] == pytest.approx(position, abs=1e-12)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        (FloatParameter("f", 1e-10, 1e3, log=True), 0.0),
        (FloatParameter("f", 1e-10, 1e3, log=True), 5e-11),
        (FloatParameter("f", -1e9, 0.0), 10.0),
        (IntParameter("k", 0, 10**10), 10**10 + 1),
        (FloatParameter("f", 0.0, 1.0), math.nan),
        (IntParameter("k", 0, 10), 10**400),
        (IntParameter("k", 0, 10), True),
        (FloatParameter("f", 0.0, 1.0), "high"),
        (FloatParameter("f", 0.0, 1.0), 1 + 0j),
        (FloatParameter("f", 0.0, 1.0, step=0.25), 0.3),
        (IntParameter("k", 1, 10, log=True), 2.5),
        (IntParameter("k", 0, 10, step=5), 4),
        (IntParameter("k", 8, 512, values=[8, 64, 512]), 100),
        (FloatParameter("x", 0.0, 1.0, values=[0.0, 0.1, 1.0]), 0.2),
    ],
    ids=repr,
)
def test_a_value_outside_the_range_or_off_the_grid_is_named(parameter, value):
    with pytest.raises(InputError) as caught:
        parameter.encode([parameter.low, value])
    assert caught.value.argument == parameter.name
    assert caught.value.value is value
    assert repr(value) in caught.value.problem


def test_of_a_list_a_narrower_range_has_those_inside():
    whole = IntParameter("k", 1, 512, values=[8, 64, 512])
    part = replace(whole, high=100)
    assert (part.low, part.high, part.values, part.size) == (8, 64, (8, 64), 2)
    assert whole.decode(whole.encode([8, 64, 512])) == [8, 64, 512]
    assert {type(v) for v in whole.decode(whole.encode([8, 64]))} == {int}


@pytest.mark.parametrize(
    "wrong", [{"values": [100]}, {"values": []}, {"values": [1, 3], "step": 2}, {"values": ["a"]}]
)
def test_a_list_has_values_of_the_range_and_no_step(wrong):
    with pytest.raises(InputError, match="values of 'k'"):
        IntParameter("k", 1, 9, **wrong)


# ---------------------------------------------------------------------- categories

NAN = float("nan")


@pytest.mark.parametrize(
    ("choices", "value", "index"),
    [
        ([1, True, "1", None], True, 1),
        ([1, True, "1", None], "1", 2),
        ([True, False], 1, None),
        ([1, 1.0], 1.0, 1),
        ([1, 2.5], 1.0, 0),  # a column of a table turns 1 into 1.0
        ([1, 2], np.int64(2), 1),
        ([0.5, 1.5], np.float32(1.5), 1),
        (["a", "b"], np.str_("b"), 1),
        ([(64, 64), (128,)], [128], 1),  # a JSON storage turns tuples into lists
        ([[64, 64], [128]], (64, 64), 0),
        ([[64, 64], [128]], np.array([128]), 1),
        ([[1, 2], [True, 2]], [True, 2], 1),
        ([[1, 2], [True, 2]], [np.bool_(True), np.int64(2)], 1),
        ([(1, (2, 3))], [1, [2, 3]], 0),
        ([None, NAN], NAN, 1),
        ([0.0, NAN], np.float64("nan"), 1),
        ([NAN], None, None),
        ([], 1, None),
        (["a"], ["a"], None),
        (["a"], np.array(["a", "b"]), None),
    ],
)
def test_a_choice_is_found_by_type_and_then_by_equality(choices, value, index):
    assert category_index(choices, value) == index


CHOICES = [None, True, False, 1, 0, 2.5, "1", "", (1, 2), [1, True], NAN, math.inf, b"x"]


def test_choices_of_any_type_survive_the_round_trip():
    parameter = CategoricalParameter("c", CHOICES)
    positions = parameter.encode(CHOICES)
    assert positions.tolist() == list(range(len(CHOICES)))
    decoded = parameter.decode(positions)
    assert [(type(v), repr(v)) for v in decoded] == [(type(v), repr(v)) for v in CHOICES]


# Of all characters hypothesis would make a table first, which takes seconds.
TEXTS = st.text(st.sampled_from("01aAé \0"), max_size=3)


@given(st.lists(TEXTS | st.integers() | st.booleans() | st.none(), max_size=12))
def test_any_choices_that_differ_are_told_apart(values):
    choices = list({(type(value), value): value for value in values}.values()) or ["only"]
    parameter = CategoricalParameter("c", choices)
    assert parameter.encode(choices).tolist() == list(range(len(choices)))


def test_no_list_is_made_of_more_values_than_are_asked_for():
    """Of 300 million whole numbers a list would take gigabytes, and nobody wants them all."""
    many = IntParameter("n", 1, 300_000_000)
    assert many.grid() is None
    assert IntParameter("n", 1, 24).grid(23) is None
    assert len(IntParameter("n", 1, 24).grid(24)[0]) == 24
    space = SearchSpace([many, FloatParameter("x", 0.0, 1.0)])
    X = space.sample(12, seed=0)
    run = Run(space, X, (X[:, 0] - 0.3) ** 2 + X[:, 1], "minimize")
    tracemalloc.start()
    try:
        assert len(advise(run).actions) > 0
        assert tracemalloc.get_traced_memory()[1] < 300e6
    finally:
        tracemalloc.stop()
