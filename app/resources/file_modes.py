"""Who may read what is new: files and folders get the modes of the folder that they are put into."""

import stat
from pathlib import Path

__all__ = ["take_modes"]


def take_modes(path: Path, folder: Path) -> None:
    """Give a file, or a folder and all in it, the modes of `folder`; files without the right to be entered.

    Some libraries write files that nobody else may read, whatever the process's umask allows.
    """
    mode = stat.S_IMODE(folder.stat().st_mode) & 0o777
    if path.is_dir():
        for inside in path.iterdir():
            take_modes(inside, folder)
        path.chmod(mode | stat.S_IMODE(path.stat().st_mode) & ~0o777)
    else:
        path.chmod(mode & 0o666)
