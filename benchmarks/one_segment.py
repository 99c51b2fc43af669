"""Processor time of predicted quality in one process: ``python -m benchmarks.one_segment DATA [--rival TREE] [--rounds N]``.

DATA is the folder of MLQE-PE, so that every request has new texts. TREE is the folder of another commit; its rounds take turns with
those of this one, so that other load of the machine meets both alike. Requests go to the operation `quality` in the profile `fast`,
as a server's batch of one. A last line says if both commits gave equal answers.
"""

import argparse
import gzip
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
# Segments of a request, and requests of a round.
REQUESTS: Final = {1: 60, 10: 12, 100: 2}
# The first request of a size pays for caches.
WARM_REQUESTS: Final = 20


def texts_of(data: Path, pair: str) -> Iterator[dict[str, str]]:
    """Sources and translations of the training rows of a pair."""
    lines = gzip.decompress((data / pair / "train.tsv.gz").read_bytes()).decode("utf-8").split("\n")
    for line in lines[1:-1]:
        _, source, translation, *_ = line.split("\t")
        yield {"source": source, "translation": translation}


def calls_of(answer: Any) -> int:
    """Calls of Python's functions and of built-in ones during `answer`."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        answer()
    finally:
        sys.setprofile(None)
    return count


def work(data: Path, pair: str) -> None:
    """Answer the rounds that lines of the input ask for: a number of segments, and a number of requests."""
    from app.engine import Engine
    from app.operations.quality import QualityRequest, operation
    from app.settings import Settings
    from app.text import LanguagePair

    engine = Engine.of_settings(Settings())
    engine.load([LanguagePair.parse(pair)])
    source, target = pair.split("-")
    rows = texts_of(data, pair)
    assert operation.together is not None
    answer_together = operation.together.answer
    for line in sys.stdin:
        size, count = map(int, line.split())
        bodies = [
            {"source_language": source, "target_language": target, "profile": "fast", "segments": [next(rows) for _ in range(size)]}
            for _ in range(count)
        ]
        requests = [QualityRequest.model_validate(body) for body in bodies]
        times: list[float] = []
        answers: list[Any] = []
        for request in requests[:-1]:
            start = time.process_time()
            answers += answer_together(engine, [request])
            times.append(1000 * (time.process_time() - start))
        calls = calls_of(lambda request=requests[-1]: answer_together(engine, [request]))
        digest = hashlib.sha256(json.dumps(answers, sort_keys=True).encode()).hexdigest()
        print(json.dumps({"times": times, "calls": calls, "digest": digest, "model": answers[0]["model"]}), flush=True)


class Side:
    """A process that answers requests with the code of a tree."""

    def __init__(self, tree: Path, data: Path, pair: str) -> None:
        self.times: dict[int, list[float]] = {size: [] for size in REQUESTS}
        self.calls: dict[int, list[int]] = {size: [] for size in REQUESTS}
        self.digests: list[str] = []
        environment = {**os.environ, "PYTHONPATH": str(tree), "OMP_NUM_THREADS": "1"}
        # The folder of this file has modules with names of the standard library.
        command = [sys.executable, "-P", str(Path(__file__).resolve()), str(data), "--pair", pair, "--work"]
        self._process = subprocess.Popen(
            command, cwd=tree, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, size: int, count: int) -> dict[str, Any]:
        """The times, calls and digest of a round."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{size} {count + 1}\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def measure(self, size: int) -> None:
        """Add a round to the figures."""
        figures = self.run(size, REQUESTS[size])
        self.times[size].append(median(figures["times"]))
        self.calls[size].append(figures["calls"])
        self.digests.append(figures["digest"])

    def stop(self) -> None:
        """Let the process end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def report(names: Sequence[str], sides: Sequence[Side], path: Path | None) -> None:
    # Imported here, since a rival tree that works with this file may lack it.
    from benchmarks.figures import Spread, Table

    table = Table("one_segment", {"segments": "", "tree": "", "ms of processor time": ".3f", "Python calls": ".0f"}, path)
    for size in REQUESTS:
        for name, side in zip(names, sides, strict=True):
            table.add(size, name, Spread(side.times[size]), median(side.calls[size]))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--pair", default="ro-en")
    parser.add_argument("--rival", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--work", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="append each row as a line of JSON, too")
    options = parser.parse_args()
    if options.work:
        work(options.data, options.pair)
        return
    trees = [tree for tree in (options.rival, ROOT) if tree is not None]
    sides = [Side(tree.resolve(), options.data.resolve(), options.pair) for tree in trees]
    try:
        for side in sides:
            print(side.run(1, WARM_REQUESTS)["model"])
        for _ in range(options.rounds):
            for size in REQUESTS:
                for side in sides:
                    side.measure(size)
    finally:
        for side in sides:
            side.stop()
    report([str(tree) for tree in trees], sides, options.json)
    if len(sides) > 1:
        print("equal answers" if sides[0].digests == sides[1].digests else "answers differ")


if __name__ == "__main__":
    main()
