"""Pairs of blocks of two pages."""

import random

from hypothesis import given
from hypothesis import strategies as st

from app.documents.strings import paired_strings
from app.documents.strings.formats.markdown import Markdown

SECTIONS = [
    ("Install", ["Run `pip install tool` first.", "- needs Python 3.11", "- needs 2 GB"]),
    ("Start the server", ["The server listens on port 8080.", "See [the page](https://example.org/run)."]),
    ("Limits", ["A request has at most 500 segments.", "Longer texts are refused with `too-long`."]),
    ("Licence", ["The licence is Apache-2.0 for all parts of the program, and for its models."]),
]
GERMAN = [
    ("Installation", ["Zuerst `pip install tool` ausführen.", "- braucht Python 3.11", "- braucht 2 GB"]),
    ("Den Server starten", ["Der Server hört auf Port 8080.", "Siehe [die Seite](https://example.org/run)."]),
    ("Grenzen", ["Eine Anfrage hat höchstens 500 Segmente.", "Längere Texte werden mit `too-long` abgelehnt."]),
    ("Lizenz", ["Die Lizenz ist Apache-2.0 für alle Teile des Programms und für seine Modelle."]),
]


def page(sections: list[tuple[str, list[str]]], title: str) -> str:
    return f"# {title}\n\n" + "".join(f"## {name}\n\n" + "\n\n".join(blocks) + "\n\n" for name, blocks in sections)


def pairs(source: str, translation: str) -> list[tuple[str, str]]:
    sources, translations = (Markdown().entries(text, "x.md") for text in (source, translation))
    return [(first.text, second.text) for first, second in paired_strings(sources, translations, keys_are_places=True).pairs]


WHOLE = dict(pairs(page(SECTIONS, "Guide"), page(GERMAN, "Anleitung")))


def test_equal_pages_correspond_in_order() -> None:
    assert len(WHOLE) == 1 + sum(1 + len(blocks) for _, blocks in SECTIONS)
    assert WHOLE["Limits"] == "Grenzen" and WHOLE["needs 2 GB"] == "braucht 2 GB"


def test_a_missing_section_moves_no_other() -> None:
    for k in range(len(GERMAN)):
        missing = {SECTIONS[k][0], *(block.removeprefix("- ") for block in SECTIONS[k][1])}
        found = pairs(page(SECTIONS, "Guide"), page(GERMAN[:k] + GERMAN[k + 1 :], "Anleitung"))
        assert found == [(source, text) for source, text in WHOLE.items() if source not in missing]


def test_a_missing_block_moves_no_other() -> None:
    for k, (name, blocks) in enumerate(GERMAN):
        for i in range(len(blocks)):
            shorter = [*GERMAN[:k], (name, blocks[:i] + blocks[i + 1 :]), *GERMAN[k + 1 :]]
            found = pairs(page(SECTIONS, "Guide"), page(shorter, "Anleitung"))
            block = SECTIONS[k][1][i].removeprefix("- ")
            assert found == [(source, text) for source, text in WHOLE.items() if source != block]
            assert found == [row[::-1] for row in pairs(page(shorter, "Anleitung"), page(SECTIONS, "Guide"))]


def test_fields_of_front_matter_correspond_by_name() -> None:
    source = "---\ntitle: One\ndescription: Two\n---\nText"
    assert pairs(source, "---\ndescription: Zwei\n---\nWorte") == [("Two", "Zwei"), ("Text", "Worte")]


@given(st.lists(st.sampled_from(["# a", "## b", "### c", "text", "- item", "| x |", "12"]), max_size=12), st.randoms())
def test_pairs_are_monotone_and_of_one_kind(blocks: list[str], rng: random.Random) -> None:
    rest = [block for block in blocks if rng.random() < 0.7]
    sides = [Markdown().entries("\n\n".join(side), "x.md") for side in (blocks, rest)]
    result = paired_strings(sides[0], sides[1], keys_are_places=True)
    for side in zip(*result.pairs, strict=True):
        starts = [entry.start for entry in side]
        assert starts == sorted(set(starts))
    assert all(first.key.split(".")[0] == second.key.split(".")[0] for first, second in result.pairs)
    assert len(result.pairs) + len(result.missing) == len(sides[0])
    assert len(result.pairs) + len(result.extra) == len(sides[1])
    equal = paired_strings(sides[0], sides[0], keys_are_places=True)
    assert all(first is second for first, second in equal.pairs) and len(equal.pairs) == len(sides[0])
