"""Speed of the cross-encoder on one core: ``python -m benchmarks.encoder``.

Milliseconds of processor time per pair of texts by their pieces; both sides have equal lengths.
"""

import resource
import statistics
import time

from app.predictors.cross_encoder import CrossEncoder
from app.settings import ROOT
from app.text import LanguagePair
from benchmarks.served_network import served_network

LENGTHS = (10, 20, 40, 100)
TEXTS = 16
ROUNDS = 5
PAIR = LanguagePair("en", "de")


def texts_of(network: CrossEncoder, length: int, count: int) -> list[str]:
    """Texts of `length` pieces from the README; each begins with another word."""
    words = (ROOT / "README.md").read_text("utf-8").split()
    texts = []
    for first in range(count):
        size = 1
        while len(network.table.pieces_of(" ".join(words[first : first + size + 1]), network.card.longest).spans) <= length:
            size += 1
        texts.append(" ".join(words[first : first + size]))
    return texts


def main() -> None:
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    network = served_network()
    network.reading(PAIR, "a", "b")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{network.card.id}: ready after {time.perf_counter() - start:.1f} s, {memory / 1000:.0f} MB at most (with mapped files)")
    print("\n| Pieces of a side | ms |\n| --- | --- |")
    for length in LENGTHS:
        texts, times = texts_of(network, length, TEXTS), []
        for _ in range(ROUNDS):
            start = time.process_time()
            for text in texts:
                network.reading(PAIR, text, text)
            times.append((time.process_time() - start) / TEXTS * 1000)
        print(f"| {length} | {statistics.median(times):.1f} |", flush=True)


if __name__ == "__main__":
    main()
