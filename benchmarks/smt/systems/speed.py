"""Speed and memory of `assay smt decode`: python -m benchmarks.smt.systems.speed MOSES_INI TEXT [words].

The table has sentences per second of processor time on one core, by the size of the stacks, also with n-best lists of 100. Sentences
are pieces of the text of `words` words (default 13). The output has memory after the first round and after the last.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_system
from benchmarks.processes import megabytes

ROUNDS = 3


def rate(work: Callable[[], object], count: int) -> float:
    """Sentences per second, of the best round."""
    seconds = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return count / min(seconds)


def main(config: str, text: str, words: str = "13") -> None:
    width = int(words)
    begin = time.process_time()
    system = load_system(Path(config))
    print(f"loaded in {time.process_time() - begin:.1f} s of processor time, {megabytes(os.getpid()):.0f} MB")
    lines = [line.split() for line in Path(text).read_text("utf-8").splitlines()]
    pieces = [" ".join(line[i : i + width]) for line in lines for i in range(0, len(line) - width + 1, 5)]
    Decoder(system).translate(pieces[0], alternatives=True)
    first = megabytes(os.getpid())
    print(
        f"{len(pieces)} sentences of {width} words, jumps of {system.ini.limits.distortion}\n\n| stack | sentences/s | with 100-best |\n|---|---|---|"
    )
    for stack in (50, 100, 200, 500):
        decoder = Decoder(system, replace(system.ini.limits, stack=stack))
        plain = rate(lambda: [decoder.translate(piece) for piece in pieces], len(pieces))  # noqa: B023 (called at once)
        lists = rate(lambda: [decoder.translate(piece, True).n_best(100) for piece in pieces], len(pieces))  # noqa: B023
        print(f"| {stack} | {plain:.0f} | {lists:.0f} |")
    print(f"\nmemory: {first:.0f} MB after the first sentence, {megabytes(os.getpid()):.0f} MB at the end; {system.models.sizes()}")


if __name__ == "__main__":
    main(*sys.argv[1:])
