"""The comparison of samplers: its tables, and its numbers by hand."""

import numpy as np
import pytest

import hpo_explain as hx
from tests.claims.families.tabulated import problem_of
from tests.claims.going_on import HEAD, LEAST, Table, again, on_scales, shown

LEVELS = {
    "lr": [1e-4, 1e-3, 1e-1],
    "units": [16, 64, 1024],
    "kind": ["a", "b"],
}


def test_an_axis_is_declared_as_a_user_would():
    assert on_scales("lr", LEVELS["lr"]) == hx.FloatParameter(
        "lr", 1e-4, 1e-1, log=True
    )
    assert on_scales("units", LEVELS["units"]) == hx.IntParameter(
        "units", 16, 1024, log=True
    )
    assert on_scales("depth", [1, 2, 3]) == hx.IntParameter("depth", 1, 3)
    assert on_scales("drop", [0.0, 0.3, 0.6]) == hx.FloatParameter(
        "drop", 0.0, 0.6
    )
    assert on_scales("kind", ["a", "b"]) == hx.CategoricalParameter(
        "kind", ["a", "b"]
    )


def test_a_configuration_is_that_of_the_nearest_cell():
    values = np.random.default_rng(0).random((3, 3, 2, 4))
    problem = problem_of("made", values, LEVELS)
    space = hx.SearchSpace([on_scales(*axis) for axis in LEVELS.items()])
    table = Table(problem, space, LEVELS)
    best = problem.table.min()
    for config, cell in (
        ({"lr": 2e-4, "units": 16, "kind": "b"}, (0, 0, 1)),
        (
            {"lr": 0.02, "units": 300, "kind": "a"},
            (2, 2, 0),
        ),  # 256 is the middle of 64 and 1024
        ({"lr": 0.002, "units": 200, "kind": "a"}, (1, 1, 0)),
    ):
        lost = (-values[cell].mean() - best) / problem.spread
        assert table.regret(config) == pytest.approx(lost + LEAST)
    levels = Table(problem, problem.space, LEVELS)
    whole = {"lr": 1, "units": 2, "kind": "b"}
    lost = (-values[1, 2, 1].mean() - best) / problem.spread
    assert levels.regret(whole) == pytest.approx(lost + LEAST)


def run(ours, gp, tpe, **known):
    seconds = {f"{way}: seconds": 0.5 for way in ("ours", "GPSampler")}
    repeated = {f"{way}: again": 2 for way in ("ours", "GPSampler")}
    return {
        "ours": ours,
        "GPSampler": gp,
        "TPE": tpe,
        **seconds,
        **repeated,
        **known,
    }


def test_ratios_are_paired_and_their_mean_is_geometric():
    runs = [
        run(0.2, 0.1, [0.1, 0.3], table="one", axes="levels"),
        run(0.1, 0.2, [0.4, 0.4], table="one", axes="levels"),
    ]
    lines = shown(runs).splitlines()
    assert len(lines) == 5
    cells = dict(
        zip(HEAD[1:], lines[2].strip("| ").split(" | ")[1:], strict=False)
    )
    error = np.log(4.0) / 2.0  # of two logarithms log 2 and -log 2
    assert cells["ours"] == f"1.00 ({error:.2f})"
    assert cells["TPE"] == "2.00 (0.00)"
    assert cells["harm, ours"] == "0%"


def test_repeated_trials_are_counted():
    class Study:
        trials = tuple(
            type("Trial", (), {"params": {"x": i % 41}}) for i in range(45)
        )

    assert again(Study) == 4
