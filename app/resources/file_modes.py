"""Permissions of new files and folders: they get the modes of their parent folder."""

import stat
from pathlib import Path

__all__ = ["take_modes"]


def take_modes(path: Path, folder: Path) -> None:
    """Set the modes of a file, or of a folder and its content, to those of `folder`; files get no execute bits.

    Some libraries write files that only their owner can read, even if the umask allows more.
    """
    mode = stat.S_IMODE(folder.stat().st_mode) & 0o777
    if path.is_dir():
        for child in path.iterdir():
            take_modes(child, folder)
        path.chmod(mode | stat.S_IMODE(path.stat().st_mode) & ~0o777)
    else:
        path.chmod(mode & 0o666)
