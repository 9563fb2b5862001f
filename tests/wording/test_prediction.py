import numpy as np

import hpo_explain as hx
from hpo_explain.wording import prediction as words
from tests.handmade import TRUSTED, subject_of


def prediction(phi, *, std=0.01, **subject):
    names = tuple(f"x{j}" for j in range(len(phi)))
    return hx.PredictionExplanation(
        subject=subject_of(names, **{"trust": TRUSTED, **subject}),
        config=dict.fromkeys(names[:2], 0.5), phi=np.array(phi), half_width=None,
        prediction=1.0 + sum(phi), baseline=1.0,
        efficiency_gap=0.0, model_std=None if std is None else np.full(len(phi), std),
    )  # fmt: skip


def overview(phi, **subject):
    phi = np.array(phi)
    names = tuple(f"x{j}" for j in range(phi.shape[1]))
    return hx.PredictionOverview(
        subject=subject_of(names, **subject), configs=tuple(dict.fromkeys(names, 0.5) for _ in phi),
        phi=phi, positions=np.full(phi.shape, 0.5), predictions=phi.sum(axis=1), baseline=0.5,
    )  # fmt: skip


def test_sentences_of_one_prediction():
    found = prediction([0.25, -0.125, 0.0], objective_name="loss", trial=3)
    assert found.sentence == (
        "The loss predicted for trial 3 is 1.125, on average 1, mainly because of x0 = 0.5 (+0.25) "
        "and x1 = 0.5 (-0.125)."
    )
    assert prediction([0.25, -0.125], std=0.1).sentence == (
        "The objective predicted for this configuration is 1.125, on average 1, mainly because of "
        "x0 = 0.5 (+0.25); it cannot be told whether x1 = 0.5 (-0.125) raises or lowers it."
    )
    assert prediction([0.25, -0.125], std=None).sentence == (
        "The objective predicted for this configuration is 1.125, on average 1; it cannot be told "
        "whether x0 = 0.5 (+0.25) and x1 = 0.5 (-0.125) raise or lower it."
    )
    assert prediction([0.0, 0.0]).sentence == (
        "The objective predicted for this configuration is 1, on average 1."
    )
    assert words.label(prediction([0.1], direction="maximize").subject) == (
        "contribution to the predicted objective: right is better"
    )


def test_sentences_of_many_predictions():
    assert overview([[0.25, 0.0], [-0.5, 0.0]], objective_name="loss").sentence == (
        "Over 2 configurations the predicted loss is moved most by x0 (by 0.375 on average)."
    )
    assert overview([[0.0, 0.0]]).sentence == (
        "Over 1 configuration no hyperparameter moves the predicted objective."
    )
