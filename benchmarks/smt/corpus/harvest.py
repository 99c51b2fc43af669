"""Gains by the parts of LIUM's system: ``python -m benchmarks.smt.corpus.harvest MULTI30K MLQE_EN_DE NTREX [SEEDS]``.

German to English, captions of Multi30k translated by a system of other text: 4,000 sentences of Wikipedia and 1,926 of news, as in
``benchmarks.smt.corpus.weighting``, with a language model of 10,000 English captions. 2,000 other captions, others for each seed, are German text
without a translation: the system translates them, and

* all translations, or the half with the lowest cost a word (``assay corpus take-translations``), are added to what the phrase table is made of;
* ``assay corpus mine`` looks for their translations: 400 are planted among 4,400 English captions;
* what is unknown in the output for the test is translated by ``assay smt translate-unknown``;
* with the true translations in place of automatic ones, the table is pruned by ``assay smt prune-table``.

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
from benchmarks.smt.corpus.weighting import Pairs, assay, kept, read, write
from benchmarks.smt.systems.rounds import METRIC, Tuned, interval, tuned_system
from benchmarks.smt.systems.tuning import Text, score

UNTRANSLATED, PLANTED, OTHERS, MODEL, DEV = 2000, 400, 4000, 10_000, 150
ROUNDS, LISTS, STACK = 3, 50, 20
ORDER = 4
PRUNED = ("alpha-epsilon", "alpha+epsilon", "20")
FLOORS = (0.3, 0.5, 0.75)


class Bench:
    """A seed's folder, and texts that all of its systems are tuned on and translate."""

    def __init__(self, folder: Path, seed: int, dev: Text, test: Text) -> None:
        self.folder, self.seed, self.dev, self.test = folder, seed, dev, test
        self.results: dict[str, Tuned] = {}

    def table(self, name: str, texts: Sequence[Path]) -> Path:
        """A phrase table of source, target and links."""
        extracted = self.folder / f"{name}-extracted"
        extract_phrases(texts[0], texts[1], texts[2], extracted)
        build_tables(extracted, self.folder / f"{name}-table")
        return self.folder / f"{name}-table" / PHRASE_TABLE

    def system(self, name: str, table: Path) -> Tuned:
        """The system of a table, tuned; its configuration is in the folder."""
        ini = self.folder / f"{name}.ini"
        ini.write_text(configuration(str(table), {}, str(self.folder / "lm"), ORDER, SearchLimits(stack=STACK), 20), "utf-8")
        made = tuned_system(ini, self.dev, self.test, self.seed, self.folder / "rounds", ROUNDS, LISTS, STACK)
        ini.write_bytes(made.configuration)
        self.results[name] = made
        print(self.seed, name, f"{made.dev:.2f} {made.test:.2f}", file=sys.stderr, flush=True)
        return made


def joined(folder: Path, name: str, first: Sequence[Path], second: Sequence[Path]) -> list[Path]:
    """Two corpora as one."""
    made = []
    for part, one, other in zip(("source", "target", "links"), first, second, strict=True):
        made.append(folder / f"{name}.{part}")
        made[-1].write_bytes(one.read_bytes() + other.read_bytes())
    return made


def mined(folder: Path, sources: list[str], translations: list[str], planted: Pairs, others: list[str]) -> dict[str, list[float]]:
    """Precision and recall of the planted pairs under several limits of TER, and BLEU does not come into it."""
    target = write(folder / "comparable.en", [*(english for _, english in planted), *others])
    right = set(planted)
    found: dict[str, list[float]] = {}
    for floor in FLOORS:
        out = folder / f"mined-{floor}"
        assay(
            "corpus",
            "mine",
            write(folder / "c.de", sources),
            write(folder / "c.out", translations),
            target,
            "--out",
            out,
            "--ter",
            floor,
        )
        pairs = list(zip(*((out / name).read_text("utf-8").splitlines() for name in ("source", "target")), strict=True))
        hits = sum(pair in right for pair in pairs)
        found[str(floor)] = [len(pairs), hits / max(1, len(pairs)), hits / len(right)]
    return found


