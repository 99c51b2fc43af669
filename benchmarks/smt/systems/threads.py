"""Translation with several threads: ``python -m benchmarks.smt.systems.threads MOSES_INI TEXT [--threads N] [--list N] [--runs N]``.

One thread and N threads translate the text in turns. `Lock` is the share of one thread's time with Python's lock: the time outside the
search and the reading of lists. Compare wall times on an idle machine alone; processor times show the work that threads add.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from app.smt.decoder import decoder as decoder_module
from app.smt.decoder.decoder import Decoder
from app.smt.decoder.n_best_lines import n_best_lines
from app.smt.decoder.system import load_system
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.translating import decoders_of, in_order
from benchmarks.figures import Spread, Table, add_json_option

KERNELS = ("search", "k_best")


def lock_share(work: Callable[[], object]) -> float:
    """Share of a thread's time outside the kernels, which hold no lock."""
    inside = 0.0

    def timed(kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            nonlocal inside
            begin = time.thread_time()
            result = kernel(*arguments)
            inside += time.thread_time() - begin
            return result

        return call

    with patch.multiple(decoder_module, **{name: timed(getattr(decoder_module, name)) for name in KERNELS}):
        begin = time.thread_time()
        work()
        return 1.0 - inside / (time.thread_time() - begin)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path)
    parser.add_argument("text", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--list", type=int, default=0, help="hypotheses of a list; 0 for the best translation alone")
    parser.add_argument("--runs", type=int, default=5)
    add_json_option(parser)
    options = parser.parse_args()
    lines = options.text.read_text("utf-8").splitlines()
    system = load_system(options.config, TextPhrases(line.split() for line in lines))

    def translate(decoder: Decoder, line: str) -> str:
        result = decoder.translate(line, options.list > 0)
        best = result.best()
        return (
            "\n".join(n_best_lines(system, 0, result.n_best(options.list))) if options.list else "" if best is None else best.text
        )

    def run(threads: int) -> tuple[float, float, Sequence[str]]:
        decoders = decoders_of(system, None, threads)
        wall, processor = time.perf_counter(), time.process_time()
        texts = list(in_order(translate, lines, decoders))
        return time.perf_counter() - wall, time.process_time() - processor, texts

    run(1)
    turns = [(run(1), run(options.threads)) for _ in range(options.runs)]
    if any(single[2] != parallel[2] for single, parallel in turns):
        raise SystemExit("the output depends on the threads")
    columns = {"threads": "", "s": ".2f", "s of processor time": ".2f", "times as fast": ".2f", "lock": ".3f"}
    table = Table("threads", columns, options.json)
    share = lock_share(lambda: run(1))
    for number, threads in enumerate((1, options.threads)):
        walls, processor_times = (Spread([turn[number][k] for turn in turns]) for k in (0, 1))
        ratios = Spread([single[0] / parallel[0] for single, parallel in turns])
        table.add(str(threads), walls, processor_times, ratios if number else None, None if number else share)


if __name__ == "__main__":
    main()
