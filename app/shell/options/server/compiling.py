"""Options of `assay server compile`."""

from dataclasses import dataclass

__all__ = ["CompileOptions"]


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """Options of `assay server compile`: none."""
