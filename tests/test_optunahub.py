"""The package for OptunaHub keeps to the rules of its registry, and forwards to this one."""

import ast
import re
import runpy
import sys
import types

import pytest

import hpo_explain
from tests.source_tree import ROOT

pytestmark = pytest.mark.merge

CATEGORY = "visualization"
PACKAGE = ROOT / "examples" / "optunahub" / "hpo_explain"
README = (PACKAGE / "README.md").read_text(encoding="utf-8")


def header() -> dict[str, str | list[str]]:
    """The front matter: plain strings, and lists of them in brackets."""
    (text,) = re.findall(r"\A---\n(.*?)\n---\n", README, re.DOTALL)
    found: dict[str, str | list[str]] = {}
    for line in text.splitlines():
        key, value = line.split(": ", 1)
        found[key] = value[1:-1].split(", ") if value.startswith("[") else value
    return found


def test_the_folder_holds_what_the_registry_asks_for():
    there = {path.name for path in PACKAGE.iterdir()} - {"__pycache__"}
    assert there >= {"README.md", "LICENSE", "__init__.py"}
    assert there <= {
        "README.md",
        "LICENSE",
        "__init__.py",
        "example.py",
        "requirements.txt",
        "images",
        "tests",
    }
    assert PACKAGE.name.isidentifier()
    assert (PACKAGE / "LICENSE").read_text(encoding="utf-8").startswith("MIT License\n")
    assert sum(path.stat().st_size for path in (PACKAGE / "images").iterdir()) <= 100_000


def test_the_front_matter_has_the_registrys_fields_and_the_tag_of_its_category():
    found = header()
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


def test_the_readme_has_the_sections_of_the_template_and_no_html():
    sections = re.findall(r"^## (.*)$", README, re.MULTILINE)
    assert sections == ["Abstract", "APIs", "Installation", "Example", "Others"]
    assert not re.search(r"</?[a-z]+[ >]", README)
    images = re.findall(r"!\[[^]]*\]\(([^)]*)\)", README)
    assert images
    for image in images:
        assert image.startswith("images/")
        assert (PACKAGE / image).exists()
    assert "load_local_module" not in README
    assert f'load_module(package="{CATEGORY}/{PACKAGE.name}")' in README


def test_every_name_is_forwarded_and_is_in_the_readme():
    module = runpy.run_path(str(PACKAGE / "__init__.py"))
    from hpo_explain.adapters.optuna import ExplanationCallback

    assert module["__all__"] == sorted(module["__all__"])
    for name in module["__all__"]:
        expected = getattr(hpo_explain, name, ExplanationCallback)
        assert module[name] is expected
        assert f"`{name}(" in README
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    assert {type(node) for node in tree.body} <= {ast.Expr, ast.ImportFrom, ast.Assign}


@pytest.mark.parametrize("source", ["README.md", "example.py"])
def test_the_example_runs(source, monkeypatch, tmp_path, capsys, quiet_optuna):
    forwards = types.SimpleNamespace(**runpy.run_path(str(PACKAGE / "__init__.py")))
    # whole reports are looked at elsewhere
    forwards.report = lambda study, path: None
    hub = types.ModuleType("optunahub")
    hub.load_module = lambda package: forwards
    monkeypatch.setitem(sys.modules, "optunahub", hub)
    monkeypatch.chdir(tmp_path)
    text = (PACKAGE / source).read_text(encoding="utf-8")
    if source == "README.md":
        (text,) = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    exec(compile(text, source, "exec"), {"__name__": "__main__"})
    assert "matters most" in capsys.readouterr().out
