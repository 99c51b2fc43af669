"""All systems that chunks of treebanks can be part of, each tuned for itself: ``python -m benchmarks.smt.trees.systems DATA squoia|LANGUAGE [SEEDS]``.

``squoia`` (DATA/squoia-de-es, German to Spanish): STR (s), CON (c), DEP (d), PERC (p) and all 15 subsets, with an orientation model of
STR's phrases (Base); c, d, p and s+c also with one of their own phrases (Self). Constituents are gold. Governors of d are our own
parser's for German; there is no parser of Spanish here, so those are percolated, and d is p with other German trees. AlignmentFiles are combined
after decoding too: an oracle of s, c, d and p, the output that others agree with most (MBR), words by vote.
LANGUAGE (DATA/pud-aligned/en-LANGUAGE, English to fr, ru or zh; gold dependencies): s, d, s+d.

Links are of our aligner, on what is trained on alone; one 4-gram model of the target side. Of sentences of 25 words at most, drawn ones
tune (MIRA in rounds of translating) and others are translated. BLEU of lower-cased words; seeds draw, and tune.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from app.building.alignment.files import AlignmentFiles, align_files
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.metrics import metric_named
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.orientation import OrientationModel
from app.smt.corpus.phrases.scoring.reordering import ReorderingModel
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, TableOptions, build_tables
from app.smt.corpus.trees.chunk_extraction import extract_chunks
from app.smt.corpus.trees.merging import merge_extractions
from app.smt.corpus.trees.percolation import HeadTable, percolate
from app.smt.corpus.trees.reading import read_trees
from app.smt.corpus.trees.tree import Tree
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.moses_ini import SearchLimits
from app.text.batch import pack_lines
from benchmarks.smt.corpus.weighting import assay
from benchmarks.smt.systems.rounds import METRIC, Tuned, interval, tuned_system
from benchmarks.smt.systems.tuning import Text, score
from benchmarks.smt.trees.alignment import PARTS, squoia
from benchmarks.smt.trees.extraction import Held, Pair, lowered, parsed

LONGEST, SHORT = 40, 25
DEVELOPMENT, TEST = 100, 150
ROUNDS, LISTS, STACK = 3, 50, 20
ORDER: Final = 4
MODEL: Final = "wbe-msd-bidirectional-fe"
# Systems that are made with both models of orientation.
BOTH: Final = ("c", "d", "p", "s+c")


def run(
    methods: dict[str, tuple[str, Sequence[Pair], str | None, str | None]],
    plain: Sequence[Pair],
    dev: Text,
    test: Text,
    seed: int,
    folder: Path,
) -> dict[str, tuple[Tuned, int]]:
    """Every system's figures and the pairs in its table; a method is how, trees, and tables of heads."""
    source, target, links = (folder / name for name in ("source", "target", "links"))
    for path, side in ((source, 0), (target, 1)):
        path.write_text("".join(" ".join(pair[side].words) + "\n" for pair in plain), encoding="utf-8")
    align_files(source, target, AlignmentFiles(links=links))
    models = [OrientationModel("wbe", "msd")]
    folders = {"s": folder / "s"}
    extract_phrases(source, target, links, folders["s"], models=models)
    for name, (method, trees, *tables) in methods.items():
        folders[name] = folder / name
        held = Held(source, target, method, (None, None), (tables[0], tables[1]), trees)
        extract_chunks(held, links, folders[name], models=models)
    write_kenlm_trie(estimate_language_model(pack_lines(target.read_text("utf-8").splitlines()), ORDER), folder / "lm.binary")
    results: dict[str, tuple[Tuned, int]] = {}
    base = folder / "tables" / "s" / f"reordering-table.{MODEL}.gz"
    for extracted in merge_extractions(folders, folder / "merged", subsets=True):
        name = extracted.name
        own = name == "s" or name in BOTH
        made = folder / "tables" / name
        size = build_tables(extracted, made, TableOptions(reordering=(ReorderingModel.parse(MODEL),) if own else ())).pairs
        for kind, orientations in (("", base), (", self", made / base.name)):
            if kind and name not in BOTH:
                continue
            text = configuration(
                str(made / PHRASE_TABLE),
                {MODEL: str(orientations)},
                str(folder / "lm.binary"),
                ORDER,
                SearchLimits(stack=STACK),
                20,
            )
            (folder / "moses.ini").write_text(text)
            tuned = tuned_system(folder / "moses.ini", dev, test, seed, folder / "rounds", ROUNDS, LISTS, STACK)
            results[f"{name}{kind}"] = tuned, size
            print(
                seed, f"{name}{kind}", f"{tuned.untuned:.2f} {tuned.dev:.2f} {tuned.test:.2f} {size}", file=sys.stderr, flush=True
            )
    return results


