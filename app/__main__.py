"""``python -m app`` is `assay`."""

from app.shell.program import run

run()
