"""What claims name: nothing that is 0 % of the whole, and what comes first in any case."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from hpo_explain.base.claim import Claim, between, worth_naming
from hpo_explain.base.facts import fact


@pytest.mark.parametrize(
    ("sizes", "named"),
    [
        ([0.994, 0.006, 0.0], [0, 1]),
        ([0.995, 0.005, 0.0], [0]),  # f"{0.005:.0%}" is "0%"
        ([0.3, 0.3, 0.2, 0.2], [0, 1, 2]),
        ([0.001, 0.0009, 0.0], [0]),
        ([0.0, 0.0, 0.0], []),
    ],
)
def test_what_is_nothing_of_the_whole_is_not_named_unless_it_comes_first(sizes, named):
    assert worth_naming(range(len(sizes)), sizes) == named
    scaled = 1e5 * np.array(sizes)
    assert worth_naming(range(len(sizes)), scaled, whole=1e5) == named


def test_an_interval_lies_about_its_estimate():
    claim = Claim("gain", estimate=3.0, interval=between(3.0, 0.5))
    assert claim.interval == (2.5, 3.5)
    assert claim.half == 0.5
    assert between(3.0, None) is None
    assert Claim("gain").half is None
    assert Claim("gain").certain


def test_a_claim_is_a_frozen_record_of_what_it_says():
    because = (fact(kind="single_hyperparameter"),)
    claim = Claim(
        "effect",
        ("lr",),
        0.5,
        (0.4, 0.6),
        values=((0.1, 0.2),),
        certain=False,
        because=because,
        term="mean",
    )
    assert claim.to_dict() == {
        "kind": "effect",
        "hyperparameters": ["lr"],
        "values": [(0.1, 0.2)],
        "estimate": 0.5,
        "interval": (0.4, 0.6),
        "certain": False,
        "because": [because[0].to_dict()],
        "term": "mean",
        "probability": None,
        "side": "above",
    }
    with pytest.raises(FrozenInstanceError):
        claim.certain = True
