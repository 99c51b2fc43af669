"""What last digits depend on beside the code: the processor, and the libraries that compute."""

from importlib.metadata import version
from typing import Final

import llvmlite.binding
import scipy.linalg  # noqa: F401  its own BLAS is among those that are asked below
from threadpoolctl import threadpool_info

__all__ = ["TOLERANCE", "arithmetic_here"]

LIBRARIES: Final = ("numpy", "scipy", "numba", "scikit-learn", "vl-convert-python")
# How far other processors' answers are off at most; what a training converges to differs most.
TOLERANCE: Final = 1e-4


def arithmetic_here() -> dict[str, str]:
    """Of this machine and environment; where it is the same, the same code gives the same digits."""
    kernels = sorted({str(each["architecture"]) for each in threadpool_info() if "architecture" in each})
    return {
        "processor": llvmlite.binding.get_host_cpu_name(),
        "blas": " ".join(kernels),
        **{name: version(name) for name in LIBRARIES},
    }
