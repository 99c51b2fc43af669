"""Limits of the warning about unrelated texts: ``python -m scripts.encoder.unrelated DATA``.

DATA has `ntrex-128` and `mlqe-pe`. A logistic regression of readings separates translations from translations of random other
sources. Translations are those of people, and machine translations of MLQE-PE with little editing. Limits are of the shipped pairs,
from rows of dev, and of the encoder's languages, from news. The network has seen other rows of dev's corpora, and the news of 24
languages in training. It takes 15 minutes on two cores.
"""

import argparse
import gzip
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Float64s
from app.errors import InputError
from app.features import feature_set
from app.features.cross_encoder import reading_columns
from app.predictors.cross_encoder import CARD, load_cross_encoder, read_cross_encoder_card
from app.predictors.cross_encoder.relation import ENGLISH, Relation
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.encoder.shipped import LANGUAGES, NAME
from scripts.mlqe_pe.everything import Split, language_pairs, split_of
from scripts.mlqe_pe.provenance import write_fields

# ``benchmarks.warnings`` measures the rows of dev and the lines of news before these.
ROWS: Final = slice(400, 1000)
LINES: Final = slice(1200, 1320)
MOST_EDITING: Final = 0.3
ENGLISH_FILE: Final = "newstest2019-src.eng.txt.gz"
# Many Cyrillic letters of this file are Latin ones of equal shape.
DAMAGED_FILE: Final = "newstest2019-ref.srp-Cyrl.txt.gz"
SEED: Final = 1
# A limit has at most so many random texts above it, unless more than so many translations were below it. A severe warning must be
# right, and a shift of lines has many segments.
UNNOTICED_SHARE, ALARM_SHARE = 0.15, 0.006
# Languages with a lower share of random texts below their limit are named.
FEW_FINDINGS: Final = 0.75
# Share of random texts below the floor.
FLOOR_SHARE: Final = 0.02


@dataclass(frozen=True)
class Corpus:
    """Sources of a pair with translations, and with further right translations of the sources `numbers`."""

    pair: LanguagePair
    sources: Sequence[str]
    translations: Sequence[str]
    numbers: Sequence[int] = ()
    further: Sequence[str] = ()


@dataclass(frozen=True)
class Readings:
    """Columns of readings (n, k) of right translations and of translations of random other sources."""

    pair: LanguagePair
    right: Float64s
    random: Float64s


