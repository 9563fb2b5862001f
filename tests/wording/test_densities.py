import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.base.facts import fact
from tests.handmade import subject_of


def densities(*ratios, by_chance=0.001):
    curves = tuple(
        hx.DensityCurve(
            f"x{k}",
            ("rbf", "poly"),
            False,
            True,
            np.ones(2),
            np.ones(2),
            "rbf",
            ratio,
            1.0,
            by_chance if np.isscalar(by_chance) else by_chance[k],
        )
        for k, ratio in enumerate(ratios)
    )
    subject = subject_of([curve.name for curve in curves], trial=42)
    config = {curve.name: curve.proposed for curve in curves}
    return hx.ProposalDensities(subject=subject, curves=curves, config=config)


def test_sentences():
    assert densities(2.0, 0.5, 1.5).sentence == (
        "Trial 42: x0 = rbf is 2 times as common and x2 = rbf is 1.5 times as common among good "
        "trials as among the others."
    )
    assert densities(2.0, 1.5, by_chance=(0.001, 0.4)).sentence == (
        "Trial 42: x0 = rbf is 2 times as common among good trials as among the others; x1 = rbf "
        "is 1.5 times as common, but that may be chance."
    )
    assert densities(2.0, by_chance=0.02).sentence == (
        "Trial 42: x0 = rbf is 2 times as common among good trials as among the others; it may be "
        "chance."
    )
    assert densities(1.05, 0.5).sentence == (
        "Trial 42: no value is clearly more common among good trials than among others."
    )


def test_the_sentence_of_a_path():
    good, bad = np.array([[1.6, 0.4], [1.8, 0.2]]), np.array([[0.8, 1.2], [0.9, 1.1]])
    path = hx.DensityPath(
        subject=subject_of(["kernel"]), name="kernel", trials=(10, 11), values=("rbf", "poly"),
        log=False, categorical=True, good=good, bad=bad, proposed=("rbf", "rbf"),
        by_chance=0.001,
    )  # fmt: skip
    assert path.sentence == (
        "Good trials came to prefer kernel = rbf: 2 times as common as among the others by trial "
        "11."
    )


@pytest.mark.parametrize(
    ("acquisition", "why", "reason"),
    [
        (None, None, "Ax's acquisition function is not known"),
        (None, fact("said", text="it was random"), "it was random"),
        ("EI", None, "Ax chose it by another acquisition function, EI"),
    ],
)
def test_why_there_are_no_densities(acquisition, why, reason):
    given = fact("no_densities", trials=[3], names=["Ax"], acquisition=acquisition, why=why)
    assert str(given) == (
        f"trial 3 has no densities of good and other trials: {reason}. Densities are those of "
        "Optuna's TPESampler; explain_proposal works with any optimizer."
    )
