import numpy as np
import pytest

from hpo_explain.models._squares import (
    exponential,
    matern_1_2,
    matern_3_2,
    matern_5_2,
)
from hpo_explain.models.product_kernel import FAR, correlate

Q = np.concatenate(
    [
        [0.0],
        np.geomspace(1e-300, 1e4, 20_001),
        np.random.default_rng(0).random(999),
    ]
)


@pytest.mark.parametrize(
    ("profile", "formula"),
    [
        (exponential, lambda q: np.exp(-q)),
        (matern_1_2, lambda q: np.exp(-np.sqrt(q))),
        (matern_3_2, lambda q: (1.0 + np.sqrt(q)) * np.exp(-np.sqrt(q))),
        (
            matern_5_2,
            lambda q: (1.0 + np.sqrt(3.0 * q) + q) * np.exp(-np.sqrt(3.0 * q)),
        ),
    ],
)
def test_a_profile_is_its_formula_to_the_last_digits(profile, formula):
    k = Q.copy()
    profile(k)
    normal = formula(Q) > 1e-300
    # the last digit of the exponent, which may be 700, moves the exponential 700 times as much
    off = np.abs(k[normal] / formula(Q)[normal] - 1.0)
    exponent = 1.0 - np.log(formula(Q)[normal])
    assert (off <= 4.0 * np.finfo(float).eps * exponent).all()
    assert (k[~normal] <= 1e-300 * (2.0 + 1e4)).all()
    assert (k[~normal] >= 0.0).all()
    assert k[0] == 1.0


def test_correlations_in_single_precision_are_the_formula_to_its_last_digits():
    rng = np.random.default_rng(0)
    at, trials = (
        rng.random(300).astype("f4"),
        rng.random((3, 200)).astype("f4"),
    )
    trials[2, 0] = FAR
    rates, columns = (
        np.array([0.3, 5.0, 400.0], "f4"),
        np.repeat([0, 1, 2], 100),
    )
    found = np.empty((300, 200), "f4")
    correlate(at, columns, rates, trials, found)
    r = (
        np.abs(at[:, None] - trials[columns]).astype(float)
        * rates.astype(float)[columns, None]
    )
    formula = (1.0 + r + r**2 / 3.0) * np.exp(-r)
    normal = r < 87.0  # beyond, the exponential has no full precision
    off = np.abs(found[normal] / formula[normal] - 1.0)
    assert (off <= 4.0 * np.finfo("f4").eps * (1.0 + r[normal])).all()
    assert (found[~normal] < 1e-12).all()
    assert (found[~normal] >= 0.0).all()