def news(folder: Path) -> Iterator[Corpus]:
    """News from and into English, and between neighbours in a random order of languages."""
    paths = [path for path in sorted(folder.glob("newstest2019-ref.*.txt.gz")) if path.name != DAMAGED_FILE]
    english, before = _lines(folder / ENGLISH_FILE), None
    for number in np.random.default_rng(SEED).permutation(len(paths)).tolist():
        tag = paths[number].name.split(".")[1].split("-")[0]
        try:
            pair = LanguagePair(ENGLISH, tag)
        except InputError:
            # Another English.
            continue
        if pair.listed[1] not in LANGUAGES.split():
            continue
        lines = _lines(paths[number])
        half = len(lines) // 2
        yield Corpus(pair, english[:half], lines[:half])
        yield Corpus(pair.reversed, lines[half:], english[half:])
        if before is not None and before[0] != tag:
            yield Corpus(LanguagePair(before[0], tag), before[1][: half // 2], lines[: half // 2])
        before = tag, lines


def _lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().split("\n")[LINES]


def dev_corpus(split: Split) -> Corpus:
    """Post-edits of dev, and machine translations with little editing."""
    sources, edits, translations = (split.column(name)[ROWS] for name in ("source", "post_edit", "translation"))
    numbers = np.flatnonzero(split.labels("hter")[ROWS] <= MOST_EDITING).tolist()
    return Corpus(split.pair, sources, edits, numbers, [translations[k] for k in numbers])


def readings_of(corpus: Corpus, folder: Path) -> Readings:
    """Readings of a corpus."""
    network = load_cross_encoder(folder)
    order = np.random.default_rng(SEED).permutation(len(corpus.sources))
    successors = np.empty_like(order)
    successors[order] = np.roll(order, -1)
    right = [*corpus.sources, *(corpus.sources[k] for k in corpus.numbers)], [*corpus.translations, *corpus.further]
    random = corpus.sources, [corpus.translations[k] for k in successors.tolist()]
    columns = (reading_columns(list(network.read(corpus.pair, *texts))) for texts in (right, random))
    return Readings(corpus.pair, *columns)


def fit_weights(rows: Sequence[Readings]) -> Float64s:
    """Weights of the columns; every pair moves the scores of its rows."""
    x = np.concatenate([part for row in rows for part in (row.right, row.random)])
    labels = np.concatenate([np.repeat([1, 0], [len(row.right), len(row.random)]) for row in rows])
    numbers = np.repeat(np.arange(len(rows)), [len(row.right) + len(row.random) for row in rows])
    scale = x.std(0)
    design = np.hstack([x / scale, numbers[:, None] == np.arange(len(rows))])
    regression = LogisticRegression(C=0.1, max_iter=5000, class_weight="balanced").fit(design, labels)
    return np.asarray(regression.coef_[0][: x.shape[1]] / scale)


def limit_of(rows: Sequence[Readings], weights: Float64s) -> float:
    """Limit between the scores of translations and of random texts."""
    right, random = (np.concatenate([getattr(row, name) for row in rows]) @ weights for name in ("right", "random"))
    return round(min(float(np.quantile(right, ALARM_SHARE)), float(np.quantile(random, 1 - UNNOTICED_SHARE))), 3)


def relation_of(pair_rows: Sequence[Readings], rows: Sequence[Readings]) -> Relation:
    """Weights and limits from readings of the shipped pairs, and from readings of news."""
    weights = fit_weights([*pair_rows, *(row for row in rows if ENGLISH in row.pair.listed)])
    names = [feature.id for feature in feature_set("cross").features]
    news_rows = [row for row in rows if ENGLISH in row.pair.listed]
    pairs = {str(row.pair): limit_of([row, *(part for part in news_rows if part.pair == row.pair)], weights) for row in pair_rows}
    by_language: dict[str, list[Readings]] = {}
    for row in news_rows:
        (code,) = (code for code in row.pair.listed if code != ENGLISH)
        by_language.setdefault(code, []).append(row)
    languages = {code: limit_of(parts, weights) for code, parts in sorted(by_language.items())}
    floor, share = bounds_without_english([row for row in rows if ENGLISH not in row.pair.listed], languages, weights)
    return Relation(dict(zip(names, weights.round(4).tolist(), strict=True)), pairs, languages, round(floor, 3), round(share, 3))


def bounds_without_english(rows: Sequence[Readings], languages: Mapping[str, float], weights: Float64s) -> tuple[float, float]:
    """Floor and share of limits of pairs without English, such that at most `ALARM_SHARE` of all translations are below them."""
    floor = float(np.quantile(np.concatenate([row.random for row in rows]) @ weights, FLOOR_SHARE))
    limits = [max(min(languages[code] for code in row.pair.listed), floor + 1e-3) for row in rows]
    shares = [(row.right @ weights - floor) / (limit - floor) for row, limit in zip(rows, limits, strict=True)]
    return floor, float(np.clip(np.quantile(np.concatenate(shares), ALARM_SHARE), 0.0, 1.0))


def shares_below(row: Readings, relation: Relation) -> tuple[float, float]:
    """Shares of right and of random translations below the limit of their pair."""
    weights, limit = np.array(list(relation.weights.values())), relation.limit(row.pair)
    assert limit is not None
    return float(np.mean(row.right @ weights < limit)), float(np.mean(row.random @ weights < limit))


def print_shares(rows: Sequence[Readings], relation: Relation) -> None:
    """Print the shares of each corpus below its limit."""
    for row in rows:
        right, random = shares_below(row, relation)
        print(f"{row.pair}: {100 * right:.1f} % of translations and {100 * random:.1f} % of other texts are below the limit")


def print_means(rows: Sequence[Readings], relation: Relation) -> None:
    """Print the mean shares of news with and without English, and the languages with few findings."""
    of_language: dict[str, list[tuple[float, float]]] = {}
    of_pairs: list[tuple[float, float]] = []
    for row in rows:
        codes = [code for code in row.pair.listed if code != ENGLISH]
        (of_pairs if len(codes) > 1 else of_language.setdefault(codes[0], [])).append(shares_below(row, relation))
    findings = {code: float(np.mean([random for _, random in shares])) for code, shares in of_language.items()}
    weak = {code: share for code, share in sorted(findings.items()) if share < FEW_FINDINGS}
    alarms = np.mean([right for shares in of_language.values() for right, _ in shares])
    print(f"news with English: {100 * alarms:.1f} % of translations; {len(weak)} of {len(findings)} languages with less than")
    print(f"{100 * FEW_FINDINGS:.0f} % of other texts: " + ", ".join(f"{code} {100 * share:.0f}" for code, share in weak.items()))
    right, random = np.mean(of_pairs, axis=0)
    print(f"news without English: {100 * right:.1f} % of translations and {100 * random:.0f} % of other texts")


def main() -> None:
    """Read the command line, fit and write."""
    models = Settings().models_dir
    parser = argparse.ArgumentParser(prog="python -m scripts.encoder.unrelated", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ntrex-128 and mlqe-pe")
    arguments = parser.parse_args()
    data, pairs = language_pairs(arguments.data)
    corpora = [*(dev_corpus(split_of(data, pair, "dev")) for pair in pairs), *news(arguments.data / "ntrex-128")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        rows = list(pool.map(readings_of, corpora, [models / NAME] * len(corpora), chunksize=4))
    relation = relation_of(rows[: len(pairs)], rows[len(pairs) :])
    print_shares(rows[: len(pairs)], relation)
    print_means(rows[len(pairs) :], relation)
    write_fields(models / NAME / CARD, asdict(read_cross_encoder_card(models / NAME)) | {"relation": asdict(relation)})


if __name__ == "__main__":
    main()
