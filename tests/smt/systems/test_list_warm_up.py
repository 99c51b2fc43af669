"""Files of n-best lists are read by what was compiled while the server loaded."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
from app.smt.warming.tuning import FILE
from app.text.reading.lines import TextFile
from app.text.reading.n_best_files import read_lists
from app.text.reading.n_best_lists import line_kernels, row_kernels

def compiled():
    parts = [(name, part) for module in (line_kernels, row_kernels) for name, part in vars(module).items()]
    return {name: len(part.signatures) for name, part in parts if hasattr(part, "signatures")}

def read(raw):
    for count in (1, 2):
        read_lists([TextFile(str(k), raw) for k in range(count)], merge=count > 1)

read(FILE)
before = compiled()
row = b"%d ||| the house %d ||| lm= %d w= 1 2 ||| %d ||| 0-1=0-1 2=2 ||| 0-0 2-1\\n"
for form in (row, b"%d ||| a %d ||| x= %d ||| %d\\n", b"%d\\t||| a %d ||| 1 %d ||| %d\\n"):
    read(b"".join(form % (k // 3, k, -k, -k) for k in range(30)))
assert before["parse_lines"] == 1 and compiled() == before, (before, compiled())
"""


def test_no_kernel_is_compiled_for_a_file_that_comes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
