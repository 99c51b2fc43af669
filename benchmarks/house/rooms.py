"""Source files and pages of a checkout, and the room and wing of each."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["WINGS", "Scope", "nodes_of", "pages", "room_of", "sources", "wing_of"]

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# Folders of Python files that are measured; tests are not. `recipes` is an older name of `scripts`.
CODE: Final = ("app", "client", "scripts", "recipes", "benchmarks")
PAGES: Final = ("README.md", "SECURITY.md")
# Wings of `app`, each with rooms of its own; everything else is the core.
WING_FOLDERS: Final = ("smt", "server")
WINGS: Final = ("core", "server", "shell", "smt")
# Folders of `app` in the layout before the wings `server` and `smt` had folders.
BEFORE_WINGS: Final = {
    "server": ("api", "web", "jobs", "store", "service", "upkeep"),
    "smt": (
        "translation", "tuning", "ranking", "corpus/phrases", "corpus/selection", "corpus/trees", "corpus/weighting", "corpus/harvest",
        "shell/commands/corpus", "shell/commands/n_best", "shell/commands/translation",
    ),
}  # fmt: skip


def sources(root: Path, folders: tuple[str, ...] = CODE) -> Iterator[Path]:
    """Python files below `folders` of a checkout, sorted."""
    for folder in folders:
        yield from sorted((root / folder).rglob("*.py"))


def pages(root: Path) -> Iterator[Path]:
    """Pages of documentation of a checkout: README, SECURITY and all below `docs`."""
    yield from (root / name for name in PAGES if (root / name).exists())
    yield from sorted((root / "docs").rglob("*.md"))


@cache
def nodes_of(path: Path) -> list[tuple[ast.AST, Scope]]:
    """Nodes of a Python file, parents first, each with the innermost module, class or function around it."""
    tree = ast.parse(path.read_text("utf-8"))
    nodes: list[tuple[ast.AST, Scope]] = []
    pending: list[tuple[ast.AST, Scope]] = [(tree, tree)]
    while pending:
        node, scope = pending.pop()
        nodes.append((node, scope))
        inner = node if isinstance(node, Scope) else scope
        for field, value in node.__dict__.items():
            if isinstance(value, ast.AST):
                if field != "ctx":
                    pending.append((value, inner))
            elif isinstance(value, list):
                pending += [(child, inner) for child in value if isinstance(child, ast.AST)]
    return nodes


def room_of(path: Path) -> str:
    """Room of a path relative to its checkout: a folder below `app`, `app/smt` or `app/server`, else the first part.

    Loose modules of `app` share the room `app`, those of `app/smt` the room `app/smt`.
    """
    parts = path.parts
    if parts[0] != "app" or len(parts) <= 2:
        return parts[0]
    depth = 3 if parts[1] in WING_FOLDERS and len(parts) > 3 else 2
    return "/".join(parts[:depth])


def wing_of(path: Path) -> str:
    """Wing of a path relative to its checkout, of `WINGS`."""
    inside = "/".join(path.parts[1:]) + "/"
    first = path.parts[1]
    if first in WING_FOLDERS:
        return first
    # Longest folder first: commands of translation lie in the shell.
    for wing in ("smt", "server"):
        if any(inside.startswith(f"{folder}/") for folder in BEFORE_WINGS[wing]):
            return wing
    return "shell" if first == "shell" else "core"
