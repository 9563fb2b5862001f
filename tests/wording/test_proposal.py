import pytest

from hpo_explain.base.facts import Fact, Origin, fact
from hpo_explain.wording import proposal as words
from hpo_explain.wording import tell
from tests.handmade import explanation, subject_of

PHI = [[0.5, 0.125], [0.25, -0.25], [-0.25, 0.0]]


@pytest.mark.parametrize(
    ("phi", "changes", "text"),
    [
        (
            PHI,
            {},
            "A GP with LCB (κ = 1.96) would have found trial 42 attractive mainly because x0 = 0 "
            "promises a better loss; x2 = 0.25 speaks against it.",
        ),
        (
            [[0.0, 0.4], [0.0, 0.5], [0.3, 0.0]],
            {"assumed": False, "optimizer": "skopt's gp_minimize", "trial": None},
            "skopt's gp_minimize (a GP with LCB (κ = 1.96)) found this configuration attractive "
            "mainly because x1 = 0.125 and x0 = 0 lead where the model is unsure.",
        ),
        (
            [[-0.5, 0.0], [0.0, -0.1], [0.2, 0.0]],
            {"terms": ("good", "bad"), "model": "", "acquisition": "log l − log g"},
            "Log l − log g would have found trial 42 unattractive mainly because x0 = 0 is rare "
            "among good trials; x2 = 0.25 speaks for it.",
        ),
        (
            [[0.5], [0.0]],
            {"terms": ("log EI",), "acquisition": "log EI"},
            "A GP with log EI would have found trial 42 attractive mainly because x0 = 0 raises "
            "the log EI.",
        ),
        (
            [[0.0, 0.0], [0.0, 0.0]],
            {},
            "A GP with LCB (κ = 1.96) would have found trial 42 no better and no worse than an "
            "average configuration.",
        ),
    ],
)
def test_sentences(phi, changes, text):
    assert explanation(phi, **changes).sentence == text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        (
            {"unsure": 0.2},
            "attractive mainly because x0 = 0 promises a better loss; it cannot be told whether "
            "x2 = 0.25 speaks against it.",
        ),
        (
            {"unsure": 0.5},
            "attractive; it cannot be told whether x0 = 0 promises a better loss, or whether "
            "x2 = 0.25 speaks against it.",
        ),
        (
            {"trust": None},
            "attractive; it cannot be told whether x0 = 0 promises a better loss, or whether "
            "x2 = 0.25 speaks against it.",
        ),
        (
            {"unsure": 0.02, "error": 0.3},
            "attractive; it cannot be told whether x0 = 0 promises a better loss, or whether "
            "x2 = 0.25 speaks against it.",
        ),
    ],
)
def test_a_reason_is_named_only_where_its_sign_is_certain(changes, text):
    assert explanation(PHI, **changes).sentence.endswith(text)


def test_a_hyperparameter_that_is_left_out_by_choice_is_inactive():
    absent = explanation([[0.5, 0.0], [0.1, 0.0]], config={"x1": 0.5})
    assert "because x0 = inactive promises a better loss" in absent.sentence


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            fact("acquisition_assumed", names=["Ax", "LCB", "a GP"], why=None),
            "Ax is not known to have used LCB: it is assumed",
        ),
        (
            fact("acquisition_assumed", names=["Ax", "LCB", "a GP"], why=fact("said", text="new")),
            "new; a GP with LCB is assumed",
        ),
        (
            fact("background_grown", rows=400, place="local", width=0.0432, enough=True),
            "it is compared with 400 configurations close to it; averaging over them leaves an "
            "error of up to 4.3% of the largest contribution (95 % intervals)",
        ),
        (
            fact("background_grown", rows=2000, place="global", width=0.08, enough=False),
            "it is compared with 2000 configurations from the whole space, the most that are "
            "drawn; averaging over them leaves an error of up to 8.0% of the largest contribution "
            "(95 % intervals)",
        ),
        (
            fact("results_not_known", trials=[13, 14], at=15),
            "2 trials were running when trial 15 was proposed: 13-14; their results were not known",
        ),
        (
            fact("results_not_known", trials=[4], at=5),
            "1 trial was running when trial 5 was proposed: 4; its result was not known",
        ),
        (
            fact("best_not_proposed", trials=[9, 3]),
            "trial 9 is the best of the proposals; the run's best trial, 3, was not proposed by a "
            "model",
        ),
        (
            fact("no_proposals", names=["Ax"], finished=1, unknown=False),
            "run has no proposal: Ax chose none of its 1 finished trial by a model. Name a trial "
            "with acquisition='lcb' to see what a model would have predicted for it.",
        ),
        (
            fact("no_proposals", names=["Ax"], finished=2, unknown=True),
            "run has no proposal, as far as is known: it is not recorded who chose its 2 finished "
            "trials. Where an optimizer did, name it with optimizer= when the run is read, or name "
            "a trial.",
        ),
        (
            fact("too_little_known", trials=[1], finished=1),
            "only one trial was finished when trial 1 was proposed, and a surrogate needs at "
            "least 2. Choose a later trial.",
        ),
        (
            fact("proposals_left_out", trials=[0, 1], why="too_little_known"),
            "left out: 0-1: fewer than two trials were finished before",
        ),
        (fact("coalitions_exact", coalitions=8), "exact, all 8 coalitions"),
        (
            fact("kernel_explainer", players=13, sampled=True),
            "KernelExplainer, sampled coalitions of 13 hyperparameters",
        ),
        (
            fact("orders_walked", players=20, sampled=True),
            "sampled orders of 20 hyperparameters",
        ),
        (fact("kernel_explainer", players=3, sampled=False), "KernelExplainer, all 8 coalitions"),
        (
            fact("games_summed", games=2, most=1, sampled=False),
            "exact, hyperparameter by hyperparameter",
        ),
        (
            fact("games_summed", games=2, most=12, sampled=True),
            "sampled, as a sum of 2 games of at most 12 hyperparameters",
        ),
    ],
)
def test_facts(given: Fact, text: str):
    assert str(given) == text


def test_the_remedy_is_written_as_the_caller_names_its_options():
    given = fact("not_proposed", trials=[3], origin=Origin.ENQUEUED, proposals=(10, 11))
    text = tell(given, lambda option: f"--{option.name} {option.value}")
    assert text == (
        "no model selected trial 3: it was enqueued. Explain it with --acquisition lcb to see what "
        "a model would have predicted for it. Proposals: 10-11."
    )


def test_the_plot_says_what_is_not_shown():
    exact = explanation(PHI)
    text = words.footer(exact, folded=True)
    assert text == (
        "Whiskers: 95 % interval of averaging over a background of 1000 configurations; it is not "
        "the model's uncertainty. Pale lines: 95 % interval of what the model does not know. "
        "Contributions go together: where such lines overlap, one can still be larger than the "
        "other. None is known for a sum."
    )
    assert "Pale" not in words.footer(explanation(PHI, unsure=None), folded=False)
    assert words.heading(subject_of(["x"], acquisition="EI", assumed=False)) == (
        "Why this configuration? As the optimizer saw it: EI"
    )
