"""Time and memory of extraction and of tables: ``python -m benchmarks.smt.systems.phrase_tables SOURCE TARGET LINKS``.

The output has processor seconds and peak memory of each step, in a new process with compiled
kernels. Moses' tools, on the same files (Multi30k's 29,000 pairs, German to English): 9.3 s for extract, 41 s for
sorting, scoring both ways, consolidating and one table of orientations, 189 MB.
"""

import resource
import sys
import time
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import TableOptions, build_tables

MODEL = "wbe-msd-bidirectional-fe"


def extraction(source: Path, target: Path, links: Path, folder: Path) -> str:
    counts = extract_phrases(source, target, links, folder / "extracted", models=[OrientationModel.parse("wbe-msd")])
    return f"{counts.sentences} sentence pairs, {counts.pairs} pairs of phrases"


def tables(source: Path, target: Path, links: Path, folder: Path) -> str:
    pairs = build_tables(folder / "extracted", folder / "tables", TableOptions(reordering=(ReorderingModel.parse(MODEL),))).pairs
    sizes = ", ".join(f"{path.name} {path.stat().st_size >> 20} MB" for path in sorted((folder / "tables").iterdir()))
    return f"{pairs} distinct pairs of phrases; {sizes}"


def measured(step: str, paths: list[Path], folder: Path) -> None:
    begin, processor = time.perf_counter(), time.process_time()
    summary = {"extraction": extraction, "tables": tables}[step](*paths, folder)
    seconds, wall = time.process_time() - processor, time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{step}: {seconds:.1f} s of processor time, {wall:.1f} s, peak {peak} MB; {summary}", flush=True)


def main(paths: list[Path]) -> None:
    context = get_context("spawn")
    with TemporaryDirectory() as scratch:
        for step in ("extraction", "tables"):
            process = context.Process(target=measured, args=(step, paths, Path(scratch)))
            process.start()
            process.join()


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:4]])
