"""Paths that a pull request chooses: links and settings lead to files of the checkout alone."""

import os
from collections.abc import Set
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.shell.review.checkout import Checkout

__all__ = ["check_link", "own_file"]

GIT: Final = ".git"


def check_link(root: Path, path: str, listed_paths: Set[str]) -> None:
    """Raise InputError if a file of a checkout is a link, or lies behind one, to a file that the checkout does not list."""
    place = _below(root, root / path)
    if place != path and place not in listed_paths:
        detail = f"{path} is a link to a file outside {root}, or to one that git ignores; replace it with a file"
        raise InputError("invalid-request", detail, (path,))


def own_file(path: Path, option: str, is_configured: bool = False) -> Path:
    """The path of a file; InputError if it leads out of the checkout by the configuration or by a link within."""
    checkout = Checkout.around(Path())
    root = Path() if checkout is None else checkout.root
    # The place that the name says, before any link.
    named_place = Path(os.path.normpath(Path.cwd() / path))
    is_own = is_configured or named_place.is_relative_to(os.path.normpath(Path.cwd() / root))
    place = _below(root, path)
    if is_own and (place is None or GIT in place.split("/")):
        detail = f"{path} leads out of {root}; name a file of the checkout"
        raise InputError("invalid-request", detail, (option,))
    return path


def _below(root: Path, path: Path) -> str | None:
    """The path below a folder behind all links, with slashes; None outside."""
    place, folder = Path(os.path.realpath(path)), os.path.realpath(root)
    return place.relative_to(folder).as_posix() if place.is_relative_to(folder) else None
