"""Warnings of the guard on right and on damaged translations: ``python -m benchmarks.guard DATA [--show]``.

DATA holds `mlqe-pe` (human post-edits of each dev set, which should pass) and `ntrex-128` (other languages). The first table counts
warnings on post-edits. The second is of damaged post-edits of five words or more, and has the share with a warning of the
damage's own code. Damages are: the source in their place, the source with every tenth word translated, a sentence of another language,
a loop of the last five words, `<unk>`.
"""

import gzip
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from app.checks import GUARD
from app.checks.guard import guard
from app.text.languages import LanguagePair
from scripts.mlqe_pe.everything import language_pairs, split_of

WRONG_LANGUAGE = {"en": "deu", "de": "eng-US", "zh": "jpn"}


def mostly_copied(source: str, post_edit: str) -> str:
    words = source.split()
    words[::10] = post_edit.split()[: len(words[::10])] or [""]
    return " ".join(words)


def with_loop(post_edit: str) -> str:
    words = post_edit.split()
    return " ".join(words + words[-5:] * 4) if len(words) > 1 else post_edit + post_edit[-5:] * 4


def with_unknown_word(post_edit: str) -> str:
    words = post_edit.split(" ")
    words.insert(len(words) // 2, "<unk>")
    return " ".join(words)


def damages(pair: LanguagePair, data: Path) -> dict[str, tuple[str, Callable[[str, str], str]]]:
    (path,) = sorted((data / "ntrex-128").glob(f"newstest2019-*.{WRONG_LANGUAGE[pair.target]}.txt.gz"))[:1]
    sentences = gzip.open(path, "rt", encoding="utf-8").read().split("\n")[:1000]
    draw = random.Random(1)
    return {
        "source in its place": ("copied-source", lambda source, _: source),
        "all but a tenth": ("copied-source", mostly_copied),
        "another language": ("wrong-language", lambda *_: draw.choice(sentences)),
        "a loop": ("repeated-loop", lambda _, post_edit: with_loop(post_edit)),
        "`<unk>`": ("system-residue", lambda _, post_edit: with_unknown_word(post_edit)),
    }


def main() -> None:
    """Print both tables, and with `--show` the warnings on post-edits."""
    data = Path(sys.argv[1])
    folder, pairs = language_pairs(data)
    alarms: dict[str, Counter[str]] = {}
    shares: dict[str, list[str]] = {}
    for pair in pairs:
        dev = split_of(folder, pair, "dev")
        segments = list(zip(dev.column("source"), dev.column("post_edit"), strict=True))
        alarms[str(pair)] = Counter()
        for source, post_edit in segments:
            for warning in guard(pair, source, post_edit):
                alarms[str(pair)][warning.code] += 1
                if "--show" in sys.argv:
                    print(pair, warning, source, post_edit, sep="\n    ")
        long = [segment for segment in segments if len(segment[0].split()) >= 5]
        for name, (code, damage) in damages(pair, data).items():
            warned_count = sum(
                code in {warning.code for warning in guard(pair, source, damage(source, post_edit))} for source, post_edit in long
            )
            shares.setdefault(name, []).append(f"{warned_count / len(long):.1%}")
    names = " | ".join(map(str, pairs))
    print(f"| of 1,000 | {names} |\n| --- |{' --- |' * len(pairs)}")
    for code in GUARD:
        print(f"| `{code}` | " + " | ".join(str(alarms[str(pair)][code]) for pair in pairs) + " |")
    print(f"\n| found | {names} |\n| --- |{' --- |' * len(pairs)}")
    for name, row in shares.items():
        print(f"| {name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
