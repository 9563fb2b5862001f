"""Functions drawn given the trials."""

import numpy as np

import hpo_explain as hx
from tests.analytic import unit_cube


def test_what_is_drawn_at_a_row_does_not_depend_on_the_rows_beside_it():
    """Of trials near each other, large parts of the update cancel: their sums have to be exact."""
    space = unit_cube(3)
    rng = np.random.default_rng(0)
    near = 0.4 + 0.02 * rng.standard_normal((40, 3))
    X = np.vstack([space.sample(20, seed=0), near])
    belief = hx.Run(space, X, X.sum(axis=1), "minimize").belief()
    alone = belief.draws(X[-1:])[:, 0]
    beside = belief.draws(X[::-1])[:, 0]
    np.testing.assert_allclose(alone, beside, rtol=0, atol=2e-5)