def unknown(bench: Bench, table: Path) -> dict[str, float]:
    """Words that the output has from the source, how many were replaced, how many of these the reference has, and BLEU."""
    output = list(bench.results["base"].texts)
    words = ["smt", "translate-unknown", write(bench.folder / "u.de", bench.test.sources), write(bench.folder / "u.out", output)]
    words += ["--table", table, "--language", "de", "--lm", bench.folder / "lm", "--out", bench.folder / "u.new"]
    assay(*words)
    translated = (bench.folder / "u.new").read_text("utf-8").splitlines()
    same = there = right = 0
    for source, old, new, reference in zip(bench.test.sources, output, translated, bench.test.references, strict=True):
        foreign = set(source.split()) - set(reference.split())
        olds, news = old.split(), new.split()
        same += sum(word in foreign for word in olds)
        # Positions are kept where each unknown word has one word for a translation.
        changed = [word for word in news if word not in olds] if olds != news else []
        there += len(changed)
        right += sum(word in reference.split() for word in changed)
    return {
        "unknown": same,
        "replaced": there,
        "in the reference": right,
        "bleu": score(metric_named(METRIC), translated, bench.test),
    }


def run(bench: Bench, text: Pairs, captions: Pairs, model: list[str], others: list[str]) -> dict[str, object]:
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
    for name, most in (("all", max(costs.values()) + 1), ("surest half", float(np.median(list(costs.values()))))):
        out = folder / name.replace(" ", "-")
        assay("corpus", "take-translations", folder / "mono.de", folder / "lists", "--out", out, "--most-cost", most)
        taken = [out / part for part in ("source", "target", "links")]
        texts = joined(folder, name.replace(" ", "-"), base, taken)
        bench.system(name, bench.table(name.replace(" ", "-"), texts))
    answer["mined"] = mined(folder, german, translations, captions[:PLANTED], others)
    both = [write(folder / f"true.{side}", [pair[k] for pair in [*text, *captions]]) for k, side in enumerate(("source", "target"))]
    both.append(folder / "true.links")
    align_files(both[0], both[1], AlignmentFiles(links=both[2]))
    whole = bench.table("true", both)
    bench.system("true", whole)
    for threshold in PRUNED:
        pruned = folder / f"pruned-{threshold}.gz"
        assay("smt", "prune-table", whole, both[0], both[1], "--out", pruned, "--threshold", threshold)
        bench.system(f"true, {threshold}", pruned)
        lines = int(subprocess.run(f"zcat {pruned} | wc -l", shell=True, capture_output=True, check=True).stdout)
        answer[f"lines {threshold}"] = lines
    answer["lines"] = int(subprocess.run(f"zcat {whole} | wc -l", shell=True, capture_output=True, check=True).stdout)
    return answer


def main(arguments: list[str]) -> None:
    multi30k, mlqe, ntrex = (Path(argument) for argument in arguments[:3])
    seeds = [int(argument) for argument in arguments[3:]] or [1, 2, 3]
    captions = kept(list(zip(read(multi30k / "train.de.gz"), read(multi30k / "train.en.gz"), strict=True)))
    order = np.random.default_rng(0).permutation(len(captions)).tolist()
    model = [captions[place][1] for place in order[:MODEL]]
    others = [captions[place][1] for place in order[MODEL : MODEL + OTHERS]]
    text = kept(list(zip(read(mlqe / "train.tok.pe.gz"), read(mlqe / "train.tok.src.gz"), strict=True)))[:4000]
    news = [read(ntrex / f"newstest2019-{name}.txt.gz", language) for name, language in (("ref.deu", "de"), ("src.eng", "en"))]
    text += kept(list(zip(*news, strict=True)))
    sides = [[read(multi30k / f"{part}.{side}.gz") for side in ("de", "en")] for part in ("val", "test_2016_flickr")]
    dev, test = Text(sides[0][0][:DEV], sides[0][1][:DEV]), Text(*sides[1])
    results = []
    for seed in seeds:
        first = MODEL + OTHERS + (seed - 1) * UNTRANSLATED
        drawn = [captions[place] for place in order[first : first + UNTRANSLATED]]
        with TemporaryDirectory() as folder:
            bench = Bench(Path(folder), seed, dev, test)
            answer = run(bench, text, drawn, model, others)
        results.append({name: made.test for name, made in bench.results.items()})
        print(json.dumps({"seed": seed, **answer, "bleu": results[-1]}), flush=True)
    for name in results[0] if len(results) > 2 else ():
        print(
            f"| {name} | {' | '.join(f'{result[name]:.2f}' for result in results)} | {interval([result[name] for result in results])} |"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
