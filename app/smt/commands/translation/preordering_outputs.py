"""Orders of sentences as text, positions, trees, a drawing, lattices and JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.shell.output import counted, json_text, say
from app.smt.reordering.drawings import indented, svg_of_trees
from app.smt.reordering.lattices import decodable_lattice
from app.smt.reordering.models.preordering import Preordering
from app.smt.reordering.trees import Tree, tree_of

__all__ = ["OF_GRAMMARS", "OrderPrinter", "print_preordering"]

# Forms with probabilities of orders.
OF_GRAMMARS: Final = ("json", "plf", "lattice")
# Trees of a drawing, which is in memory as a whole.
DRAWING_LIMIT: Final = 200


@dataclass
class OrderPrinter:
    """Prints orders of sentences in a form without probabilities; a drawing comes at the end. `name` is that of the text."""

    form: str
    name: str
    _trees: list[tuple[Tree, Sequence[str]]] = field(default_factory=list)

    def add(self, line: int, words: Sequence[str], orders: Sequence[Sequence[int]]) -> None:
        """Print orders of a sentence, at once but in a drawing; InputError for more trees than a drawing has."""
        if self.form == "svg":
            if len(self._trees) + len(orders) > DRAWING_LIMIT:
                raise InputError("too-many-segments", f"a drawing has at most {DRAWING_LIMIT} trees", (self.name, line))
            self._trees += [(tree_of(np.argsort(order)), words) for order in orders]
            return
        for order in orders:
            if self.form == "tree":
                # Blank lines divide trees.
                row = f"{indented(tree_of(np.argsort(order)), words)}\n"
            else:
                row = " ".join(str(position) if self.form == "positions" else words[position] for position in order)
            print(row, flush=True)

    def end(self) -> None:
        """Print the drawing, if any."""
        if self.form == "svg":
            print(svg_of_trees(self._trees), end="")


def print_preordering(form: str, line: int, words: Sequence[str], result: Preordering) -> None:
    """Print the orders of a sentence in a form with probabilities."""
    for row in _rows(form, line, words, result):
        print(row, flush=True)


def _rows(form: str, line: int, words: Sequence[str], result: Preordering) -> Iterator[str]:
    if form == "json":
        yield json_text(_fields(words, result), None)
        return
    orders = result.orders.tolist()
    lattice, count = decodable_lattice(orders)
    if count < len(orders):
        say(f"line {line}: the lattice has the best {count} of {counted(len(orders), 'order')}; the decoder reads no larger one")
    probabilities = lattice.probabilities(result.pairs)
    if form == "plf":
        yield lattice.plf(words, probabilities)
        return
    arcs = [
        {"start": arc.start, "end": arc.end, "position": arc.position, "probability": round(value, 6)}
        for arc, value in zip(lattice.arcs, probabilities, strict=True)
    ]
    yield json_text({"words": list(words), "nodes": lattice.nodes, "orders": count, "arcs": arcs}, None)


def _fields(words: Sequence[str], result: Preordering) -> dict[str, Any]:
    rows = zip(result.orders.tolist(), result.probabilities.tolist(), result.risks.tolist(), strict=True)
    return {
        "words": list(words),
        "orders": [
            {"positions": order, "probability": round(probability, 6), "risk": round(risk, 6)} for order, probability, risk in rows
        ],
        "entropy": round(result.entropy, 6),
        "log_probability": round(result.log_probability, 6),
        "parts": [list(part) for part in result.parts],
    }
