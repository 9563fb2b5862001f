"""The README: its commands, and its Python blocks, run one after the other."""

import re

import pytest

import hpo_explain
from hpo_explain import reporting
from hpo_explain.reporting import page
from tests.source_tree import ROOT

pytestmark = pytest.mark.usefixtures("empty_figures")

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [
    'python3 -m venv .venv && .venv/bin/pip install ".[all]" && .venv/bin/hpo-explain demo',
    'python3 -m venv .venv && .venv/bin/pip install ".[all,test]" && .venv/bin/python -m tests',
]


def blocks(language: str) -> list[tuple[int, str]]:
    """(lines before the block, its text) of every fenced block in a language."""
    found = re.finditer(
        rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
    )
    return [
        (README.count("\n", 0, match.start(1)), match[1]) for match in found
    ]


def test_the_first_two_shell_lines_are_the_demo_and_the_checks():
    lines = [
        line
        for _, text in blocks("sh")
        for line in text.splitlines()
        if line.strip()
    ]
    assert lines[:2] == COMMANDS


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= 120


def test_every_link_leads_to_a_file():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_python_blocks_run_and_print_what_is_shown(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    # a whole report would take its time, and is looked at elsewhere
    brief = tuple(
        part for part in page.SECTIONS if part.name in reporting.BRIEF
    )
    monkeypatch.setattr(page, "SECTIONS", brief)
    namespace: dict[str, object] = {"__name__": "__main__"}
    found = blocks("python")
    assert found
    for before, block in found:
        # The empty lines make a traceback name the file's own line.
        exec(
            compile("\n" * before + block, ROOT / "README.md", "exec"),
            namespace,
        )
    ((_, shown),) = blocks("text")
    printed = capsys.readouterr().out  # the last digits are a machine's own
    assert re.sub(r"[0-9.]+", "0", shown) in re.sub(r"[0-9.]+", "0", printed)


def test_what_is_cited_is_this_version_at_its_addresses():
    cited = dict(
        re.findall(
            r"^([a-z-]+): (.+)$",
            (ROOT / "CITATION.cff").read_text("utf-8"),
            re.MULTILINE,
        )
    )
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert cited["version"] == hpo_explain.__version__
    assert f'Source = "{cited["repository-code"]}"' in project
    assert f'Documentation = "{cited["url"]}"' in project
