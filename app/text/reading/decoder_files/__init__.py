"""Readers of what a decoder writes beside its translations: n-best lists, its log, and its search graph."""

from app.text.reading.decoder_files.reading import DECODER_FILES, read_decoder_files

__all__ = ["DECODER_FILES", "read_decoder_files"]
