"""Warnings on translations by people, and on their seeded errors: ``python -m benchmarks.warnings DATA [--segments 300] [--show]``.

DATA holds `ntrex-128` (news translated from English by people) and `demetr` (damaged translations into English). The first table has
the share of the first `--segments` references per pair with a warning, and with an error; `--show` prints these. The second table has the
found share of seeded errors among segments without a warning before: one number replaced by another of its length, and one lost negation.
A seeded negation removes the only negating word of a reference whose source negates. DEMETR's own damages follow.

The last table has the shares of warned translations, by `unrelated` and by any warning: of right ones, of translations exchanged among
segments, and of each next segment's translation. DATA needs `mlqe-pe` for them: post-edits, and machine translations with up to 30 % of
editing. `--unrelated` prints these alone; `--pairs zh-ja,de-fr` adds pairs of these languages.
"""

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from app.checks import SegmentWarning, segment_warnings
from app.engine import Engine
from app.engine.segments import Options, Segments
from app.settings import Settings
from app.text import LanguagePair
from scripts.mlqe_pe.everything import language_pairs, split_of

LANGUAGES = {
    "en": "eng", "de": "deu", "fr": "fra", "es": "spa", "ro": "ron", "ru": "rus", "et": "est", "zh": "zho-CN", "ja": "jpn",
    "ne": "nep", "si": "sin", "it": "ita", "pt": "por", "pl": "pol", "cs": "ces", "nl": "nld",
    "ar": "arb", "he": "heb", "hi": "hin", "hu": "hun", "ko": "kor", "sv": "swe", "tr": "tur", "uk": "ukr",
}  # fmt: skip
# Negating words whose removal turns a sentence into its opposite; the list of the check is another one.
PARTICLES = {
    "en": r"(?: not\b|n't\b)",
    "de": r"\bnicht ",
    "fr": r"\bn(?:e |['’])|\bpas ",
    "es": r"\bno ",
    "ro": r"\bnu ",
    "ru": r"\bне ",
    "et": r"\bei ",
    "zh": r"不|没有?",
    "ar": r"\b(?:لا|لم|لن) ",
    "he": r"\bלא ",
    "hi": r"नहीं ",
    "hu": r"\bnem ",
    "ko": r"지 (?:않|못)",
    "sv": r"\binte ",
    "tr": r" değil",
    "uk": r"\bне ",
}
# References with any of these have a second negation, which the removal of the first leaves in place.
FURTHER = {
    "de": r"\b(?:kein\w*|nie\w*|nichts|ohne|weder)\b",
    "fr": r"\b(?:jamais|rien|aucun\w*|ni|sans|plus|personne|non)\b",
    "es": r"\b(?:nada|nadie|ni|ning[uú]n\w*|nunca|jam[aá]s|tampoco|sin)\b",
    "ro": r"\b(?:nici\w*|nimic|nimeni|f[ăa]r[ăa]|n-\w+)\b",
    "ru": r"\b(?:ни\w*|нет|без|нельзя|невозм\w*)\b",
    "et": r"\b(?:mitte|ilma|pole|polnud|ega|ära)\b",
    "zh": r"无|無|非|未|别",
    "ar": r"\b(?:ليس\w*|غير|عدم|دون|بدون|ولا|ولم|ولن)\b",
    "he": r"\b(?:אין|אינ\w+|בלי|ללא|אל|שלא|ולא|מעולם)\b",
    "hi": r"न |मत |बिना",
    "hu": r"\b(?:ne|sem|se|nincs\w*|soha|sem\w+|nélkül)\b",
    "ko": r"없|아니|안 ",
    "sv": r"\b(?:aldrig|ing\w+|utan|varken|ej)\b",
    "tr": r"maz|mez|madı|medi",
    "uk": r"\b(?:ні\w*|нема\w*|без|неможл\w*)\b",
}
# Sources are counted by these words; French has two.
ENGLISH = re.compile(r"(?<!or )\bnot\b(?! (?:only|just)\b)|n['’]t\b|\bcannot\b", re.IGNORECASE)
# Name, pair, sources, translations.
Case = tuple[str, LanguagePair, Sequence[str], Sequence[str]]
# Machine translations with more editing count as bad ones.
GOOD_HTER = 0.3
DEMETR = {"critical_id10_numbers_replaced": "numbers", "critical_id8_negation": "negation"}
DEMETR_LANGUAGES = {
    "chinese_simple": "zh", "czech": "cs", "french": "fr", "german": "de", "hindi": "hi", "italian": "it", "japanese": "ja", "polish": "pl",
    "russian": "ru", "spanish": "es",
}  # fmt: skip