def combined(results: dict[str, tuple[Tuned, int]], test: Text, folder: Path) -> dict[str, float]:
    """BLEU of what is made of systems' translations: the closest to the reference of s, c, d and p (an oracle), the one that the
    others agree with most, and words by vote; of these four systems and of all 15.
    """
    metric = metric_named(METRIC)
    four = [name for name in ("s", "c", "d", "p") if name in results]
    outputs = {name: tuned.texts for name, (tuned, _) in results.items() if "self" not in name}
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
    # How often each of the four has the fewest errors in a sentence, or the second fewest (Srivastava 2014, section 2.5.1).
    errors = np.array([sentence_scores("wer|tok:none", outputs[name], test) for name in four])
    for row, name in enumerate(four):
        better = (errors < errors[row]).sum(0)
        scores[f"{name} is best"], scores[f"{name} is second"] = (100 * float((better == place).mean()) for place in (0, 1))
    return scores


def sentence_scores(name: str, texts: Sequence[str], test: Text) -> np.ndarray:
    metric = metric_named(name)
    return np.asarray(metric.segment_scores(metric.prepare([test.references]).statistics(texts)))


def text_of(pairs: Sequence[Pair]) -> Text:
    return Text([" ".join(one.words).lower() for one, _ in pairs], [" ".join(other.words).lower() for _, other in pairs])


def drawn(pairs: Sequence[Pair], seed: int) -> tuple[list[int], list[int], list[int]]:
    """Places of what is trained on, tuned on and translated."""
    order = random.Random(seed).sample(range(len(pairs)), len(pairs))
    short = [place for place in order if max(len(side.words) for side in pairs[place]) <= SHORT]
    dev, test = short[:DEVELOPMENT], short[DEVELOPMENT : DEVELOPMENT + TEST]
    held = {*dev, *test}
    return [place for place in order if place not in held], dev, test


def governed(pairs: Sequence[Pair]) -> list[Pair]:
    """German governors by our parser, Spanish ones percolated."""
    german = parsed([" ".join(one.words) for one, _ in pairs], "de")
    table = HeadTable.of("spanish")
    return [
        (lowered(one), lowered(percolate(other, table)) if isinstance(other, Tree) else other)
        for one, (_, other) in zip(german, pairs, strict=True)
    ]


def main() -> None:
    data, which, seeds = Path(sys.argv[1]), sys.argv[2], [int(word) for word in sys.argv[3:]] or [1, 2, 3]
    pairs: list[Pair]
    if which == "squoia":
        pairs = [pair for part in PARTS for pair, _ in squoia(data / "squoia-de-es", part)]
    else:
        sides = [list(read_trees(data / "pud-aligned" / f"en-{which}" / f"{side}.conllu.gz")) for side in ("en", "target")]
        pairs = list(zip(*sides, strict=True))
    pairs = [pair for pair in pairs if max(len(side.words) for side in pair) <= LONGEST]
    results = []
    for seed in seeds:
        train, dev, test = ([pairs[place] for place in places] for places in drawn(pairs, seed))
        plain = [(lowered(one), lowered(other)) for one, other in train]
        methods: dict[str, tuple[str, Sequence[Pair], str | None, str | None]] = {"d": ("dep", plain, None, None)}
        if which == "squoia":
            methods = {
                "c": ("con", plain, None, None),
                "d": ("dep", governed(train), None, None),
                "p": ("perc", plain, "german", "spanish"),
            }
        with TemporaryDirectory() as folder:
            results.append(run(methods, plain, text_of(dev), text_of(test), seed, Path(folder)))
            if which == "squoia":
                print(
                    seed,
                    {name: round(value, 2) for name, value in combined(results[-1], text_of(test), Path(folder)).items()},
                    flush=True,
                )
    print(
        f"{which}, {len(pairs) - DEVELOPMENT - TEST} pairs: tuned BLEU of seeds {seeds}, mean, against s; Moses' weights on dev; pairs in the table"
    )
    for name in results[0]:
        scores = [result[name][0].test for result in results]
        line = f"| {name} | {' '.join(f'{score:.2f}' for score in scores)} | {sum(scores) / len(scores):.2f}"
        if len(scores) > 2:
            line += f" | {interval([score - result['s'][0].test for score, result in zip(scores, results, strict=True)])}"
        print(f"{line} | {sum(result[name][1] for result in results) // len(results)} |", flush=True)


if __name__ == "__main__":
    main()
