"""The documentation: what is public and what is asked has a page, and its code runs."""

import os
import re
import runpy
from collections import defaultdict
from inspect import signature
from pathlib import Path

import pytest
from click.testing import CliRunner

import hpo_explain
from hpo_explain import reporting
from hpo_explain.catalog.methods import METHODS
from hpo_explain.cli import main
from hpo_explain.reporting import page
from tests.adapters.drawn import drawn_here
from tests.public import names
from tests.source_tree import ROOT

pytestmark = pytest.mark.usefixtures("empty_figures", "few_draws", "answers_stay", "quiet_optuna")

DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(DOCS).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
    for path in [*DOCS.glob("*.md"), *DOCS.glob("guide/*.md"), *DOCS.glob("frameworks/*.md")]
}
NEEDS = {"hyperopt": "hyperopt", "smac": "smac"}  # what may not be installed
LARGE = {  # their programs take long, and warn of other things
    "ax": "ax",
    "flaml": "flaml.tune",
    "keras-tuner": "keras_tuner",
    "mlflow": "mlflow",
    "ray-tune": "ray.tune",
}


@pytest.fixture(scope="module")
def made():
    """The functions that make pages; they need no Sphinx."""
    return runpy.run_path(str(DOCS / "pages.py"))


def blocks(text: str, language: str = "python") -> list[tuple[int, str]]:
    """(lines before the block, its text) of every fenced block in a language."""
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, match.start(1)), match[1]) for match in found]


def run_blocks(name: str, namespace: dict[str, object], which: slice = slice(None)) -> None:
    """Run a page's Python, whose tracebacks name the page's own lines."""
    for before, block in blocks(PAGES[name])[which]:
        exec(compile("\n" * before + block, DOCS / f"{name}.md", "exec"), namespace)


@pytest.fixture
def brief(monkeypatch, tmp_path):
    """Reports are their first part, in a folder of the test: whole ones are looked at elsewhere."""
    monkeypatch.chdir(tmp_path)
    parts = tuple(part for part in page.SECTIONS if part.name in reporting.BRIEF)
    monkeypatch.setattr(page, "SECTIONS", parts)
    drawn_here(monkeypatch)


# ---------------------------------------------------------------------- what has a page


def test_every_public_name_is_in_the_api_once(made):
    listed = made["documented"]()
    assert {*listed} >= {*names()}
    for name, home in names().items():
        assert listed[name] == f"{home}.{name}"
    pages = made["api_pages"]()
    listed_in = {
        name: re.findall(r"^   ~?([\w.]+)$", text, re.MULTILINE) for name, text in pages.items()
    }
    for home, there in made["by_home"]().items():
        if not home.startswith("hpo_explain.methods"):
            assert sorted(listed_in[home]) == sorted(there)
    on_topics = [full for name in pages if name.startswith("methods/") for full in listed_in[name]]
    methods = {
        full
        for name, full in listed.items()
        if full.startswith("hpo_explain.methods.")
        or (full == f"hpo_explain.{name}" and is_method(name))
    }
    assert sorted(on_topics) == sorted(methods)
    assert {*pages} - {"index"} <= {*pages["index"].split()}


def is_method(name):
    return getattr(hpo_explain, name).__module__.startswith("hpo_explain.methods.")


def test_a_page_of_the_api_is_short_and_says_what_each_name_is(made):
    for name, text in made["api_pages"]().items():
        assert len(re.findall(r"^   ~?[\w.]+$", text, re.MULTILINE)) <= 60, name
    importance = made["api_pages"]()["methods/importance"]
    functions, _, others = importance.partition("Explainers\n---")
    assert "~hpo_explain.importance" in functions
    assert "~hpo_explain.methods.h_statistic" in functions
    assert "~hpo_explain.methods.FanovaExplainer" in others


def test_an_assistants_tools_are_all_in_the_page_about_them(made):
    from hpo_explain.mcp.answers import TOOLS

    table = made["tools"]()
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [*TOOLS]
    assert "build/tools.md" in PAGES["guide/assistants"]


