"""Rules of the house that no tool knows: what is public, what is shown, how tests are written."""

import ast
import inspect
import re
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import grimp
import pytest

import hpo_explain
from tests.public import names, public
from tests.source_tree import ROOT, imports, modules, tree
from tests.tiers import may_run, runs

# ---------------------------------------------------------------------- public names


def test_no_public_name_is_shadowed_by_a_module():
    """Importing hpo_explain.x sets the attribute x of hpo_explain, whatever it was before."""
    assert [(name, home) for name, home in names().items() if f"{home}.{name}" in modules()] == []


def test_the_top_level_holds_what_a_person_remembers():
    assert len(hpo_explain.__all__) <= 36


def test_every_explainer_is_public():
    found = {
        node.name
        for module, path in modules().items()
        if module.startswith("hpo_explain.methods")
        for node in tree(path).body
        if isinstance(node, ast.ClassDef) and re.fullmatch("[A-Z].*Explainer", node.name)
    }
    assert found <= {*names()}


def test_every_module_is_imported_and_every_listed_name_exists():
    for module in sorted(modules()):
        loaded = import_module(module)
        listed = getattr(loaded, "__all__", [])
        assert [name for name in listed if not hasattr(loaded, name)] == [], module
        assert len(set(listed)) == len(listed), module


# ---------------------------------------------------------------------- the process it lives in

SHARED_BY_ALL = {
    "rc_context",
    "rc_file",
    "rcdefaults",
    "seterr",
    "switch_backend",  # settings
    "catch_warnings",
    "simplefilter",
    "filterwarnings",
    "set_state",  # of numpy's global generator
}


def test_no_module_changes_what_all_threads_share():
    """Settings of matplotlib and numpy, filters of warnings; np.errstate is a thread's own."""
    changes = re.compile(rf"\b({'|'.join(SHARED_BY_ALL)})\(|\brcParams\[[^]]+\] *=[^=]")
    changing = [
        module
        for module, path in modules().items()
        if changes.search(path.read_text(encoding="utf-8"))
    ]
    # shap draws from numpy's global generator, whose state is restored
    assert changing == ["hpo_explain.methods._engines.coalitions"]


STARTS = (
    r"\b(subprocess|Popen|ProcessPoolExecutor|get_context|loky)\b"
    r"|\bsys\.executable\b|\bmultiprocessing\.(Pool|Process)\b"
    r"|\bos\.(fork|exec|spawn|system|popen|posix_spawn)"
)


def test_interpreters_and_processes_are_started_in_one_place():
    """Where they look for modules is decided there."""
    starting = [
        module
        for module, path in modules().items()
        if module.startswith("hpo_explain") and re.search(STARTS, path.read_text(encoding="utf-8"))
    ]
    assert starting == ["hpo_explain.base.workers"]
    source = modules()["hpo_explain.base.workers"].read_text(encoding="utf-8")
    assert source.count("Popen(") == 1


# ---------------------------------------------------------------------- examples


def test_every_public_function_and_class_shows_an_example():
    without = [
        name
        for name in names()
        if not getattr(public(name), "_is_protocol", False)
        and "Examples\n--------\n>>> " not in (inspect.getdoc(public(name)) or "")
    ]
    assert without == []


# ---------------------------------------------------------------------- a fact stands once


# where others of these rules are not met yet
NOT_YET = (
    "hpo_explain.belief.improvement",
    "hpo_explain.belief.left",
    "hpo_explain.belief.narrowing",
    "hpo_explain.methods.advice.optimum",
    "hpo_explain.reporting",
)


def sources():
    """The package's files but those of adapters: their text by module."""
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in modules().items()
        if name.startswith("hpo_explain") and not name.startswith("hpo_explain.adapters")
    }


def places_of(pattern, *, without=()):
    """Modules and lines where a pattern stands."""
    return [
        (name, line.strip())
        for name, text in sources().items()
        if not name.startswith(tuple(without) or "nowhere")
        for line in text.splitlines()
        if re.search(pattern, line)
    ]


