"""Terms of glossaries in inflected texts: ``python -m benchmarks.terms DATA`` (a folder with ud).

Each noun of a treebank is a term in its dictionary form, which annotators wrote, and its sentence is a translation that has it. So is
each noun with a noun right behind that depends on it: "министр обороны" stands for министра обороны. Two kinds of terms are absent from
a sentence: nouns of other sentences by chance, and nouns that are next to a noun of the sentence in the dictionary.
"""

import argparse
import gzip
import random
import time
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.documents.glossaries import Glossary, Term
from app.resources.terminology import Terminology
from app.text.languages import LanguagePair

LANGUAGES = ("de", "et", "ro", "ru")
# Abbreviations, typing errors and words of other languages have lemmas that are no dictionary forms of theirs.
EXCLUSIONS = ("Abbr=Yes", "Typo=Yes", "Foreign=Yes")
ABSENT_TERMS = 3


@dataclass(frozen=True)
class Sentence:
    """A text with its terms as (dictionary form, form in the text), and the lemmas of its words."""

    text: str
    nouns: tuple[tuple[str, str], ...]
    phrases: tuple[tuple[str, str], ...]
    lemmas: frozenset[str]


def sentences(path: Path) -> Iterator[Sentence]:
    rows: list[list[str]] = []
    for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = line.split("\t")
            if cells[0].isdigit():
                rows.append(cells)
        elif not line and rows:
            yield sentence_of(rows)
            rows = []


def sentence_of(rows: list[list[str]]) -> Sentence:
    text = "".join(row[1] + ("" if "SpaceAfter=No" in row[9] else " ") for row in rows)
    nouns = {row[0]: (lemma_of(row), row[1]) for row in rows if is_term(row)}
    phrases = [
        (f"{nouns[row[6]][0]} {row[1]}", f"{nouns[row[6]][1]} {row[1]}")
        for row in rows
        if is_term(row) and row[7].startswith("nmod") and row[6] in nouns and int(row[6]) == int(row[0]) - 1
    ]
    return Sentence(text, tuple(nouns.values()), tuple(phrases), frozenset(lemma_of(row).casefold() for row in rows))


def lemma_of(row: list[str]) -> str:
    # Estonian lemmas show the seams of compounds.
    return row[2].replace("_", "").replace("=", "")


def is_term(row: list[str]) -> bool:
    lemma, form = lemma_of(row), row[1]
    return (
        row[3] == "NOUN"
        and len(lemma) > 2
        and lemma.isalpha()
        and form.isalpha()
        and not any(name in row[5] for name in EXCLUSIONS)
    )


def confirmed(terms: list[str], text: str, language: str) -> list[bool]:
    """Confirmations of terms in a text, each by a source term of its own."""
    names = [f"term{number}" for number in range(len(terms))]
    glossary = Glossary(tuple(Term(name, (term,)) for name, term in zip(names, terms, strict=True)))
    uses = Terminology(glossary, LanguagePair("en", language)).uses(" ".join(names), text)
    assert len(uses) == len(terms)
    return [not use.is_missing for use in uses]


def source_hits(terms: list[str], text: str, language: str) -> list[bool]:
    """Terms that are found in a text as a source."""
    return [
        bool(Terminology(Glossary((Term(term, ("term",)),)), LanguagePair(language, "en")).uses(text, "term")) for term in terms
    ]


def share(hits: list[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f}" if hits else "-"


def has_string(term: str, text: str) -> bool:
    return f" {term.casefold()} " in " " + "".join(c if c.isalnum() else " " for c in text.casefold()) + " "


def measure(language: str, folder: Path) -> None:
    generator = random.Random(1)
    parts = [sentence for path in sorted((folder / language).glob("*.conllu.gz")) for sentence in sentences(path)]
    dictionary = sorted({term for part in parts for term, _ in part.nouns})
    present: dict[str, list[tuple[bool, bool, bool, bool]]] = {"nouns": [], "phrases": []}
    by_chance: list[bool] = []
    neighbours: list[bool] = []
    start = time.perf_counter()
    for part in parts:
        for kind, pairs in (("nouns", part.nouns), ("phrases", part.phrases)):
            terms = [term for term, _ in pairs]
            if terms:
                results = zip(pairs, confirmed(terms, part.text, language), source_hits(terms, part.text, language), strict=True)
                present[kind] += [
                    (term.casefold() != form.casefold(), has_string(term, part.text), hit, source_hit)
                    for (term, form), hit, source_hit in results
                ]
        chance_terms = [term for term in generator.sample(dictionary, ABSENT_TERMS) if term.casefold() not in part.lemmas]
        near_terms = [dictionary[(bisect_left(dictionary, term) + 1) % len(dictionary)] for term, _ in part.nouns[:ABSENT_TERMS]]
        near_terms = [term for term in dict.fromkeys(near_terms) if term.casefold() not in part.lemmas]
        by_chance += confirmed(chance_terms, part.text, language) if chance_terms else []
        neighbours += confirmed(near_terms, part.text, language) if near_terms else []
    seconds = time.perf_counter() - start
    for kind, rows in present.items():
        for name, choice in (("all", rows), ("inflected", [row for row in rows if row[0]])):
            shares = [share([row[k] for row in choice]) for k in (1, 2, 3)]
            print(f"| {language} | {kind}, {name} | {len(choice)} | {' | '.join(shares)} |")
    print(
        f"{language}: absent terms confirmed: {share(by_chance)} of {len(by_chance)} by chance, "
        f"{share(neighbours)} of {len(neighbours)} neighbours; {seconds:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.terms", description=__doc__)
    parser.add_argument("data", type=Path, help="folder with ud")
    parser.add_argument("--languages", nargs="+", default=LANGUAGES)
    arguments = parser.parse_args()
    print(
        "| language | terms | occurrences | % by string | % confirmed | % found in sources |\n| --- | --- | --- | --- | --- | --- |"
    )
    for language in arguments.languages:
        measure(language, arguments.data / "ud")


if __name__ == "__main__":
    main()
