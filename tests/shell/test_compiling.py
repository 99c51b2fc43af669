"""Kernels are compiled once, for all commands; what changed is compiled again, with all that holds code of it."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.running import kernel_caches
from app.running.kernel_caches import PYTHON, KernelCaches
from app.settings import ROOT

# Counts what numba compiles while commands run, a line each.
COUNTED = """
import sys
from numba.core import event
from app.shell.program import program

class Compilations(event.Listener):
    def on_start(self, event):
        print("compiled", event.data["dispatcher"], file=sys.stderr)
    def on_end(self, event):
        pass

event.register("numba:compile", Compilations())
for line in sys.stdin:
    program(line.split(), standalone_mode=False)
"""
COMMANDS = """\
resources lm source --language ro --out model --tokenised --arpa
score target -i a=source -m bleu -m chrf -m ter
quality pairs.tsv --pair ro-en
"""
OF_THE_WING = """\
resources align source target --links links
smt train source target --out system --untuned
smt decode source --config system/moses.ini --n-best lists 5
nbest tune lists -r target --method mert
nbest tune lists -r target --method mira
nbest rerank lists --features posteriors --missing-weights zero --weights weights.txt
"""


def run(arguments: list[str], folder: Path, text: str = "") -> "subprocess.CompletedProcess[str]":
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    environment |= {"ASSAY_DATA_DIR": str(folder / "data"), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'client'}"}
    return subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, input=text, capture_output=True, text=True)


def test_no_command_compiles_after_installing(tmp_path: Path) -> None:
    compiling = run(["-m", "app.shell.compiling"], tmp_path)
    assert compiling.returncode == 0, compiling.stderr
    for name, words in (("source", "casa este mare ."), ("target", "the house is big .")):
        (tmp_path / name).write_text("".join(f"{words} {k % 4}\n" for k in range(30)))
    (tmp_path / "pairs.tsv").write_text("Casa este mare.\tThe house is big.\n")
    (tmp_path / "weights.txt").write_text("LM0= 0.5\nDistortion0= 0.3\n")
    result = run(["-c", COUNTED], tmp_path, COMMANDS + OF_THE_WING if find_spec("app.smt") else COMMANDS)
    assert result.returncode == 0, result.stderr[-2000:]
    assert not [line for line in result.stderr.splitlines() if line.startswith("compiled ")]


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two modules with kernels, of which one uses the other, a third alone, and their caches."""
    folder = tmp_path / "app"
    folder.mkdir()
    for name, line in (("below", ""), ("above", "from app.below import kernel\n"), ("alone", "")):
        (folder / f"{name}.py").write_text(f"{line}@njit(cache=True)\ndef kernel(): ...\n")
        cached(folder, name)
    monkeypatch.setattr(kernel_caches, "APP", folder)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    KernelCaches().keep_record()
    return folder


def cached(folder: Path, name: str) -> None:
    (folder / "__pycache__").mkdir(exist_ok=True)
    (folder / "__pycache__" / f"{name}.kernel-1.{PYTHON}.nbi").write_bytes(b"")


def test_caches_are_fresh_until_something_changes(house: Path) -> None:
    assert KernelCaches().fresh() and not KernelCaches().without_cache()
    (house / "__pycache__" / f"alone.kernel-1.{PYTHON}.nbi").unlink()
    assert not KernelCaches().fresh()
    assert KernelCaches().discard_stale() == [house / "alone.py"]


def test_what_holds_code_of_a_changed_module_is_compiled_again(house: Path) -> None:
    (house / "below.py").write_text("@njit(cache=True)\ndef kernel(): return 1\n")
    assert not KernelCaches().fresh()
    assert KernelCaches().discard_stale() == [house / "above.py", house / "below.py"]
    for name in ("above", "below"):
        cached(house, name)
    KernelCaches().keep_record()
    assert KernelCaches().fresh()


def test_another_processor_has_no_caches(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert not KernelCaches().fresh()
    assert len(KernelCaches().discard_stale()) == 3
