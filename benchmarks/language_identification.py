"""Accuracy of language identification on short text: ``python -m benchmarks.language_identification DATA``.

DATA holds `ntrex-128` (equal news in 128 languages) and `mlqe-pe`. The first table is of 40 languages. It has the share of right answers
for lines and for their first four words (eight letters for languages without spaces). It also has the most frequent mistake, and the
share of lines that are clearly in no other shipped language. The second table is of the dev sets of the shipped pairs. It has the
shares of segments that get the right pair, another pair, no pair, or a pair that is not installed.
"""

import gzip
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from app.engine import Engine
from app.resources.guessing import guess_pair
from app.resources.identification import identify, looks_otherwise
from app.settings import Settings
from scripts.mlqe_pe.everything import language_pairs, split_of

LINES = 200
NTREX = {
    "afr": "af", "arb": "ar", "bul": "bg", "cat": "ca", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng-US": "en", "est": "et",
    "eus": "eu", "fin": "fi", "fra": "fr", "glg": "gl", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "ind": "id", "isl": "is",
    "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "nep": "ne", "nld": "nl", "nob": "no", "pol": "pl", "por": "pt",
    "ron": "ro", "rus": "ru", "sin": "si", "slk": "sk", "spa": "es", "swe": "sv", "tur": "tr", "ukr": "uk", "vie": "vi", "zho-CN": "zh",
}  # fmt: skip
SHIPPED_LANGUAGES = {"de", "en", "et", "ne", "ro", "ru", "si", "zh"}
UNSPACED_LANGUAGES = {"ja", "zh"}
WORDS = 4
CHARACTERS = 8


def beginning(line: str, language: str) -> str:
    return line[:CHARACTERS] if language in UNSPACED_LANGUAGES else " ".join(line.split()[:WORDS])


def languages_of(texts: Sequence[str]) -> list[str]:
    return [next(iter(identify([text])), "") for text in texts]


def print_languages(data: Path) -> None:
    print("| language | a line | its beginning | mistaken for | clearly none that ships |\n| --- | --- | --- | --- | --- |")
    sums = [0.0, 0.0, 0.0]
    for name, language in sorted(NTREX.items(), key=lambda item: item[1]):
        (path,) = sorted((data / "ntrex-128").glob(f"newstest2019-*.{name}.txt.gz"))[:1]
        lines = gzip.open(path, "rt", encoding="utf-8").read().split("\n")[: 2 * LINES : 2]
        of_lines, of_beginnings = languages_of(lines), languages_of([beginning(line, language) for line in lines])
        mistakes = Counter(code for code in [*of_lines, *of_beginnings] if code not in (language, ""))
        most_frequent = mistakes.most_common(1)[0][0] if mistakes else "-"
        clear = sum(
            all(looks_otherwise([line], code, identify([line])) for code in SHIPPED_LANGUAGES - {language}) for line in lines
        )
        shares = [of_lines.count(language) / len(lines), of_beginnings.count(language) / len(lines), clear / len(lines)]
        sums = [total + share for total, share in zip(sums, shares, strict=True)]
        print(f"| {language} | {shares[0]:.1%} | {shares[1]:.1%} | {most_frequent} | {shares[2]:.1%} |", flush=True)
    means = [total / len(NTREX) for total in sums]
    print(f"| mean | {means[0]:.1%} | {means[1]:.1%} | | {means[2]:.1%} |")


def print_pairs(data: Path) -> None:
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    print("\n| dev set | right | another | none | not here |\n| --- | --- | --- | --- | --- |")
    folder, pairs = language_pairs(data)
    for pair in pairs:
        dev = split_of(folder, pair, "dev")
        rows = list(zip(dev.column("source"), dev.column("translation"), strict=True))
        counts: Counter[str] = Counter()
        for source, translation in rows:
            guess = guess_pair(engine.resources, [source], [translation])
            clear = guess.source is not None or guess.translation is not None
            missing = "not here" if clear else "none"
            counts[missing if guess.pair is None else "right" if guess.pair == pair else "another"] += 1
        cells = " | ".join(f"{counts[kind] / len(rows):.1%}" for kind in ("right", "another", "none", "not here"))
        print(f"| {pair} | {cells} |", flush=True)


def main() -> None:
    data = Path(sys.argv[1])
    print_languages(data)
    print_pairs(data)


if __name__ == "__main__":
    main()
