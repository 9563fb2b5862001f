from dataclasses import replace

from hpo_explain.base.facts import fact
from hpo_explain.wording import path as words
from tests.plotting.paths import path


def test_sentences():
    # uncertainty leads in trials 5 to 8, the mean in 9 to 12
    phi = [[[0.1, 0.5], [0.2, 0.1]]] * 4 + [[[0.5, 0.1], [0.2, 0.1]]] * 4
    assert path(phi).sentence == (
        "Over 8 proposals, x0 and x1 mattered most to what was proposed; the predicted objective "
        "took the lead from uncertainty for x0 from trial 9 on. Of the contributions to the latest "
        "proposals 31% are about uncertainty (20% to 39% for κ from 1 to 3). κ = 1.96 is assumed."
    )
    known = path(phi, assumed=False)
    assert known.sentence.endswith("Of the contributions to the latest proposals 31% are about "
                                   "uncertainty.")  # fmt: skip
    assert path([[[0.0, 0.0]]] * 2).sentence == (
        "None of the 2 proposals stands out from an average configuration."
    )


def test_what_depends_on_kappa_is_not_told_as_certain():
    phi = [[[0.4, 0.5], [0.2, 0.1]]] * 4 + [[[0.5, 0.4], [0.2, 0.1]]] * 4
    assert path(phi).sentence == (
        "Over 8 proposals, x0 and x1 mattered most to what was proposed; whether the predicted "
        "objective took the lead from uncertainty for x0 depends on κ. Of the contributions to the "
        "latest proposals 43% are about uncertainty (28% to 54% for κ from 1 to 3): which of the "
        "two leads depends on κ. κ = 1.96 is assumed."
    )
    both = [[[0.1, 0.5], [0.4, 0.5]]] * 4 + [[[0.5, 0.1], [0.5, 0.4]]] * 4
    assert (
        "took the lead from uncertainty for x0 from trial 9 on; whether it also did for x1 depends "
        "on κ" in path(both).sentence
    )
    driven = [[[0.0, 0.5], [0.6, 0.0], [1.0, 0.0]]] * 2
    assert "x2 and for the assumed κ x1 mattered most" in path(driven).sentence


def test_the_footer_says_what_is_left_out():
    left_out = (fact("proposals_left_out", trials=[0, 1], why="constant_until_then"),)
    phi = [[[1.0, 0.5], [0.5, 0.0]]] * 2
    given = replace(path(phi, each=[{}, {"standard_error": None}]), notes=left_out)
    assert words.footer(given, shares=True) == (
        "Ribbon: 95 % interval of averaging over the background; it is not the model's "
        "uncertainty. It is not known for 1 proposal. Criteria have different units, so "
        "contributions are divided by the sum of the proposal's absolute contributions. Left out: "
        "0-1: the objective was constant until then."
    )
    assert words.without_panel(["a", "b"], ["c"]) == (
        " Smaller, without a panel: a, b. Inactive in every proposal: c."
    )


def test_facts():
    assert str(fact("several_criteria", names=["LCB", "EI"])) == (
        "the proposals were made by several criteria (LCB, EI), whose contributions have different "
        "units; acquisition='lcb' explains all of them by one"
    )
    assert str(fact("no_mean_term", names=["PI"])) == (
        "PI has no term of the mean alone. Use acquisition='lcb'."
    )