def test_the_sign_of_a_direction_stands_once():
    of_objective = places_of(r"\b1\.0 if .*(minimi|maximi)")
    assert [name for name, _ in of_objective] == ["hpo_explain.base.options"]
    of_values = places_of(r"\b1\.0 if .*lower_is_better")
    assert [name for name, _ in of_values] == ["hpo_explain.base.subject"]


def test_the_word_for_the_better_side_stands_once():
    words = places_of("['\"]lower['\"].*['\"]higher['\"]")
    assert {name for name, _ in words} == {
        "hpo_explain.base.options",
        "hpo_explain.base.subject",  # its documentation
    }


def test_colours_stand_with_the_figures():
    palette = ("hpo_explain.base.figures.marks",)
    assert places_of("#[0-9a-fA-F]{6}\\b", without=palette) == []


def test_what_rounding_leaves_stands_once():
    rounding = r"^_?\w*(ROUND|SAME|TIED)\w* = \(?\s*1e-(9|12)\b"
    found = places_of(rounding, without=NOT_YET)
    assert {name for name, _ in found} == {"hpo_explain.base.numbers"}


def test_abilities_of_models_are_asked_for_by_protocols():
    """No code asks of which class a model is, but where there is a class for one thing only."""
    trees = {name: tree(modules()[name]) for name in sources()}
    models = {
        node.name
        for name, module in trees.items()
        if name.startswith(("hpo_explain.models", "hpo_explain.belief"))
        for node in module.body
        if isinstance(node, ast.ClassDef)
        and "Protocol" not in " ".join(map(ast.unparse, node.bases))
        and {"predict", "terms", "costs"} & {getattr(member, "name", "") for member in node.body}
    }
    assert {"Draws", "ForestSurrogate", "DensityRatio"} <= models
    asked = {
        (name, ast.unparse(node.args[1]))
        for name, module in trees.items()
        for node in ast.walk(module)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "isinstance"
        and models & {*re.findall(r"\w+", ast.unparse(node.args[1]))}
    }
    # only TPE's densities have contributions of their own
    of_densities = {one for one in asked if one[1] == "DensityRatio"}
    assert asked - of_densities == {
        ("hpo_explain.belief.draws", "Draws")  # what makes draws of models
    }


def test_methods_import_floors_and_not_their_modules():
    modules_of = r"^from hpo_explain\.(base|question)\.(?!figures\b)"
    assert [
        (name, line)
        for name, line in places_of(modules_of)
        if name.startswith("hpo_explain.methods.")
    ] == []


# Names that say nothing: the field has a noun for what is held.
VAGUE = {"found", "told", "known", "asked", "kept", "parts", "drawn", "edge"}


def test_arguments_and_locals_are_nouns_of_the_field():
    vague = [
        (module, function.name, name)
        for module in sources()
        if not module.startswith(NOT_YET)
        for function in ast.walk(tree(modules()[module]))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        for name in [getattr(node, "arg", None) or getattr(node, "id", None)]
        if name in VAGUE
        and not isinstance(getattr(node, "ctx", None), ast.Load)
        and not isinstance(node, ast.keyword)
    ]
    # the options that there are, of an error that names them
    assert vague == [("hpo_explain.base.errors", "__init__", "known")]


def test_what_is_compiled_stands_in_one_file_and_is_little():
    compiling = [
        module
        for module, path in modules().items()
        if module.startswith("hpo_explain")
        and re.search(
            r"\b(compiled(_part)?\(|njit\b|@(vectorize|jit)\b)", path.read_text(encoding="utf-8")
        )
    ]
    home = "hpo_explain.models._kernels"
    assert compiling == ["hpo_explain.models._compiled", home]
    loaded = import_module(home)
    kernels = [
        name
        for name, value in vars(loaded).items()
        if hasattr(value, "signatures") and not name.startswith("_")
    ]
    assert len(kernels) <= 8, kernels


# ---------------------------------------------------------------------- circles


