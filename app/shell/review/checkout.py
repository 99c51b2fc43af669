"""Files of a git checkout, and their texts at an earlier commit."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.errors import InputError

__all__ = ["Checkout"]

SINCE: Final = "--since"
SHALLOW: Final = "a shallow clone has no common commit; fetch its history (actions/checkout: fetch-depth: 0)"


@dataclass(frozen=True)
class Checkout:
    """A git checkout. `root` is its folder; paths are relative to it, with slashes; bytes that are no UTF-8 are surrogates."""

    root: Path

    @classmethod
    def around(cls, folder: Path) -> "Checkout | None":
        """The checkout that holds a folder, or None without git."""
        try:
            result = _run(folder, "rev-parse", "--show-toplevel")
        except FileNotFoundError:
            return None
        return cls(Path(os.fsdecode(result.stdout).rstrip("\n"))) if result.returncode == 0 else None

    def files(self) -> list[str]:
        """Files of the checkout, new ones too, without ignored ones."""
        return self._paths("ls-files", "-z", "--cached", "--others", "--exclude-standard")

    def base(self, reference: str) -> str:
        """The commit from which the branch left `reference`. InputError for an unknown name, or without a common commit."""
        if reference.startswith("-") or _run(self.root, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}").returncode:
            raise InputError("invalid-request", f"git knows no commit {reference[:100]!r}; fetch it, or name another", (SINCE,))
        result = _run(self.root, "merge-base", reference, "HEAD")
        if result.returncode:
            raise InputError("invalid-request", f"{reference} and HEAD have no common commit; {SHALLOW}", (SINCE,))
        return result.stdout.decode().strip()

    def removals(self, base: str) -> list[str]:
        """Files of a commit that are gone, without renamed ones."""
        return self._paths("diff", "--name-only", "-z", "--find-renames", "--diff-filter=D", base)

    def changes(self, base: str) -> dict[str, str | None]:
        """Files that differ from a commit, with their paths there: None for a new file. Deleted files are left out."""
        fields = self._paths("diff", "--name-status", "-z", "--find-renames", base)
        changes: dict[str, str | None] = dict.fromkeys(self._paths("ls-files", "-z", "--others", "--exclude-standard"))
        at = 0
        while at < len(fields):
            status = fields[at][0]
            if status in "RC":
                changes[fields[at + 2]] = fields[at + 1]
                at += 3
            else:
                if status != "D":
                    changes[fields[at + 1]] = None if status == "A" else fields[at + 1]
                at += 2
        return changes

    def content(self, base: str, path: str) -> bytes:
        """A file at a commit."""
        return _run(self.root, "show", f"{base}:{path}").stdout

    def _paths(self, *arguments: str) -> list[str]:
        result = _run(self.root, *arguments)
        if result.returncode:
            message = result.stderr.decode(errors="replace").strip()[:300]
            raise InputError("invalid-request", f"git {arguments[0]} failed: {message}")
        # Names that are no UTF-8 stay, with surrogates: a list without them would shift statuses.
        return [os.fsdecode(path) for path in result.stdout.split(b"\0") if path]


def _run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[bytes]":
    command: Sequence[str] = ("git", "-C", str(folder), "-c", "core.quotePath=false", *arguments)
    return subprocess.run(command, capture_output=True, check=False)
