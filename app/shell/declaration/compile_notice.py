"""A notice while kernels are compiled for this machine."""

from app.shell.output import say

__all__ = ["announce_compiling"]


def announce_compiling() -> None:
    """Print a notice on stderr before the first compilation, which may take a minute."""
    from numba.core import event

    class Notice(event.Listener):  # type: ignore[misc]  # numba has no types
        def on_start(self, event: object) -> None:
            if event is first.setdefault("event", event):
                say("assay: compiling for this machine, once after installing (up to a minute) ...")

        def on_end(self, event: object) -> None:
            pass

    first: dict[str, object] = {}
    event.register("numba:compile", Notice())
