"""Accuracy of selectors on crawled pairs: ``python -m benchmarks.smt.corpus.selection DATA [PAIR ...]``.

DATA has ``paracrawl-human``: about 1,000 judged pairs each of en-de, en-et, en-ro and en-es, with bicleaner's scores, all of 0.5 or more.
Selectors learn from ``ntrex-128`` and ``mlqe-pe``: 2,000 pairs of news, and with German, Estonian and Romanian 7,000 pairs of Wikipedia
and their post-edits. Verdicts only measure. The table has average precision and the area under the ROC curve, times 100, of two
questions. Is it a good translation (V or F, by people)? Is it a translation at all (also MT and E; not A, L, T)?
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score

from app.building.alignment.aligner import train_aligner
from app.resources.function_words import shipped_function_words
from app.settings import ROOT
from app.smt.corpus.selection.materials import Materials
from app.smt.corpus.selection.methods import make_scorer
from app.smt.corpus.selection.pool import Pool
from app.smt.corpus.selection.scorers.parallel_features import FEATURES
from app.smt.corpus.selection.scoring import score_pool
from app.text.parallel_corpus import ParallelCorpus
from app.text.tokenisation import tokeniser_for
from benchmarks.text_lines import lines

NTREX = {"de": ["deu"], "et": ["est"], "ro": ["ron"], "es": ["spa", "spa-MX"]}
# Pairs and their direction; English is the post-edited side if the pair is reversed.
MLQE = {"de": ("en-de", False), "et": ("et-en", True), "ro": ("ro-en", True)}
FILES = {"news": ("news.source", "news.target"), "all": ("train.source", "train.target")}


def training_pairs(data: Path, language: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """News, and news with MLQE-PE; English first."""
    english = lines(data / "ntrex-128" / "newstest2019-src.eng.txt.gz")
    news = [
        pair
        for code in NTREX[language]
        for pair in zip(english, lines(data / "ntrex-128" / f"newstest2019-ref.{code}.txt.gz"), strict=True)
    ]
    if language not in MLQE:
        return news, news
    pair, reversed = MLQE[language]
    head, *rows = [line.split("\t") for line in lines(data / "mlqe-pe" / pair / "train.tsv.gz")]
    names = [
        next(name for name in head if name in choices)
        for choices in (("source", "original", "src"), ("post_edit", "pe", "post-edit"))
    ]
    columns = [head.index(name) for name in names]
    texts = [(row[columns[0]], row[columns[1]]) for row in rows]
    return news, news + [(pe, source) if reversed else (source, pe) for source, pe in texts]


def write(folder: Path, names: tuple[str, str], languages: tuple[str, str], pairs: list[tuple[str, str]]) -> None:
    for side, (name, language) in enumerate(zip(names, languages, strict=True)):
        cut = tokeniser_for(language)
        (folder / name).write_text("".join(" ".join(cut(pair[side])) + "\n" for pair in pairs), "utf-8")


def methods(folder: Path, language: str) -> dict[str, tuple[str, Materials]]:
    news = {"in_source": folder / "news.source", "in_target": folder / "news.target"}
    texts = {"in_source": folder / "train.source", "in_target": folder / "train.target"}
    pairs = {"train_source": folder / "train.source", "train_target": folder / "train.target"}
    # No list ships for Spanish: punctuation alone counts there.
    la_materials = {"aligner": folder / "aligner", "function_words": shipped_function_words(ROOT / "resources", language)}
    wide = "low:0|top:1001"
    return {
        # Spanish has no list; punctuation alone counts.
        "length, 10 to 50": ("length", Materials()),
        "moore-lewis": ("moore-lewis", Materials(in_source=news["in_source"])),
        "cross-entropy-difference": ("cross-entropy-difference", Materials(**news)),
        "perplexity, source": ("perplexity|side:source", Materials(in_source=texts["in_source"])),
        "perplexity, target": ("perplexity", Materials(in_target=texts["in_target"])),
        "perplexity, both": ("perplexity|side:both", Materials(**texts)),
        "ibm1": ("ibm1", Materials(**pairs)),
        "ibm1, agreement": ("ibm1|agreement:yes", Materials(**pairs)),
        "bitext": ("bitext", Materials(**pairs, **texts)),
        "bitext, agreement": ("bitext|agreement:yes", Materials(**pairs, **texts)),
        "tfidf": ("tfidf", Materials(in_source=news["in_source"])),
        "cynical, target": ("cynical|side:target", Materials(in_target=news["in_target"])),
        "aligner": ("aligner", Materials(aligner=folder / "aligner")),
        "aligner, agreement": ("aligner|agreement:yes", Materials(aligner=folder / "aligner")),
        "la": (f"la|{wide}", Materials(**la_materials)),
        **{f"la, {name} alone": (f"la|{wide}|only:{name}", Materials(**la_materials)) for name in FEATURES},
        "la-svm": (f"la-svm|{wide}|words:4000", Materials(**la_materials, **news)),
    }


def measures(values: np.ndarray, gold: np.ndarray) -> str:
    finite = np.where(np.isfinite(values), values, np.nanmin(np.where(np.isfinite(values), values, np.nan)) - 1)
    return f"{100 * average_precision_score(gold, finite):.1f} | {100 * roc_auc_score(gold, finite):.1f}"


def judge(data: Path, language: str, folder: Path, report: Callable[[str], None]) -> None:
    rows = [line.split("\t") for line in lines(data / "paracrawl-human" / f"v7.en-{language}.tsv.gz")]
    verdicts = np.array([row[5] for row in rows])
    questions = [np.isin(verdicts, ["V", "F"]), np.isin(verdicts, ["V", "F", "MT", "E"])]
    news, pairs = training_pairs(data, language)
    languages = ("en", language)
    write(folder, ("source", "target"), languages, [(row[2], row[3]) for row in rows])
    write(folder, FILES["news"], languages, news)
    write(folder, FILES["all"], languages, pairs)
    texts = [[line.lower() for line in (folder / name).read_text("utf-8").splitlines()] for name in FILES["all"]]
    begin = time.process_time()
    train_aligner(ParallelCorpus.of_lines(*texts)).save(folder / "aligner")
    shares = ", ".join(f"{100 * question.mean():.1f}" for question in questions)
    report(
        f"en-{language}: {len(rows)} pairs, {shares} % are; {len(pairs)} pairs to train on, aligner {time.process_time() - begin:.0f} s"
    )
    report("| selector | good, AP | AUC | translated, AP | AUC | s |")
    pool = Pool(folder / "source", folder / "target")
    bicleaner = np.array([float(row[4]) for row in rows])
    report(f"| bicleaner | {' | '.join(measures(bicleaner, question) for question in questions)} | |")
    for name, (spec, materials) in methods(folder, language).items():
        begin = time.process_time()
        values = score_pool(pool, make_scorer(spec, pool, materials)).scores
        row = " | ".join(measures(values, question) for question in questions)
        report(f"| {name} | {row} | {time.process_time() - begin:.1f} |")


def main(data: Path, languages: list[str]) -> None:
    for language in languages or list(NTREX):
        with TemporaryDirectory() as folder:
            judge(data, language.removeprefix("en-"), Path(folder), lambda line: print(line, flush=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
