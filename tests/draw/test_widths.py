"""Twenty hyperparameters with long names at three widths: no text is cut, none covers another."""

import itertools
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain import methods

pytestmark = pytest.mark.usefixtures("few_draws", "answers_stay")
WIDTHS = (3.8, 8.0, 16.0)  # inches: 380, 800 and 1,600 pixels
KINDS = [
    "adamw",
    "sgd",
    "rmsprop",
    "nadam",
    "lion",
    "adafactor",
    "lamb",
    "adagrad",
    "adadelta",
    "rprop",
    "sophia",
    "shampoo_with_grafting",
]


def wide_run(n=40):
    space = hx.SearchSpace(
        [
            hx.FloatParameter(
                "optimizer__learning_rate_schedule_initial_value", 1e-6, 0.1, log=True
            ),
            hx.CategoricalParameter("optimizer__name_of_the_algorithm", KINDS),
            hx.IntParameter("data__batch_size_per_device", 8, 4096, log=True),
            *[
                hx.FloatParameter(f"regularization__dropout_probability_of_block_{k:02d}", 0.0, 0.9)
                for k in range(16)
            ],
            hx.CategoricalParameter("use_batch_norm", [True, False]),
        ]
    )
    X = space.sample(n, seed=0)
    loss = 4.0 * (X[:, 0] - 0.6) ** 2 + 0.1 * (X[:, 1] % 5) + 0.5 * X[:, 4]
    loss[n // 2] = 1e9
    name = "validation_cross_entropy_loss_of_the_ensemble"
    return hx.Run(space, X, loss, "minimize", objective_name=name, excluded={n: "failed"})


RUN = wide_run()
FIRST, SECOND = RUN.space.names[:2]
OBJECTIVE = "validation_cross_entropy_of_the_ensemble"
STARTED = 1e4 * np.arange(len(RUN))
DRAWN = {
    "history": lambda: hx.history(RUN),
    "trust": lambda: hx.trust(RUN),
    "importance": lambda: hx.importance(RUN),
    "number": lambda: hx.partial_dependence(RUN, FIRST, grid_size=6, sample=20),
    "category": lambda: hx.partial_dependence(RUN, SECOND, grid_size=6, sample=20),
    "both": lambda: hx.partial_dependence(RUN, [FIRST, SECOND], grid_size=4, sample=10),
    "space": lambda: hx.recommended_space(RUN),
    "local": lambda: methods.local_importance(RUN),
    "slices": lambda: methods.slices(RUN, most=4),
    "contours": lambda: methods.contours(RUN, [FIRST, SECOND]),
    "timeline": lambda: methods.timeline(replace(RUN, started=STARTED, finished=STARTED + 4e4)),
    "pairs": lambda: methods.h_statistic(RUN),
    "objective": lambda: hx.partial_dependence(
        replace(RUN, objective_name=OBJECTIVE), FIRST, grid_size=6, sample=20
    ),
    "trade-off": lambda: hx.importance(
        {OBJECTIVE: RUN, "latency": replace(RUN, objective=-RUN.objective)}, target="trade-off"
    ),
}


@pytest.fixture(scope="module", params=DRAWN)
def found(request, few_draws, answers_stay):
    return DRAWN[request.param]()


def boxes(figure):
    """Every text that is seen, with its place in pixels."""
    figure.draw_without_rendering()
    beyond = {
        id(label)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in axis.get_major_ticks()
        for label in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    for text in figure.findobj(mpl.text.Text):
        if text.get_visible() and text.get_text().strip() and id(text) not in beyond:
            yield text.get_text(), text.get_window_extent()


@pytest.mark.parametrize(
    "width", [WIDTHS[0], *(pytest.param(w, marks=pytest.mark.thorough) for w in WIDTHS[1:])]
)
def test_no_text_is_cut_and_none_covers_another(found, width):
    ax = np.ravel(np.asarray(found.plot(width=width), dtype=object))[0]
    figure = ax.get_figure()
    places, frame = list(boxes(figure)), figure.bbox
    cut = [
        text
        for text, box in places
        if box.x0 < -3 or box.y0 < -3 or box.x1 > frame.x1 + 3 or box.y1 > frame.y1 + 3
    ]
    assert cut == []
    covered = [
        (one, other)
        for (one, a), (other, b) in itertools.combinations(places, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 2 and min(a.y1, b.y1) - max(a.y0, b.y0) > 2
    ]
    assert covered == []


def test_a_failed_trial_of_a_billion_leaves_room_for_the_others():
    ax = hx.history(RUN).plot()
    usual = np.sort(RUN.objective)[:-1]
    low, high = ax.get_ylim()
    assert np.ptp(usual) > 0.3 * (high - low)
