"""`assay`: the verbs of the HTTP interface for shells and CI, in-process or against a server.

Answers go to stdout, everything else to stderr. Exit codes: 0 fine, 1 a gate failed, 2 wrong usage or input.
"""

from app.shell.program import run

__all__ = ["main"]


def main() -> None:
    """Entry point of the command."""
    run()
