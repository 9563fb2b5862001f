"""The project's own source as the tests of the house and of the packaging read it."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "hpo_explain"


@dataclass(frozen=True)
class Import:
    """One import: `target` is the module it reaches, None where only running the code tells."""

    target: str | None
    line: int
    in_function: bool
    for_types_only: bool


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name; those of adapters/ through the link."""
    found = {}
    for path in sorted([*PACKAGE.rglob("*.py"), *(PACKAGE / "adapters").rglob("*.py")]):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(module: str, source: str, *, is_package: bool, known: set[str]) -> Iterator[Import]:
    """Every import in a module, wherever it stands; `known` are the modules of the package."""
    package = module if is_package else module.rpartition(".")[0]

    def targets(node: ast.AST) -> list[str | None]:
        match node:
            case ast.Import():
                return [alias.name for alias in node.names]
            case ast.ImportFrom():
                anchor = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*(anchor if node.level else []), *filter(None, [node.module])])
                inside = [f"{base}.{alias.name}" for alias in node.names]
                return [name if name in known else base for name in inside]
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
                if called in {"import_module", "__import__"}:
                    match node.args:
                        case [ast.Constant(value=str(name)), *_]:
                            return [name]
                    return [None]
        return []

    def walk(node: ast.AST, in_function: bool, for_types_only: bool) -> Iterator[Import]:
        for target in targets(node):
            yield Import(target, node.lineno, in_function, for_types_only)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            in_function = True
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            negated = isinstance(node.test, ast.UnaryOp)
            for child in node.body:
                yield from walk(child, in_function, for_types_only or not negated)
            for child in node.orelse:
                yield from walk(child, in_function, for_types_only or negated)
            return
        for child in ast.iter_child_nodes(node):
            yield from walk(child, in_function, for_types_only)

    yield from walk(ast.parse(source), False, False)


def all_imports() -> dict[str, list[Import]]:
    """The imports of every module of the package."""
    tree = modules()
    return {
        name: list(
            imports(
                name,
                path.read_text(encoding="utf-8"),
                is_package=path.name == "__init__.py",
                known=set(tree),
            )
        )
        for name, path in tree.items()
    }
