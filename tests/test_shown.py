"""What is printed, and what a notebook shows, of what is not an explanation."""

import numpy as np
import pandas as pd
import pytest

import hpo_explain as hx
from tests.handmade import Page

NASTY = '<script>alert("1")</script> & co.'


def flat(text):
    return " ".join(text.split())


def nasty_run():
    space = hx.SearchSpace(
        [
            hx.CategoricalParameter(NASTY, [NASTY, None, *range(30)]),
            hx.IntParameter("k", 0, 8, step=2),
            hx.FloatParameter("z", 0.1, 1.0, log=True, active_when={NASTY: [NASTY], "k": [2, 4]}),
            hx.FloatParameter("w", 0.0, 1.0, optional=0.5),
        ]
    )
    X = space.sample(60, seed=0)
    return hx.Run(space, X, np.arange(60.0), "minimize", objective_name=NASTY, excluded={60: NASTY})


def test_a_run_is_one_line_in_a_list_and_its_whole_text_in_a_cell():
    run = nasty_run()
    assert repr(run) == f"<Run: {str(run).splitlines()[0]}>"
    html = run._repr_html_()
    assert "<script" not in html
    assert flat(str(run)) == flat(Page(html).text)
    assert "left out: 1 (60)" in Page(html).text


def test_a_space_is_a_line_in_a_list_and_a_table_in_a_cell():
    space = nasty_run().space
    assert repr(space) == f"<SearchSpace: 4 hyperparameters ({NASTY}, k, z, w)>"
    assert str(space).count("\n") == 5  # as it is written in code
    html = space._repr_html_()
    assert "<script" not in html
    text = Page(html).text
    for part in (
        "k 0 to 8 integer, step 2 always",
        f"z 0.1 to 1.0 float, log {NASTY} = {NASTY} and k in {{2, 4}}",
        "w 0.0 to 1.0 float at a frequency of 0.5",
        "None, 0, 1",
        ", ... categories",
    ):
        assert part in flat(text)


def test_no_control_character_of_a_name_reaches_the_terminal():
    controls = "\x1b[31m\x07\x9b\x7f\u2028\u202e"
    number, category, loss = f"n{controls}", f"c{controls}", f"loss{controls}"
    rng = np.random.default_rng(0)
    table = pd.DataFrame({number: rng.uniform(size=12), category: [f"a{controls}", "b"] * 6})
    table[loss] = table[number] + (table[category] == "b")
    table.loc[3, loss] = np.nan
    run = hx.from_frame(table, loss, "minimize")
    with pytest.raises(hx.base.InputError) as wrong:
        hx.partial_dependence(run, f"x{controls}")
    results = [
        hx.importance(run, kind="forest", n_trees=8),
        hx.history(run),
        hx.run.Instances([f"a{controls}", "b"], run.X[:4], [0, 1, 0, 1], np.arange(4.0)),
    ]
    shown = [run, run.space, *run.space, *run.notes, *run.excluded.values(), *results, wrong.value]
    text = "".join(f"{found}{found!r}" for found in shown)
    assert r"n\x1b[31m\x07\x9b\x7f\u2028\u202e" in text
    assert not {*controls} - {*"[31m"} & {*text}


LINE = hx.SearchSpace([hx.FloatParameter("x", 0.0, 1.0)])


def test_a_run_says_what_was_read_left_out_and_assumed():
    run = hx.Run(
        LINE,
        [[0.5], [0.25], [0.75]],
        [3.0, 1.0, 2.0],
        "maximize",
        proposals=[2],
        excluded={3: "failed", 5: "pruned", 6: "pruned"},
        notes=["space: given"],
        objective_name="accuracy",
        optimizer="Optuna's TPESampler",
    )
    assert repr(run) == (
        "<Run: 3 trials of 1 hyperparameter, accuracy (maximize), by Optuna's TPESampler>"
    )
    assert str(run).splitlines()[:5] == [
        "3 trials of 1 hyperparameter, accuracy (maximize), by Optuna's TPESampler",
        "best: trial 0, 3",
        "proposals: 1 (after the initial design)",
        "left out: 1 (3): failed",
        "left out: 2 (5-6): pruned",
    ]
    assert "note: space: given" in str(run).splitlines()
