"""Systems with chunks of treebanks, each tuned for itself: ``python -m benchmarks.smt.trees.systems DATA squoia|LANGUAGE [SEEDS]``.

``squoia`` (DATA/squoia-de-es, German to Spanish) has STR (s), CON (c), DEP (d), PERC (p) and all 15 subsets, with an orientation
model of STR's phrases (Base). Systems c, d, p and s+c also have a model of their own phrases (Self). Constituents are gold. German governors of d
come from Assay's parser. Without a parser for Spanish, Spanish governors are percolated, and d is p with other German trees. Outputs
are combined after decoding too: an oracle of s, c, d and p, MBR, and a vote on words.
LANGUAGE (DATA/pud-aligned/en-LANGUAGE, English to fr, ru or zh; gold dependencies): s, d, s+d.

Links are of Assay's aligner, on the training pairs alone; one 4-gram model of the target side. Sentences of 25 words at most are drawn
for tuning (MIRA in rounds of translating) and for the test. BLEU of lower-cased words; seeds draw, and tune.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.metrics import metric_named
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.trees.percolation import HeadTable, percolate
from app.smt.corpus.trees.reading import read_trees
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.moses_ini import SearchLimits
from app.text.trees.tree import Tree
from benchmarks.smt.corpus.weighting import assay
from benchmarks.smt.systems.rounds import METRIC, TunedSystem, tuned_system
from benchmarks.smt.systems.tuning import Text, mean_with_interval, score
from benchmarks.smt.trees.alignment import PARTS, squoia
from benchmarks.smt.trees.extraction import ORDER, Method, Pair, extractions, lower_case, parse_lines

LONGEST, SHORT = 40, 25
DEVELOPMENT, TEST = 100, 150
ROUNDS, LISTS, STACK = 3, 50, 20
MODEL: Final = "wbe-msd-bidirectional-fe"
# Systems with both models of orientation.
WITH_OWN_MODEL: Final = ("c", "d", "p", "s+c")


def run(
    methods: dict[str, Method], plain: Sequence[Pair], dev: Text, test: Text, seed: int, folder: Path
) -> dict[str, tuple[TunedSystem, int]]:
    """Figures of every system, and the size of its table."""
    folders = extractions(plain, methods, folder, [OrientationModel("wbe", "msd")])
    results: dict[str, tuple[TunedSystem, int]] = {}
    base = folder / "tables" / "s" / f"reordering-table.{MODEL}.gz"
    for extraction in merge_extractions(folders, folder / "merged", subsets=True):
        name = extraction.name
        has_model = name == "s" or name in WITH_OWN_MODEL
        tables_folder = folder / "tables" / name
        size = build_tables(
            extraction, tables_folder, TableOptions(reordering=(ReorderingModel.parse(MODEL),) if has_model else ())
        ).pairs
        for kind, orientations in (("", base), (", self", tables_folder / base.name)):
            if kind and name not in WITH_OWN_MODEL:
                continue
            lm = str(folder / "lm.binary")
            limits = SearchLimits(stack=STACK)
            text = configuration(str(tables_folder / PHRASE_TABLE), {MODEL: str(orientations)}, lm, ORDER, limits, 20)
            (folder / "moses.ini").write_text(text)
            system = tuned_system(folder / "moses.ini", dev, test, seed, folder / "rounds", ROUNDS, LISTS, STACK)
            results[f"{name}{kind}"] = system, size
            print(
                seed, f"{name}{kind}", f"{system.start:.2f} {system.dev:.2f} {system.test:.2f} {size}", file=sys.stderr, flush=True
            )
    return results


def combined(results: dict[str, tuple[TunedSystem, int]], test: Text, folder: Path) -> dict[str, float]:
    """BLEU of combinations of four systems and of all 15.

    They are the closest translation to the reference of s, c, d and p (an oracle), the translation with the best agreement (MBR), and
    words by vote.
    """
    metric = metric_named(METRIC)
    four = [name for name in ("s", "c", "d", "p") if name in results]
    outputs = {name: system.texts for name, (system, _) in results.items() if "self" not in name}
    files = {}
    for name, texts in outputs.items():
        files[name] = folder / f"{name}.out"
        files[name].write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    closeness = np.array([sentence_scores("sbleu|tok:none", outputs[name], test) for name in four])
    oracle = [outputs[four[best]][row] for row, best in enumerate(closeness.argmax(0))]
    scores = {"oracle of four": score(metric, oracle, test)}
    for number, names in (("four", four), ("all", list(outputs))):
        paths = [f"{name.replace('+', '-')}={files[name]}" for name in names]
        for way, words in (
            ("MBR", ["nbest", "mbr", *paths, "-m", "sbleu|tok:none"]),
            ("vote", ["nbest", "combine", *paths, "--lm", folder / "lm.binary"]),
        ):
            scores[f"{way} of {number}"] = score(metric, assay(*words).removesuffix("\n").split("\n"), test)
    # Share of sentences in which each system has the fewest or the second fewest errors (Srivastava 2014, section 2.5.1).
    errors = np.array([sentence_scores("wer|tok:none", outputs[name], test) for name in four])
    for row, name in enumerate(four):
        better = (errors < errors[row]).sum(0)
        scores[f"{name} is best"], scores[f"{name} is second"] = (100 * float((better == place).mean()) for place in (0, 1))
    return scores


def sentence_scores(name: str, texts: Sequence[str], test: Text) -> np.ndarray:
    metric = metric_named(name)
    return np.asarray(metric.segment_scores(metric.prepare([test.references]).statistics(texts)))


def text_of(pairs: Sequence[Pair]) -> Text:
    return Text(
        [" ".join(source_tree.words).lower() for source_tree, _ in pairs],
        [" ".join(target_tree.words).lower() for _, target_tree in pairs],
    )


def split(pairs: Sequence[Pair], seed: int) -> tuple[list[int], list[int], list[int]]:
    """Indices of the pairs for training, tuning and the test."""
    order = random.Random(seed).sample(range(len(pairs)), len(pairs))
    short = [place for place in order if max(len(side.words) for side in pairs[place]) <= SHORT]
    dev, test = short[:DEVELOPMENT], short[DEVELOPMENT : DEVELOPMENT + TEST]
    held_out = {*dev, *test}
    return [place for place in order if place not in held_out], dev, test


def with_governors(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs with German governors by Assay's parser, and percolated Spanish ones."""
    german = parse_lines([" ".join(source_tree.words) for source_tree, _ in pairs], "de")
    table = HeadTable.of("spanish")
    return [
        (lower_case(source_tree), lower_case(percolate(target_tree, table)) if isinstance(target_tree, Tree) else target_tree)
        for source_tree, (_, target_tree) in zip(german, pairs, strict=True)
    ]


