"""How often the guard speaks where all is well, and where it is not: ``python -m benchmarks.guard DATA [--show]``.

DATA holds `mlqe-pe` (human post-edits of each dev set, which should pass) and `ntrex-128` (other languages). The second table is of the same
post-edits after something was done to them: the source put in their place, the source with every tenth word as it was translated, another
language's sentence, a loop of their last five words, a sign of a tokeniser; of segments of five words or more, the share that is told by
the code that it is about.
"""

import gzip
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from app.features.warnings import GUARD
from app.features.warnings.guard import guard
from app.text.languages import LanguagePair

OTHER = {"en": "deu", "de": "eng-US", "zh": "jpn"}
Segments = list[tuple[str, str]]


def post_edits(folder: Path) -> Segments:
    with gzip.open(folder / "dev.tsv.gz", "rt", encoding="utf-8") as file:
        header, *rows = (line.rstrip("\n").split("\t") for line in file)
    source, edited = header.index("source"), header.index("post_edit")
    return [(row[source], row[edited]) for row in rows]


def mostly_copied(source: str, edited: str) -> str:
    words = source.split()
    words[::10] = edited.split()[: len(words[::10])] or [""]
    return " ".join(words)


def looped(edited: str) -> str:
    words = edited.split()
    return " ".join(words + words[-5:] * 4) if len(words) > 1 else edited + edited[-5:] * 4


def signed(edited: str) -> str:
    words = edited.split(" ")
    words.insert(len(words) // 2, "<unk>")
    return " ".join(words)


def damages(pair: LanguagePair, data: Path) -> dict[str, tuple[str, Callable[[str, str], str]]]:
    (path,) = sorted((data / "ntrex-128").glob(f"newstest2019-*.{OTHER[pair.target]}.txt.gz"))[:1]
    others = gzip.open(path, "rt", encoding="utf-8").read().split("\n")[:1000]
    draw = random.Random(1)
    return {
        "source in its place": ("copied-source", lambda source, _: source),
        "all but a tenth": ("copied-source", mostly_copied),
        "another language": ("wrong-language", lambda *_: draw.choice(others)),
        "a loop": ("repeated-loop", lambda _, edited: looped(edited)),
        "`<unk>`": ("system-residue", lambda _, edited: signed(edited)),
    }


def main() -> None:
    """Print both tables, and with `--show` what was told of post-edits."""
    data = Path(sys.argv[1])
    folders = sorted((data / "mlqe-pe").iterdir())
    alarms: dict[str, Counter[str]] = {}
    shares: dict[str, list[str]] = {}
    for folder in folders:
        pair, segments = LanguagePair.parse(folder.name), post_edits(folder)
        alarms[folder.name] = Counter()
        for source, edited in segments:
            for warning in guard(pair, source, edited):
                alarms[folder.name][warning.code] += 1
                if "--show" in sys.argv:
                    print(folder.name, warning, source, edited, sep="\n    ")
        long = [segment for segment in segments if len(segment[0].split()) >= 5]
        for name, (code, damage) in damages(pair, data).items():
            told = sum(code in {warning.code for warning in guard(pair, source, damage(source, edited))} for source, edited in long)
            shares.setdefault(name, []).append(f"{told / len(long):.1%}")
    names = " | ".join(folder.name for folder in folders)
    print(f"| of 1,000 | {names} |\n| --- |{' --- |' * len(folders)}")
    for code in GUARD:
        print(f"| `{code}` | " + " | ".join(str(alarms[folder.name][code]) for folder in folders) + " |")
    print(f"\n| told | {names} |\n| --- |{' --- |' * len(folders)}")
    for name, row in shares.items():
        print(f"| {name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
