"""The packages for OptunaHub keep to the rules of its registry, and forward to this one."""

import importlib.util
import re
import sys
import types

import optuna
import pytest

import hpo_explain as hx
from tests.adapters.studies import optimized
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

REGISTRY = ROOT / "examples" / "optunahub" / "package"
CATEGORY = "visualization"
PACKAGES = sorted(path for path in (REGISTRY / CATEGORY).iterdir() if path.is_dir())
each = pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)


def loaded(package):
    """A package of the registry, as OptunaHub loads it, where it is installed, or in its manner."""
    if importlib.util.find_spec("optunahub"):
        import optunahub

        return optunahub.load_local_module(package=package, registry_root=str(REGISTRY))
    name = f"optunahub_registry.package.{package.replace('/', '.')}"
    spec = importlib.util.spec_from_file_location(name, REGISTRY / package / "__init__.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def readme(package):
    return (package / "README.md").read_text(encoding="utf-8")


def header(package) -> dict[str, str | list[str]]:
    """The front matter: plain strings, and lists of them in brackets."""
    (text,) = re.findall(r"\A---\n(.*?)\n---\n", readme(package), re.DOTALL)
    found: dict[str, str | list[str]] = {}
    for line in text.splitlines():
        key, value = line.split(": ", 1)
        found[key] = value[1:-1].split(", ") if value.startswith("[") else value
    return found


def test_there_are_two():
    assert [package.name for package in PACKAGES] == ["explain_proposal", "importance"]


@each
def test_the_folder_holds_what_the_registry_asks_for(package):
    there = {path.name for path in package.iterdir()} - {"__pycache__"}
    assert there == {
        "README.md",
        "LICENSE",
        "__init__.py",
        "example.py",
        "requirements.txt",
        "images",
    }
    assert package.name.isidentifier()
    assert (package / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert sum(path.stat().st_size for path in (package / "images").iterdir()) <= 100_000


@each
def test_the_front_matter_has_the_registrys_fields_and_the_tag_of_its_category(package):
    found = header(package)
    assert list(found) == ["author", "title", "description", "tags", "optuna_versions", "license"]
    assert found["license"] == "MIT License"
    for key in ("author", "title", "description"):
        assert isinstance(found[key], str)
        assert found[key]
        assert not re.search(r": |\s#|^[\[{&*!|>'\"%@`]", str(found[key]))  # plain text in YAML
    for key in ("tags", "optuna_versions"):
        assert isinstance(found[key], list)
    # a version of two parts, such as 4.5, would be a number in YAML
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in found["optuna_versions"])
    assert CATEGORY in found["tags"]
    assert str(found["description"]).count(". ") == 0  # one sentence


@each
def test_the_readme_has_the_sections_of_the_template_and_no_html(package):
    text = readme(package)
    sections = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert sections == ["Abstract", "APIs", "Installation", "Example", "Others"]
    assert not re.search(r"</?[a-z]+[ >]", text)
    images = re.findall(r"!\[[^]]*\]\(([^)]*)\)", text)
    assert {package / image for image in images} == {*(package / "images").iterdir()}
    assert "load_local_module" not in text
    assert f'load_module(package="{CATEGORY}/{package.name}")' in text
    for name in loaded(f"{CATEGORY}/{package.name}").__all__:
        assert f"`{name}(" in text


@pytest.fixture(scope="module")
def study():
    def objective(trial):
        a, b = trial.suggest_float("a", 0.0, 1.0), trial.suggest_float("b", 0.0, 1.0)
        return (a - 0.2) ** 2 + 0.3 * (b - 0.6) ** 2

    return optimized(objective, 20, optuna.samplers.TPESampler(seed=0))


def bars(figure):
    """What single hyperparameters explain in a figure, by name: the share, and its interval."""
    (drawn,) = (trace for trace in figure.data if trace.name == "alone")
    names = [figure.layout.yaxis.ticktext[figure.layout.yaxis.tickvals.index(y)] for y in drawn.y]
    ends = zip(drawn.error_x.arrayminus, drawn.error_x.array, strict=True)
    return {
        name: (share, share - below, share + above)
        for name, share, (below, above) in zip(names, drawn.x, ends, strict=True)
    }


@pytest.mark.parametrize(("evaluator", "options"), [("Fanova", {}), ("Top", {"top": 0.1})])
def test_the_figure_has_the_shares_of_the_evaluator(study, evaluator, options):
    pytest.importorskip("plotly")
    hub = loaded(f"{CATEGORY}/importance")
    asked = getattr(hub, f"{evaluator}ImportanceEvaluator")()
    found = optuna.importance.get_param_importances(study, evaluator=asked)
    figure = hub.plot_importance(study, **options)
    shown, table = bars(figure), hx.importance(study, **options).importance
    for name, share in asked.evaluate(study).items():
        low, high = table.loc[name, ["lower", "upper"]]
        assert low < share < high
        assert shown[name] == pytest.approx((share, low, high))
    plotted = optuna.visualization.plot_param_importances(study, evaluator=asked).data[0]
    assert dict(zip(plotted.y, plotted.x, strict=True)) == pytest.approx(found)


def test_the_figure_of_a_proposal_is_that_of_its_explanation(study):
    pytest.importorskip("plotly")
    hub = loaded(f"{CATEGORY}/explain_proposal")
    assert hub.explain_proposal is hx.explain_proposal
    expected = hx.explain_proposal(study, 15).to_plotly()
    assert hub.plot_proposal(study, 15).to_json() == expected.to_json()


@each
@pytest.mark.parametrize("source", ["README.md", "example.py"])
def test_the_example_runs(package, source, monkeypatch, tmp_path, capsys, quiet_optuna):
    pytest.importorskip("plotly")
    hub = types.ModuleType("optunahub")
    hub.load_module = lambda package: module
    module = loaded(f"{CATEGORY}/{package.name}")
    monkeypatch.setitem(sys.modules, "optunahub", hub)
    monkeypatch.chdir(tmp_path)
    text = (package / source).read_text(encoding="utf-8")
    if source == "README.md":
        (text,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(text, source, "exec"), {"__name__": "__main__"})
    assert "depth" in capsys.readouterr().out
