"""Preparation of numba for the kernels of a command."""

import subprocess
import sys

from app.settings import ROOT

PRODUCT = """
import sys
import numba
import numpy as np
from app.shell.declaration.kernels import prepare_kernels

prepare_kernels()
assert numba.njit(lambda x: x + 1)(1) == 2
assert "scipy.linalg" not in sys.modules
product = numba.njit(lambda x, y: x @ y)(np.eye(3), np.arange(9.0).reshape(3, 3))
assert "scipy.linalg" in sys.modules and product.tolist() == np.arange(9.0).reshape(3, 3).tolist()
"""


def test_a_kernel_without_matrices_needs_no_blas_and_one_with_them_finds_it() -> None:
    subprocess.run([sys.executable, "-c", PRODUCT], cwd=ROOT, check=True, timeout=300)
