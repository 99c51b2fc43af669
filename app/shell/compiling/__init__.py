"""Compilation of all kernels once after installing, by ``python -m app.shell.compiling``: no command compiles after it."""
