"""Selection against chance with many wrong pairs: ``python -m benchmarks.smt.corpus.selection_experiments DATA development|studies|training``.

DATA has ``multi30k-de-en`` and ``multi30k-nbest``. Pools are drawn and damaged three times: 40 % of their pairs get another pair's target.
``development``: selectors choose 2,000 source words of half of val's lists, for tuning by MERT. BLEU is that of the weights' choices in
test's lists. ``studies``: selections of damaged pools by each feature of LA, in several sizes, ranges of
length and limits of similarity, tuned twice on each pool.
``training``: selectors choose half of 3,000 pairs of train. A phrase-based system of them, untuned, translates 500 lines of test.
Links and model 1 learn from the damaged pool alone; for development, which has a system already, from 4,000 pairs of train.
"""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import sacrebleu

from app.building.alignment.aligner import train_aligner
from app.metrics import metric_named
from app.resources.function_words import shipped_function_words
from app.settings import ROOT
from app.smt.corpus.selection.choice import Budget
from app.smt.corpus.selection.greedy import Decision
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.parallel_features import FEATURES
from app.smt.corpus.selection.selecting import SelectionFiles, select_data
from app.smt.tuning.method import TuningData
from app.smt.tuning.pool import pool_of
from app.smt.tuning.tune import tune
from app.text.parallel_corpus import ParallelCorpus
from app.text.reading.n_best_lists.bars import read_n_best
from benchmarks.smt.protocols.selection import Study, StudyRow, study_selection
from benchmarks.smt.systems.tuning import mean_with_interval
from benchmarks.smt.tuning.methods import BLEU
from benchmarks.text_lines import lines

SEEDS = (1, 2, 3)
DAMAGED_SHARE = 0.4
# Budget of studies of features, ranges of length and limits of similarity.
STUDY_WORDS = 1000
FUNCTION_WORDS = shipped_function_words(ROOT / "resources", "en")


def damaged(targets: list[str], share: float, rng: np.random.Generator) -> list[str]:
    """Targets with a share of them exchanged, none in its own place."""
    rows = rng.permutation(len(targets))[: round(share * len(targets))].tolist()
    out = list(targets)
    for row, donor in zip(rows, rows[1:] + rows[:1], strict=True):
        out[row] = targets[donor]
    return out


def write_lines(folder: Path, name: str, text: list[str]) -> Path:
    (folder / name).write_text("".join(f"{line}\n" for line in text), "utf-8")
    return folder / name


def print_mean(label: str, values: list[float]) -> None:
    """Print scores with their mean and its 95 % interval."""
    print(f"| {label} | {' | '.join(f'{value:.2f}' for value in values)} | {mean_with_interval(values)} |", flush=True)


def chosen_rows(pool: Pool, method: str, budget: Budget, files: Materials, folder: Path) -> np.ndarray:
    """Indices of the pairs of a method's selection."""
    path = folder / "decisions"
    select_data(pool, method, budget, SelectionFiles(decisions=path), files)
    return np.flatnonzero(np.array(path.read_text().split()) == Decision.SELECTION.word)


def aligner_of(source: list[str], target: list[str], path: Path) -> Path:
    train_aligner(ParallelCorpus.of_lines(source, target)).save(path)
    return path


