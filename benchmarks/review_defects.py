"""Defects seeded into real string files: ``python -m benchmarks.review_defects CLONES [--data DATA] [--per-kind 50] [--show]``.

CLONES holds the projects of `review_replays.tsv`. Their strings in German, French and Russian without an error or a warning get one
defect each, of ten kinds; the seed is fixed. Neighbours, other languages and English need a source of four words: labels of one
or two words mean many things. DATA (`mlqe-pe`) adds sentences: post-edits of four pairs in the places of their neighbours.

The columns give shares of defects: with an error, with an error or a warning, and among the worst 5 %. The worst lie below the 5th
percentile of clean strings of the language by predicted quality. Breaks of lines, branches such as `=0` and directives of dates are optional, and get no
defect.
"""

import argparse
import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from app.checks import Severity
from app.engine import Engine
from app.operations.review.files import ReviewFile
from app.operations.review.judging import JudgedString, findings_of, judge_strings
from app.operations.review.reading.strings import read_strings
from app.operations.review.reviewed import ReviewString
from app.settings import Settings
from app.shell.review.collecting import Selection, collected_files
from app.text.languages import LanguagePair
from benchmarks.review_replays import TABLE, Replay, check_out, read_rows
from benchmarks.warnings import without_negation
from scripts.mlqe_pe.everything import split_of

# A string with its neighbour in the file, and its source in other languages, to its damaged translation; None if it has no such part.
Damage = Callable[[ReviewString, ReviewString, Sequence[str], random.Random], str | None]
LANGUAGES: Final = ("de", "fr", "ru")
PAIRS: Final = ("en-de", "et-en", "ro-en", "ru-en")
SEED: Final = 1
CLEAN_COUNT: Final = 100
WORST: Final = 5.0
# Strings of one project and language, so that no project outweighs the rest.
STRINGS_PER_PROJECT: Final = 400
LONG_SOURCE: Final = 4
PLACEHOLDER: Final = re.compile(r"%(?:\d\$)?[sd@]|%\(\w+\)s|%\{\w+\}|\{\{ ?\w+ ?\}\}|\{\w+\}")
PRINTF: Final = re.compile(r"(%(?:\d\$)?)([sd@])(?!\w)")
TAG: Final = re.compile(r"</?(?:a|b|i|em|strong|code|u|p|span|li)(?: [^<>]*)?>")
DATE: Final = re.compile(r"%[-^0_]?[YBbHMy]")
HOST: Final = re.compile(r"(https?://[\w.-]*?)(\w)(\.\w{2,8})(?=[/\s\"')]|$)")
NUMBER: Final = re.compile(r"(?<![\w.,{%$\\#&])[1-9]\d?(?![\w.,}%$;])")
SELECTOR: Final = re.compile(r"\b(?:one|few|many|other)\s*\{")
MESSAGE: Final = re.compile(r"\{\w+,\s*(?:plural|select),")


def without_match(pattern: re.Pattern[str]) -> Damage:
    """Damage that removes one match from the translation."""

    def damage(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], draw: random.Random) -> str | None:
        # A plural form may name its number in place of a placeholder.
        is_whole = not MESSAGE.search(string.source) and string.plural in ("", "other")
        matches = list(pattern.finditer(string.translation)) if is_whole else []
        # A translation may name a placeholder twice.
        single_matches = [match for match in matches if string.translation.count(match[0]) == 1 == string.source.count(match[0])]
        if not single_matches:
            return None
        match = draw.choice(single_matches)
        return string.translation[: match.start()] + string.translation[match.end() :]

    return damage


def other_conversion(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], draw: random.Random) -> str | None:
    if DATE.search(string.source):
        return None
    return replaced(PRINTF, string.translation, lambda match: match[1] + ("d" if match[2] in "s@" else "s"), draw)


def other_host(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], draw: random.Random) -> str | None:
    return replaced(HOST, string.translation, lambda match: f"{match[1]}{'x' if match[2] != 'x' else 'y'}{match[3]}", draw)


def other_number(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], draw: random.Random) -> str | None:
    return replaced(NUMBER, string.translation, lambda match: str(int(match[0]) % 89 + 10), draw)


