"""`assay server compile`: kernels compiled before a server or a command needs them."""

from app.shell.compiling.__main__ import main
from app.shell.options.server.compiling import CompileOptions

__all__ = ["compile_kernels"]


def compile_kernels(options: CompileOptions) -> None:
    """Compile all kernels that have no fresh cache, as installing does; `make serve` and the image have done it."""
    main()
