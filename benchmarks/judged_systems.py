"""Judged translations of several systems and people's references, for `benchmarks.selection` and `benchmarks.origins`."""

import gzip
import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.engine import Engine
from app.engine.segments import Segments
from app.features import exact_set
from app.text import LanguagePair
from benchmarks.domain_data import read_mqm

ANY_PAIR = "any-any-da-blend-45"
# A penalty of 25 is a segment without worth in MQM.
WORST = 25.0
# More sources differ from source to source in blanks only.
REFERENCES = ("ref", "reference")


@dataclass(frozen=True)
class JudgedTranslations:
    """Translations (n) with their system, penalty, source (its key and text), and reference.

    `folds` are numbers of the talks; for abstracts, 0 is dev and -1 train. `reference` is the name of people's translations.
    """

    pair: LanguagePair
    reference: str
    sources: np.ndarray
    source_texts: np.ndarray
    systems: np.ndarray
    translations: np.ndarray
    references: np.ndarray
    penalties: np.ndarray
    folds: np.ndarray


def _judged(pair: str, rows: list[tuple[str, str, str, str, float, int]]) -> JudgedTranslations:
    """Rows of key, source, system, translation, penalty and fold; sources without a reference are left out."""
    name = next(name for name in REFERENCES if any(row[2] == name for row in rows))
    reference_of = {row[0]: row[3] for row in rows if row[2] == name}
    rows = [row for row in rows if row[0] in reference_of and (row[2] == name or not row[2].startswith("ref"))]
    keys, texts, systems, translations, penalties, folds = zip(*rows, strict=True)
    return JudgedTranslations(
        LanguagePair.parse(pair), name, np.array(keys), np.array(texts), np.array(systems), np.array(translations),
        np.array([reference_of[key] for key in keys]), np.minimum(np.array(penalties), WORST), np.array(folds),
    )  # fmt: skip


def talks(data: Path, pair: str) -> JudgedTranslations:
    """TED talks; every talk is a fold."""
    rated = read_mqm(data / "wmt-mqm" / f"mqm_ted_{pair.replace('-', '')}.tsv.gz")
    names = sorted({talk for _, talk, _ in rated})
    rows = [
        (f"{talk} {number}", segment.source, system, segment.translation, segment.penalty, names.index(talk))
        for (system, talk, number), segment in rated.items()
    ]
    return _judged(pair, rows)


def pairs_of_abstracts(data: Path) -> list[str]:
    """Pairs with several systems in dev."""
    names = sorted(path.parent.name for path in (data / "bio-mqm").glob("*/dev.jsonl.gz"))
    return [name for name in names if len({row["system"] for row in _read(data, name, "dev")} - {"reference", "reference_r1"}) > 1]


def _read(data: Path, pair: str, part: str) -> list[dict[str, str]]:
    with gzip.open(data / "bio-mqm" / pair / f"{part}.jsonl.gz", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def abstracts(data: Path, pair: str, count: int, seed: int) -> JudgedTranslations:
    """Medical abstracts, `count` random sources of train and of dev at most; penalties are means over annotators."""
    rows: list[tuple[str, str, str, str, float, int]] = []
    for part, fold in (("train", -1), ("dev", 0)):
        penalties: dict[tuple[str, str], list[float]] = defaultdict(list)
        texts: dict[tuple[str, str], tuple[str, str]] = {}
        for row in _read(data, pair, part):
            key = f"{part} {row['document']} {row['segment']}", row["system"]
            penalties[key].append(float(row["mqm"]))
            texts[key] = row["source"], row["target"]
        keys = sorted({key for key, _ in penalties})
        sample = set(np.random.default_rng(seed).permutation(keys)[:count].tolist())
        rows += [
            (key, texts[key, system][0], system, texts[key, system][1], float(np.mean(values)), fold)
            for (key, system), values in penalties.items()
            if key in sample
        ]
    return _judged(pair, rows)


def features_of(engine: Engine, data: JudgedTranslations, folder: Path | None) -> np.ndarray:
    """Features of the predictors of any pair, stored in `folder` by their texts; shape (n, k)."""
    return features_of_texts(engine, data.pair, data.source_texts.tolist(), data.translations.tolist(), folder)


def features_of_texts(
    engine: Engine, pair: LanguagePair, sources: list[str], translations: list[str], folder: Path | None
) -> np.ndarray:
    digest = hashlib.sha256(json.dumps([str(pair), sources, translations]).encode()).hexdigest()[:16]
    path = None if folder is None else folder / f"{pair}-{digest}.npy"
    if path is not None and path.exists():
        return np.load(path)
    features = exact_set("any-pair", engine.models[ANY_PAIR].card.features)
    # A batch of a few hundred segments needs little memory.
    parts = [
        engine.features(Segments(pair, sources[k : k + 256], translations[k : k + 256]), features).values
        for k in range(0, len(sources), 256)
    ]
    values = np.vstack(parts)
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, values)
    return values
