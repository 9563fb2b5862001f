"""What is published about a study, where it is: Optuna's dashboard, MLflow, W&B."""

import inspect
import json
import re
import shutil
import socket
import subprocess
import sys

import optuna
import pytest
from click.testing import CliRunner
from optuna.samplers import RandomSampler

import hpo_explain as hx
from hpo_explain.base.numbers import percent, percent_range
from hpo_explain.cli import main
from tests.adapters.studies import optimized, rate_drop_of_dart, study_of
from tests.chromium import IS_THERE

# of the platforms and what they depend on
pytestmark = [
    pytest.mark.merge,
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.usefixtures("empty_figures", "few_draws", "answers_stay"),
]
NOTE = "Of a person.\n\nStill *theirs*."


# Texts of our figures that stand outside of what the dashboard shows of them.
CUT = """
const ours = [...document.querySelectorAll("[id^='user-defined-plot:hpo_explain']")];
if (!ours.length) return ["no figure"];
return ours.flatMap(plot => {
  const frame = plot.getBoundingClientRect();
  return [...plot.querySelectorAll("svg text")]
    .filter(text => text.textContent.trim())
    .filter(text => text.getBoundingClientRect().bottom > frame.bottom + 1)
    .map(text => plot.id + ": " + text.textContent);
});
"""


def objective(trial):
    return (trial.suggest_float("lr_a", 1e-4, 1.0, log=True) - 0.1) ** 2 + rate_drop_of_dart(trial)


@pytest.fixture(scope="module")
def trials(few_draws, answers_stay):
    """Of one run, whatever study holds them: what is published is computed once."""
    return optimized(objective, 22).trials


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    """A storage file with a study that has no trial."""
    path = tmp_path_factory.mktemp("empty") / "study.db"
    optuna.create_study(storage=f"sqlite:///{path}", study_name="s")
    return path


@pytest.fixture
def database(empty, trials, tmp_path):
    """A study of 20 trials in a storage file, and the address of that."""
    address = f"sqlite:///{shutil.copy(empty, tmp_path)}"
    study = optuna.load_study(study_name="s", storage=address)
    study.add_trials(trials[:20])
    return study, address


@pytest.fixture
def journal(trials, tmp_path):
    """The same study in a journal."""
    path = str(tmp_path / "study.log")
    backend = optuna.storages.journal.JournalFileBackend(path)
    storage = optuna.storages.JournalStorage(backend)
    return study_of(*trials[:20], storage=storage, study_name="s")


@pytest.fixture(params=["sqlite", "journal"])
def study(request):
    if request.param == "journal":
        return request.getfixturevalue("journal")
    return request.getfixturevalue("database")[0]


def attributes(study):
    return study._storage.get_study_system_attrs(study._study_id)


def plots(study):
    from optuna_dashboard._custom_plot_data import get_plotly_graph_objects

    return {
        key: json.loads(text) for key, text in get_plotly_graph_objects(attributes(study)).items()
    }


def test_a_study_has_its_figures_and_its_note_and_a_second_call_replaces_them(study, trials):
    dashboard = pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    dashboard.save_note(study, NOTE)
    told = hx.publish(study)
    figures = plots(study)
    assert {*told} == {*figures, "note"}
    assert {"hpo_explain-history", "hpo_explain-importance"} <= figures.keys()
    assert all(figure["data"] for figure in figures.values())
    note = dashboard.get_note(study)
    assert note.startswith(NOTE)
    assert len(re.findall("^Importance here", note, re.MULTILINE)) == 1
    assert hx.summary(study).lines[0] in plain(note)
    dashboard.save_note(study, f"{note}\n\nBelow.")
    study.add_trials(trials[20:])
    assert hx.publish(study) == told
    again = dashboard.get_note(study)
    assert "count: 22" in again
    assert "count: 20" not in again
    assert len(re.findall("^Importance here", again, re.MULTILINE)) == 1
    assert again.startswith(NOTE)
    assert again.endswith("\n\nBelow.")
    assert plots(study).keys() == figures.keys()


