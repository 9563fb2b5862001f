"""Where the project's own source lies, and which of its files import which."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"  # of papers, beside the project
PACKAGE = ROOT / "hpo_explain"


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name; those of adapters/ through the link."""
    found = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *(PACKAGE / "adapters").rglob("*.py")]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    """What a file says; of all tests that look through it, the first one parses it."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> dict[str, set[str]]:
    """What each file imports of the others, anywhere in it: for type checkers, in functions.

    A name of a package with a stub is imported from the file where it is defined.
    """
    return {
        module: {
            home
            for imported, name in _imported(module, path)
            if (home := _home(imported, name)) != module
        }
        & {*modules()}
        for module, path in modules().items()
    }


def _imported(module: str, path: Path) -> Iterator[tuple[str, str]]:
    """The modules that a file imports, with the names that it takes from them."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, ""
        elif isinstance(node, ast.ImportFrom):
            place = node.module or ""
            if node.level:
                above = package.rsplit(".", node.level - 1)[0]
                place = ".".join(filter(None, [above, node.module]))
            for alias in node.names:
                yield place, alias.name


@cache
def _in_stub(package: str) -> dict[str, str]:
    """The module of each name that a package loads when it is first used."""
    stub = ROOT.joinpath(*package.split("."), "__init__.pyi")
    if package not in modules() or not stub.exists():
        return {}
    return {name: place for place, name in _imported(package, stub) if name != "*"}


def _home(module: str, name: str) -> str:
    """The module in which a name is that another one imports from there."""
    if f"{module}.{name}" in modules():
        return f"{module}.{name}"
    if name in _in_stub(module):
        return _home(_in_stub(module)[name], name)
    return module
