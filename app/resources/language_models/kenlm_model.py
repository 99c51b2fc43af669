"""Language models read by KenLM's Python package: probing tables, quantised and array tries, ARPA files.

The package is imported when the first of these files is opened.
"""

import gzip
import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final

import numpy as np

from app.errors import InputError
from app.resources.language_models.header import not_a_model
from app.resources.language_models.scores import SentenceScores, WordScores
from app.text.batch import TokenColumn
from app.text.reading.lines import GZIP

__all__ = ["KenlmModel"]

# KenLM's record of a word: log10 probability, length of the known n-gram, and a flag of unknown words.
WORD: Final = np.dtype([("log_prob", np.float64), ("length", np.int64), ("unknown", np.bool_)])
UNKNOWN: Final = b"<unk>"


@dataclass(frozen=True)
class KenlmModel:
    """A model in KenLM; each segment is one call."""

    order: int
    _model: Any

    @classmethod
    def open(cls, path: Path) -> "KenlmModel":
        """Open a binary that `check_binary` accepted, or an ARPA file with a valid header.

        InputError if KenLM refuses the file or is not installed.
        """
        try:
            import kenlm
        except ImportError:
            raise InputError("invalid-table", f"{path.name} needs the package kenlm: pip install ufal-kenlm") from None
        config = kenlm.Config()
        config.show_progress = False
        config.arpa_complain = kenlm.ARPALoadComplain.NONE
        with _inflated(path) as plain:
            try:
                model = kenlm.Model(os.fsencode(plain), config)
            except (OSError, RuntimeError, ValueError, MemoryError) as error:
                raise not_a_model(path, f"is refused by KenLM ({_reason(error)})") from None
        return cls(model.order, model)

    def score(self, column: TokenColumn) -> SentenceScores:
        """Scores of every segment."""
        return self.score_both(column)[0]

    def score_both(self, column: TokenColumn) -> tuple[SentenceScores, WordScores]:
        """Scores of every segment and every word, in one pass."""
        words, ids, offsets = _words(column), column.ids.tolist(), column.offsets.tolist()
        lines = (b" ".join([words[i] for i in ids[begin:end]]) for begin, end in pairwise(offsets))
        word_records = chain.from_iterable(map(self._model.full_scores, lines))
        records = np.fromiter(word_records, WORD, len(ids) + len(column))
        log_prob, unknown = records["log_prob"].copy(), records["unknown"]
        orders = np.where(unknown, 0, records["length"])
        rows = np.repeat(np.arange(len(column)), column.lengths + 1)
        ends = column.offsets[1:] + np.arange(len(column))
        sentences = SentenceScores(
            np.bincount(rows, np.where(unknown, 0.0, log_prob), len(column)).astype(np.float64),
            log_prob[ends],
            np.bincount(rows[unknown], minlength=len(column)),
            np.bincount(rows, orders, len(column)).astype(np.int64),
        )
        return sentences, WordScores(log_prob, orders)


@contextmanager
def _inflated(path: Path) -> Iterator[Path]:
    """The file, or a temporary file of its inflated content: wheels of KenLM inflate nothing, and map no ARPA file."""
    with path.open("rb") as file:
        packed = file.read(len(GZIP)) == GZIP
    if not packed:
        yield path
        return
    with NamedTemporaryFile(suffix=".arpa") as plain:
        try:
            with gzip.open(path) as text:
                shutil.copyfileobj(text, plain)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise not_a_model(path, "is damaged, or cut short, as a gzip file") from None
        plain.flush()
        yield Path(plain.name)


def _words(column: TokenColumn) -> list[bytes]:
    """The vocabulary in UTF-8. Words that KenLM would split or cut are unknown, as in `TrieModel`."""
    data, begins, ends = column.encoded_vocabulary
    text = data.tobytes()
    words = [text[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    return [word if word.split() == [word] and b"\0" not in word else UNKNOWN for word in words]


def _reason(error: Exception) -> str:
    """KenLM's message, without its source lines and the path."""
    message = str(error).partition("Exception")[2]
    return (message.partition("'. ")[2] or message).strip(" .()")[:200] or "no reason"
