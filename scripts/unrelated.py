"""Limits of the warning about unrelated translations: ``python -m scripts.unrelated DATA``.

Writes ``app/features/warnings/unrelated.json``. DATA holds `ntrex-128` and `mlqe-pe`; the encoder is that of ASSAY_ENCODER. A
logistic regression separates human translations from translations of further sentences: a random one, and the next one.

- Rows are lines 1,201 to 1,600 of NTREX, English with each language of the encoder, and the first training rows of MLQE-PE.
- The limit of a language lies at a third of the gap between two scores. `UNNOTICED_SHARE` of random sentences exceed the first,
  and `ALARM_SHARE` of a corpus's translations fall below the second. Without a gap it is the lower of the first and NTREX's second.
- The margin of pairs without English spares all but `ALARM_SHARE` of translations in `PAIR_SHARE` of such pairs, which are
  neighbours in a random order of languages.

It takes half an hour on one core.
"""

import gzip
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.linear_model import LogisticRegression

from app.arrays import Float32s, Float64s
from app.errors import InputError
from app.features.encoded import EncodedSides, aligned_numbers
from app.features.warnings.unrelated import ENGLISH, FILE, INPUTS, inputs_of
from app.predictors.sentences import Judge
from app.registry.models import ModelRegistry
from app.resources.encoders import EncodedTokens, Encoder
from app.resources.encoders.choosing import ChosenEncoder
from app.resources.manifest import checksum
from app.settings import Settings
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import language_pairs, split_of, tell

LINES: Final = range(1200, 1600)
ENGLISH_FILE: Final = "newstest2019-src.eng.txt.gz"
# Many Cyrillic letters of this file are Latin ones of equal shape.
DAMAGED_FILE: Final = "newstest2019-ref.srp-Cyrl.txt.gz"
SEED: Final = 1
NEWS: Final = "ntrex-128"
UNNOTICED_SHARE: Final = 0.02
ALARM_SHARE: Final = 0.006
PAIR_SHARE: Final = 0.95
# Place of a limit in the gap between random sentences and translations.
GAP_SHARE: Final = 1 / 3
# Texts of one batch of the encoder.
BATCH_SIZE: Final = 50
LICENCE: Final = "CC-BY-SA-4.0 (NTREX-128, Federmann et al. 2022, Microsoft; newstest2019, WMT) and CC0-1.0 (MLQE-PE)"


@dataclass(frozen=True)
class Rows:
    """Columns of NUMBERS for n sources with their translations, with translations of random sources, and with the next ones."""

    languages: tuple[str, ...]
    corpus: str
    translations: Float64s
    random: Float64s
    next: Float64s

    @classmethod
    def of(cls, languages: Sequence[str], corpus: str, source: EncodedTokens, target: EncodedTokens, centre: Float32s) -> "Rows":
        """Rows of two sides of a corpus."""
        sources, targets = list(source.single_texts()), list(target.single_texts())

        def numbers(order: Sequence[int]) -> Float64s:
            dimensions = len(centre)
            sides = EncodedSides(
                EncodedTokens.joined(sources, dimensions), EncodedTokens.joined([targets[k] for k in order], dimensions)
            )
            return aligned_numbers(sides, centre)

        # Each source has the translation of its successor in a random order, so that none has its own.
        order = np.random.default_rng(SEED).permutation(len(sources))
        successors = np.empty_like(order)
        successors[order] = np.roll(order, -1)
        following = np.roll(np.arange(len(sources)), -1)
        return cls(
            tuple(languages), corpus, numbers(range(len(sources))), numbers(successors.tolist()), numbers(following.tolist())
        )


def ntrex_files(folder: Path, encoder: Encoder) -> list[tuple[str, Path]]:
    """Language in the encoder's list, and file, of each translation whose language the encoder knows."""
    files = []
    for path in sorted(folder.glob("newstest2019-ref.*.txt.gz")):
        tag = path.name.split(".")[1].split("-")[0]
        try:
            code = LanguagePair(ENGLISH, tag).listed[1]
        except InputError:
            # Another English.
            continue
        if code in encoder.languages:
            files.append((code, path))
    return files


def encoded(encoder: Encoder, texts: Sequence[str]) -> EncodedTokens:
    """Vectors of the tokens of texts."""
    parts = [encoder.encode_tokens(texts[begin : begin + BATCH_SIZE]) for begin in range(0, len(texts), BATCH_SIZE)]
    return EncodedTokens.joined([part for part in parts if part is not None], encoder.dimensions)


def lines_of(path: Path) -> list[str]:
    """The lines of a file that calibrate."""
    lines = gzip.decompress(path.read_bytes()).decode().split("\n")
    return [lines[k] for k in LINES]


