"""False alarms of structure in people's translations, and the time of checks: ``python -m benchmarks.structure DATA [--speed]``.

DATA is a folder with ntrex-128. Every reference of NTREX-128 stands beside its English source. The program prints each warning but
infos, so that a reader can judge it. With ``--speed`` it prints the processor time of ``assay review --no-predict`` for 10,000
strings: sentences of NTREX-128, and messages of this machine's programs (``--catalogues FOLDER``, with LANGUAGE/LC_MESSAGES/*.mo).
"""

import argparse
import gettext
import gzip
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, Final

from app.checks.structure_warnings import checked_structure
from app.engine import Engine
from app.operations.review import review_files
from app.operations.review.files import ReviewFile
from app.operations.review.judging import judge_strings
from app.operations.review.request import ReviewRequest
from app.operations.review.reviewed import ReviewString
from app.settings import Settings
from app.text.languages import LanguagePair

STRINGS: Final = 10_000
LANGUAGES: Final = {"de": "deu", "fr": "fra", "ro": "ron", "ru": "rus", "zh": "zho-CN", "es": "spa"}
# Rounds behind the first one, whose tables of words are empty.
ROUNDS: Final = 3
CONTEXT: Final = "\x04"

Pairs = Sequence[tuple[str, str]]


def read_lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()


def sentences(folder: Path) -> dict[str, Pairs]:
    """Equal shares of the strings in several languages."""
    sources = read_lines(folder / "newstest2019-src.eng.txt.gz")
    count = STRINGS // len(LANGUAGES) + 1
    return {
        language: list(zip(sources, read_lines(folder / f"newstest2019-ref.{name}.txt.gz"), strict=True))[:count]
        for language, name in LANGUAGES.items()
    }


def messages(folder: Path, language: str) -> Pairs:
    """Messages of all compiled catalogues of a language, up to the number of strings."""

    def texts() -> Iterator[tuple[str, str]]:
        for path in sorted((folder / language / "LC_MESSAGES").glob("*.mo")):
            catalogue: dict[Any, str] = {}
            # Some catalogues have other encodings than they say.
            with path.open("rb") as file, suppress(UnicodeDecodeError):
                catalogue = vars(gettext.GNUTranslations(file))["_catalog"]
            for key, text in catalogue.items():
                source = (key[0] if isinstance(key, tuple) else key).rpartition(CONTEXT)[2]
                if source and text:
                    yield source, text

    return list(islice(texts(), STRINGS))


def report_time(name: str, work: Callable[[], object]) -> None:
    """Print the processor time of the first round, and the median of the others."""
    times = []
    for _ in range(ROUNDS + 1):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    rest = times[1:]
    print(f"| {name} | {times[0]:.2f} | {median(rest):.2f} | {min(rest):.2f} | {max(rest):.2f} |", flush=True)


def report_speed(data: Path, catalogues: Path) -> None:
    engine = Engine.of_settings(Settings())
    print("| strings | first, s | median, s | from | to |\n| --- | --- | --- | --- | --- |")
    corpora = {"sentences": sentences(data), "messages": {"de": messages(catalogues, "de")}}
    for name, by_language in corpora.items():
        strings = {
            language: [ReviewString("x.po", language, "", "", *pair, (1, 1, 1, 1)) for pair in pairs]
            for language, pairs in by_language.items()
        }
        count = sum(map(len, strings.values()))

        def check(strings: dict[str, list[ReviewString]] = strings) -> None:
            for language, rows in strings.items():
                judge_strings(None, LanguagePair("en", language), rows)

        report_time(f"{count} {name}: checks", check)
    pairs = corpora["messages"]["de"]
    texts = [json.dumps({f"key{k}": pair[side] for k, pair in enumerate(pairs)}, ensure_ascii=False, indent=1) for side in (0, 1)]
    quoted_pairs = [[json.dumps(text, ensure_ascii=False) for text in pair] for pair in dict(pairs).items()]
    po = "".join(f"msgid {source}\nmsgstr {text}\n\n" for source, text in quoted_pairs)
    header = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    files = {
        "JSON": [ReviewFile(path=f"locales/{name}.json", text=text) for name, text in zip(("en", "de"), texts, strict=True)],
        "PO": [ReviewFile(path="po/de.po", text=header + po)],
    }
    for form, form_files in files.items():

        def review(form_files: list[ReviewFile] = form_files) -> None:
            request = {"source_language": "en", "files": form_files, "predict": False}
            review_files(engine, ReviewRequest.model_validate(request))

        report_time(f"{len(pairs)} messages: review of {form}", review)


def report_alarms(folder: Path) -> None:
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


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ntrex-128")
    parser.add_argument("--speed", action="store_true", help="print times of checks")
    parser.add_argument("--catalogues", type=Path, default=Path("/usr/share/locale"), help="default: /usr/share/locale")
    options = parser.parse_args()
    folder = options.data / "ntrex-128"
    if options.speed:
        report_speed(folder, options.catalogues)
    else:
        report_alarms(folder)


if __name__ == "__main__":
    main()
