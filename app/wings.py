"""Wings: packages that attach operations, commands, pages and more to the core, which imports none of them by itself."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

__all__ = ["WINGS", "attached"]

# Packages in the order of their attachment. A package without its folder attaches nothing.
WINGS: Final = ("app.smt",)


def attached(part: str) -> tuple[Any, ...]:
    """Items of all wings for one part of the core, as each wing's module ``attached.PART`` lists them in `ATTACHED`.

    Parts and their items: `operations` (`Operation`), `commands` (`Entry`), `pages` (`APIRouter`), `warm_ups` (functions without
    arguments), `first_uses` (command lines that use kernels, see `app.shell.compiling.uses`), `evidence` (a class of
    `EvidenceSource`).
    """
    return tuple(item for wing in WINGS if find_spec(wing) for item in import_module(f"{wing}.attached.{part}").ATTACHED)
