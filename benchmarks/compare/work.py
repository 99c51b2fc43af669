"""Timed work within one checkout: ``python -P work.py TEXTS`` reads names of works on stdin, a line each.

The checkout comes from PYTHONPATH, so this program imports nothing of its own repository. An answer is a line of JSON: processor seconds
of a call, or the error of a checkout that lacks the work. Every work has new segments, since a server remembers answers.
"""

import json
import os
import sys
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

# Calls of one measurement, by segments of a call.
CALLS = {1: 150, 10: 40}
PAIR = {"source_language": "ro", "target_language": "en", "profile": "fast"}


class Works:
    """Works by name; each returns processor seconds of one call."""

    def __init__(self, texts: dict[str, Any]) -> None:
        self._texts = texts
        self._segments = iter(texts["segments"])

    @cached_property
    def _quality(self) -> Callable[[list[list[str]]], Any]:
        from app.engine import Engine
        from app.operations.quality import QualityRequest, operation
        from app.settings import Settings

        settings = Settings()
        engine = Engine.open(settings.resources_dir, settings.models_dir, encoder="auto")

        def answer(rows: list[list[str]]) -> Any:
            body = {**PAIR, "segments": [{"source": source, "translation": translation} for source, translation in rows]}
            return operation.answer(engine, QualityRequest.model_validate(body))

        return answer

    def fast(self, size: int) -> float:
        quality, calls = self._quality, CALLS[size]
        batches = [[next(self._segments) for _ in range(size)] for _ in range(calls)]
        begin = process_time()
        for batch in batches:
            quality(batch)
        return (process_time() - begin) / calls

    def metric(self, name: str) -> float:
        from app.metrics import metrics_named, score_systems

        references, systems = self._texts["corpus"]
        begin = process_time()
        score_systems(metrics_named([name]), systems, {"": references})
        return process_time() - begin

    def mert(self) -> float:
        from app.metrics import metric_named
        from app.smt.tuning.method import TuningData
        from app.smt.tuning.pool import pool_of
        from app.smt.tuning.tune import tune
        from app.text.reading.n_best_files import read_lists

        lists, references = self._texts["lists"]
        with TemporaryDirectory() as folder:
            path = Path(folder) / "lists"
            path.write_text(lists, "utf-8")
            begin = process_time()
            pool = pool_of(read_lists([path]).lists, metric_named("bleu|tok:none"), [references])
            tune(TuningData(pool, np.ones(len(pool.names))), "mert|restarts:10")
            return process_time() - begin


def main() -> None:
    """Answer names until the end of stdin."""
    # Only answers go to stdout.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    works = Works(json.loads(Path(sys.argv[1]).read_text("utf-8")))
    table: dict[str, Callable[[], float]] = {
        "fast-1": lambda: works.fast(1),
        "fast-10": lambda: works.fast(10),
        **{name: lambda name=name: works.metric(name) for name in ("bleu", "chrf", "ter")},  # type: ignore[misc]
        "mert": works.mert,
    }
    for line in sys.stdin:
        try:
            answer: dict[str, object] = {"seconds": table[line.strip()]()}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
