"""Lengths of translations beside English, by language: ``python -m scripts.length_ratios DATA`` (a folder with ntrex-128).

Medians of characters of NTREX-128's references per character of their English sources.
"""

import argparse
import gzip
import json
from pathlib import Path
from statistics import median

from app.checks.meaning.lengths import FEWEST_CHARACTERS, FILE
from app.text.language_tags import read_tag


def read_lines(path: Path) -> list[str]:
    """Lines of a packed file."""
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def main() -> None:
    """Write the table."""
    parser = argparse.ArgumentParser(prog="python -m scripts.length_ratios", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ntrex-128")
    folder = parser.parse_args().data / "ntrex-128"
    sources = read_lines(folder / "newstest2019-src.eng.txt.gz")
    ratios: dict[str, list[float]] = {"en": [1.0]}
    for path in sorted(folder.glob("newstest2019-ref.*.txt.gz")):
        tag = read_tag(path.name.split(".")[1])
        if tag is None or tag.language == "en":
            continue
        pairs = zip(sources, read_lines(path), strict=True)
        ratios.setdefault(tag.language, []).extend(
            len(translation) / len(source)
            for source, translation in pairs
            if len(source) >= FEWEST_CHARACTERS and translation.strip()
        )
    languages = {language: round(median(values), 3) for language, values in sorted(ratios.items())}
    FILE.write_text(json.dumps({"source": "medians of NTREX-128", "languages": languages}) + "\n", "utf-8")
    print(f"{len(languages)} languages in {FILE}")


if __name__ == "__main__":
    main()