def references(data: Path, language: str) -> list[str]:
    paths = sorted((data / "ntrex-128").glob(f"newstest2019-*.{LANGUAGES[language]}.txt.gz"))
    return gzip.open(paths[-1], "rt", encoding="utf-8").read().rstrip("\n").split("\n")


def warnings_of(
    engine: Engine, pair: LanguagePair, sources: Sequence[str], translations: Sequence[str]
) -> list[tuple[SegmentWarning, ...]]:
    return segment_warnings(engine.answering(Segments(pair, list(sources), list(translations))).view)


def with_other_number(text: str, draw: random.Random) -> str | None:
    """Text with one of its numbers replaced by one of equal length; None for a text without numbers of two digits."""
    numbers = list(re.finditer(r"(?<![\d.,])[1-9]\d+(?![\d.,]\d)", text))
    if not numbers:
        return None
    number = draw.choice(numbers)
    low = 10 ** (len(number[0]) - 1)
    replacement = next(value for value in iter(lambda: str(draw.randrange(low, 10 * low)), "") if value != number[0])
    return text[: number.start()] + replacement + text[number.end() :]


def without_negation(source: str, text: str, language: str) -> str | None:
    """Text without its only negating word; None where source or text have no clear negation."""
    particles = re.findall(PARTICLES[language], text, re.IGNORECASE)
    words = {"fr": 2}.get(language, 1)
    if len(ENGLISH.findall(source)) != 1 or len(particles) != words or re.search(FURTHER[language], text, re.IGNORECASE):
        return None
    return re.sub(PARTICLES[language], "", text, flags=re.IGNORECASE)


def found_share(engine: Engine, pair: LanguagePair, rows: Sequence[tuple[str, str, str]], code: str, show: bool) -> tuple[int, int]:
    """Numbers of damaged rows (source, translation, damaged translation) with a new warning of the code, and of rows."""
    before = warnings_of(engine, pair, [row[0] for row in rows], [row[1] for row in rows])
    after = warnings_of(engine, pair, [row[0] for row in rows], [row[2] for row in rows])
    clean = [k for k, row in enumerate(before) if code not in {warning.code for warning in row}]
    hits = [k for k in clean if code in {warning.code for warning in after[k]}]
    if show:
        for k in sorted(set(clean) - set(hits)):
            print(pair, f"{code} not found", rows[k][0], rows[k][2], sep="\n    ")
    return len(hits), len(clean)


def demetr_rows(data: Path, name: str) -> dict[str, list[tuple[str, str, str]]]:
    rows: dict[str, list[tuple[str, str, str]]] = {}
    for row in json.load(gzip.open(data / "demetr" / f"{name}.json.gz", "rt", encoding="utf-8")):
        if row["pert_sent"] != row["mt_sent"] and row["lang_tag"] in DEMETR_LANGUAGES:
            rows.setdefault(DEMETR_LANGUAGES[row["lang_tag"]], []).append((row["src_sent"], row["mt_sent"], row["pert_sent"]))
    return rows


def print_alarms(engine: Engine, data: Path, count: int, show: bool) -> None:
    english = references(data, "en")[:count]
    print("| pair | warned of | error | by check |\n| --- | --- | --- | --- |")
    for language in sorted(LANGUAGES.keys() - {"en"}):
        texts = references(data, language)[:count]
        for pair, sources, translations in (
            (LanguagePair("en", language), english, texts),
            (LanguagePair(language, "en"), texts, english),
        ):
            rows = [
                [warning for warning in row if warning.severity != "info"]
                for row in warnings_of(engine, pair, sources, translations)
            ]
            codes = Counter(warning.code for row in rows for warning in row)
            erroneous = [k for k, row in enumerate(rows) if any(warning.severity == "error" for warning in row)]
            count_warned = sum(map(bool, rows))
            by_code = ", ".join(f"{code} {times}" for code, times in sorted(codes.items()))
            print(f"| {pair} | {count_warned / count:.1%} | {len(erroneous) / count:.1%} | {by_code} |", flush=True)
            if show:
                for k, row in enumerate(rows):
                    for warning in row:
                        print(pair, warning, sources[k], translations[k], sep="\n    ")


