"""Limits of the house: sizes of folders, depth of imports, no circles, and lists that are written in one place only."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from app.operations.catalogue import OPERATIONS
from app.settings import ROOT
from app.text.side_information import KINDS

APP: Final = ROOT / "app"
MODULES: Final = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in APP.rglob("*.py")
}
FOLDERS: Final = sorted(path for path in APP.rglob("*") if path.is_dir() and any(path.glob("*.py")))
# Largest number of modules of a folder, without `__init__`.
LARGEST_FOLDER: Final = 16
# From errors up to main: what imports what imports what, counted in floors.
MOST_FLOORS: Final = 14
# Packages that may import others late, for type checkers or within a function: commands start at once if they import the engine
# and the server only when they run. Operations that commands import are permitted the engine and what it answers with.
LATE: Final = {
    ("app.shell", "app"),
    # A score loads the kernels of its metrics alone.
    ("app.metrics.catalogue", "app.metrics"),
    ("app.operations", "app.engine"),
    # A score without a glossary loads no formats of documents.
    ("app.operations.glossary", "app.documents"),
    ("app.operations.glossary", "app.resources.terminology"),
    ("app.operations.score", "app.resources.terminology"),
    ("app.operations.parts.scoring.loaded_metrics", "app.metrics.terms"),
    ("app.operations.parts.scoring.loaded_metrics", "app.resources.terminology"),
    # Workers of other operations, as in tests, import no engine.
    ("app.server.jobs.context", "app.engine"),
    ("app.operations", "app.features"),
    ("app.operations", "app.predictors"),
    ("app.operations.judgements.feedback", "app.operations.parts.segments"),
    # Rooms whose late imports are not sorted out yet.
    ("app.smt.recipes.configurations", "app.smt.decoder.moses_ini"),
    # The options of `assay corpus filter` come from its rules, which the help of the command imports.
    ("app.smt.corpus.selection.sides", "app"),
    ("app.smt.systems", "app.smt.decoder.serving"),
    # A tuning on lists loads no decoder.
    ("app.smt.commands.n_best.tuning", "app.smt"),
    # Commands on tables import the engine only when they run.
    ("app.smt.commands.corpus.filtered_tables", "app"),
    ("app.smt.commands.corpus.selected_tables", "app"),
}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_a_folder_holds_one_idea(folder: Path) -> None:
    modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    assert len(modules) <= LARGEST_FOLDER


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text("utf-8"))


@cache
def nodes_of(module: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree_of(module)))


@cache
def imports_of(module: str) -> frozenset[tuple[str, bool]]:
    """Modules of the house that a module imports anywhere, and whether late: for type checkers, or within a function."""
    imports = set()
    at_once = set(map(id, tree_of(module).body))
    for node in nodes_of(module):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            below = {name if name in MODULES else node.module for name in names}
        elif isinstance(node, ast.Import):
            below = {alias.name for alias in node.names}
        else:
            continue
        imports |= {(name, id(node) not in at_once) for name in below & MODULES.keys() - {module}}
    return frozenset(imports)


def edges_of(module: str) -> set[str]:
    """Modules that a module imports, at once or late, without the permitted circles."""
    return {below for below, _ in imports_of(module)}


def longest_chain(edges: dict[str, set[str]]) -> list[str]:
    """The longest way through what imports what; fails where a way comes back to where it was."""
    chains: dict[str, list[str]] = {}
    path: list[str] = []

    def chain(node: str) -> list[str]:
        assert node not in path, f"a circle: {' -> '.join([*path[path.index(node) :], node])}"
        if node not in chains:
            path.append(node)
            chains[node] = [node, *max((chain(below) for below in edges.get(node, ())), key=len, default=[])]
            path.pop()
        return chains[node]

    return max((chain(node) for node in list(edges)), key=len)


def test_no_import_comes_back() -> None:
    longest_chain({module: edges_of(module) for module in MODULES})


def test_late_imports_have_a_reason() -> None:
    """An import within a function, or for type checkers alone, is permitted by `LATE`."""
    late = {(module, below) for module in MODULES for below, is_late in imports_of(module) if is_late}
    refused = {
        (module, below)
        for module, below in late
        if not any(within(module, room) and within(below, target) for room, target in LATE)
    }
    assert not refused, sorted(refused)


def within(module: str, package: str) -> bool:
    """Whether a module is a package or lies in it."""
    return f"{module}.".startswith(f"{package}.")


def test_the_house_has_no_more_floors_than_it_needs() -> None:
    floors: dict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        floor = ".".join(module.split(".")[:2])
        for below in edges_of(module):
            floors[floor].add(".".join(below.split(".")[:2]))
    edges = {floor: below - {floor, "app"} for floor, below in floors.items() if floor != "app"}
    chain = longest_chain(edges)
    assert len(chain) <= MOST_FLOORS, chain


def test_only_settings_and_what_starts_processes_read_the_environment() -> None:
    readers = {
        module for module in MODULES for node in nodes_of(module) if isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv")
    }  # fmt: skip
    assert readers <= {
        "app.settings",
        "app.shell.compiling.__main__",
        "app.running.kernel_caches",
        "app.server.jobs.executors.processes",
        "app.resources.tagging_process",
        "app.smt.recipes.local_run",
        "app.smt.recipes.process",
        "app.shell.serving.shared_folder",
        "app.shell.serving.together",
    }


def test_compiled_sums_have_one_order_on_all_processors_and_starts() -> None:
    for module in MODULES:
        for node in nodes_of(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "njit":
                assert "fastmath" not in {keyword.arg for keyword in node.keywords}, f"{module}, line {node.lineno}"


def test_statuses_of_http_are_above_the_operations() -> None:
    """No number that is a status of HTTP stands on a floor that does not speak it."""
    speaking = ("app.server.api", "app.server.web", "app.server.jobs.webhooks", "app.server.translation", "app.main")
    for module in MODULES:
        if not module.startswith(speaking):
            numbers = {node.value for node in nodes_of(module) if isinstance(node, ast.Constant) and type(node.value) is int}
            assert not numbers & {401, 403, 404, 405, 409, 410, 413, 415, 422, 429, 503, 507}, module


def collections_of_strings(module: str) -> Iterator[set[str]]:
    """Lists, tuples, sets, keys of dictionaries and `Literal`s that are written by hand."""
    for node in nodes_of(module):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            yield {each.value for each in node.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)}
        elif isinstance(node, ast.Dict):
            yield {each.value for each in node.keys if isinstance(each, ast.Constant) and isinstance(each.value, str)}


NAMED_OTHERWISE = (
    "app.shell.declaration.catalogue", "app.smt.attached.commands", "app.server.store.keys"
)  # fmt: skip


def test_operations_are_listed_once() -> None:
    """Commands, steps of recipes and scopes have names of their own, some of which are verbs; nothing else tells the verbs once more."""
    for module in MODULES:
        if module not in NAMED_OTHERWISE:
            assert all(len(strings & OPERATIONS.keys()) < 3 for strings in collections_of_strings(module)), module


def test_kinds_of_side_information_are_listed_once() -> None:
    fields = {kind.request_field for kind in KINDS}
    for module in MODULES:
        if module != "app.text.side_information.kinds":
            assert all(len(strings & fields) < 3 for strings in collections_of_strings(module)), module


def test_tests_are_where_their_floor_is() -> None:
    floors = {path.name for path in APP.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    tested = {path.name for path in (ROOT / "tests").iterdir() if any(path.rglob("test_*.py"))}
    assert floors <= tested
