"""The README and the guide: their commands, and their Python blocks, run one after the other."""

import re

import pytest

from hpo_explain import reporting
from hpo_explain.reporting import page
from tests.adapters.drawn import drawn_here
from tests.source_tree import ROOT

pytestmark = pytest.mark.usefixtures("empty_figures")

README, GUIDE = (
    (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/guide.md")
)
COMMANDS = [
    'python3 -m venv .venv && .venv/bin/pip install ".[all]" && .venv/bin/hpo-explain demo',
    'python3 -m venv .venv && .venv/bin/pip install ".[all,test]" && .venv/bin/python -m tests',
]


def blocks(language: str, page: str = README) -> list[tuple[int, str]]:
    """(lines before the block, its text) of every fenced block in a language."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return [(page.count("\n", 0, match.start(1)), match[1]) for match in found]


def test_the_first_two_shell_lines_are_the_demo_and_the_checks():
    lines = [line for _, text in blocks("sh") for line in text.splitlines() if line.strip()]
    assert lines[:2] == COMMANDS


def test_the_readme_is_one_screen():
    assert len(README.splitlines()) <= 120


def test_the_python_blocks_run_in_the_order_of_the_text(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # three whole reports would take a minute; whole ones, and that a callback's process writes
    # them, are looked at elsewhere
    brief = tuple(part for part in page.SECTIONS if part.name in reporting.BRIEF)
    monkeypatch.setattr(page, "SECTIONS", brief)
    drawn_here(monkeypatch)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for name, text in (("README.md", README), ("docs/guide.md", GUIDE)):
        found = blocks("python", text)
        assert found
        for before, block in found:
            # The empty lines make a traceback name the file's own line.
            exec(compile("\n" * before + block, ROOT / name, "exec"), namespace)
        if text == README:  # it shows what is printed; the last digits are a machine's own
            ((_, shown),) = blocks("text")
            printed = capsys.readouterr().out
            assert re.sub(r"[0-9.]+", "0", shown) in re.sub(r"[0-9.]+", "0", printed)