def shown_by_the_dashboard(study, objective=0):
    from optuna_dashboard._importance import get_param_importance_from_trials_cache
    from optuna_dashboard._inmemory_cache import InMemoryCache

    storage, identity = study._storage, study._study_id
    found = get_param_importance_from_trials_cache(
        InMemoryCache(), storage, identity, objective, study.trials
    )
    return {one["name"]: one["importance"] for one in found}


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_note_first_says_why_importance_is_not_the_dashboards(direction):
    """What sets the dial apart is rare and large, what decides among the best is another one."""
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    sign = 1.0 if direction == "minimize" else -1.0

    def steep(trial):
        far, near = trial.suggest_float("far_x", 0, 1), trial.suggest_float("near", 0, 1)
        return sign * (10.0 * max(far - 0.5, 0.0) + near)

    study = optuna.create_study(direction=direction, sampler=RandomSampler(seed=0))
    study.optimize(steep, n_trials=40)
    hx.publish(study)
    first = plain(optuna_note(study).splitlines()[2])
    ours, theirs = hx.importance(study), shown_by_the_dashboard(study)
    low, high = ours.importance.loc["far_x", ["with_lower", "with_upper"]]
    there = percent(theirs["far_x"])
    assert first.endswith(f"far_x has {percent_range(low, high)} here and {there} there.")
    assert theirs["near"] > theirs["far_x"]
    default = inspect.signature(optuna.importance.PedAnovaImportanceEvaluator).parameters
    assert next(iter(default.values())).default == 0.1  # the best 10 %


def test_nothing_is_said_of_an_importance_that_the_dashboard_does_not_show(trials):
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    pruned = [
        optuna.trial.create_trial(
            state=optuna.trial.TrialState.PRUNED,
            params=one.params,
            distributions=one.distributions,
            intermediate_values={0: one.value},
            value=one.value,
        )
        for one in trials[1:20]
    ]
    study = study_of(trials[0], *pruned)
    hx.publish(study, pruned="last")
    assert shown_by_the_dashboard(study) == {}
    assert "hpo_explain-importance" in plots(study)
    assert "Importance here" not in optuna_note(study)
    measured = study_of(*trials[:20])
    hx.publish(measured, target=lambda trial: trial.value**2)
    assert "Importance here" not in optuna_note(measured)


def test_the_pages_are_artifacts_and_new_ones_take_their_place(study, tmp_path):
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    (tmp_path / "kept").mkdir()
    store = optuna.artifacts.FileSystemArtifactStore(tmp_path / "kept")
    (tmp_path / "own.txt").write_text("own")
    optuna.artifacts.upload_artifact(
        artifact_store=store, file_path=str(tmp_path / "own.txt"), study_or_trial=study
    )
    for _ in range(2):
        hx.publish(study, artifact_store=store, sections=["history"])
    held = [json.loads(v) for k, v in attributes(study).items() if k.startswith("artifacts:")]
    there = {one["filename"]: one["artifact_id"] for one in held if one}
    assert there.keys() == {"own.txt", "hpo_explain.html", "hpo_explain_profiler.html"}
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {*there.values()}
    for name, has in (("hpo_explain.html", False), ("hpo_explain_profiler.html", True)):
        page = (tmp_path / "kept" / there[name]).read_text(encoding="utf-8")
        assert page.startswith("<!doctype html>")
        assert ("What if?" in page) == has


def test_names_are_text_in_the_note():
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    markdown = pytest.importorskip("markdown_it", reason="reads Markdown, comes with rich")
    name = "<b>a_b_c</b>[x](http://y)"
    study = optimized(lambda t: t.suggest_float(name, 0.0, 1.0), 12)
    hx.publish(study)
    parsed = markdown.MarkdownIt().parse(optuna_note(study))
    first, *others = (token for token in parsed if token.type == "inline")
    for part in (part for token in (first, *others) for part in token.children):
        assert part.type in ("text", "text_special", "code_inline")
    assert f": {name} has " in "".join(part.content for part in first.children)


