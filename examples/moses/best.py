"""The hypothesis of every segment that Assay thinks best, of an n-best list that `assay annotate` has been through; one a line."""

import sys
from pathlib import Path

FEATURE = "Assay="


def confidence(features: str) -> float:
    """The number behind `Assay=`."""
    words = features.split()
    return float(words[words.index(FEATURE) + 1])


def best(lines: list[str]) -> list[str]:
    """By segment, from 0; of equals the one that Moses has first, and nothing for a segment without hypotheses."""
    texts: dict[int, tuple[float, str]] = {}
    for number, line in enumerate(lines, 1):
        try:
            segment, text, features = line.split("|||")[:3]
            there = confidence(features)
        except ValueError:
            raise ValueError(f"line {number} is no hypothesis with {FEATURE}; let assay annotate write it") from None
        if int(segment) not in texts or there > texts[int(segment)][0]:
            texts[int(segment)] = there, text.strip()
    return [texts.get(segment, (0.0, ""))[1] for segment in range(max(texts, default=-1) + 1)]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: best.py SCORED")
    try:
        for chosen in best([line for line in Path(sys.argv[1]).read_text(encoding="utf-8").split("\n") if line.strip()]):
            print(chosen)
    except OSError as error:
        sys.exit(f"{error.filename} cannot be read: {error.strerror}")
    except ValueError as error:
        sys.exit(f"{sys.argv[1]}: {error}")