def calibration_rows(data: Path, encoder: Encoder, judge: Judge) -> Iterator[Rows]:
    """Rows of all corpora, with pairs of neighbours among the languages in random order."""
    files = ntrex_files(data / NEWS, encoder)
    files = [files[k] for k in np.random.default_rng(SEED).permutation(len(files)) if files[k][1].name != DAMAGED_FILE]
    english = encoded(encoder, lines_of(data / NEWS / ENGLISH_FILE))
    before: tuple[str, EncodedTokens] | None = None
    for number, (language, path) in enumerate(files, 1):
        tokens = encoded(encoder, lines_of(path))
        yield Rows.of((language,), NEWS, english, tokens, judge.centre)
        if before is not None and before[0] != language:
            yield Rows.of((before[0], language), NEWS, before[1], tokens, judge.centre)
        before = language, tokens
        tell(f"{number} of {len(files)}: {path.name}")
    folder, pairs = language_pairs(data)
    for pair in pairs:
        split = split_of(folder, pair, "train")
        source, target = (encoded(encoder, split.column(name)[: len(LINES)]) for name in ("source", "post_edit"))
        yield Rows.of([code for code in pair.listed if code != ENGLISH], "mlqe-pe", source, target, judge.centre)
        tell(split.name)


def fit_weights(rows: Iterable[Rows]) -> Float64s:
    """Weights of INPUTS from rows with English; every language moves the scores of its rows."""
    rows = [row for row in rows if len(row.languages) == 1]
    codes = sorted({row.languages[0] for row in rows})
    inputs, labels, weights, indicators = [], [], [], []
    for row in rows:
        for numbers, label, weight in ((row.translations, 1, 1.0), (row.random, 0, 0.5), (row.next, 0, 0.5)):
            inputs.append(inputs_of(numbers))
            labels.append(np.full(len(numbers), label))
            weights.append(np.full(len(numbers), weight))
            indicators.append(np.tile(np.array(codes) == row.languages[0], (len(numbers), 1)))
    x, y = np.concatenate(inputs), np.concatenate(labels)
    scale = x.std(0)
    design = np.hstack([x / scale, np.concatenate(indicators)])
    regression = LogisticRegression(C=1.0, max_iter=5000).fit(design, y, np.concatenate(weights))
    return np.asarray(regression.coef_[0][: len(INPUTS)] / scale)


def fit_limits(rows: Sequence[Rows], weights: Float64s) -> tuple[dict[str, float], float]:
    """Limit by language, and the margin of pairs without English."""
    limits: dict[str, float] = {}
    for code in sorted({row.languages[0] for row in rows if len(row.languages) == 1}):
        own_rows = [row for row in rows if row.languages == (code,)]
        high = np.quantile(np.concatenate([inputs_of(row.random) @ weights for row in own_rows]), 1 - UNNOTICED_SHARE)
        corpora: dict[str, list[Float64s]] = {row.corpus: [] for row in own_rows}
        for row in own_rows:
            corpora[row.corpus].append(inputs_of(row.translations) @ weights)
        lows = {corpus: np.quantile(np.concatenate(scores), ALARM_SHARE) for corpus, scores in corpora.items()}
        gap = min(lows.values()) - high
        limits[code] = float(high + GAP_SHARE * gap if gap > 0 else min(high, lows[NEWS]))
    margins = [
        min(limits[code] for code in row.languages) - np.quantile(inputs_of(row.translations) @ weights, ALARM_SHARE)
        for row in rows
        if len(row.languages) > 1
    ]
    return limits, max(0.0, float(np.quantile(margins, PAIR_SHARE)))


def document(rows: Sequence[Rows], data: Path, encoder: Encoder, judge: Judge) -> dict[str, Any]:
    """The stored limits with their provenance."""
    weights = fit_weights(rows)
    limits, margin = fit_limits(rows, weights)
    folder, pairs = language_pairs(data)
    files = [data / NEWS / ENGLISH_FILE, *(path for _, path in ntrex_files(data / NEWS, encoder))]
    files += [split_of(folder, pair, "train").path for pair in pairs]
    return {
        "command": "python -m scripts.unrelated DATA",
        "licence": LICENCE,
        "encoder": encoder.name,
        "encoder_sha256": encoder.checksum,
        "judge": judge.card.id,
        "inputs": {"/".join(path.parts[len(data.parts) :]): checksum(path) for path in sorted(files)},
        "weights": {name: round(float(weight), 4) for name, weight in zip(INPUTS, weights, strict=True)},
        "languages": {code: round(limit, 3) for code, limit in limits.items()},
        "margin": round(margin, 3),
    }


def main() -> None:
    """Write the limits."""
    data, settings = Path(sys.argv[1]), Settings()
    encoder = ChosenEncoder(settings.encoder, settings.encoding_threads).required()
    judge = ModelRegistry(settings.models_dir).sentence_judges.of(encoder)
    if judge is None:
        raise SystemExit(f"no judge reads the vectors of {encoder.name}")
    rows = list(calibration_rows(data, encoder, judge))
    FILE.write_text(json.dumps(document(rows, data, encoder, judge), indent=1, sort_keys=True) + "\n", "utf-8")


if __name__ == "__main__":
    main()
