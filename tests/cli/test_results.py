"""importance, proposal and pdp: what they print is what the functions return."""

import csv
import io
import json
import re
import shutil

import optuna
import pytest
from click.testing import CliRunner

import hpo_explain as hx
from hpo_explain.adapters.optuna.storage import read_storage
from hpo_explain.cli import main


@pytest.fixture
def read(study):
    return read_storage("sqlite:///study.db")


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


COMMANDS = {
    "advise": ["advise", "study.db", "--most", "2"],
    "footprint": ["footprint", "study.db"],
    "history": ["history", "study.db", "--optimum", "0.125"],
    "importance": ["importance", "study.db", "--order", "2"],
    "interactions": ["interactions", "study.db", "--background", "20", "--trial", "5"],
    "pareto": ["pareto", "study.db", "--loss", "0.01"],
    "proposal": ["proposal", "study.db", "--background", "50"],
    "ale": ["ale", "study.db", "kernel"],
    "pdp": ["pdp", "study.db", "kernel"],
    "symbolic": ["symbolic", "study.db", "x", "kernel"],
    "tunability": ["tunability", "study.db", "--default", "2", "--order", "1"],
    "pdp of all": ["pdp", "study.db", "--most", "2", "--pairs", "1"],
}


@pytest.fixture
def result(request, read):
    return {
        "advise": lambda: hx.advise(read, most=2),
        "footprint": lambda: hx.footprint(read),
        "history": lambda: hx.history(read, optimum=0.125),
        "importance": lambda: hx.importance(read, 2),
        "interactions": lambda: hx.shapley_interactions(read, 5, background=20),
        "pareto": lambda: hx.pareto(read, loss=0.01),
        "proposal": lambda: hx.explain_proposal(read, background=50),
        "ale": lambda: hx.accumulated_local_effects(read, "kernel"),
        "pdp": lambda: hx.partial_dependence(read, "kernel"),
        "symbolic": lambda: hx.symbolic(read, ["x", "kernel"]),
        "tunability": lambda: hx.tunability(read, 2, order=1),
        "pdp of all": lambda: hx.partial_dependences(read, most=2, pairs=1),
    }[request.param]()


@pytest.mark.parametrize(("command", "result"), [(name, name) for name in COMMANDS],
                         indirect=["result"])  # fmt: skip
def test_json_is_the_result_itself_and_nothing_else(run, command, result):
    outcome = run(*COMMANDS[command], "--format", "json")
    assert outcome.exit_code == 0, outcome.output
    assert json.loads(outcome.stdout) == json.loads(json.dumps(result.to_dict()))


@pytest.mark.parametrize(("command", "result"), [(name, name) for name in COMMANDS],
                         indirect=["result"])  # fmt: skip
def test_trust_sentence_and_notes_come_before_a_table_and_beside_csv(run, command, result):
    outcome = run(*COMMANDS[command])
    assert outcome.exit_code == 0, outcome.output
    meaning, _, table = outcome.stdout.partition("\n\n")
    lines = meaning.splitlines()
    if result.verdict is not None:
        assert re.match(rf"Trust [a-z ]+: {result.verdict.level}\. ", lines.pop(0))
    assert lines == [result.sentence, *[f"note: {note}" for note in result.notes]]
    table, _, _ = table.partition("\n\n")  # advice has code below it
    assert len(table.splitlines()) == 1 + len(result.to_frame())

    alone = run(*COMMANDS[command], "--format", "csv")
    assert all(None not in row and None not in row.values() for row in rows(alone.stdout))
    assert len(rows(alone.stdout)) == len(result.to_frame())
    assert meaning in alone.stderr


MORE = {
    "mistunability": lambda run, _: hx.mistunability(run, order=1),
    "sensitivity": lambda run, _: hx.sensitivity(run, order=1),
    "optimizer-bias": lambda run, _: hx.optimizer_bias(run, order=1),
    "optimizer-bias --against other.db": lambda run, other: hx.optimizer_bias(
        run, ensemble=[other], order=1
    ),
}


@pytest.mark.parametrize("command", MORE)
def test_games_are_those_of_the_functions(run, read, study, command):
    shutil.copy("study.db", "other.db")
    name, *more = command.split()
    outcome = run(name, "study.db", *more, "--order", "1", "--format", "json")
    assert outcome.exit_code == 0, outcome.output
    found = MORE[command](read, read)
    assert json.loads(outcome.stdout) == json.loads(json.dumps(found.to_dict()))


