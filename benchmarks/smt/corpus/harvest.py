"""Gains by the parts of LIUM's system: ``python -m benchmarks.smt.corpus.harvest MULTI30K MLQE_EN_DE NTREX [SEEDS]``.

German to English, captions of Multi30k translated by a system of other text: 4,000 sentences of Wikipedia and 1,926 of news, as in
``benchmarks.smt.corpus.weighting``, with a language model of 10,000 English captions. Each seed has 2,000 other captions as German text
without a translation.

* The system translates them. All translations, or the half with the lowest cost per word (``assay corpus take-translations``),
  join the text of the phrase table.
* ``assay corpus mine`` looks for their translations: 400 are planted among 4,400 English captions.
* ``assay smt translate-unknown`` translates unknown words in the output for the test.
* With the true translations in place of automatic ones, ``assay smt prune-table`` prunes the table.

Each system is tuned for itself, by MIRA on 150 captions of val; test is test_2016_flickr. BLEU of tokens, lower-cased.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from app.building.alignment.files import AlignmentFiles, align_files
from app.building.kenlm_trie import write_kenlm_trie
from app.building.kneser_ney import estimate_language_model
from app.metrics import metric_named
from app.smt.corpus.phrases.extraction import extract_phrases
from app.smt.corpus.phrases.scoring.tables import PHRASE_TABLE, build_tables
from app.smt.decoder.building.configuration import configuration
from app.smt.decoder.moses_ini import SearchLimits
from app.text.batch import pack_lines
from benchmarks.smt.corpus.weighting import Pairs, assay, read, within_limits, write
from benchmarks.smt.systems.rounds import METRIC, TunedSystem, tuned_system
from benchmarks.smt.systems.tuning import Text, mean_with_interval, score

MONOLINGUAL, TRUE_PAIRS, DISTRACTORS, MODEL, DEV = 2000, 400, 4000, 10_000, 150
ROUNDS, LISTS, STACK = 3, 50, 20
ORDER = 4
THRESHOLDS = ("alpha-epsilon", "alpha+epsilon", "20")
FLOORS = (0.3, 0.5, 0.75)


class Bench:
    """Folder of a seed, and the texts for tuning and translation of all its systems."""

    def __init__(self, folder: Path, seed: int, dev: Text, test: Text) -> None:
        self.folder, self.seed, self.dev, self.test = folder, seed, dev, test
        self.results: dict[str, TunedSystem] = {}

    def table(self, name: str, texts: Sequence[Path]) -> Path:
        """A phrase table of source, target and links."""
        extraction = self.folder / f"{name}-extracted"
        extract_phrases(texts[0], texts[1], texts[2], extraction)
        build_tables(extraction, self.folder / f"{name}-table")
        return self.folder / f"{name}-table" / PHRASE_TABLE

    def system(self, name: str, table: Path) -> None:
        """Tune the system of a table; its configuration is in the folder."""
        ini = self.folder / f"{name}.ini"
        ini.write_text(configuration(str(table), {}, str(self.folder / "lm"), ORDER, SearchLimits(stack=STACK), 20), "utf-8")
        result = tuned_system(ini, self.dev, self.test, self.seed, self.folder / "rounds", ROUNDS, LISTS, STACK)
        ini.write_bytes(result.configuration)
        self.results[name] = result
        print(self.seed, name, f"{result.dev:.2f} {result.test:.2f}", file=sys.stderr, flush=True)


def joined(folder: Path, name: str, first: Sequence[Path], second: Sequence[Path]) -> list[Path]:
    """Files of two corpora in a row."""
    paths = [folder / f"{name}.{part}" for part in ("source", "target", "links")]
    for path, parts in zip(paths, zip(first, second, strict=True), strict=True):
        path.write_bytes(b"".join(part.read_bytes() for part in parts))
    return paths


def mining_accuracy(
    folder: Path, sources: list[str], translations: list[str], true_pairs: Pairs, distractors: list[str]
) -> dict[str, list[float]]:
    """Precision and recall of the true pairs for several limits of TER."""
    target = write(folder / "comparable.en", [*(english for _, english in true_pairs), *distractors])
    right = set(true_pairs)
    results: dict[str, list[float]] = {}
    texts = write(folder / "c.de", sources), write(folder / "c.out", translations), target
    for floor in FLOORS:
        out = folder / f"mined-{floor}"
        assay("corpus", "mine", *texts, "--out", out, "--ter", floor)
        pairs = list(zip(*((out / name).read_text("utf-8").splitlines() for name in ("source", "target")), strict=True))
        hits = sum(pair in right for pair in pairs)
        results[str(floor)] = [len(pairs), hits / max(1, len(pairs)), hits / len(right)]
    return results


def unknown(bench: Bench, table: Path) -> dict[str, float]:
    """Counts of unknown words in the output, of replaced ones, of those in the reference, and BLEU."""
    output = list(bench.results["base"].texts)
    words = ["smt", "translate-unknown", write(bench.folder / "u.de", bench.test.sources), write(bench.folder / "u.out", output)]
    words += ["--table", table, "--language", "de", "--lm", bench.folder / "lm", "--out", bench.folder / "u.new"]
    assay(*words)
    replaced_texts = (bench.folder / "u.new").read_text("utf-8").splitlines()
    unknown_count = replacements = right = 0
    for source, old, new, reference in zip(bench.test.sources, output, replaced_texts, bench.test.references, strict=True):
        foreign = set(source.split()) - set(reference.split())
        olds, news = old.split(), new.split()
        unknown_count += sum(word in foreign for word in olds)
        # Positions are equal if each unknown word has a translation of one word.
        new_words = [word for word in news if word not in olds] if olds != news else []
        replacements += len(new_words)
        right += sum(word in reference.split() for word in new_words)
    return {
        "unknown": unknown_count,
        "replaced": replacements,
        "in the reference": right,
        "bleu": score(metric_named(METRIC), replaced_texts, bench.test),
    }


def run(bench: Bench, text: Pairs, captions: Pairs, model: list[str], distractors: list[str]) -> dict[str, object]:
    folder = bench.folder
    base = [write(folder / f"base.{name}", [pair[side] for pair in text]) for side, name in enumerate(("source", "target"))]
    base.append(folder / "base.links")
    align_files(base[0], base[1], AlignmentFiles(links=base[2]))
    write_kenlm_trie(estimate_language_model(pack_lines(model), ORDER), folder / "lm")
    table = bench.table("base", base)
    bench.system("base", table)
    german = [source for source, _ in captions]
    words = ["smt", "decode", write(folder / "mono.de", german), "--config", folder / "base.ini", "--n-best", folder / "lists", 1]
    translations = assay(*words).splitlines()
    costs = {}
    for line in (folder / "lists").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.split("|||")]
        costs[int(cells[0])] = -float(cells[3]) / max(1, len(cells[1].split()))
    answer: dict[str, object] = {"unknown": unknown(bench, table)}
    for name, limit in (("all", max(costs.values()) + 1), ("surest half", float(np.median(list(costs.values()))))):
        out = folder / name.replace(" ", "-")
        assay("corpus", "take-translations", folder / "mono.de", folder / "lists", "--out", out, "--most-cost", limit)
        additions = [out / part for part in ("source", "target", "links")]
        texts = joined(folder, name.replace(" ", "-"), base, additions)
        bench.system(name, bench.table(name.replace(" ", "-"), texts))
    answer["mined"] = mining_accuracy(folder, german, translations, captions[:TRUE_PAIRS], distractors)
    files = [
        write(folder / f"true.{side}", [pair[k] for pair in [*text, *captions]]) for k, side in enumerate(("source", "target"))
    ]
    files.append(folder / "true.links")
    align_files(files[0], files[1], AlignmentFiles(links=files[2]))
    table = bench.table("true", files)
    bench.system("true", table)
    for threshold in THRESHOLDS:
        pruned_table = folder / f"pruned-{threshold}.gz"
        assay("smt", "prune-table", table, files[0], files[1], "--out", pruned_table, "--threshold", threshold)
        bench.system(f"true, {threshold}", pruned_table)
        lines = int(subprocess.run(f"zcat {pruned_table} | wc -l", shell=True, capture_output=True, check=True).stdout)
        answer[f"lines {threshold}"] = lines
    answer["lines"] = int(subprocess.run(f"zcat {table} | wc -l", shell=True, capture_output=True, check=True).stdout)
    return answer


def main(arguments: list[str]) -> None:
    multi30k, mlqe, ntrex = (Path(argument) for argument in arguments[:3])
    seeds = [int(argument) for argument in arguments[3:]] or [1, 2, 3]
    captions = within_limits(list(zip(read(multi30k / "train.de.gz"), read(multi30k / "train.en.gz"), strict=True)))
    order = np.random.default_rng(0).permutation(len(captions)).tolist()
    model = [captions[place][1] for place in order[:MODEL]]
    distractors = [captions[place][1] for place in order[MODEL : MODEL + DISTRACTORS]]
    text = within_limits(list(zip(read(mlqe / "train.tok.pe.gz"), read(mlqe / "train.tok.src.gz"), strict=True)))[:4000]
    news = [read(ntrex / f"newstest2019-{name}.txt.gz", language) for name, language in (("ref.deu", "de"), ("src.eng", "en"))]
    text += within_limits(list(zip(*news, strict=True)))
    sides = [[read(multi30k / f"{part}.{side}.gz") for side in ("de", "en")] for part in ("val", "test_2016_flickr")]
    dev, test = Text(sides[0][0][:DEV], sides[0][1][:DEV]), Text(*sides[1])
    results = []
    for seed in seeds:
        first = MODEL + DISTRACTORS + (seed - 1) * MONOLINGUAL
        sample = [captions[place] for place in order[first : first + MONOLINGUAL]]
        with TemporaryDirectory() as folder:
            bench = Bench(Path(folder), seed, dev, test)
            answer = run(bench, text, sample, model, distractors)
        results.append({name: system.test for name, system in bench.results.items()})
        print(json.dumps({"seed": seed, **answer, "bleu": results[-1]}), flush=True)
    for name in results[0] if len(results) > 2 else ():
        print(
            f"| {name} | {' | '.join(f'{result[name]:.2f}' for result in results)} | {mean_with_interval([result[name] for result in results])} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