def without_branch(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], draw: random.Random) -> str | None:
    """The message without one branch; a message needs two."""
    text = string.translation
    matches = list(SELECTOR.finditer(text)) if MESSAGE.search(text) else []
    if len(matches) < 2:
        return None
    match = draw.choice(matches)
    depth, end = 1, match.end()
    while end < len(text) and depth:
        depth += (text[end] == "{") - (text[end] == "}")
        end += 1
    return text[: match.start()] + text[end:]


def lost_negation(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], _draw: random.Random) -> str | None:
    return without_negation(string.source, string.translation, string.language)


def of_neighbour(string: ReviewString, neighbour: ReviewString, _rivals: Sequence[str], _draw: random.Random) -> str | None:
    """The next translation of the file."""
    is_other = neighbour.path == string.path and neighbour.source != string.source
    return neighbour.translation if is_other and is_long(string) and is_long(neighbour) else None


def other_language(string: ReviewString, _neighbour: ReviewString, rivals: Sequence[str], draw: random.Random) -> str | None:
    return draw.choice(rivals) if rivals and is_long(string) else None


def english(string: ReviewString, _neighbour: ReviewString, _rivals: Sequence[str], _draw: random.Random) -> str | None:
    return string.source if is_long(string) else None


KINDS: Final[Mapping[str, Damage]] = {
    "placeholder lost": without_match(PLACEHOLDER),
    "printf type changed": other_conversion,
    "tag lost": without_match(TAG),
    "host of an address changed": other_host,
    "ICU branch lost": without_branch,
    "number changed": other_number,
    "neighbour's translation": of_neighbour,
    "negation lost": lost_negation,
    "wrong language": other_language,
    "English left": english,
}


def is_long(string: ReviewString) -> bool:
    return len(string.source.split()) >= LONG_SOURCE


def replaced(pattern: re.Pattern[str], text: str, change: Callable[[re.Match[str]], str], draw: random.Random) -> str | None:
    """A text with a change to one match; None without a match."""
    matches = list(pattern.finditer(text))
    if not matches:
        return None
    match = draw.choice(matches)
    return text[: match.start()] + change(match) + text[match.end() :]


def read_projects(clones: Path) -> Iterator[list[ReviewString]]:
    """Strings of the languages in the first commit of each project, in the order of files."""
    replays = {row.project: row for row in (Replay(*cells) for cells in reversed(read_rows(TABLE)))}
    for project, row in sorted(replays.items()):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "checkout"
            check_out(clones / project, row.commit, folder)
            files = collected_files(Selection(folder, languages=LANGUAGES), "en", []).files
            rows = [ReviewFile(**file) for file in files]
            for file in read_strings(rows, "en"):
                if file.language.split("-")[0] in LANGUAGES:
                    language = file.language.split("-")[0]
                    yield [replace(string, language=language) for string in file.strings[:STRINGS_PER_PROJECT]]


def clean_strings(strings: Sequence[ReviewString], language: str) -> list[ReviewString]:
    """Strings without an error or a warning; texts that occur once."""
    unique = list({(string.source, string.translation): string for string in strings if string.translation.strip()}.values())
    return [result.string for result in judge_strings(None, LanguagePair("en", language), unique).strings if not severities(result)]


def severities(result: JudgedString) -> set[Severity]:
    return {row["severity"] for row in findings_of(result, None)} - {"info"}


def seeded(strings: Mapping[str, list[ReviewString]], per_kind: int) -> Iterator[tuple[str, ReviewString]]:
    """Kinds and damaged strings, evenly drawn from all languages."""
    draw = random.Random(SEED)
    by_source: defaultdict[str, list[ReviewString]] = defaultdict(list)
    for rows in strings.values():
        for string in rows:
            by_source[string.source].append(string)
    for kind, damage in KINDS.items():
        damaged_strings = []
        places = [(language, k) for language, rows in strings.items() for k in range(len(rows) - 1)]
        for language, k in draw.sample(places, len(places)):
            string, neighbour = strings[language][k : k + 2]
            rivals = [rival.translation for rival in by_source[string.source] if rival.language != language]
            text = damage(string, neighbour, rivals, draw)
            if text is not None and text.strip() and text != string.translation:
                damaged_strings.append((kind, replace(string, translation=text)))
            if len(damaged_strings) == per_kind:
                break
        yield from damaged_strings


