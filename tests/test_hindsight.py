"""What an explanation of a proposal knows from later trials is said on it."""

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from tests.analytic import AnalyticSurrogate, unit_cube
from tests.noted import noted, the_note

SPACE = unit_cube(2)
X = SPACE.sample(20, seed=0)
RUN = hx.Run(SPACE, X, ((X - 0.4) ** 2).sum(axis=1), "minimize")


def explained(run=RUN, trial=12, **given):
    return hx.explain_proposal(run, trial, background=20, **given)


# ---------------------------------------------------------------------- a model given


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_a_model_that_has_learned_from_the_trial_and_later_ones_is_told(kind):
    for given in (
        {"surrogate": RUN.surrogate(kind=kind)},
        {"acquisition": hx.models.LowerConfidenceBound(RUN.surrogate(kind=kind))},
        {"acquisition": "ei", "surrogate": RUN.surrogate(kind=kind)},
    ):
        note = the_note(explained(**given).notes, "the model given has learned")
        assert note.trials == tuple(range(12, 20))
        assert "from trial 12 itself and 7 trials not finished by then" in str(note)


@pytest.mark.parametrize("kind", ["gp", "forest"])
def test_a_model_of_what_was_known_is_not(kind):
    model = RUN.surrogate(before=12, kind=kind)
    for given in ({"surrogate": model}, {"acquisition": hx.models.LowerConfidenceBound(model)}, {}):
        assert not noted(explained(**given).notes, "the model given")


def test_a_model_that_does_not_say_may_have():
    own = AnalyticSurrogate(SPACE, 0.0)
    assert the_note(explained(surrogate=own).notes, "may have learned").trials == (12,)
    forest = RUN.surrogate(before=12, kind="forest")
    bare = hx.models.ForestSurrogate(SPACE, forest.forest, columns=forest._columns)
    assert noted(explained(surrogate=bare).notes, "may have learned")


def test_a_configuration_that_was_known_already_tells_nothing():
    again = np.vstack([X[:12], X[[3]]])
    run = hx.Run(SPACE, again, ((again - 0.4) ** 2).sum(axis=1), "minimize")
    found = explained(run, surrogate=run.surrogate(before=12))
    assert not noted(found.notes, "the model given has learned")


# ---------------------------------------------------------------------- ranges


TABLE = pd.DataFrame(
    {
        "x": [0.2, 0.1, 0.5, 0.9, 0.3, 0.4, 1.0, 0.6],
        "k": [2, 1, 9, 3, 4, 5, 6, 7],
        "c": ["a", "b", "a", "a", "b", "a", "a", "c"],
        "loss": [3.0, 2.0, 5.0, 4.0, 2.5, 3.5, 6.0, 1.0],
    }
)


def test_a_range_that_later_rows_widened_is_told():
    run = hx.from_frame(TABLE, "loss")
    assert run.ranges_from == {"x": [1, 6], "k": [1, 2], "c": [0, 1, 7]}
    for trial, names in ((2, ("x", "k", "c")), (5, ("x", "c")), (7, ("c",))):
        note = the_note(explained(run, trial).notes, "range: that of")
        assert note.names == names
        assert f"known before trial {trial} span less" in str(note)
    assert not noted(run.chosen_acquisition().notes, "range: that of")


def test_ranges_that_were_given_or_were_complete_are_not():
    run = hx.from_frame(TABLE[["x", "k", "loss"]], "loss")
    assert not noted(explained(run, 7).notes, "range: that of")
    space = hx.from_frame(TABLE, "loss").space
    given = hx.from_frame(TABLE, "loss", space=space)
    assert given.ranges_from == {}
    assert not noted(explained(given, 3).notes, "range: that of")