def plain(markdown):
    return markdown.replace("\\", "")


def optuna_note(study):
    from optuna_dashboard import get_note

    return get_note(study)


def test_several_objectives_have_a_figure_and_a_part_of_the_note_each():
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    study = optuna.create_study(directions=["minimize"] * 2, sampler=RandomSampler(seed=0))
    study.set_metric_names(["loss", "time"])
    study.optimize(lambda t: (objective(t), t.params["lr_a"]), n_trials=12)
    hx.publish(study)
    assert {"hpo_explain-history", "hpo_explain-history-1"} <= plots(study).keys()
    assert "**loss**" in optuna_note(study)
    assert "**time**" in optuna_note(study)


def many(trial):
    """Thirteen hyperparameters with long names, one with twelve choices; the last weighs most."""
    choices = [f"a choice with a long name {i}" for i in range(12)]
    number = choices.index(trial.suggest_categorical("kind", choices))
    return number / 12 + sum(
        i * trial.suggest_float(f"a_hyperparameter_with_a_long_name_{i}", 0, 1) for i in range(12)
    )


def heights(figure):
    """Of a figure without what stands in its margins: the pixels of its lines of names, and all."""
    layout = figure.layout
    names = layout.yaxis.ticktext or ()
    lines = sum(1 + name.count("<br>") for name in names)
    return 12 * lines, layout.height - layout.margin.t - layout.margin.b


@pytest.fixture(scope="module")
def cards(few_draws, answers_stay):
    """Figures of a run with many hyperparameters, as they are published."""
    from hpo_explain.adapters._published import figures_of

    run = hx.from_optuna(optimized(many, 20))
    return run, dict(figures_of(run))


@pytest.mark.thorough
def test_no_figure_is_higher_than_the_dashboard_shows_it(cards):
    _, figures = cards
    assert {*figures} == {
        "history",
        "importance",
        "recommended-space",
        *(f"effect-{i}" for i in range(1, 7)),
    }
    for name, figure in figures.items():
        assert figure.layout.height <= 450, name
        names, room = heights(figure)
        assert room >= 190, name
        assert names <= room, name


def test_what_has_no_room_is_counted_and_matters_least(cards):
    run, figures = cards
    shown = [label.replace("<br>", "") for label in figures["importance"].layout.yaxis.ticktext]
    shares = hx.importance(run).importance["with_interactions"]
    largest = shares.sort_values(ascending=False).index[: len(shown)]
    assert 1 < len(shown) < 13
    assert without_spaces("".join(shown)) == without_spaces("".join(largest))
    footer = figures["importance"].layout.annotations[-1].text
    assert f"here: {13 - len(shown)} rows." in footer.replace("<br>", " ")


def test_each_effect_has_a_figure_and_those_of_numbers_one_scale(cards):
    run, figures = cards
    effects = hx.partial_dependence(run)
    for i, one in enumerate(effects, 1):
        title = without_spaces(figures[f"effect-{i}"].layout.title.text)
        assert without_spaces(one.names[0]) in title
    ranges = [
        figures[f"effect-{i}"].layout.yaxis.range
        for i, one in enumerate(effects, 1)
        if not one.categorical[0]
    ]
    assert len(ranges) > 1
    assert len({*ranges}) == 1


def test_what_is_no_study_and_no_run_is_refused():
    with pytest.raises(hx.base.InputError, match="study must be a study of Optuna"):
        hx.publish("study.csv")
    with pytest.raises(hx.base.InputError, match="to must be a run of MLflow or W&B"):
        hx.publish(optimized(objective, 3), to="mlflow")


# ---------------------------------------------------------------------- as people see it


