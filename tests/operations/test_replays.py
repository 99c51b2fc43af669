"""The table of replayed translation commits, and the reading of places in files."""

import re

import pytest

from benchmarks.review_replays import DEFECTS, TABLE, Replay, is_true, read_rows

PERMISSIVE = {"MIT", "Apache-2.0", "MIT/Apache-2.0", "BSD-3-Clause"}


def test_the_table_names_many_projects_with_permissive_licences() -> None:
    replays = [Replay(*row) for row in read_rows(TABLE)]
    assert len({row.commit for row in replays}) == len(replays) >= 40
    assert len({row.project for row in replays}) >= 15
    assert len({row.format for row in replays}) >= 8
    assert {row.licence for row in replays} <= PERMISSIVE
    assert all(re.fullmatch(r"[0-9a-f]{40}", row.commit) and row.languages for row in replays)


def test_judged_defects_belong_to_the_table() -> None:
    commits = {row[1] for row in read_rows(TABLE)}
    assert {row[0] for row in read_rows(DEFECTS)} <= commits


@pytest.mark.parametrize(
    ("path", "text", "place", "translation", "expected"),
    [
        ("de.json", '{"a": "Gr\\u00fc\\u00df dich\\n"}', (1, 8, 28), "Grüß dich\n", True),
        ("de.json", '{"a": "Hallo"}', (1, 8, 13), "Hallo", True),
        ("de.json", '{"a": "Hallo"}', (1, 7, 12), "Hallo", False),
        ("de.xml", "<s>Wie geht&apos;s</s>", (1, 4, 19), "Wie geht's", True),
        ("de.po", 'msgid "a"', (1, 1, 1), "b", True),
    ],
)
def test_places_spell_the_translation(path: str, text: str, place: tuple[int, int, int], translation: str, expected: bool) -> None:
    line, column, end = place
    row = {"path": path, "translation": translation, "end_line": line, "end_column": end}
    assert is_true(text, line, column, row) == expected
