"""Options of `assay server doctor`."""

from dataclasses import dataclass
from typing import Annotated

from app.shell.declaration.fields import option
from app.shell.declaration.forms import Format

__all__ = ["DoctorOptions"]


@dataclass(frozen=True, kw_only=True)
class DoctorOptions:
    """Options of `assay server doctor`."""

    form: Annotated[Format, option("--format", "-f", help="Form of the answer.")] = Format.TEXT
