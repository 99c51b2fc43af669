"""`assay server compile`: kernels compiled before a server or a command needs them."""

from dataclasses import dataclass

__all__ = ["CompileOptions"]


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """Options of `assay server compile`: none."""

    def run(self) -> None:
        """Compile all kernels that have no fresh cache, as installing does; `make serve` and the image have done it."""
        from app.shell.compiling.__main__ import main

        main()
