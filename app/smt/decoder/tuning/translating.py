"""Translation of a text by several threads: kernels hold no lock, and sentences do not depend on each other."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import deepcopy
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Final, NamedTuple, TypeVar

from app.smt.decoder.decoder import Decoder, SearchResult
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.sparse.cells import feature_cells
from app.smt.decoder.system import System
from app.smt.decoder.word_lattices.options import input_scores, translate_lattice
from app.smt.decoder.word_lattices.reading import parse_plf

__all__ = ["ListedTranslation", "decoders_of", "in_order", "translate_text"]

Worker = TypeVar("Worker")
Item = TypeVar("Item")
Result = TypeVar("Result")
# Sentences of each thread that are in work, or wait in memory until their turn.
LOOK_AHEAD: Final = 16


class ListedTranslation(NamedTuple):
    """Best translation of a sentence, and lines of its n-best list: text, features and score."""

    text: str
    hypotheses: list[str]


def decoders_of(system: System, limits: SearchLimits | None, threads: int) -> list[Decoder]:
    """Decoders for threads. Each has its own caches of language models, and its own numbers of sparse features."""
    weights = system.models.weights.tolist()
    systems = [system] if threads == 1 else [
        replace(system, models=system.models.weighted(weights), sparse=replace(system.sparse, names=deepcopy(system.sparse.names)))
        for _ in range(threads)
    ]  # fmt: skip
    return [Decoder(part, limits) for part in systems]


def in_order(work: Callable[[Worker, Item], Result], items: Iterable[Item], workers: Sequence[Worker]) -> Iterator[Result]:
    """Yield results of ``work(worker, item)`` in the order of the items, with a thread for each worker.

    A single worker works in this thread, so its result comes before the next item is read.
    """
    if len(workers) == 1:
        yield from map(partial(work, workers[0]), items)
        return
    free: SimpleQueue[Worker] = SimpleQueue()
    for worker in workers:
        free.put(worker)

    def run(item: Item) -> Result:
        worker = free.get()
        try:
            return work(worker, item)
        finally:
            free.put(worker)

    futures: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(len(workers)) as pool:
        try:
            for item in items:
                futures.append(pool.submit(run, item))
                if len(futures) == LOOK_AHEAD * len(workers):
                    yield futures.popleft().result()
            while futures:
                yield futures.popleft().result()
        finally:
            for future in futures:
                future.cancel()


def translate_text(
    system: System, limits: SearchLimits | None, sources: Sequence[str], list_length: int, threads: int, lattices: bool = False
) -> Iterator[ListedTranslation]:
    """Translate sentences in order, with lists of `list_length` derivations; 0 for no lists.

    With `lattices`, sources are word lattices in PLF; InputError as in `parse_plf` and `translate_lattice`.
    """

    def search(decoder: Decoder, line: int, source: str) -> SearchResult:
        if lattices:
            lattice = parse_plf(source, input_scores(system.ini), "source", line)
            return translate_lattice(decoder, lattice, list_length > 0)
        return decoder.translate(source, alternatives=list_length > 0)

    def translate(decoder: Decoder, item: tuple[int, str]) -> ListedTranslation:
        derivations = search(decoder, *item).n_best(max(1, list_length))
        rows = feature_cells(decoder.system, derivations) if list_length else []
        return ListedTranslation(
            derivations[0].text if derivations else "",
            [
                f"{derivation.text} ||| {row} ||| {derivation.score:.10g}\n"
                for derivation, row in zip(derivations, rows, strict=False)
            ],
        )

    return in_order(translate, enumerate(sources, 1), decoders_of(system, limits, threads))
