"""Profiles of reordering: ``python -m benchmarks.reordering_profiles DATA [OUT]``.

DATA has ``mlqe-pe`` (sources and machine translations, linked by an aligner) and ``pud-aligned`` (gold links of content words). OUT gets
the counts as JSON, by name of corpus.
"""

import json
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from app.smt.preordering.profile import profile_of
from benchmarks.content_links import PAIRS, gold_links, words
from benchmarks.text_lines import lines

LINKED_PAIRS = ("en-de", "en-zh", "et-en", "ne-en", "ro-en", "ru-en", "si-en")
Sentence = tuple[int, np.ndarray]


def estimated(folder: Path) -> Iterator[Sentence]:
    rows = zip(lines(folder / "train.tok.src.gz"), lines(folder / "train.alignments.gz"), strict=True)
    for source, links in rows:
        pairs = [[int(place) for place in link.split("-")] for link in links.split()]
        yield len(source.split()), np.array(pairs, np.int64).reshape(-1, 2)


def gold(folder: Path) -> Iterator[Sentence]:
    sides = [words(folder / f"{side}.conllu.gz") for side in ("en", "target")]
    for row, links in zip(sides[0], gold_links(folder / "alignment.json.gz", *sides), strict=False):
        yield len(row), np.array(sorted(links), np.int64).reshape(-1, 2)


def main() -> None:
    data = Path(sys.argv[1])
    corpora = {f"mlqe-pe {pair}": estimated(data / "mlqe-pe" / pair) for pair in LINKED_PAIRS}
    corpora |= {f"pud {pair}": gold(data / "pud-aligned" / pair) for pair in PAIRS}
    profiles = {}
    print("| Corpus | sentences | linked words | Kendall | one phrase | arity 2 | 3–4 | 5 | more | monotone steps | within 6 |")
    print("|" + " --- |" * 11)
    for name, sentences in corpora.items():
        profile = profile_of(sentences)
        profiles[name] = profile.as_json()
        bounds = [profile.coverage(arity) for arity in (0, 1, 2, 4, 5)] + [1.0]
        shares = [f"{high - low:.3f}" for low, high in pairwise(bounds)]
        cells = [str(profile.linked_sentences), f"{profile.linked_words / profile.words:.2f}", f"{profile.kendall:.3f}", *shares]
        print(f"| {name} | {' | '.join(cells)} | {profile.near_steps(0):.3f} | {profile.near_steps(6):.3f} |", flush=True)
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(profiles, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
