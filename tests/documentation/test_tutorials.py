"""Every block of every tutorial runs against a server, and prints what the page shows.

Blocks ``sh`` and ``python`` of a page run in its order, in one folder and one shell, with the server of the session in the place of
``localhost:8000``. A block ``json`` is part of the answer before it, a block ``text`` some of its lines; numbers with many digits may differ
in their last ones, as processors do.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.settings import ROOT
from tests.servers import Server

BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"-?\d+\.\d+")
MARK = "=== block"
PAGES = sorted(path for path in (ROOT / "docs" / "tutorials").glob("*.md") if path.stem != "index")


def rounded(text: str) -> str:
    """A line with numbers to two digits and single blanks."""
    return " ".join(NUMBER.sub(lambda found: f"{float(found[0]):.2f}", text).split())


def holds(whole: Any, part: Any) -> bool:
    """Whether all that `part` has stands in `whole`."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and holds(whole[key], value) for key, value in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) >= len(part) and all(map(holds, whole, part))
    return bool(whole == pytest.approx(part, abs=0.005)) if isinstance(part, float) else bool(whole == part)


@pytest.mark.skipif(shutil.which("curl") is None or shutil.which("bash") is None, reason="needs curl and bash")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_tutorial_does_what_it_says(page: Path, server: Server, tmp_path: Path) -> None:
    blocks = BLOCK.findall(page.read_text("utf-8"))
    assert {kind for kind, _ in blocks} <= {"sh", "python", "json", "text"}
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "assay"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m app "$@"\n')
    command.chmod(0o755)
    parts = ["set -euo pipefail"]
    for number, (kind, text) in enumerate(blocks):
        if kind in ("sh", "python"):
            parts.append(f"echo '{MARK} {number}'")
            parts.append(text if kind == "sh" else f"'{sys.executable}' - <<'BLOCK'\n{text}BLOCK")
    script = "\n".join(parts).replace("localhost:8000", server.address.removeprefix("http://"))
    (tmp_path / "work").mkdir()
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}:{ROOT / 'client'}",
        "ASSAY_DATA_DIR": str(tmp_path / "data"),
        # The pages show numbers of the default settings.
        "ASSAY_ENCODER": "auto",
        "ASSAY_SERVER": server.address,
    }
    ran = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path / "work", env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, f"{ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"
    said = dict(part.split("\n", 1) for part in ran.stdout.split(f"{MARK} ")[1:])
    last = ""
    for number, (kind, text) in enumerate(blocks):
        last = said.get(str(number), last)
        if kind == "json":
            assert holds(json.loads(last), json.loads(text)), f"{text}\n{last}"
        elif kind == "text":
            lines = {rounded(line) for line in [*last.splitlines(), *ran.stderr.splitlines()]}
            missing = [line for line in text.splitlines() if rounded(line) not in lines]
            assert not missing, f"{missing}\n{last}\n{ran.stderr[-2000:]}"
