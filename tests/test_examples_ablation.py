"""The thesis's example of ablation against Shapley values says what it promises."""

import runpy
import sys

import pytest

from tests.source_tree import ROOT


@pytest.mark.thorough
def test_ablation_is_unfair_to_one_of_two_that_interact_and_shapley_values_are_not(
    capsys, monkeypatch
):
    path = ROOT / "examples" / "papers" / "shapleymbo_ablation_example.py"
    monkeypatch.setattr(sys, "argv", [str(path), "--quick"])
    runpy.run_path(str(path), run_name="__main__")
    printed = capsys.readouterr().out
    rows = {line.split()[0]: line.split()[1:] for line in printed.splitlines()[2:5]}
    first, ablation, shapley = (
        {name: float(row[i]) for name, row in rows.items()} for i in (0, 3, 6)
    )
    exact = {"θ1": (0.5, 2 / 3), "θ2": (0.25, 1 / 6), "θ3": (0.25, 1 / 6)}
    for name, (alone, share) in exact.items():
        assert abs(first[name] - alone) < 0.08
        assert abs(shapley[name] - share) < 0.04
    last, other = sorted((ablation["θ2"], ablation["θ3"]))
    assert last < 0.1 < 0.2 < other