def main() -> None:
    data, corpus, seeds = Path(sys.argv[1]), sys.argv[2], [int(word) for word in sys.argv[3:]] or [1, 2, 3]
    pairs: list[Pair]
    if corpus == "squoia":
        pairs = [pair for part in PARTS for pair, _ in squoia(data / "squoia-de-es", part)]
    else:
        sides = [list(read_trees(data / "pud-aligned" / f"en-{corpus}" / f"{side}.conllu.gz")) for side in ("en", "target")]
        pairs = list(zip(*sides, strict=True))
    pairs = [pair for pair in pairs if max(len(side.words) for side in pair) <= LONGEST]
    results = []
    for seed in seeds:
        train, dev, test = ([pairs[place] for place in places] for places in split(pairs, seed))
        plain = [(lower_case(source_tree), lower_case(target_tree)) for source_tree, target_tree in train]
        methods: dict[str, Method] = {"d": ("dep", plain, None, None)}
        if corpus == "squoia":
            methods = {
                "c": ("con", plain, None, None),
                "d": ("dep", with_governors(train), None, None),
                "p": ("perc", plain, "german", "spanish"),
            }
        with TemporaryDirectory() as folder:
            results.append(run(methods, plain, text_of(dev), text_of(test), seed, Path(folder)))
            if corpus == "squoia":
                print(
                    seed,
                    {name: round(value, 2) for name, value in combined(results[-1], text_of(test), Path(folder)).items()},
                    flush=True,
                )
    print(
        f"{corpus}, {len(pairs) - DEVELOPMENT - TEST} pairs: tuned BLEU of seeds {seeds}, mean, against s; Moses' weights on dev; pairs in the table"
    )
    for name in results[0]:
        scores = [result[name][0].test for result in results]
        line = f"| {name} | {' '.join(f'{score:.2f}' for score in scores)} | {sum(scores) / len(scores):.2f}"
        if len(scores) > 2:
            line += f" | {mean_with_interval([score - result['s'][0].test for score, result in zip(scores, results, strict=True)])}"
        print(f"{line} | {sum(result[name][1] for result in results) // len(results)} |", flush=True)


if __name__ == "__main__":
    main()
