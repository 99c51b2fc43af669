"""False alarms of structure in people's translations: ``python -m benchmarks.structure DATA`` (a folder with ntrex-128).

Every reference of NTREX-128 stands beside its English source. The program prints each warning but infos, so that a reader can judge it.
"""

import argparse
import gzip
from collections import Counter
from pathlib import Path

from app.checks.structure_warnings import checked_structure
from app.text.languages import LanguagePair


def read_lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ntrex-128")
    folder = parser.parse_args().data / "ntrex-128"
    sources = read_lines(folder / "newstest2019-src.eng.txt.gz")
    counts: Counter[str] = Counter()
    languages = segments = 0
    for path in sorted(folder.glob("newstest2019-ref.*.txt.gz")):
        language = path.name.split(".")[1]
        if language.startswith("eng"):
            continue
        languages += 1
        pair = LanguagePair("en", language)
        for number, (source, translation) in enumerate(zip(sources, read_lines(path), strict=True), 1):
            if source.strip() and translation.strip():
                segments += 1
                for warning in checked_structure(source, translation, pair).warnings:
                    counts[f"{warning.code} ({warning.severity})"] += 1
                    if warning.severity == "info":
                        continue
                    print(language, number, warning.code, *warning.source, "->", *warning.translation)
    print(f"{segments} translations in {languages} languages, {sum(counts.values())} warnings: {dict(counts)}")


if __name__ == "__main__":
    main()
