"""The example of an adapter of one's own, found by its entry point."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import hpo_explain as hx
from hpo_explain.adapters import as_run
from hpo_explain.base.facts import as_fact
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

PLUGIN = ROOT / "examples" / "adapter_plugin"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the example's module and metadata, as an installation leaves them.

    pip would build a wheel for it, for which it may need a network.
    """
    source = shutil.copytree(PLUGIN, tmp_path_factory.mktemp("source") / PLUGIN.name)
    target = tmp_path_factory.mktemp("installed")
    setup = [sys.executable, "-c", "from setuptools import setup; setup()"]
    done = subprocess.run(
        [*setup, "egg_info", "--egg-base", target, "build_py", "--build-lib", target],
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target


@pytest.fixture
def plugin(installed, monkeypatch):
    monkeypatch.syspath_prepend(installed)
    yield
    sys.modules.pop("hpo_explain_jsonl", None)


@pytest.fixture
def log(tmp_path):
    rng = np.random.default_rng(0)
    space = [{"name": "lr", "low": 1e-4, "high": 1.0, "log": True}]
    space.append({"name": "momentum", "low": 0.0, "high": 1.0})
    lines = [{"space": space, "random": 8}]
    for number in range(20):
        lr, momentum = 10 ** rng.uniform(-4, 0), rng.uniform()
        lines.append({"config": {"lr": lr, "momentum": momentum}})
        if number != 11:
            lines[-1]["loss"] = abs(np.log10(lr) + 2) + momentum
    path = tmp_path / "trials.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


@pytest.mark.usefixtures("plugin")
def test_every_function_takes_the_path_of_a_log(log):
    run = as_run(log)
    records = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()[1:]]
    assert run.space["lr"] == hx.FloatParameter("lr", 1e-4, 1.0, log=True)
    assert run.excluded == {11: as_fact("it crashed")}
    for trial in run.trials.tolist():
        assert run.config(trial) == pytest.approx(records[trial]["config"])
        assert run.objective[run.row(trial)] == records[trial]["loss"]
    assert run.proposals == (8, 9, 10, *range(12, 20))
    assert hx.explain_proposal(log, 15, background=40).trial == 15
    assert as_run(log, direction="maximize").direction == "maximize"


@pytest.mark.usefixtures("plugin")
def test_what_is_no_log_is_left_to_other_adapters(tmp_path):
    with pytest.raises(ValueError, match="is neither a file nor an address"):
        as_run(tmp_path / "trials.csv")


def test_without_the_plugin_a_log_is_a_table_of_whose_optimizer_nothing_is_known(log):
    run = as_run(log, objective="loss", hyperparameters=["lr", "momentum"])
    assert "hpo_explain_jsonl" not in sys.modules
    assert run.space.names == ("lr", "momentum")
    assert run.space["lr"].low > 1e-4  # the header, which says it, is not read
    assert run.proposals == ()


def test_an_adapter_is_the_remedy_for_what_nobody_reads():
    with pytest.raises(ValueError, match="or install an adapter"):
        as_run(object())


def test_the_example_is_short():
    text = (PLUGIN / "hpo_explain_jsonl.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
