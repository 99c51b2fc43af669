"""``python -m app`` is `assay`."""

from app.cli import main

main()
