"""Reports show what is running, and why."""

import json
import re

import optuna
import pytest
from optuna.distributions import FloatDistribution
from optuna.samplers import TPESampler

import hpo_explain as hx

pytestmark = pytest.mark.filterwarnings(
    "ignore::optuna.exceptions.ExperimentalWarning", "ignore::FutureWarning"
)
SPACE = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)}


@pytest.fixture(scope="module")
def study():
    """Twelve finished trials; 12 and 13 run, 14 failed."""
    made = optuna.create_study(sampler=TPESampler(seed=0))
    for _ in range(12):
        trial = made.ask(SPACE)
        made.tell(trial, (trial.params["x"] - 0.3) ** 2 + trial.params["y"])
    made.ask(SPACE)
    made.ask(SPACE)
    made.tell(made.ask(SPACE), state=optuna.trial.TrialState.FAIL)
    return made


def trials_in(page):
    text = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.S).group(1)
    return json.loads(text)


def test_a_report_explains_what_runs(study, tmp_path):
    sections = ["trials", "latest", "path"]
    written = hx.report(study, tmp_path / "r.html", sections=sections, progress=False)
    page = written.read_text(encoding="utf-8")
    assert "Trial 13 is the latest proposal. It is running: it has no result yet." in page
    assert "Also running: 12." in page
    data = trials_in(page)
    assert {"12", "13", "14"} <= {*data["explained"]}
    texts = {trial["t"]: trial["text"] for trial in data["trials"]}
    assert texts[13].startswith("running, no result yet; chosen by Optuna's TPESampler")
    assert texts[14].startswith("failed; chosen by")
    # nothing is said of a result that is not there
    assert all("Observed" not in data["explained"][t]["predicted"] for t in ("12", "13", "14"))
    assert "nan" not in json.dumps(data["explained"]["13"]).lower()