def test_runs_are_compared_by_the_names_of_their_files(run, read):
    shutil.copy("study.db", "other.db")
    outcome = run("compare", "study.db", "other.db", "--format", "csv")
    assert outcome.exit_code == 0, outcome.output
    found = hx.compare({"study.db": read, "other.db": read})
    assert rows(outcome.stdout)[0]["hyperparameter"] == found.to_frame().index[0]
    assert "share in other.db" in rows(outcome.stdout)[0]
    assert found.sentence in outcome.stderr
    alone = run("compare", "study.db")
    assert alone.exit_code == 1
    assert "must hold at least two runs" in alone.stderr


def test_studies_of_one_storage_are_compared_by_their_names(run, read):
    optuna.copy_study(
        from_study_name="first", from_storage="sqlite:///study.db",
        to_study_name="second", to_storage="sqlite:///study.db",
    )  # fmt: skip
    both = "--study-name", "first", "--study-name", "second"
    outcome = run("compare", "study.db", *both, "--format", "csv")
    assert outcome.exit_code == 0, outcome.output
    assert {"share in first", "share in second"} <= set(rows(outcome.stdout)[0])
    shutil.copy("study.db", "other.db")
    outcome = run("compare", "study.db", "other.db", *both, "--format", "csv")
    assert {"share in study.db", "share in other.db"} <= set(rows(outcome.stdout)[0])
    of_one = run("compare", "study.db", "other.db", "--study-name", "second", "--format", "csv")
    assert of_one.exit_code == 0, of_one.output
    for places, problem in (
        (["study.db", "other.db", "third.db"], "2 times for 3 sources. Give it once for all"),
        (["study.db", "study.db"], None),
    ):
        outcome = run("compare", *places, *both)
        assert outcome.exit_code == (0 if problem is None else 2)
        assert problem is None or problem in outcome.stderr
    twice = run("compare", "study.db", "study.db", "--study-name", "first")
    assert twice.exit_code == 2
    assert "study.db was given twice. Give each run once." in twice.stderr


def test_importance_in_csv_has_the_shares_of_all_sets(run, read):
    found = rows(run("importance", "study.db", "--order", "2", "--format", "csv").stdout)
    result = hx.importance(read, 2)
    assert len(found) == 6
    for row in found:
        share = result.share(*row["hyperparameters"].split(" × "))
        assert float(row["importance"]) == pytest.approx(share, rel=1e-12)


def test_a_good_region_and_a_sub_space(run, read):
    outcome = run("importance", "study.db", "--cap", "50%", "--given", "kernel=poly,None",
                  "--given", "x=0.1,0.6", "--format", "json")  # fmt: skip
    found = hx.importance(read, cap="50%", given={"kernel": ["poly", None], "x": [0.1, 0.6]})
    assert json.loads(outcome.stdout) == json.loads(json.dumps(found.to_dict()))
    number = run("importance", "study.db", "--cap", "0.9", "--given", "y=1,2,3",
                 "--given", "kernel=poly", "--format", "json")  # fmt: skip
    found = hx.importance(read, cap=0.9, given={"y": [1, 2, 3], "kernel": ["poly"]})
    assert json.loads(number.stdout) == json.loads(json.dumps(found.to_dict()))


@pytest.mark.parametrize("trial", ["latest", "best", "best-predicted", "12"])
def test_the_trial_may_be_named_in_four_ways(run, read, trial):
    outcome = run("proposal", "study.db", "--trial", trial, "--acquisition", "lcb",
                  "--background", "50", "--format", "json")  # fmt: skip
    asked = int(trial) if trial.isdecimal() else trial
    found = hx.explain_proposal(read, asked, acquisition="lcb", background=50)
    assert json.loads(outcome.stdout)["trial"] == found.trial
    assert json.loads(outcome.stdout)["payout"] == found.payout


