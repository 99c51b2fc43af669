"""Translation of a text by several threads: kernels hold no lock, and sentences do not depend on each other."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from typing import Final, NamedTuple

from app.smt.decoder.decoder import Decoder, SearchResult
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sparse.cells import feature_cells
from app.smt.decoder.system import System
from app.smt.decoder.word_lattices.options import input_scores, translate_lattice
from app.smt.decoder.word_lattices.reading import parse_plf

__all__ = ["ListedTranslation", "translate_text"]

# Sentences per thread in one batch; results wait in memory until their turn.
BATCH_SENTENCES: Final = 32


class ListedTranslation(NamedTuple):
    """Best translation of a sentence, and lines of its n-best list: text, features and score."""

    text: str
    hypotheses: list[str]


def translate_text(
    system: System, limits: SearchLimits | None, sources: Sequence[str], list_length: int, threads: int, lattices: bool = False
) -> Iterator[ListedTranslation]:
    """Translate sentences in order, with lists of `list_length` derivations; 0 for no lists.

    With `lattices`, sources are word lattices in PLF; InputError as in `parse_plf` and `translate_lattice`.
    """
    decoders: SimpleQueue[Decoder] = SimpleQueue()
    for _ in range(threads):
        # Caches of language models belong to one thread.
        decoders.put(Decoder(replace(system, models=system.models.weighted(system.models.weights.tolist())), limits))

    def search(decoder: Decoder, line: int, source: str) -> SearchResult:
        if lattices:
            lattice = parse_plf(source, input_scores(system.ini), "source", line)
            return translate_lattice(decoder, lattice, list_length > 0)
        return decoder.translate(source, alternatives=list_length > 0)

    def translate(line: int, source: str) -> ListedTranslation:
        decoder = decoders.get()
        try:
            derivations = search(decoder, line, source).n_best(max(1, list_length))
            rows = feature_cells(decoder.system, derivations) if list_length else []
        finally:
            decoders.put(decoder)
        return ListedTranslation(
            derivations[0].text if derivations else "",
            [
                f"{derivation.text} ||| {row} ||| {derivation.score:.10g}\n"
                for derivation, row in zip(derivations, rows, strict=False)
            ],
        )

    with ThreadPoolExecutor(threads) as pool:
        for begin in range(0, len(sources), BATCH_SENTENCES * threads):
            batch = sources[begin : begin + BATCH_SENTENCES * threads]
            yield from pool.map(translate, range(begin + 1, begin + len(batch) + 1), batch)
