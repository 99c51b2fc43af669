"""A phrase-based system of parallel text: how good it is without tuning, with jumps and without, and under each method of tuning.

    assay smt train train.de train.en --out SYSTEM --untuned
    python -m benchmarks.smt SYSTEM DEV_SOURCE DEV_TARGET TEST_SOURCE TEST_TARGET --work FOLDER [--methods mira pro ...]

Texts are as the system's own. Every method tunes by translating again, from lists of the first round that all have in common; BLEU is
of tokens as they are (sacreBLEU's with ``tokenize="none"``). Figures are printed as they come, and rounds stay in FOLDER, so that a
run that was stopped goes on.
"""

import argparse
import json
import shutil
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from app.metrics import Metric, metric_named
from app.text.reading.lines import TextFile
from app.translation.decoder import Decoder
from app.translation.system import Parts, load_parts, system_of
from app.translation.text_phrases import TextPhrases
from app.translation.tuning.rounds import RoundOptions, tune_by_rounds

METHODS = ("mert", "pro", "mira", "samplerank", "expected")


def lines_of(path: Path) -> list[str]:
    return list(TextFile.of(path).lines())


def translated(
    parts: Parts, weights: np.ndarray, limits: object, sources: list[str], references: list[str], metric: Metric
) -> tuple[float, float]:
    """BLEU, and sentences a second of processor time."""
    decoder = Decoder(system_of(parts, weights), limits)  # type: ignore[arg-type]
    decoder.translate(sources[0])
    begin = time.process_time()
    best = [decoder.translate(source).best() for source in sources]
    speed = len(sources) / (time.process_time() - begin)
    texts = ["" if one is None else one.text for one in best]
    return float(metric.score(metric.prepare([references]).statistics(texts).sum(0)[None])[0]), speed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("system", type=Path)
    parser.add_argument("texts", type=Path, nargs=4)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--methods", nargs="*", default=list(METHODS))
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--sentences", type=int, default=0, help="of the development set, the first; 0 for all")
    parser.add_argument("--tested", type=int, default=0, help="of the test set, the first; 0 for all")
    parser.add_argument("--list-length", type=int, default=100)
    parser.add_argument("--stack", type=int, default=50, help="while weights are tuned")
    parser.add_argument("--step", type=float, default=1.0)
    parser.add_argument("--jumps", type=int, nargs="*", default=[0, 3, 6])
    given = parser.parse_args()
    dev, dev_references, test, references = (lines_of(path) for path in given.texts)
    count, tested = given.sentences or len(dev), given.tested or len(test)
    dev, dev_references, test, references = dev[:count], dev_references[:count], test[:tested], references[:tested]
    metric = metric_named("bleu|tok:none")
    begin = time.process_time()
    parts = load_parts(given.system / "untuned.ini", TextPhrases(line.split() for line in [*dev, *test]))
    print(f"loaded in {time.process_time() - begin:.1f} s of processor time", flush=True)
    limits = parts.ini.limits
    for jump in given.jumps:
        score, speed = translated(parts, parts.weights, replace(limits, distortion=jump), test, references, metric)
        print(f"untuned\tdistortion {jump}\t{score:.2f}\t{speed:.0f} sentences/s", flush=True)
    searching = replace(limits, stack=given.stack)
    # Rounds of other sentences, lists or steps would be taken for rounds of these.
    settings = {
        "dev": count,
        "test": tested,
        "rounds": given.rounds,
        "list": given.list_length,
        "stack": given.stack,
        "step": given.step,
    }
    given.work.mkdir(parents=True, exist_ok=True)
    key = given.work / "settings.json"
    if any(given.work.iterdir()) and (not key.exists() or json.loads(key.read_text()) != settings):
        raise SystemExit(f"{given.work} has rounds of other settings; name a new folder")
    key.write_text(json.dumps(settings))
    first = given.work / "first"
    best: tuple[float, str, list[float]] = (-1.0, "", [])
    for method in given.methods:
        for seed in given.seeds:
            folder = given.work / f"{method.replace('|', ',').replace(':', '=')}-{seed}"
            folder.mkdir(parents=True, exist_ok=True)
            result = folder / "result.json"
            if not result.exists():
                for path in first.glob("round-0.*"):
                    shutil.copy(path, folder)
                begin = time.process_time()
                options = RoundOptions(method, seed, given.rounds, given.list_length, searching, given.step)
                tuned = tune_by_rounds(parts, dev, [dev_references], metric, options, folder)
                seconds = time.process_time() - begin
                if not first.exists():
                    first.mkdir()
                    for path in folder.glob("round-0.*"):
                        shutil.copy(path, first)
                scores = [one.score for one in tuned.rounds]
                on_test, _ = translated(parts, tuned.best.weights, limits, test, references, metric)
                row = {
                    "method": method,
                    "seed": seed,
                    "rounds": scores,
                    "dev": tuned.best.score,
                    "test": on_test,
                    "seconds": seconds,
                }
                result.write_text(json.dumps({**row, "weights": tuned.best.weights.tolist(), "names": parts.names}))
            row = json.loads(result.read_text())
            best = max(best, (row["dev"], f"{method}, seed {seed}", row["weights"]))
            rounds = " ".join(f"{score:.2f}" for score in row["rounds"])
            print(
                f"{method}\tseed {seed}\tdev {row['dev']:.2f}\ttest {row['test']:.2f}\t{row['seconds']:.0f} s\t[{rounds}]",
                flush=True,
            )
    # What jumps are worth to the weights that translate the development text best.
    for jump in given.jumps:
        score, _ = translated(parts, np.array(best[2]), replace(limits, distortion=jump), test, references, metric)
        print(f"{best[1]}\tdistortion {jump}\t{score:.2f}", flush=True)


if __name__ == "__main__":
    main()