def test_contributions_have_their_interval_and_inactive_is_not_the_category_none(run, read):
    trial = next(t for t in read.proposals if read.config(t)["kernel"] is None)
    arguments = ["proposal", "study.db", "--trial", str(trial), "--acquisition", "lcb"]
    found = {row["hyperparameter"]: row for row in rows(run(*arguments, "--format", "csv").stdout)}
    assert found["kernel"]["value"] == "None"
    assert found["y"]["value"] == ""
    interval = hx.explain_proposal(read, trial, acquisition="lcb").interval()
    for name, row in found.items():
        ends = interval.loc[name, "total"]
        assert (float(row["lower"]), float(row["upper"])) == (ends["lower"], ends["upper"])
        assert float(row["lower"]) <= float(row["total"]) <= float(row["upper"])
    shown = run(*arguments).stdout.split()
    assert shown[shown.index("y") + 1] == "inactive"


def test_a_pair_has_a_row_per_combination(run, read):
    found = rows(run("pdp", "study.db", "kernel", "x", "--grid-size", "5", "--surrogate", "forest",
                     "--seed", "3", "--format", "csv").stdout)  # fmt: skip
    result = hx.partial_dependence(read, ["kernel", "x"], grid_size=5, kind="forest", seed=3)
    assert [row["kernel"] for row in found] == ["rbf"] * 5 + ["poly"] * 5 + ["None"] * 5
    assert [float(row["mean"]) for row in found] == result.mean.ravel().tolist()


def test_seeds_decide_what_is_drawn(run, study):
    arguments = ["importance", "study.db", "--format", "json", "--seed"]
    first, same, other = (run(*arguments, seed).stdout for seed in ("0", "0", "1"))
    assert first == same != other


def test_the_pending_trial_is_the_one_that_runs(study, run):
    running = optuna.load_study(study_name="first", storage="sqlite:///study.db").ask()
    running.suggest_float("x", 0.0, 1.0)
    outcome = run("proposal", "study.db", "--trial", "pending", "--background", "50")
    assert outcome.exit_code == 0, outcome.output
    assert f"trial {running.number} is running: it has no result yet" in outcome.stdout
    assert re.search(r"kernel +not chosen", outcome.stdout)
    running.study.tell(running, 1.0)
    outcome = run("proposal", "study.db", "--trial", "pending")
    assert (outcome.exit_code, "no trial of the run is running" in outcome.stderr) == (1, True)


@pytest.mark.parametrize(
    ("command", "name"), [("importance", "a.png"), ("proposal", "a.SVG"), ("pdp", "a.png")]
)
def test_a_plot_is_drawn_beside_the_table(folder, study, run, command, name):
    outcome = run(*COMMANDS[command], "--plot", name, "--format", "csv")
    assert outcome.exit_code == 0, outcome.output
    start = (folder / name).read_bytes()[:100]
    assert start.startswith(b"\x89PNG") if name.endswith("png") else b"<?xml" in start
    assert f"plot: {name}" in outcome.stderr


@pytest.mark.parametrize(("no_color", "colored"), [("1", False), ("", True), (None, True)])
def test_colors_are_left_out_where_they_are_not_wanted(run, study, no_color, colored):
    outcome = run("importance", "study.db", color=True, env={"NO_COLOR": no_color})
    assert ("\x1b[" in outcome.stdout) == colored


def test_what_a_terminal_cannot_show_does_not_end_the_program(study):
    arguments = ["proposal", "study.db", "--acquisition", "lcb", "--background", "50"]
    outcome = CliRunner(charset="latin-1").invoke(main, arguments)
    assert outcome.exit_code == 0
    assert "LCB (? = 1.96)" in outcome.stdout


def test_curves_of_a_study_are_told_and_one_without_says_what_to_do(run, folder, study):
    outcome = run("learning-curves", "study.db")
    assert outcome.exit_code == 1
    assert "trial.report" in outcome.stderr
    rows_of_curves = [(i, i / 9, e, i + 1.0 / e) for i in range(9) for e in (1, 2, 3)]
    text = "\n".join(
        ",".join(map(str, row)) for row in [("id", "lr", "epoch", "loss"), *rows_of_curves]
    )
    (folder / "curves.csv").write_text(text)
    asked = ["--objective", "loss", "--trial-column", "id", "--fidelity-column", "epoch"]
    outcome = run("learning-curves", "curves.csv", *asked, "--format", "csv")
    assert outcome.exit_code == 0, outcome.output
    assert [float(row["correlation"]) for row in rows(outcome.stdout)] == [1.0, 1.0, 1.0]
