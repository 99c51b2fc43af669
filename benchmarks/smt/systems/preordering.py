"""Translation with preordered sources: ``python -m benchmarks.smt.systems.preordering DATA PAIR --work FOLDER``.

PAIR is de-en or en-de (DATA/multi30k-de-en, captions), or a pair of DATA/mlqe-pe such as ne-en. The targets of the latter are
machine translations, which only show how well order is learned. Kinds of input:

- ``own``: sources in their own order
- ``best``: the least risky order of a Reordering Grammar, which learns from the training text and its links
- ``lattice``: ``--orders`` orders as a lattice, with the system of ``best``; the weight of the arcs is tuned too
- ``gold``: the order by the links to the reference, an oracle

Each kind but ``lattice`` has a system of the training text in its order, with permuted links. Each system is tuned in rounds of
translating, once for each limit of jumps and seed. Results stay in FOLDER, so that a stopped run continues. The end has means with
Student's 95 % intervals, and paired bootstraps against ``own`` with each limit, of all seeds together.
"""

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from app.metrics import metric_named
from app.smt.decoder.system import load_parts, system_of
from app.smt.decoder.text_phrases import TextPhrases
from app.smt.decoder.tuning.rounds import RoundOptions, tune_by_rounds
from app.smt.decoder.tuning.translating import translate_text
from app.smt.tuning.significance import compare_choices
from benchmarks.smt.systems.preordered_text import PARTS, Part, build_system, preordered, write_corpus
from benchmarks.smt.systems.tuning import Text, mean_with_interval, score
from benchmarks.text_lines import lines

KINDS: Final = ("own", "best", "lattice", "gold")
METRICS: Final = ("bleu|tok:none", "ribes|tok:none", "ter")
# Lines of a configuration of lattices.
INPUT: Final = {
    "[feature]\n": "InputFeature num-features=1 num-input-features=1 real-word-count=0\n",
    "[weight]\n": "InputFeature0= 0.3\n",
}


def with_lattices(config: Path) -> Path:
    """A configuration for lattices beside one for texts."""
    text = config.read_text()
    for section, line in INPUT.items():
        text = text.replace(section, section + line)
    path = config.with_name("lattice.ini")
    path.write_text(text)
    return path


def run(config: Path, kind: str, dev: Text, test: Text, options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Tune a system and translate the test with each limit and seed that has no row yet, and add their rows."""
    finished = {(row["kind"], row["limit"], row["seed"]) for row in rows}
    jobs = {limit: [seed for seed in options.seeds if (kind, limit, seed) not in finished] for limit in options.limits}
    if not any(jobs.values()):
        return
    lattices = kind == "lattice"
    parts = load_parts(config, None if lattices else TextPhrases(line.split() for line in [*dev.sources, *test.sources]))
    metric = metric_named(METRICS[0])
    for limit, seeds in jobs.items():
        limits = replace(parts.ini.limits, stack=options.stack, distortion=limit)
        with TemporaryDirectory() as name:
            for seed in seeds:
                begin = time.process_time()
                # Round 0 has equal lists for each seed. The seed of a round depends on both numbers; rounds of two seeds share none.
                for path in Path(name).glob("round-[1-9]*"):
                    path.unlink()
                settings = RoundOptions(
                    options.method, 100 * seed, options.rounds, options.list_length, limits, threads=1, lattices=lattices
                )
                tuning = tune_by_rounds(parts, dev.sources, [dev.references], metric, settings, Path(name))
                system = system_of(parts, tuning.best.weights)
                texts = [result.text for result in translate_text(system, limits, test.sources, 0, 1, lattices)]
                row = {"kind": kind, "limit": limit, "seed": seed, "rounds": [step.score for step in tuning.passes], "texts": texts}
                rows.append(row | {"weights": dict(zip(parts.names, tuning.best.weights.tolist(), strict=True))})
                with (options.work / "rows.jsonl").open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
                scores = " ".join(f"{step:.2f}" for step in row["rounds"])
                seconds = time.process_time() - begin
                print(f"{kind}\t{limit}\t{seed}\t{score(metric, texts, test):.2f}\t[{scores}]\t{seconds:.0f} s", flush=True)


def report(rows: list[dict[str, Any]], references: list[str]) -> None:
    """Print means over seeds by each metric, and gains over ``own`` with each limit of jumps; a positive gain is always good."""
    limits = list(dict.fromkeys(row["limit"] for row in rows))
    print(f"| metric | kind | limit | seeds | mean | {' | '.join(f'gain over own, limit {limit}' for limit in limits)} |")
    for name in METRICS:
        metric = metric_named(name)
        scorer = metric.prepare([references])
        sums: dict[tuple[str, int], Any] = {}
        for kind, limit in dict.fromkeys((row["kind"], row["limit"]) for row in rows):
            statistics = [scorer.statistics(row["texts"]) for row in rows if (row["kind"], row["limit"]) == (kind, limit)]
            sums[kind, limit] = np.sum(statistics, axis=0)
            scores = [float(metric.score(table.sum(0)[None])[0]) for table in statistics]
            cells = [" ".join(f"{value:.2f}" for value in scores), mean_with_interval(scores)]
            for baseline in limits if kind != "own" else ():
                comparison = compare_choices(metric, sums["own", baseline], sums[kind, limit])
                low, high = comparison.gain_interval.low, comparison.gain_interval.high
                cells.append(f"{comparison.gain:+.2f} ({low:+.2f} to {high:+.2f}), p = {comparison.p_value:.3f}")
            print(f"| {name} | {kind} | {limit} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("pair")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=KINDS)
    parser.add_argument("--limits", type=int, nargs="*", default=[0, 6])
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--train", type=int, default=0, help="number of pairs for training; 0 for all")
    parser.add_argument("--dev", type=int, default=300, help="number of sentences for tuning")
    parser.add_argument("--test", type=int, default=0, help="number of sentences of the test; 0 for all")
    parser.add_argument("--samples", type=int, default=1000, help="trees drawn for each sentence")
    parser.add_argument("--orders", type=int, default=20, help="orders of a lattice")
    parser.add_argument("--method", default="mert|restarts:20")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--list-length", type=int, default=100)
    parser.add_argument("--stack", type=int, default=20)
    options = parser.parse_args()
    folder: Path = options.work
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "test.links").exists():
        write_corpus(options.data, options.pair, {part: getattr(options, part) for part in PARTS}, folder)
    parts = {part: Part.of(folder, part) for part in PARTS}
    best = preordered(folder, options.samples, options.orders)
    orders = {
        "own": {name: part.source_orders for name, part in parts.items()},
        "best": best,
        "lattice": best,
        "gold": {name: part.gold_orders for name, part in parts.items()},
    }
    file = folder / "rows.jsonl"
    rows = [json.loads(row) for row in lines(file)] if file.exists() else []
    for kind in options.kinds:
        config = build_system(parts["train"], orders[kind]["train"], folder / ("best" if kind == "lattice" else kind))
        texts = {part: parts[part].texts(orders[kind][part]) for part in ("dev", "test")}
        if kind == "lattice":
            config, texts = with_lattices(config), {part: lines(folder / f"{part}.plf") for part in texts}
        else:
            print(f"{kind}: Kendall of the test {parts['test'].kendall(orders[kind]['test']):.3f}", flush=True)
        run(config, kind, *(Text(texts[part], parts[part].targets) for part in texts), options, rows)
    report(rows, parts["test"].targets)


if __name__ == "__main__":
    main()