def circle_in(graph):
    """A circle of the nodes that point at each other, its first one last again; or none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_files_import_each_other():
    """Imports for type checkers and those in functions count, too."""
    assert circle_in(imports()) == []


def test_every_kind_of_import_counts():
    found = imports()
    # of a module, through a stub, in a function, and through the adapters' stub
    assert "hpo_explain.base.options" in found["hpo_explain.base.subject"]
    assert "hpo_explain.belief.draws" in found["hpo_explain.question.decision"]
    assert "hpo_explain.adapters.files" in found["hpo_explain.adapters.sources"]
    assert {*circle_in({"a": ["b"], "b": ["c"], "c": ["a"], "d": ["a"]})} == {*"abc"}


# ---------------------------------------------------------------------- size


def test_the_house_is_not_larger_than_one_can_take_over():
    files = [path for name, path in modules().items() if not name.startswith("tests")]
    assert len(files) <= 435
    graph = grimp.build_graph("hpo_explain", cache_dir=None)
    topic_of = {
        module: module.split(".")[2]
        for module in graph.find_descendants("hpo_explain.methods")
        if module.count(".") > 2
    }
    arrows = {
        (topic_of[a], topic_of[b])
        for a in topic_of
        for b in graph.find_modules_directly_imported_by(a)
        if b in topic_of and topic_of[a] != topic_of[b]
    }
    assert len(arrows) <= 30, sorted(arrows)


def test_the_examples_of_every_folder_are_collected(request):
    """Those of adapters/ too, which only the link makes collectable."""
    asked = {Path(argument).name for argument in request.config.args}
    if "hpo_explain" not in asked or request.config.option.keyword:
        pytest.skip("only some tests were asked for")
    collected = {
        item.path.relative_to(ROOT).as_posix()
        for item in request.session.items
        if isinstance(item, pytest.DoctestItem)
    }
    shown = {
        path.relative_to(ROOT).as_posix()
        for path in modules().values()
        if re.search(r"^\s*>>> ", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert any(name.startswith("hpo_explain/adapters/") for name in shown)
    assert collected == shown


# ---------------------------------------------------------------------- tests


@pytest.mark.parametrize("markers", [set(), {"merge"}, {"thorough"}, {"merge", "thorough"}])
def test_every_test_is_in_one_tier_and_the_night_runs_all(markers):
    earlier = [runs(markers, options) for options in ([], ["merge"])]
    assert sum(earlier) == ("thorough" not in markers)
    assert runs(markers, ["thorough"])


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("", (True, False)),
        ("@pytest.mark.merge\n", (True, True)),
        ("pytestmark = pytest.mark.merge\n", (False, True)),
        ("pytestmark = [\n    IS_THERE,\n    pytest.mark.merge,\n]\n", (False, True)),
        ("pytestmark = pytest.mark.merge\n\n@pytest.mark.thorough\n", (False, True)),
        ("pytestmark = pytest.mark.thorough\n", (False, False)),
    ],
)
def test_a_file_is_read_where_a_test_of_it_may_be_run(text, tiers, tmp_path):
    (path := tmp_path / "test_it.py").write_text(text)
    assert (may_run(path, []), may_run(path, ["merge"])) == tiers
    assert may_run(path, ["thorough"])


def test_every_test_is_in_a_file_that_is_collected():
    assert [
        path.name
        for path in (ROOT / "tests").rglob("*.py")
        if not path.name.startswith("test_")
        for node in tree(path).body
        if getattr(node, "name", "").startswith("test_")
    ] == []


def test_continuous_integration_runs_both_tiers():
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    run = [line for line in lines if "$checks" in line]
    assert run == ['bash -euo pipefail -c "$checks"', 'bash -euo pipefail -c "$checks --merge"']


def test_every_study_that_a_test_runs_is_given_its_sampler():
    unseeded = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if "create_study" not in path.read_text(encoding="utf-8"):
            continue
        for function in ast.walk(tree(path)):
            if not isinstance(function, ast.FunctionDef):
                continue
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
            names = [getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls]
            unseeded += [
                f"{path.relative_to(ROOT)}:{call.lineno}"
                for call, name in zip(calls, names, strict=True)
                if name == "create_study"
                and {"optimize", "tune"} & {*names}
                and "sampler" not in [keyword.arg for keyword in call.keywords]
            ]
    assert unseeded == []
