"""Kernels of a command: a quick first call, and a notice while they are compiled for this machine."""

import sys

from app.shell.output import say

__all__ = ["prepare_kernels"]


def prepare_kernels() -> None:
    """Prepare numba, once it is imported, for the kernels of a command."""
    if "numba" not in sys.modules:
        return
    _leave_out_cffi()
    if "numba.np.arraymath" not in sys.modules:
        _postpone_blas()
    if sys.stderr.isatty():
        _announce_compiling()


def _leave_out_cffi() -> None:
    """Let numba know no functions of cffi, which no kernel calls: where cffi is installed, its import takes .05 s."""
    if "cffi" in sys.modules:
        return
    # Python raises ImportError for such a module.
    sys.modules["cffi"] = None  # type: ignore[assignment]
    try:
        # Numba is imported only where a command has kernels.
        from numba.core.typing import cffi_utils  # noqa: F401
    finally:
        del sys.modules["cffi"]


def _postpone_blas() -> None:
    """Let numba search for BLAS when a kernel multiplies matrices: a search at the first kernel imports scipy.linalg, .15 s."""
    # Numba is imported only where a command has kernels.
    from numba.np import linalg

    search = getattr(linalg, "ensure_blas", None)
    if search is None:
        # Another numba searches elsewhere; commands start .15 s later with it.
        return

    def skip_once() -> None:
        linalg.ensure_blas = search

    linalg.ensure_blas = skip_once


def _announce_compiling() -> None:
    """Print a notice on stderr before the first compilation, which may take a minute."""
    # Numba is imported only where a command has kernels.
    from numba.core import event

    class Notice(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: object) -> None:
            if event is first.setdefault("event", event):
                say("assay: compiling for this machine, once after installing (up to a minute) ...")

        def on_end(self, event: object) -> None:
            pass

    first: dict[str, object] = {}
    event.register("numba:compile", Notice())