@IS_THERE
def test_the_dashboard_shows_figures_and_note(browser, database):
    pytest.importorskip("optuna_dashboard", reason="optuna-dashboard is not installed")
    from selenium.webdriver.support.ui import WebDriverWait

    study, storage = database
    hx.publish(study)
    titles = [figure["layout"]["title"]["text"] for figure in plots(study).values()]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = "from optuna_dashboard import run_server; run_server({!r}, host='127.0.0.1', port={})"
    server = subprocess.Popen(
        [sys.executable, "-c", serve.format(storage, port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait = WebDriverWait(browser, 120)
        wait.until(lambda _: connects(port))
        page = f"http://127.0.0.1:{port}/dashboard/studies/{study._study_id}"
        browser.get(page)
        shown = "return [...document.querySelectorAll('.js-plotly-plot .gtitle')].map(t => t.textContent)"  # noqa: E501
        drawn = "return document.querySelectorAll('.js-plotly-plot .trace').length"
        for title in titles:
            heading = without_spaces(title.removeprefix("<b>").partition("</b>")[0])
            wait.until(
                lambda b, h=heading: any(
                    without_spaces(t).startswith(h) for t in b.execute_script(shown)
                )
            )
        assert browser.execute_script(drawn) >= len(titles)
        assert browser.execute_script(CUT) == []
        browser.get(f"{page}/note")
        best = hx.summary(study).lines[0]
        wait.until(lambda b: best in b.execute_script("return document.body.innerText"))
        assert "Importance here" in browser.execute_script("return document.body.innerText")
        assert "hpo_explain begins" not in browser.execute_script("return document.body.innerText")
    finally:
        browser.get("about:blank")
        server.terminate()
        server.wait()


def without_spaces(text):
    """A text as it is, however its lines break."""
    return "".join(text.replace("<br>", "").split())


def connects(port):
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


# ---------------------------------------------------------------------- other platforms


def test_a_run_of_mlflow_has_the_report_the_summary_and_importance(trials, tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    try:
        study = study_of(*trials[:20])
        with mlflow.start_run() as run:
            for _ in range(2):
                told = hx.publish(study, to=run, sections=["history"])
        client, key = mlflow.MlflowClient(), run.info.run_id
        held = {file.path for file in client.list_artifacts(key)}
        assert held == {"hpo_explain.html", "hpo_explain_profiler.html", "hpo_explain.md"}
        metrics = client.get_run(key).data.metrics
        assert {*told} == {*held, *metrics}
        shares = hx.importance(study).importance["importance"]
        assert metrics["importance/lr_a"] == pytest.approx(shares["lr_a"])
        text = mlflow.artifacts.load_text(f"{run.info.artifact_uri}/hpo_explain.md")
        assert hx.summary(study).lines[0] in plain(text)
    finally:
        mlflow.set_tracking_uri(before)


def test_a_run_of_wandb_has_the_same(trials, tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="wandb is not installed")
    monkeypatch.setenv("WANDB_SILENT", "true")
    study = study_of(*trials[:20])
    with wandb.init(mode="offline", dir=tmp_path, project="p") as run:
        hx.publish(study, to=run, sections=["history"])
        shares = hx.importance(study).importance["importance"]
        assert run.summary["importance/lr_a"] == pytest.approx(shares["lr_a"])
        assert hx.summary(study).lines[0] in plain(run.summary["hpo_explain"])
    wandb.teardown()  # its service has written all then
    (file,) = tmp_path.glob("wandb/offline-run-*/run-*.wandb")
    written = file.read_bytes()
    assert b"hpo_explain.html" in written
    assert b"hpo_explain_profiler.html" in written


def test_the_command_publishes_into_the_studys_own_storage(database, tmp_path):
    pytest.importorskip("optuna_dashboard")
    study, address = database
    folder = tmp_path / "artifacts"
    folder.mkdir()
    outcome = CliRunner().invoke(main, ["publish", address, "--artifacts", str(folder)])
    assert outcome.exit_code == 0, outcome.output
    named = outcome.stdout.removeprefix("Published: ").strip().split(", ")
    assert {*plots(study)} < {*named}
    assert {"note", "hpo_explain.html", "hpo_explain_profiler.html"} <= {*named}
    assert any(b"<html" in path.read_bytes()[:200].lower() for path in folder.iterdir())
