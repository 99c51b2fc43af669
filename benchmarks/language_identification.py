"""How well languages are told from short text: ``python -m benchmarks.language_identification DATA``.

DATA holds `ntrex-128` (the same news in 128 languages) and `mlqe-pe`. The first table is of 40 languages: the share of lines, and of
their first four words (eight letters where words are not spaced), that are told right, what they are mistaken for most often, and the
share of which it is clear that they are in none (other) of the languages that ship. The second is of what ships: how often one segment pair of
the dev sets is given the right loaded pair, another one, none, or is called a pair that is not here.
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

LINES = 200
NTREX = {
    "afr": "af", "arb": "ar", "bul": "bg", "cat": "ca", "ces": "cs", "dan": "da", "deu": "de", "ell": "el", "eng-US": "en", "est": "et",
    "eus": "eu", "fin": "fi", "fra": "fr", "glg": "gl", "heb": "he", "hin": "hi", "hrv": "hr", "hun": "hu", "ind": "id", "isl": "is",
    "ita": "it", "jpn": "ja", "kor": "ko", "lav": "lv", "lit": "lt", "nep": "ne", "nld": "nl", "nob": "no", "pol": "pl", "por": "pt",
    "ron": "ro", "rus": "ru", "sin": "si", "slk": "sk", "spa": "es", "swe": "sv", "tur": "tr", "ukr": "uk", "vie": "vi", "zho-CN": "zh",
}  # fmt: skip
SHIPPED = {"de", "en", "et", "ne", "ro", "ru", "si", "zh"}
UNSPACED = {"ja", "zh"}
WORDS = 4
CHARACTERS = 8


def beginning(line: str, language: str) -> str:
    return line[:CHARACTERS] if language in UNSPACED else " ".join(line.split()[:WORDS])


def told(texts: Sequence[str]) -> list[str]:
    return [next(iter(identify([text])), "") for text in texts]


def of_languages(data: Path) -> None:
    print("| language | a line | its beginning | mistaken for | clearly none that ships |\n| --- | --- | --- | --- | --- |")
    sums = [0.0, 0.0, 0.0]
    for name, language in sorted(NTREX.items(), key=lambda item: item[1]):
        (path,) = sorted((data / "ntrex-128").glob(f"newstest2019-*.{name}.txt.gz"))[:1]
        lines = gzip.open(path, "rt", encoding="utf-8").read().split("\n")[: 2 * LINES : 2]
        whole, begun = told(lines), told([beginning(line, language) for line in lines])
        others = Counter(code for code in [*whole, *begun] if code not in (language, ""))
        other = others.most_common(1)[0][0] if others else "en"
        clear = sum(all(looks_otherwise([line], each, identify([line])) for each in SHIPPED - {language}) for line in lines)
        shares = [whole.count(language) / len(lines), begun.count(language) / len(lines), clear / len(lines)]
        sums = [total + share for total, share in zip(sums, shares, strict=True)]
        print(f"| {language} | {shares[0]:.1%} | {shares[1]:.1%} | {other if others else '-'} | {shares[2]:.1%} |", flush=True)
    means = [total / len(NTREX) for total in sums]
    print(f"| mean | {means[0]:.1%} | {means[1]:.1%} | | {means[2]:.1%} |")


def of_pairs(data: Path) -> None:
    settings = Settings()
    engine = Engine.open(settings.resources_dir, settings.models_dir)
    print("\n| dev set | right | another | none | not here |\n| --- | --- | --- | --- | --- |")
    for folder in sorted((data / "mlqe-pe").iterdir()):
        with gzip.open(folder / "dev.tsv.gz", "rt", encoding="utf-8") as file:
            header, *rows = (line.rstrip("\n").split("\t") for line in file)
        ours, theirs = header.index("source"), header.index("translation")
        counts: Counter[str] = Counter()
        for row in rows:
            guess = guess_pair(engine.resources, [row[ours]], [row[theirs]])
            clear = guess.source is not None or guess.translation is not None
            missing = "not here" if clear else "none"
            counts[missing if guess.pair is None else "right" if str(guess.pair) == folder.name else "another"] += 1
        print(
            f"| {folder.name} | "
            + " | ".join(f"{counts[each] / len(rows):.1%}" for each in ("right", "another", "none", "not here"))
            + " |",
            flush=True,
        )


def main() -> None:
    """Print both tables."""
    data = Path(sys.argv[1])
    of_languages(data)
    of_pairs(data)


if __name__ == "__main__":
    main()