def test_the_limits_of_an_assistant_are_those_of_the_server():
    from hpo_explain.mcp import answers, limits, server

    text = PAGES["guide/assistants"]
    assert f"{signature(server.server_of).parameters['longest'].default / 60:g} minutes" in text
    for name in ("background", "n_trees", "studies"):
        assert f"{limits.COUNTS[name]:,}" in text
    assert f"{answers._LONGEST_TEXT:,} characters" in text


def test_every_entry_of_the_catalog_has_a_question_with_all_its_parts(made):
    for method in METHODS:
        assert f"questions/{made['topic_of'](method)}" in made["SAID"]["galleries"]
        script = made["question"](method)
        compile(script, method.name, "exec")
        assert script.startswith(f'"""\n{method.asks}\n')
        assert f"{method.path}(" in script
        text = re.sub(r"\n# ?", " ", script).replace("``", "`")
        said = method.limits[1:].replace("`hx.", ":func:`hpo_explain.")
        assert said in text.replace("  ", " ")
        assert re.search(r"# How to read it\n# -+\n#\n# \w", script), method.name
        for view in filter(None, method.views):
            assert f'found.plot(view="{view}")' in script


def test_answers_are_about_entries_of_the_catalog(made):
    assert {*made["SAID"]["answers"]} <= {method.name for method in METHODS}
    for method in METHODS:  # how to read a figure is said once
        answer = made["SAID"]["answers"].get(method.name, {})
        assert bool(method.how_to_read) != ("reading" in answer), method.name


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.thorough
def test_the_code_of_every_question_runs(made, studies, method, monkeypatch):
    monkeypatch.chdir(studies)
    exec(compile(made["question"](method), method.name, "exec"), {})


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """A folder with the storage that questions are asked about."""
    return folder_of_studies(tmp_path_factory)


@pytest.fixture(scope="module")
def svm(tmp_path_factory):
    """A folder with the study that notebooks are about."""
    return folder_of_studies(tmp_path_factory, ["svm"])


def folder_of_studies(tmp_path_factory, *names):
    folder = tmp_path_factory.mktemp("studies")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("optuna.logging.set_verbosity", lambda level: None)
        write = runpy.run_path(str(DOCS / "studies.py"))["write"]
        write(folder / "study.db", *names)
    return folder


def test_an_example_keeps_its_code_and_gets_a_title(made):
    for path in (ROOT / "examples").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        shown = made["example"](text)
        compile(shown, path, "exec")
        assert re.match(r'"""\n(.+)\n=+\n', shown)
        assert shown.endswith(text.split('"""', 2)[2])


def test_the_page_of_a_result_lists_what_its_users_ask_it_for(made):
    where = "hpo_explain.methods._engines.effect_result"
    hidden = made["inside"](where, "PartialDependence").split(", ")
    assert {"cells", "drawn", "table"} <= {*hidden}
    assert not {*hidden} & {"claims", "sentence", "to_frame", "plot", "band", "best"}
    assert "with_traceback" in made["inside"]("hpo_explain.base", "InputError")
    assert "remedy" not in made["inside"]("hpo_explain.base", "InputError")
    assert made["inside"]("hpo_explain", "Run") == ""


# ---------------------------------------------------------------------- code of the pages


FIRST, AFTER = slice(1), slice(1, None)


