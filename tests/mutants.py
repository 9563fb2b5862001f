"""Mutation tests: does a test fail when the code is changed? Run as a script.

``python -m tests.mutants MODULE --tests FILE... --count 40 --seed 0`` changes one place of a module
at a time (a comparison, an operator, a number, a condition), drawn without replacement, and runs
the tests. It names the places where all tests pass all the same: each is to be killed by a test, or
to be explained. Every mutant is a fork of this process, which has imported what takes long.
"""

import argparse
import ast
import contextlib
import copy
import importlib
import importlib.abc
import importlib.util
import os
import random
import signal
import sys
import time
from pathlib import Path

HEAVY = (
    "numba",
    "optuna",
    "pandas",
    "pytest",
    "scipy.stats",
    "shap",
    "sklearn",
    "sklearn.ensemble",
    "sklearn.gaussian_process",
    "skopt",
)
SWAPPED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.FloorDiv: ast.Div,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.USub: ast.UAdd,
    ast.Not: None,
}
SLOWER = 5.0  # times as long as without a change: it hangs


def changed(node):
    """Every node that may stand in place of one, but for changes that no test can see."""
    if isinstance(node, (ast.BinOp, ast.BoolOp)) and type(node.op) in SWAPPED:
        yield with_field(node, "op", SWAPPED[type(node.op)]())
    elif isinstance(node, ast.UnaryOp) and type(node.op) in SWAPPED:
        yield node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED:
        yield with_field(node, "ops", [SWAPPED[type(node.ops[0])](), *node.ops[1:]])
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield with_field(node, "value", node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield with_field(node, "value", not node.value)
    elif isinstance(node, ast.IfExp) or (
        isinstance(node, ast.If) and not is_for_type_checkers(node)
    ):
        yield with_field(node, "test", ast.UnaryOp(ast.Not(), node.test))
    elif isinstance(node, ast.Return) and node.value and ast.unparse(node.value) != "None":
        yield with_field(node, "value", ast.Constant(None))


def with_field(node, name, value):
    other = copy.copy(node)
    setattr(other, name, value)
    return other


def is_for_type_checkers(node):
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def places(tree):
    """The nodes that run, each with its changes; no annotations, and nothing for type checkers."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: it is never false
            continue
        found += [(node, other) for other in changed(node)]
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns") or (
                isinstance(node, ast.If) and is_for_type_checkers(node)
            ):
                continue
            inside = value if isinstance(value, list) else [value]
            waiting += [part for part in inside if isinstance(part, ast.AST)]
    return sorted(found, key=lambda pair: (getattr(pair[0], "lineno", 0), ast.dump(pair[0])))


def replaced(tree, node, other):
    """A copy of a tree in which one node is another one."""
    if tree is node:
        return ast.copy_location(other, node)
    copied = copy.copy(tree)
    for name, value in ast.iter_fields(tree):
        if isinstance(value, list):
            setattr(
                copied,
                name,
                [
                    replaced(part, node, other) if isinstance(part, ast.AST) else part
                    for part in value
                ],
            )
        elif isinstance(value, ast.AST):
            setattr(copied, name, replaced(value, node, other))
    return copied


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Has one module imported from a changed tree."""

    def __init__(self, module, path, tree):
        self.module, self.path, self.tree = module, path, tree

    def find_spec(self, name, path=None, target=None):
        if name != self.module:
            return None
        return importlib.util.spec_from_file_location(name, self.path, loader=self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def outcome(module, path, tree, tests, limit):
    """What becomes of the tests: "passed", "failed" or "hung"; and the seconds that took."""
    began = time.monotonic()
    child = os.fork()
    if child == 0:
        code = 70
        with contextlib.suppress(BaseException), Path(os.devnull).open("w") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
            sys.meta_path.insert(0, Mutated(module, path, tree))
            options = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly"]
            code = int(importlib.import_module("pytest").main([*options, *tests]))
        os._exit(code)
    while (ended := os.waitpid(child, os.WNOHANG)) == (0, 0):
        if time.monotonic() - began > limit:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hung", limit
        time.sleep(0.05)
    code = os.waitstatus_to_exitcode(ended[1])
    return "passed" if code == 0 else "failed", time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("module")
    parser.add_argument("--tests", nargs="+", required=True)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="Begin no more then.")
    given = parser.parse_args()
    for library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    for name in HEAVY:
        importlib.import_module(name)
    path = Path(*given.module.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = places(tree)
    began = time.monotonic()
    plain, seconds = outcome(given.module, path, tree, given.tests, float("inf"))
    if plain != "passed":
        raise SystemExit("The tests fail without any change.")
    drawn = random.Random(given.seed).sample(found, min(given.count, len(found)))
    tried = survived = 0
    for node, other in drawn:
        if time.monotonic() - began > given.seconds:
            break
        mutant = ast.fix_missing_locations(replaced(tree, node, other))
        result, _ = outcome(given.module, path, mutant, given.tests, SLOWER * seconds + 30.0)
        tried += 1
        if result == "passed":
            survived += 1
            shown = [ast.unparse(part).partition("\n")[0] for part in (node, other)]
            print(f"{path}:{node.lineno}: {shown[0]}  ->  {shown[1]}", flush=True)
    print(f"{given.module}: {tried} of {len(found)} mutants, {survived} survived")


if __name__ == "__main__":
    main()
