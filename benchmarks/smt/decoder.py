"""Speed and memory of `assay smt decode`: python -m benchmarks.smt.decoder MOSES_INI TEXT [words].

Sentences a second of processor time on one core, of pieces of so many words (13) of the text, by the size of the stacks; with
n-best lists of 100; and how much memory the process has after the first round and after the last.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.smt.decoder.decoder import Decoder
from app.smt.decoder.system import load_system

ROUNDS = 3


def resident() -> float:
    """Memory of this process in MB."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def rate(work: Callable[[], object], count: int) -> float:
    """Sentences a second, of the best of some rounds."""
    seconds = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return count / min(seconds)


def main(config: str, text: str, words: str = "13") -> None:
    """Print the table."""
    width = int(words)
    begin = time.process_time()
    system = load_system(Path(config))
    print(f"loaded in {time.process_time() - begin:.1f} s of processor time, {resident():.0f} MB")
    lines = [line.split() for line in Path(text).read_text("utf-8").splitlines()]
    pieces = [" ".join(line[i : i + width]) for line in lines for i in range(0, len(line) - width + 1, 5)]
    Decoder(system).translate(pieces[0], alternatives=True)
    first = resident()
    print(
        f"{len(pieces)} sentences of {width} words, jumps of {system.ini.limits.distortion}\n\n| stack | sentences/s | with 100-best |\n|---|---|---|"
    )
    for stack in (50, 100, 200, 500):
        decoder = Decoder(system, replace(system.ini.limits, stack=stack))
        plain = rate(lambda: [decoder.translate(piece) for piece in pieces], len(pieces))  # noqa: B023 (called at once)
        lists = rate(lambda: [decoder.translate(piece, True).n_best(100) for piece in pieces], len(pieces))  # noqa: B023
        print(f"| {stack} | {plain:.0f} | {lists:.0f} |")
    print(
        f"\nmemory: {first:.0f} MB after the first sentence, {resident():.0f} MB at the end; {system.models.states.counts} states and steps"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
