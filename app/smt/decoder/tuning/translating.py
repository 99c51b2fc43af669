"""A text's translations and lists by several threads: kernels hold no lock, and what a sentence comes to depends on no other."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import Final, NamedTuple

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.moses_ini import Limits
from app.smt.decoder.sparse.cells import feature_cells
from app.smt.decoder.system import System

__all__ = ["Translated", "cores", "translate_text"]

# Sentences of a thread that are translated before any is given on: what waits takes memory.
TOGETHER: Final = 32


class Translated(NamedTuple):
    """The best translation of a sentence, and of its best derivations text, features and score as n-best lists have them."""

    text: str
    hypotheses: list[str]


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0))


def translate_text(
    system: System, limits: Limits | None, sources: Sequence[str], list_length: int, threads: int
) -> Iterator[Translated]:
    """Translate sentences with lists of `list_length` derivations, 0 for none, in their order."""
    decoders: SimpleQueue[Decoder] = SimpleQueue()
    for _ in range(threads):
        # What models remember belongs to one thread.
        decoders.put(Decoder(replace(system, models=system.models.weighted(system.models.weights.tolist())), limits))

    def translate(source: str) -> Translated:
        decoder = decoders.get()
        try:
            derivations = decoder.translate(source, alternatives=list_length > 0).n_best(max(1, list_length))
            rows = feature_cells(decoder.system, derivations) if list_length else []
        finally:
            decoders.put(decoder)
        return Translated(
            derivations[0].text if derivations else "",
            [
                f"{derivation.text} ||| {row} ||| {derivation.score:.10g}\n"
                for derivation, row in zip(derivations, rows, strict=False)
            ],
        )

    with ThreadPoolExecutor(threads) as pool:
        for begin in range(0, len(sources), TOGETHER * threads):
            yield from pool.map(translate, sources[begin : begin + TOGETHER * threads])
