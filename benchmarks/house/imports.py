"""Imports among the modules of `app`, hidden ones too: circles, floors, and sizes of folders and wings."""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.house.rooms import WING_FOLDERS, nodes_of, sources

__all__ = ["Import", "circles", "edges_of", "floors", "folder_sizes", "imports_of", "modules_of", "room_of_module", "targets_of"]

LATE: Final = "in a function"
TYPES: Final = "for types"


@dataclass(frozen=True)
class Import:
    """An import of one module by another, with its line; `hidden` says how it stays away from the load of a module, or is empty."""

    importer: str
    target: str
    line: int
    hidden: str


def modules_of(root: Path) -> dict[str, Path]:
    """Modules of `app` by their dotted names."""
    return {
        ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__"): path for path in sources(root, ("app",))
    }  # fmt: skip


def targets_of(node: ast.AST, importer: str, package: bool, modules: dict[str, Path]) -> Iterator[tuple[str, str, str]]:
    """Local name, module and symbol (empty for a module itself) of each import of the project that a node makes."""
    if isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = importer.split(".")
            base = ".".join([*parts[: len(parts) - node.level + package], *([base] if base else [])])
        for alias in node.names:
            full = f"{base}.{alias.name}"
            if full in modules:
                yield alias.asname or alias.name, full, ""
            elif base in modules:
                yield alias.asname or alias.name, base, alias.name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name in modules:
                yield alias.asname or alias.name, alias.name, ""


def imports_of(modules: dict[str, Path]) -> list[Import]:
    """Imports of the project by each module, with those in functions and for type checkers."""
    imports = []
    for importer, path in modules.items():
        for_types = {
            id(inner)
            for node, _ in nodes_of(path)
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            for inner in ast.walk(node)
        }
        for node, scope in nodes_of(path):
            hidden = TYPES if id(node) in for_types else LATE if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else ""
            for _, target, _ in targets_of(node, importer, path.name == "__init__.py", modules):
                if target != importer:
                    imports.append(Import(importer, target, node.lineno, hidden))
    return imports


def room_of_module(module: str) -> str:
    """Room of a module: the folder below `app`, `app.smt` or `app.server`; a loose module is a room by itself."""
    parts = module.split(".")
    return ".".join(parts[: 3 if len(parts) > 2 and parts[1] in WING_FOLDERS else 2])


def _components(edges: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components, those that are imported first (Tarjan 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    components: list[list[str]] = []

    def visit(node: str) -> None:
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for below in sorted(edges.get(node, ())):
            if below not in order:
                visit(below)
            if below in stack:
                lowest[node] = min(lowest[node], lowest[below])
        if lowest[node] == order[node]:
            at = stack.index(node)
            components.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return components


def edges_of(pairs: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    """Imported names by their importers, names that import themselves left out."""
    edges: dict[str, set[str]] = {}
    for importer, target in pairs:
        edges.setdefault(importer, set())
        if importer != target:
            edges[importer].add(target)
            edges.setdefault(target, set())
    return edges


def circles(pairs: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of names that import each other, the largest first."""
    return sorted((group for group in _components(edges_of(pairs)) if len(group) > 1), key=lambda group: (-len(group), group))


def floors(pairs: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Floor of each name, 1 for names that import nothing; names of a circle share one floor."""
    edges = edges_of(pairs)
    floor: dict[str, int] = {}
    for group in _components(edges):
        height = 1 + max((floor[below] for name in group for below in edges[name] if below not in group), default=0)
        floor.update(dict.fromkeys(group, height))
    return floor


def folder_sizes(modules: dict[str, Path]) -> Counter[str]:
    """Number of modules of each folder, `__init__` and folders below left out."""
    return Counter(str(path.parent) for path in modules.values() if path.name != "__init__.py")
