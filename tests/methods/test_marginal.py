import numpy as np

import hpo_explain as hx
from hpo_explain.base.subject import Subject
from hpo_explain.methods.effects.partial_dependence import marginal_on

SPACE = hx.SearchSpace(
    [hx.FloatParameter("lr", 1e-4, 1e-1, log=True), hx.CategoricalParameter("booster", ["a", "b"])]
)
GRIDS = {"lr": (1e-4, 1e-3, 0.0123456), "booster": ("a", "b")}


def marginal(mean, *names, tried=None, activity=(1.0, 1.0), **given):
    mean = np.array(mean)
    return marginal_on(
        Subject(SPACE, objective_name="loss", tried=tried),
        names,
        tuple(GRIDS[name] for name in names),
        rows="trees",
        mean=mean,
        std=0.25 * np.ones_like(mean),
        activity=activity[: len(names)],
        given=given,
    )


def test_the_sentence_says_where_the_best_prediction_is():
    pair = marginal([[3.0, 4.0], [2.0, 5.0], [3.0, 1.0]], "lr", "booster")
    said = "On average the predicted loss is best at lr = 0.01235 and booster = b."
    assert pair.sentence.startswith(f"{said} Not certain: ")
    flat = marginal([3.0, 3.0, 3.0], "lr")
    assert flat.sentence.startswith(
        "On average the predicted loss is the same for every value of lr."
    )


def test_what_was_not_tried_is_not_called_the_best():
    tried = SPACE.encode([{"lr": 1e-4 * 1.02**k, "booster": "a"} for k in range(20)])
    one = marginal([3.0, 4.0, 1.0], "lr", tried=tried)
    assert one.supported.tolist() == [True, False, False]
    (claim,) = one.claims
    assert (claim.values, claim.certain) == ((1e-4,), False)
    (flat,) = marginal([3.0, 3.0, 3.0], "lr", tried=tried).claims
    assert (flat.kind, flat.certain) == ("flat", False)
    assert one.described().footer.endswith("Dimmed: fewer than 3 trials near.")


def test_the_subtitle_says_where_a_hyperparameter_is_active():
    one = marginal([3.0, 4.0, 5.0], "lr", activity=(0.25,))
    assert one.described().subtitle == (
        "averaged over all other hyperparameters; lower is better\n"
        "lr is active in 25% of the space and makes no difference elsewhere"
    )


def test_the_footer_says_what_is_drawn():
    tried = SPACE.sample(200, seed=0)
    one = marginal([3.0, 4.0, 5.0], "lr", tried=tried)
    assert one.described().footer == (
        "Band: std over the trees. Marks along the axis: tried values."
    )
    categories = marginal([3.0, 4.0], "booster", tried=tried)
    assert categories.described().footer == (
        "Whiskers: std over the trees. In brackets: number of trials."
    )
    pair = marginal(np.zeros((3, 2)), "lr", "booster")
    assert pair.described().footer == ("The std over the trees is 0.25 on average, at most 0.25.")
