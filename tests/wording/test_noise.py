"""The noise in words."""

import numpy as np

import hpo_explain as hx
from hpo_explain.base.facts import fact
from hpo_explain.base.subject import Subject
from tests.analytic import unit_cube


def result(**changes):
    """A noise that is the same everywhere, made by hand."""
    fields = {
        "subject": Subject(unit_cube(2), objective_name="loss"),
        "configurations": ({"x1": 0.1, "x2": 0.2}, {"x1": 0.4, "x2": 0.9}),
        "observed": np.array([0.1, 0.14]),
        "df": np.array([3.0, 3.0]),
        "evaluations": np.array([4, 4]),
        "instances": 1,
        "pooled": (0.1217, 0.0784, 0.2679),
        "varies": False,
        "p_value": 0.4,
        "p_values": np.array([0.5, 0.4]),
        "at_incumbent": None,
        "spread": (0.1217, 0.1217),
    }
    return hx.Noise(**{**fields, **changes})


def test_a_constant_noise_is_told_as_far_as_it_is_known():
    assert result().sentence == (
        "Results of the same configuration scatter with a standard deviation of 0.12 (95% interval "
        "0.078 to 0.27), the same everywhere as far as can be told."
    )


def test_a_large_noise_is_written_out():
    assert "of 1234 (95% interval 784 to 2.7e+06)" in result(pooled=(1234.2, 784.0, 2.7e6)).sentence


def test_what_the_noise_depends_on_is_told_and_how_many_times_larger_it_is():
    rng = np.random.default_rng(0)
    X = np.repeat(unit_cube(2).sample(30, seed=1), 5, axis=0)
    noise = 10.0 ** X[:, 1] * rng.standard_normal(150)
    run = hx.Run(unit_cube(2), X, noise, "minimize", objective_name="loss")
    sentence = hx.noise(run).sentence
    assert sentence.startswith(
        "How much results of the same configuration scatter depends on the configuration: the "
        "standard deviation of the loss lies between"
    )
    assert "What it depends on most: x2 (at least" in sentence
    assert "times (" in sentence
    assert "x1" not in sentence


def test_where_nothing_was_repeated_the_remedy_is_named():
    assert str(fact("no_repeats", objective="loss", repeated=0)) == (
        "no configuration was evaluated several times, so nothing is known of the noise of the "
        "loss. Repeat some trials, spread over the space, with other seeds, or read the results of "
        "single folds as instances."
    )


def test_the_noise_of_an_instance_is_told_apart_from_that_of_a_repeat():
    assert "the mean of k repeats" in str(fact("noise_of_one", instances=1))
    assert "one of 5 instances" in str(fact("noise_of_one", instances=5))