def judged(engine: Engine, rows: Sequence[ReviewString]) -> list[JudgedString]:
    """Strings with their quality, in their order."""
    results: dict[int, JudgedString] = {}
    for language in LANGUAGES:
        places = [k for k, string in enumerate(rows) if string.language == language]
        judgement = judge_strings(engine, LanguagePair("en", language), [rows[k] for k in places])
        results |= dict(zip(places, judgement.strings, strict=True))
    return [results[k] for k in range(len(rows))]


def print_table(kinds: Sequence[str], results: Sequence[JudgedString], limits: Mapping[str, float], show: bool) -> None:
    """Print the shares by kind."""
    print("| Defect | Number | Error | Error or warning | Worst 5 % |\n| --- | --- | --- | --- | --- |")
    rows: defaultdict[str, list[tuple[bool, bool, bool]]] = defaultdict(list)
    for kind, result in zip(kinds, results, strict=True):
        names, confidence = severities(result), result.confidence if result.confidence is not None else 1.0
        rows[kind].append(("error" in names, bool(names), confidence < limits[result.string.language]))
        if show and not names:
            print(kind, result.string.language, confidence, result.string.source, result.string.translation, sep="\n    ")
    for kind, cells in rows.items():
        shares: Any = np.mean(cells, axis=0)
        print(f"| {kind} | {len(cells)} | {' | '.join(f'{share:.0%}' for share in shares)} |")


def print_sentences(engine: Engine, data: Path, per_kind: int) -> None:
    """Print the shares of post-edits in the places of their neighbours: with an error, and among the worst 5 %."""
    print("\n| Pair | Number | Error | Worst 5 % |\n| --- | --- | --- | --- |")
    for name in PAIRS:
        pair = LanguagePair.parse(name)
        dev = split_of(data / "mlqe-pe", pair, "dev")
        texts = list(zip(dev.column("source"), dev.column("post_edit"), strict=True))[: CLEAN_COUNT + per_kind]
        strings = [ReviewString("x.json", pair.target, str(k), "", *row, (1, 1, 1, 1)) for k, row in enumerate(texts)]
        neighbours = [replace(strings[k], translation=strings[k - 1].translation) for k in range(CLEAN_COUNT, len(strings))]
        clean_results, results = (judge_strings(engine, pair, rows).strings for rows in (strings[:CLEAN_COUNT], neighbours))
        limit = np.percentile([result.confidence or 0.0 for result in clean_results], WORST)
        errors = np.mean(["error" in severities(result) for result in results])
        print(
            f"| {pair} | {len(results)} | {errors:.0%} | {np.mean([(result.confidence or 0.0) < limit for result in results]):.0%} |"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.review_defects", description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("--data", type=Path, help="folder with mlqe-pe")
    parser.add_argument("--per-kind", type=int, default=50)
    parser.add_argument("--show", action="store_true", help="print defects without a finding")
    arguments = parser.parse_args()
    by_language: defaultdict[str, list[ReviewString]] = defaultdict(list)
    for strings in read_projects(arguments.clones.resolve()):
        for string in strings:
            by_language[string.language].append(string)
    clean = {language: clean_strings(by_language[language], language) for language in LANGUAGES}
    print({language: len(strings) for language, strings in clean.items()}, flush=True)
    defects = list(seeded(clean, arguments.per_kind))
    engine = Engine.of_settings(Settings())
    draw = random.Random(SEED)
    samples = [string for strings in clean.values() for string in draw.sample(strings, min(CLEAN_COUNT, len(strings)))]
    confidences: defaultdict[str, list[float]] = defaultdict(list)
    for result in judged(engine, samples):
        confidences[result.string.language].append(1.0 if result.confidence is None else result.confidence)
    limits = {language: float(np.percentile(values, WORST)) for language, values in confidences.items()}
    print_table([kind for kind, _ in defects], judged(engine, [string for _, string in defects]), limits, arguments.show)
    if arguments.data is not None:
        print_sentences(engine, arguments.data, arguments.per_kind)


if __name__ == "__main__":
    main()
