"""LASW's systems by their protocol (Song 2015, §5.3): ``python -m benchmarks.smt.systems.lasw INI SOURCE TARGET TEST_SOURCE TEST_TARGET``.

INI is the `moses.ini` of a system. SOURCE and TARGET are the pool of development sentences. `--choice FILE`, twice, has decisions of
``assay corpus select --decisions`` about the pool: the first development set is the baseline's, the second that of the three systems
(PRO-LA, WRO-G-SLA, WRO-L-SLA). A generation of lists has 16 rounds of PRO with a seed of its own. PRO, WRO-Global and WRO-Local then train once on all its
lists, and the decoder translates the test by their weights, WRO-Local by weights of each sentence. Metrics are BLEU and
``--simpbleu``; the table has means and standard deviations over generations.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.arrays import Float64s
from app.metrics import metric_named
from app.smt.decoder.moses_ini import SearchLimits
from app.smt.decoder.system import SystemParts, load_parts
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.decoder.weighting.sentence_decoders import SentenceDecoders
from app.smt.tuning.local_weights_file import LocalWeightsFile
from app.smt.tuning.method import TuningData
from app.smt.tuning.pairs.local import tune_locally
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.smt.tuning.weights import FeatureWeights
from app.text.n_best import NBestLists
from app.text.reading.n_best_files import read_lists
from benchmarks.smt.systems.tuning import Text, score, translated
from benchmarks.text_lines import lines

BLEU: Final = "bleu|tok:none"
SINGLE: Final = "rounds:1|take:last"
GENERATING: Final = "pro"


def generated_lists(parts: SystemParts, dev: Text, limits: SearchLimits, seed: int, options: argparse.Namespace) -> NBestLists:
    """Lists of all rounds of PRO, merged."""
    with TemporaryDirectory() as folder:
        rounds = RoundOptions(GENERATING, 1000 * seed, options.rounds, options.list_length, limits, 1.0, threads=1)
        tune_by_rounds(parts, dev.sources, [dev.references], metric_named(BLEU), rounds, Path(folder))
        # The pass behind the last round only measures. Rounds end early if no better weights are found.
        paths = [Path(folder, f"round-{number}.gz") for number in range(options.rounds)]
        return read_lists([path for path in paths if path.exists()]).lists


def tuned(parts: SystemParts, lists: NBestLists, dev: Text, method: str, metric: str, seed: int) -> Float64s:
    """Weights for all sentences, from one training."""
    pool = pool_of(lists, metric_named(metric), [dev.references])
    start = FeatureWeights.of(parts.names, parts.weights).of_columns(pool.names)
    data = TuningData(pool, start, dev.sources)
    weights = FeatureWeights.of(pool.names, tune(data, f"{method}|{SINGLE}", [seed]).selection.weights).of_columns(parts.names)
    return np.asarray(weights * np.abs(parts.weights).sum() / np.abs(weights).sum())


def translated_locally(
    parts: SystemParts, lists: NBestLists, dev: Text, test: Text, metric: str, seed: int, limits: SearchLimits
) -> list[str]:
    """Translations by weights of each sentence."""
    pool = pool_of(lists, metric_named(metric), [dev.references])
    start = FeatureWeights.of(parts.names, parts.weights).of_columns(pool.names)
    local = tune_locally(TuningData(pool, start, dev.sources), test.sources, seed=seed)
    segments = {number: FeatureWeights.of(pool.names, row) for number, row in enumerate(local.weights)}
    file = LocalWeightsFile(segments, FeatureWeights.of(pool.names, local.common_weights), {})
    decoders = SentenceDecoders(parts, file, limits)
    bests = [decoders.decoder(number, text.split()).translate(text).best() for number, text in enumerate(test.sources)]
    return ["" if best is None else best.text for best in bests]


def systems(
    parts: SystemParts, dev: Text, test: Text, metric: str, seed: int, names: tuple[str, str, str], options: argparse.Namespace
) -> dict[str, list[str]]:
    """Translations of the test by PRO (tuned to BLEU), WRO-Global and WRO-Local (tuned to `metric`), on lists of one generation."""
    limits = replace(parts.ini.limits, stack=options.stack)
    lists = generated_lists(parts, dev, limits, seed, options)
    pro = tuned(parts, lists, dev, "pro", BLEU, seed)
    wro = tuned(parts, lists, dev, "wro", metric, seed)
    return {
        names[0]: translated(parts, pro, limits, test),
        names[1]: translated(parts, wro, limits, test),
        names[2]: translated_locally(parts, lists, dev, test, metric, seed, limits),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("ini", "source", "target", "test_source", "test_target"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--choice", action="append", required=True, help="decisions of assay corpus select, twice")
    parser.add_argument("--simpbleu", default="simpbleu:RABC2")
    parser.add_argument("--generations", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--list-length", type=int, default=100)
    parser.add_argument("--stack", type=int, default=100)
    parser.add_argument("--test-lines", type=int, default=1_000_000)
    parser.add_argument("--out", type=Path, required=True, help="JSON lines: a row for each generation and system")
    options = parser.parse_args()
    sources, targets = lines(options.source), lines(options.target)
    test = Text(lines(options.test_source)[: options.test_lines], lines(options.test_target)[: options.test_lines])
    parts = load_parts(options.ini, TextPhrases(line.split() for line in [*sources, *test.sources]))
    choices = [[place for place, word in enumerate(Path(path).read_text().split()) if word == "chosen"] for path in options.choice]
    devs = [Text([sources[k] for k in places], [targets[k] for k in places]) for places in choices]
    rows: dict[str, dict[str, list[float]]] = {}
    metrics = {"BLEU": metric_named(BLEU), "SIMPBLEU": metric_named(f"{options.simpbleu}|tok:none")}
    groups = (
        (devs[0], BLEU, ("PRO", "WRO-Global", "WRO-Local")),
        (devs[1], f"{options.simpbleu}|tok:none", ("PRO-LA", "WRO-G-SLA", "WRO-L-SLA")),
    )
    for seed in range(1, options.generations + 1):
        for dev, metric, names in groups:
            for name, texts in systems(parts, dev, test, metric, seed, names, options).items():
                scores = {measure: score(of_measure, texts, test) for measure, of_measure in metrics.items()}
                with options.out.open("a") as file:
                    file.write(json.dumps({"generation": seed, "system": name, **scores}) + "\n")
                for measure, value in scores.items():
                    rows.setdefault(name, {}).setdefault(measure, []).append(value)
    print("| system | BLEU | SIMPBLEU |\n| --- | --- | --- |")
    for name, row in rows.items():
        cells = [f"{np.mean(values):.2f} ± {np.std(values, ddof=min(1, len(values) - 1)):.2f}" for values in row.values()]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