def development(data: Path, folder: Path) -> None:
    text = data / "multi30k-de-en"
    source, target = lines(text / "val.de.gz"), lines(text / "val.en.gz")
    lists = read_n_best(lines(data / "multi30k-nbest" / "val.nbest.gz"))
    test = pool_of(
        read_n_best(lines(data / "multi30k-nbest" / "test_2016_flickr.nbest.gz")),
        metric_named(BLEU),
        [lines(text / "test_2016_flickr.en.gz")],
    )
    train = [lines(text / f"train.{side}.gz")[:4000] for side in ("de", "en")]
    aligner = aligner_of(*train, folder / "aligner")
    parallel = {"train_source": write_lines(folder, "t.de", train[0]), "train_target": write_lines(folder, "t.en", train[1])}
    la = Materials(aligner=aligner, function_words=FUNCTION_WORDS)
    methods = {
        "random": ("random|seed:{seed}", Materials()),
        "length 10 to 50": ("length|seed:{seed}", Materials()),
        "la": ("la", la),
        "la, 1 to 80 words": ("la|low:0|top:81", la),
        "ibm1, agreement": ("ibm1|agreement:yes", Materials(**parallel)),
    }
    metric = metric_named(BLEU)
    for share in (0.0, DAMAGED_SHARE):
        print(f"\n{100 * share:.0f} % damaged\n\n| chosen | {' | '.join(map(str, SEEDS))} | mean |")
        results: dict[str, list[float]] = {}
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            rows = np.sort(rng.permutation(len(source))[: len(source) // 2])
            sources = [source[row] for row in rows]
            targets = damaged([target[row] for row in rows], share, rng)
            pool = Pool(write_lines(folder, "source", sources), write_lines(folder, "target", targets))
            hypotheses = pool_of(lists.rows(rows), metric, [targets])

            def score(places: np.ndarray, hypotheses=hypotheses, seed=seed) -> float:  # type: ignore[no-untyped-def]
                tuning = tune(TuningData(hypotheses.rows(places), np.ones(len(hypotheses.names))), "mert", [seed])
                return test.score(tuning.best.weights)

            results.setdefault("all of the pool", []).append(score(np.arange(len(rows))))
            for name, (spec, files) in methods.items():
                places = chosen_rows(pool, spec.format(seed=seed), Budget(words=2000), files, folder)
                results.setdefault(f"{name}, 2000 words", []).append(score(places))
        for label, values in results.items():
            print_mean(label, values)


def arms() -> dict[str, Study]:
    """Studies by their subject."""
    la = "la|low:0|top:81"
    single = [f"{la}|only:{name}" for name in FEATURES]
    without_feature = [f"{la}|only:{'+'.join(rival for rival in FEATURES if rival != name)}" for name in FEATURES]
    ranges = [(1, 9), (10, 11), (12, 13), (14, 16), (17, 80)]
    return {
        "features": Study(["random", la, *single, *without_feature], [STUDY_WORDS]),
        "sizes": Study(["random", la, "ibm1|agreement:yes"], [250, 500, 1000, 2000, 4000, None]),
        "lengths": Study(["random", *(f"length|low:{low}|high:{high}" for low, high in ranges)], [STUDY_WORDS]),
        "likeness": Study([la], [STUDY_WORDS], [0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0]),
    }


def studies(data: Path, folder: Path) -> None:
    """Print the rows of each study: a score per pool, the mean of two runs of the tuner."""
    text = data / "multi30k-de-en"
    source, target = lines(text / "val.de.gz"), lines(text / "val.en.gz")
    metric = metric_named(BLEU)
    lists = read_n_best(lines(data / "multi30k-nbest" / "val.nbest.gz"))
    test = read_n_best(lines(data / "multi30k-nbest" / "test_2016_flickr.nbest.gz"))
    held_out = pool_of(test, metric, [lines(text / "test_2016_flickr.en.gz")])
    train = [lines(text / f"train.{side}.gz")[:4000] for side in ("de", "en")]
    materials = Materials(
        aligner=aligner_of(*train, folder / "aligner"),
        function_words=FUNCTION_WORDS,
        train_source=write_lines(folder, "t.de", train[0]),
        train_target=write_lines(folder, "t.en", train[1]),
    )
    for name, study in arms().items():
        print(f"\n{name}\n\n| chosen | pairs | different words | {' | '.join(map(str, SEEDS))} | mean |")
        rows: dict[str, list[StudyRow]] = {}
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            places = np.sort(rng.permutation(len(source))[: len(source) // 2])
            targets = damaged([target[row] for row in places], DAMAGED_SHARE, rng)
            pool = Pool(write_lines(folder, "source", [source[row] for row in places]), write_lines(folder, "target", targets))
            dev_pool = pool_of(lists.rows(places), metric, [targets])
            seeded_study = replace(study, seeds=(10 * seed, 10 * seed + 1))
            for row in study_selection(pool, seeded_study, dev_pool, held_out, materials):
                rows.setdefault(f"{row.method}, {row.budget} words, {row.diversity:g}", []).append(row)
        for label, study_rows in rows.items():
            repeats = [repeat for row in study_rows for repeat in row.repeats]
            counts = [np.mean([getattr(repeat, field) for repeat in repeats]) for field in ("pairs", "distinct")]
            print_mean(f"{label} | {counts[0]:.0f} | {counts[1]:.0f}", [row.mean for row in study_rows])


def training(data: Path, folder: Path, size: int = 3000) -> None:
    text = data / "multi30k-de-en"
    source, target = lines(text / "train.de.gz"), lines(text / "train.en.gz")
    test = write_lines(folder, "test", lines(text / "test_2016_flickr.de.gz")[:500])
    reference = lines(text / "test_2016_flickr.en.gz")[:500]
    methods = {
        "random": ("random|seed:{seed}", False),
        "la, 1 to 80 words": ("la|low:0|top:81", True),
        "ibm1, agreement": ("ibm1|agreement:yes", False),
    }
    results: dict[str, list[float]] = {}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        rows = np.sort(rng.permutation(len(source))[:size])
        sources, right = [source[row] for row in rows], [target[row] for row in rows]
        targets = damaged(right, DAMAGED_SHARE, rng)
        pool = Pool(write_lines(folder, "source", sources), write_lines(folder, "target", targets))
        aligner = aligner_of(sources, targets, folder / "aligner")
        clean = np.flatnonzero(np.array(right) == np.array(targets))
        parts = {"all of the pool": np.arange(size), "half, none damaged": clean[: size // 2]}
        for name, (spec, with_aligner) in methods.items():
            words = FUNCTION_WORDS if name.startswith("la") else None
            files = Materials(aligner=aligner, function_words=words) if with_aligner else Materials()
            parts[name] = chosen_rows(pool, spec.format(seed=seed), Budget(pairs=size // 2), files, folder)
        for name, places in parts.items():
            print(f"{seed}, {name}: {100 * np.isin(places, clean).mean():.1f} % not damaged", flush=True)
            sides = [
                write_lines(folder, f"chosen.{side}", [texts[k] for k in places])
                for side, texts in (("de", sources), ("en", targets))
            ]
            system = folder / f"{seed}-{len(results)}-{name.split(',')[0].replace(' ', '-')}"
            assay = [sys.executable, "-m", "app", "smt"]
            subprocess.run([*assay, "train", *map(str, sides), "--out", str(system), "--untuned"], check=True, capture_output=True)
            output = subprocess.run(
                [*assay, "translate", str(system), str(test), "--untuned"], check=True, capture_output=True, text=True
            ).stdout
            bleu = sacrebleu.corpus_bleu(output.splitlines(), [reference], tokenize="none").score
            print(f"{seed}, {name}: {bleu:.2f}", flush=True)
            results.setdefault(name, []).append(bleu)
    print(f"\n| chosen | {' | '.join(map(str, SEEDS))} | mean |")
    for label, values in results.items():
        print_mean(label, values)


def main() -> None:
    with TemporaryDirectory() as folder:
        {"development": development, "studies": studies, "training": training}[sys.argv[2]](Path(sys.argv[1]), Path(folder))


if __name__ == "__main__":
    main()
