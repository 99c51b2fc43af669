"""Install the packages of a lock file from wheels only, and explain a failure in one sentence.

``python -m scripts.installing LOCK [PACKAGE ...]`` installs into the environment of its Python, which needs pip only. The named
packages may be installed from sources, if these need no compiler.
"""

import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["failure", "main"]

MISSING: Final = re.compile(r"No matching distribution found for ([\w.-]+)==([\w.]+)")
UNREACHABLE: Final = re.compile(r"Retrying|ConnectionError|Connection refused|Name or service not known|timed out", re.IGNORECASE)


def failure(errors: str) -> str:
    """A sentence that explains the errors of pip."""
    missing = MISSING.search(errors)
    if UNREACHABLE.search(errors):
        return "the package index cannot be reached: pip needs the network once, or PIP_INDEX_URL, PIP_PROXY or PIP_FIND_LINKS"
    if missing is None:
        return f"pip failed:\n{errors.strip()}"
    machine = f"{platform.system()} {platform.machine()}"
    return (
        f"{missing[1]} {missing[2]} has no wheel for Python {platform.python_version()} on {machine}: "
        "use Python 3.11 to 3.14 on Linux with glibc (x86-64, aarch64) or macOS (arm64), as in make serve PYTHON=python3.12"
    )


def main() -> None:
    """Install with pip's progress bars; exit with code 1 and a sentence on failure."""
    lock, sources = Path(sys.argv[1]), sys.argv[2:]
    count = len(re.findall(r"^\w", lock.read_text("utf-8"), re.MULTILINE))
    print(f"Installing the packages of {lock.name}, {count} at most, without any compiler (a few minutes, once) ...", flush=True)
    pip = subprocess.Popen(
        [
            *(sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--progress-bar", "on"),
            *("--only-binary", ":all:", *(f"--no-binary={source}" for source in sources), "--require-hashes", "-r", str(lock)),
        ],
        stderr=subprocess.PIPE, text=True, errors="replace",
    )  # fmt: skip
    assert pip.stderr is not None
    errors: list[str] = []
    for line in pip.stderr:
        if UNREACHABLE.search(line) and not any(map(UNREACHABLE.search, errors)):
            print("The package index does not answer; pip tries again ...", flush=True)
        errors.append(line)
    if pip.wait():
        sys.exit(f"Assay is not installed: {failure(''.join(errors))}")


if __name__ == "__main__":
    main()
