"""Walk of a value through the code: calls that pass a parameter on, followed without running anything."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

from benchmarks.house.imports import floors, imports_of, modules_of, room_of_module, targets_of
from benchmarks.house.rooms import nodes_of

__all__ = ["Stay", "Walker", "climbs"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """A function or class of the project: its module, name (`Class.method`) and node."""

    module: str
    name: str
    node: Function | ast.ClassDef


@dataclass
class Stay:
    """Consecutive functions of one module that the value enters: the module, its floor, and names of functions and parameters."""

    module: str
    floor: int
    entries: list[str] = field(default_factory=list)


@dataclass
class Walker:
    """Definitions of a checkout, by which calls are resolved: through imports, `self`, annotations, and methods that have one owner."""

    root: Path

    def __post_init__(self) -> None:
        self.modules = modules_of(self.root)
        self.definitions: dict[tuple[str, str], Definition] = {}
        self.symbols: dict[str, dict[str, tuple[str, str]]] = {}
        self.methods: dict[str, list[Definition]] = {}
        for module, path in self.modules.items():
            table = self.symbols[module] = {}
            for node, scope in nodes_of(path):
                for local, target, symbol in targets_of(node, module, path.name == "__init__.py", self.modules):
                    table[local] = target, symbol
                if isinstance(node, Function | ast.ClassDef) and isinstance(scope, ast.Module):
                    self._define(module, node.name, node)
                elif isinstance(node, Function) and isinstance(scope, ast.ClassDef):
                    self._define(module, f"{scope.name}.{node.name}", node)

    def _define(self, module: str, name: str, node: Function | ast.ClassDef) -> None:
        definition = self.definitions[module, name] = Definition(module, name, node)
        if "." in name:
            self.methods.setdefault(node.name, []).append(definition)

    @cached_property
    def floors(self) -> dict[str, int]:
        """Floor of each room of modules, all imports counted."""
        return floors((room_of_module(edge.importer), room_of_module(edge.target)) for edge in imports_of(self.modules))

    def _named(self, module: str, name: str, depth: int = 0) -> Definition | None:
        """Definition of a name in a module, through imports and re-exports."""
        if (module, name) in self.definitions:
            return self.definitions[module, name]
        target, symbol = self.symbols.get(module, {}).get(name, ("", ""))
        return self._named(target, symbol, depth + 1) if symbol and depth < 8 else None

    def _method(self, owner: Definition, name: str, depth: int = 0) -> Definition | None:
        """Method of a class or of its bases."""
        definition = self.definitions.get((owner.module, f"{owner.name}.{name}"))
        if definition or depth > 8 or not isinstance(owner.node, ast.ClassDef):
            return definition
        bases = (self._named(owner.module, base.id) for base in owner.node.bases if isinstance(base, ast.Name))
        return next((method for base in bases if base and (method := self._method(base, name, depth + 1))), None)

    def _class_of(self, module: str, annotation: ast.expr | None) -> Definition | None:
        """Class of the project that an annotation names, also in quotes or beside None."""
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = ast.parse(annotation.value, mode="eval").body
        if isinstance(annotation, ast.BinOp):
            return self._class_of(module, annotation.left) or self._class_of(module, annotation.right)
        definition = self._named(module, annotation.id) if isinstance(annotation, ast.Name) else None
        return definition if definition and isinstance(definition.node, ast.ClassDef) else None

    def _type(self, node: ast.expr, caller: Definition, types: dict[str, Definition]) -> Definition | None:
        """Class of an expression: a typed name, an attribute annotated in its class, or the answer of a call."""
        if isinstance(node, ast.Name):
            return types.get(node.id)
        if isinstance(node, ast.Attribute) and (owner := self._type(node.value, caller, types)):
            for child in ast.walk(owner.node):
                if isinstance(child, ast.AnnAssign) and node.attr in (
                    getattr(child.target, "id", ""),
                    getattr(child.target, "attr", ""),
                ):
                    return self._class_of(owner.module, child.annotation)
            method = self._method(owner, node.attr)
            return self._class_of(method.module, method.node.returns) if method and isinstance(method.node, Function) else None
        if isinstance(node, ast.Call) and (callee := self._called(node.func, caller, types)):
            return callee if isinstance(callee.node, ast.ClassDef) else self._class_of(callee.module, callee.node.returns)
        return None

    def _called(self, function: ast.expr, caller: Definition, types: dict[str, Definition]) -> Definition | None:
        if isinstance(function, ast.Name):
            return self._named(caller.module, function.id)
        if not isinstance(function, ast.Attribute):
            return None
        if isinstance(function.value, ast.Name):
            target, symbol = self.symbols[caller.module].get(function.value.id, ("", ""))
            if target and not symbol:
                return self._named(target, function.attr)
            owner = self._named(caller.module, function.value.id)
            if owner and isinstance(owner.node, ast.ClassDef):
                return self._method(owner, function.attr)
        if owner := self._type(function.value, caller, types):
            return self._method(owner, function.attr)
        owners = self.methods.get(function.attr, [])
        return owners[0] if len(owners) == 1 else None

    def _entries(self, definition: Definition, parameter: str, history: set[tuple[str, str]]) -> Iterator[tuple[Definition, str]]:
        """Functions that the value enters from here on, in the order of the code; none is followed twice."""
        yield definition, parameter
        if (definition.module, definition.name) in history or not isinstance(definition.node, Function):
            return
        history.add((definition.module, definition.name))
        node = definition.node
        types = {
            argument.arg: owner
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            if (owner := self._class_of(definition.module, argument.annotation))
        }
        if "." in definition.name and (owner := self.definitions.get((definition.module, definition.name.split(".")[0]))):
            types["self"] = types["cls"] = owner
        carriers = {parameter}
        for statement in _in_order(node):
            if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
                if _is_carried(statement.value, carriers):
                    carriers |= names
                if (
                    len(names) == 1
                    and isinstance(targets[0], ast.Name)
                    and (owner := self._type(statement.value, definition, types))
                ):
                    types[targets[0].id] = owner
            elif isinstance(statement, ast.For) and _is_carried(statement.iter, carriers):
                carriers |= {name.id for name in ast.walk(statement.target) if isinstance(name, ast.Name)}
            elif (
                isinstance(statement, ast.Call)
                and (callee := self._called(statement.func, definition, types))
                and (entry := _entered(statement, callee, carriers))
            ):
                yield from self._entries(callee, entry, history)

    def walk(self, module: str, function: str, parameter: str) -> list[Stay]:
        """Stays of the value of a parameter, one for each run of functions in the same module."""
        stays: list[Stay] = []
        for definition, name in self._entries(self.definitions[module, function], parameter, set()):
            if isinstance(definition.node, ast.ClassDef):
                continue
            if not stays or stays[-1].module != definition.module:
                stays.append(Stay(definition.module, self.floors.get(room_of_module(definition.module), 1)))
            stays[-1].entries.append(f"{definition.name}({name})")
        return stays


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes within a function as they are computed: values before assignments, arguments before calls."""
    late = isinstance(node, ast.Call | ast.Assign | ast.AnnAssign)
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)
        if isinstance(node, ast.For) and child is node.iter:
            yield node
    if late:
        yield node


def _is_carried(node: ast.expr, carriers: set[str]) -> bool:
    """Return True if an expression contains the value, or a variable that was computed from it."""
    return any(isinstance(name, ast.Name) and name.id in carriers for name in ast.walk(node))


def _entered(call: ast.Call, callee: Definition, carriers: set[str]) -> str:
    """Parameter by which the value enters a callee function, empty if by none; a call of its own method passes nothing on."""
    if isinstance(callee.node, ast.ClassDef):
        return ""
    arguments = [argument.arg for argument in (*callee.node.args.posonlyargs, *callee.node.args.args)]
    if arguments[:1] in (["self"], ["cls"]):
        arguments = arguments[1:]
    for number, argument in enumerate(call.args):
        if _is_carried(argument, carriers):
            return arguments[min(number, len(arguments) - 1)] if arguments else "*"
    return next((keyword.arg or "**" for keyword in call.keywords if _is_carried(keyword.value, carriers)), "")


def climbs(stays: list[Stay]) -> int:
    """Number of moves from a room to a room on a higher floor."""
    return sum(later.floor > earlier.floor for earlier, later in pairwise(stays))
