"""Table of the wheels of a lock file on every supported platform and version of Python.

``python -m scripts.wheels [LOCK]`` lets pip choose a wheel of every package by the hashes of the lock. It installs nothing, and
recent versions of pip download nothing. The exit code is 1 if a platform in `PLATFORMS` lacks a wheel.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from packaging.markers import Marker

__all__ = ["missing_wheels", "requirements_of"]

VERSIONS: Final = ("3.11", "3.12", "3.13", "3.14")
# Tags of wheels for glibc up to 2.28, the version of RHEL 8 and Debian 10.
GLIBC: Final = tuple(f"manylinux_2_{minor}" for minor in range(28, 4, -1)) + ("manylinux2014", "manylinux2010", "manylinux1")
PLATFORMS: Final = {
    "Linux x86-64": ("linux", "x86_64", GLIBC),
    "Linux aarch64": ("linux", "aarch64", GLIBC),
    "macOS 14 arm64": ("darwin", "arm64", ("macosx_14_0",)),
}
# Unsupported platforms in the table.
UNSUPPORTED_PLATFORMS: Final = {"macOS 14 x86-64": ("darwin", "x86_64", ("macosx_14_0",))}
MISSING: Final = re.compile(r"No matching distribution found for ([\w.-]+)")


def requirements_of(lock: str, system: str, machine: str, version: str) -> dict[str, str]:
    """Requirements in a lock's text whose markers hold, with their hashes, by package."""
    environment = {
        "sys_platform": system,
        "platform_machine": machine,
        "platform_system": {"linux": "Linux", "darwin": "Darwin"}[system],
        "os_name": "posix",
        "python_version": version,
        "python_full_version": f"{version}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }
    requirements = {}
    for block in re.split(r"^(?=\w)", lock, flags=re.MULTILINE)[1:]:
        head, *hashes = [line.strip().removesuffix("\\").strip() for line in block.splitlines() if not line.strip().startswith("#")]
        pin, _, marker = head.partition(" ; ")
        if not marker or Marker(marker).evaluate(environment):
            requirements[pin.partition("==")[0]] = " ".join([pin, *hashes])
    return requirements


def missing_wheels(requirements: dict[str, str], tags: list[str], version: str) -> list[str]:
    """Packages without a wheel for the tags of a platform and a version of Python."""
    missing: list[str] = []
    options = [f"--platform={tag}" for tag in tags]
    while True:
        lines = "\n".join(line for package, line in requirements.items() if package not in missing)
        result = subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--disable-pip-version-check", "--no-deps"),
                *("--ignore-installed", "--target=/nonexistent", "--only-binary=:all:", "--require-hashes", "-r", "/dev/stdin"),
                *(f"--python-version={version}", "--implementation=cp", *options),
            ],
            input=lines, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if result.returncode == 0:
            return missing
        match = MISSING.search(result.stderr)
        if match is None or match[1] not in requirements or match[1] in missing:
            raise SystemExit(f"wheels: pip failed:\n{result.stderr}")
        missing.append(match[1])


def main() -> None:
    """Print a row for every platform and version; exit with code 1 if a supported platform lacks a wheel."""
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "requirements.lock")
    lock, complete = path.read_text("utf-8"), True
    print(f"| {path.name} | Python | packages | without a wheel |\n| --- | --- | --- | --- |")
    for platform, (system, machine, tags) in (PLATFORMS | UNSUPPORTED_PLATFORMS).items():
        for version in VERSIONS:
            requirements = requirements_of(lock, system, machine, version)
            missing = missing_wheels(requirements, [f"{tag}_{machine}" for tag in tags], version)
            complete &= not missing or platform in UNSUPPORTED_PLATFORMS
            print(f"| {platform} | {version} | {len(requirements)} | {', '.join(missing) or '–'} |", flush=True)
    sys.exit(not complete)


if __name__ == "__main__":
    main()
