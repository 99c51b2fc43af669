"""Options of `assay models promote` and `assay models rollback`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import argument, option
from app.shell.declaration.parameters import HeldServer

__all__ = ["ModelsPromoteOptions", "ModelsRollbackOptions"]

Reason = Annotated[str, option(help="Reason, for the record.")]


@dataclass(frozen=True, kw_only=True)
class ModelsPromoteOptions:
    """Options of `assay models promote`."""

    model: Annotated[str, argument(help="Model id.")]
    reason: Reason = ""
    server: HeldServer = "http://127.0.0.1:8000"


@dataclass(frozen=True, kw_only=True)
class ModelsRollbackOptions:
    """Options of `assay models rollback`."""

    model: Annotated[str, argument(help="Model id.")]
    reason: Reason = ""
    server: HeldServer = "http://127.0.0.1:8000"