def print_found(engine: Engine, data: Path, show: bool) -> None:
    english = references(data, "en")
    print("| pair | changed numbers | lost negations |\n| --- | --- | --- |")
    for language in sorted(PARTICLES.keys() - {"en"}):
        # Each pair draws alone, so that its figures do not depend on the order of pairs.
        draw = random.Random(1)
        pair, segments = LanguagePair("en", language), list(zip(english, references(data, language), strict=True))
        damages: dict[str, Callable[[str, str], str | None]] = {
            "numbers": lambda source, text: with_other_number(text, draw),  # noqa: B023
            "negation": lambda source, text: without_negation(source, text, language),  # noqa: B023
        }
        cells = []
        for code, damage in damages.items():
            rows = [(source, text, damage_text) for source, text in segments if (damage_text := damage(source, text)) is not None]
            hits, clean = found_share(engine, pair, rows, code, show)
            cells.append(f"{hits / max(clean, 1):.1%} of {clean}")
        print(f"| {pair} | {' | '.join(cells)} |", flush=True)
    for name, code in DEMETR.items():
        print(f"\n| {name} | found |\n| --- | --- |")
        for language, rows in demetr_rows(data, name).items():
            hits, clean = found_share(engine, LanguagePair(language, "en"), rows, code, show)
            print(f"| {language}-en | {hits / max(clean, 1):.1%} of {clean} |", flush=True)


def unrelated_cases(data: Path, count: int, extra_pairs: Sequence[LanguagePair]) -> Iterator[Case]:
    """Names, pairs, sources and right translations: NTREX in both directions, post-edits and machine translations of MLQE-PE."""
    english = references(data, "en")[:count]
    for language in sorted(LANGUAGES.keys() - {"en"}):
        texts = references(data, language)[:count]
        yield f"en-{language}", LanguagePair("en", language), english, texts
        yield f"{language}-en", LanguagePair(language, "en"), texts, english
    for pair in extra_pairs:
        yield str(pair), pair, references(data, pair.source)[:count], references(data, pair.target)[:count]
    folder, pairs = language_pairs(data)
    for pair in pairs:
        dev = split_of(folder, pair, "dev")
        good = [row for row, hter in enumerate(dev.labels("hter")) if hter <= GOOD_HTER][:count]
        sources, post_edits, outputs = (dev.column(name) for name in ("source", "post_edit", "translation"))
        yield f"{pair}, post-edits", pair, sources[:count], post_edits[:count]
        yield f"{pair}, systems", pair, [sources[row] for row in good], [outputs[row] for row in good]


def print_unrelated(engine: Engine, cases: Iterable[Case]) -> None:
    """Print the shares of warned translations in their places, and in the places of random and of previous ones."""
    print("| translations | right | any warning | exchanged | any warning | next | any warning |\n|" + " --- |" * 7)
    for name, pair, sources, translations in cases:
        count = len(sources)
        order = random.Random(1).sample(range(count), count)
        # Each translation takes the place of the one before it in a random order, so that none stays.
        successors = dict(zip(order, order[1:] + order[:1], strict=True))
        cells = []
        for texts in (translations, [translations[successors[row]] for row in range(count)], [*translations[1:], translations[0]]):
            answer = engine.quality(Segments(pair, list(sources), list(texts)), options=Options(warnings=True))
            rows = [{warning.code for warning in row} for row in answer.warnings or ()]
            cells += [sum("unrelated" in row for row in rows) / count, sum(map(bool, rows)) / count]
        print(f"| {name} | {' | '.join(f'{100 * cell:.1f}' for cell in cells)} |", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--segments", type=int, default=300)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--unrelated", action="store_true")
    parser.add_argument("--pairs", type=lambda text: [LanguagePair.parse(pair) for pair in text.split(",")], default=[])
    options = parser.parse_args()
    engine = Engine.of_settings(Settings())
    if not options.unrelated:
        print_alarms(engine, options.data, options.segments, options.show)
        print_found(engine, options.data, options.show)
    print_unrelated(engine, unrelated_cases(options.data, options.segments, options.pairs))


if __name__ == "__main__":
    main()
