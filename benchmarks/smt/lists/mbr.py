"""Minimum Bayes risk on long lists: ``python -m benchmarks.smt.lists.mbr NEWSTEST [--lists 1000] [--size 100] [--peer PYTHON] [--peer-lists 20]``.

NEWSTEST is a folder with ``systems/*.gz`` (newstest2017 English-German, 16 systems). A list has the systems' outputs for a
segment, and beginnings of an output with ends of another, up to `--size` distinct texts; a short segment has fewer. The output has seconds
from strings to decisions, wall-clock and processor time of one thread, with compiled kernels.
`--peer` is a Python with ``mbrs``: it decides the first `--peer-lists` lists, with cold caches and after its imports, and its choices
are compared. Without it, sacreBLEU scores all pairs of a few lists.
"""

import json
import subprocess
import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sacrebleu

from app.metrics import metric_named
from app.smt.lists.mbr.decision import MbrDecisions, decide, parse_way
from app.text.n_best import NBestLists
from app.text.packed_texts import PackedTexts
from app.text.ragged import offsets_of
from benchmarks.text_lines import lines

TRIES = 6
PEER = """
import json, sys, time
from mbrs.decoders import DecoderAggregateMBR, DecoderMBR, DecoderPruningMBR
from mbrs.metrics import MetricBLEU, MetricChrF
lists = json.load(sys.stdin)
makers = {
    "chrf exact": lambda: DecoderMBR(DecoderMBR.Config(), MetricChrF(MetricChrF.Config(fastchrf=True))),
    "chrf counts": lambda: DecoderAggregateMBR(DecoderAggregateMBR.Config(), MetricChrF(MetricChrF.Config(fastchrf=True))),
    "chrf pruned": lambda: DecoderPruningMBR(DecoderPruningMBR.Config(), MetricChrF(MetricChrF.Config(fastchrf=True))),
    "bleu exact": lambda: DecoderMBR(DecoderMBR.Config(), MetricBLEU(MetricBLEU.Config(num_workers=2))),
    "bleu counts": lambda: DecoderAggregateMBR(DecoderAggregateMBR.Config(), MetricBLEU(MetricBLEU.Config())),
}
for name, make in makers.items():
    decoder = make()
    decoder.decode(["a b", "a c"], ["a b", "a c"])
    wall, own = time.perf_counter(), time.process_time()
    chosen = [decoder.decode(texts, texts).idx[0] for texts in lists]
    print(json.dumps([name, time.perf_counter() - wall, time.process_time() - own, chosen]), flush=True)
"""


def long_lists(folder: Path, lists: int, size: int) -> list[list[str]]:
    """Lists of distinct texts from the outputs of systems."""
    systems = [lines(path) for path in sorted((folder / "systems").glob("*.gz"))]
    rng = np.random.default_rng(1)
    out = []
    for segment in range(lists):
        words = [system[segment].split() for system in systems]
        texts = {" ".join(row): None for row in words}
        for _ in range(TRIES * size):
            first, second = rng.choice(len(words), 2, replace=False)
            cut = rng.random()
            texts[" ".join(words[first][: int(len(words[first]) * cut)] + words[second][int(len(words[second]) * cut) :])] = None
            if len(texts) >= size:
                break
        out.append(list(texts)[:size])
    return out


def as_lists(rows: list[list[str]]) -> NBestLists:
    offsets = offsets_of([len(row) for row in rows])
    texts = PackedTexts.of(text for row in rows for text in row)
    return NBestLists(offsets, texts, np.zeros(len(texts)), (), np.empty((len(texts), 0)))


def timed(work: Callable[[], MbrDecisions]) -> tuple[float, float, MbrDecisions]:
    wall, processor = time.perf_counter(), time.process_time()
    decisions = work()
    return time.perf_counter() - wall, time.process_time() - processor, decisions


def main() -> None:
    parser = ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("newstest", type=Path)
    parser.add_argument("--lists", type=int, default=1000)
    parser.add_argument("--size", type=int, default=100)
    parser.add_argument("--peer")
    parser.add_argument("--peer-lists", type=int, default=20)
    arguments = parser.parse_args()
    rows = long_lists(arguments.newstest, arguments.lists, arguments.size)
    lists = as_lists(rows)
    print(f"{len(rows)} lists, {len(lists.texts)} distinct texts of {np.mean([len(text) for text in lists.texts]):.0f} characters")
    choices: dict[str, np.ndarray] = {}
    for name in ("chrf exact", "chrf counts", "chrf pruned", "bleu exact", "bleu counts", "sbleu exact", "ter coarse"):
        metric, way = name.split()
        small = as_lists(rows[:2])
        decide(small, metric_named(metric), way=parse_way(way))
        wall, processor, decisions = timed(lambda metric=metric, way=way: decide(lists, metric_named(metric), way=parse_way(way)))  # type: ignore[misc]
        choices[name] = decisions.chosen - lists.offsets[:-1]
        exact = choices.get(f"{metric} exact")
        agreement = "" if exact is None else f"  {(choices[name] == exact).mean():6.1%} as exact"
        print(f"{name:12s} {wall:7.2f} s, {processor:7.2f} s of processor time, {decisions.pairs:9d} pairs{agreement}", flush=True)
    if arguments.peer:
        peer_rows = rows[: arguments.peer_lists]
        command = [arguments.peer, "-c", PEER]
        output = subprocess.run(command, input=json.dumps(peer_rows), capture_output=True, text=True, check=True).stdout
        for line in output.splitlines():
            name, wall, processor, peer_choices = json.loads(line)
            agreement = float((np.array(peer_choices) == choices[name][: len(peer_choices)]).mean())
            seconds = timed(
                lambda name=name: decide(as_lists(peer_rows), metric_named(name.split()[0]), way=parse_way(name.split()[1]))
            )[0]  # type: ignore[misc]
            print(
                f"mbrs {name:12s} {wall:7.2f} s of {len(peer_rows)} lists, ours {seconds:.3f} s: {wall / seconds:.0f} times; {agreement:.0%} agree"
            )
        return
    peer, start = sacrebleu.CHRF(), time.perf_counter()
    for row in rows[:2]:
        for text in row:
            for reference in row:
                peer.sentence_score(text, [reference])
    seconds = (time.perf_counter() - start) / 2
    print(f"sacreBLEU's chrF, pair by pair: {seconds:.1f} s a list")


if __name__ == "__main__":
    main()
