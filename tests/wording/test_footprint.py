"""A map of the configurations in words."""

import dataclasses

import numpy as np

import hpo_explain as hx
from tests.analytic import AnalyticSurrogate, unit_cube


def test_what_was_explored_and_how_far_the_map_is_off_are_told():
    X = unit_cube(2).sample(20, seed=0)
    run = hx.Run(unit_cube(2), X, X[:, 0], "minimize")
    found = hx.footprint(run, surrogate=AnalyticSurrogate(unit_cube(2), lambda X: X[:, 0]))
    told = dataclasses.replace(found, explored=(0.4, 0.37, 0.43), stress=0.08)
    assert told.sentence == (
        "40% of the space (95% interval 37% to 43%) is as near to a trial as 95% would be if as "
        "many trials had been spread evenly. Distances on the map are off by 8%."
    )
    rough = dataclasses.replace(told, stress=0.3, surface_r2=np.nan)
    assert "off by 30%: configurations that seem near may be far apart." in rough.sentence
    assert rough.sentence.endswith("which differ among neighbours.")