@pytest.fixture(scope="module")
def started():
    """What the program of the first page leaves: a study and its objective."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    run_blocks("start", namespace, FIRST)
    return namespace


@pytest.mark.merge
def test_start_runs_and_prints_what_it_shows(started, brief, capsys):
    run_blocks("start", dict(started), AFTER)
    ((_, shown),) = blocks(PAGES["start"], "text")
    printed = capsys.readouterr().out
    # the last digits are a machine's own, and the shares in words those of few draws
    size = r"[0-9.]+|about [a-z ]+ of all|shrink to [a-z ]+"
    assert re.sub(size, "0", shown) in re.sub(size, "0", printed)


@pytest.mark.merge
@pytest.mark.parametrize(
    "name", [name for name in PAGES if name.startswith("guide/") and blocks(PAGES[name])]
)
def test_a_page_of_the_guide_goes_on_where_start_ends(name, started, brief):
    import optuna

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
    study.add_trials(started["study"].trials)
    run_blocks(name, {**started, "study": study})


@pytest.mark.thorough
@pytest.mark.parametrize(
    "name", sorted({path.stem for path in DOCS.glob("frameworks/*.md")} - {"index", *LARGE})
)
def test_the_program_of_a_framework_runs(name, brief, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{name} is not installed")
    run_blocks(f"frameworks/{name}", {"__name__": "__main__"})
    assert (tmp_path / "report.html").exists()


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LARGE)
def test_the_program_of_a_large_framework_runs(name, brief, tmp_path, monkeypatch):
    if "KERAS_BACKEND" not in os.environ:
        # the smallest that KerasTuner goes with
        monkeypatch.setenv("KERAS_BACKEND", "jax")
    pytest.importorskip(LARGE[name], reason=f"{name} is not installed", exc_type=ImportError)
    run_blocks(f"frameworks/{name}", {"__name__": "__main__"})
    assert (tmp_path / "report.html").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("path", sorted(DOCS.glob("notebooks/*.py")), ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, svm, brief, monkeypatch, capsys):
    import optuna

    whole = optuna.Study.optimize
    monkeypatch.setattr(
        optuna.Study, "optimize", lambda study, of, n_trials: whole(study, of, min(n_trials, 15))
    )
    monkeypatch.chdir(svm)
    text = path.read_text(encoding="utf-8")
    assert re.match(r'"""\n(.+)\n=+\n', text)
    exec(compile(text, path, "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out


def test_python_of_all_other_pages_compiles():
    for name, text in PAGES.items():
        for _, block in blocks(text):
            compile(block, name, "exec")


# ---------------------------------------------------------------------- commands and links


def is_source(word: str) -> bool:
    """Whether a word in place of a command is a source, of which a summary is asked."""
    return word in {"PATH", "mlruns"} or bool(re.search(r"[./]", word))


def test_every_command_and_option_that_is_shown_exists():
    shown = {
        line.partition("#")[0].strip()
        for text in PAGES.values()
        for _, block in blocks(text, "sh")
        for line in block.splitlines()
        if line.startswith("hpo-explain ")
    }
    shown |= {line for text in PAGES.values() for line in re.findall("`(hpo-explain [^`]+)`", text)}
    words_of = defaultdict(set)
    for line in shown:
        first, *words = line.split()[1:]
        if is_source(first):
            words_of["summary"] |= {*words}
        elif not first.startswith("-"):
            words_of[first] |= {*words}
    assert len(words_of) > 10
    for name, words in words_of.items():
        helped = CliRunner().invoke(main, [name, "--help"])
        assert helped.exit_code == 0, name
        for option in filter(lambda word: word.startswith("--"), words):
            assert re.search(rf"{option}\b", helped.output), (name, option)


def test_links_between_pages_lead_somewhere():
    made_later = ("api/", "questions/", "gallery/", "measured/")
    for name, text in PAGES.items():
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            target = (DOCS / name).parent / link
            inside = target.resolve().relative_to(ROOT.resolve()).as_posix()
            known = inside.removeprefix("docs/").startswith(made_later)
            assert known or target.exists() or target.with_suffix(".md").exists(), (name, link)


def test_every_page_is_in_a_table_of_contents():
    listed = set()
    for name, text in PAGES.items():
        for tree in re.findall(r"^```\{toctree\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            listed |= {(Path(name).parent / line).as_posix() for line in tree.split()}
    assert {*PAGES} - listed == {"index"}


def test_a_broken_link_of_the_site_is_found(tmp_path):
    broken_links = runpy.run_path(str(DOCS / "__main__.py"))["broken_links"]
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1> <a href="sub/b.html#there">b</a> <a href="#top">up</a> '
        '<a href="https://example.org/none">far</a> <img src="none.png">'
    )
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.html").write_text('<p id="there"><a href="../a.html#bottom">a</a></p>')
    assert broken_links(tmp_path) == ["a.html: none.png", "sub/b.html: ../a.html#bottom"]
