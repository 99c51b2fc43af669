"""MQM judgements of WMT's tables and of lines of JSON: penalties and places of errors."""

import json
from pathlib import Path

import pytest

from app.errors import InputError
from app.text.mqm import MqmTranslation, read_mqm, segment_names
from app.text.reading.lines import TextFile
from tests.commands import assay

HEADING = "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def read(*rows: str) -> list[MqmTranslation]:
    return read_mqm(TextFile("t.tsv", (HEADING + "".join(f"{row}\n" for row in rows)).encode()), True)


def test_penalties_are_those_of_wmt() -> None:
    """5 for major errors, 1 for minor ones, .1 for punctuation, 25 without a translation, 0 for errors of the source."""
    errors = [
        ("Accuracy/Omission", "Major", -5), ("Style/Awkward", "Minor", -1), ("Fluency/Punctuation", "Minor", -0.1),
        ("Fluency/Punctuation", "Major", -5), ("Non-translation!", "Major", -25), ("Source error", "Major", 0),
        ("Style/Awkward", "Neutral", 0), ("No-error", "No-error", 0), ("Accuracy", "Critical", -25),
    ]  # fmt: skip
    rows = [f"s{k}\td\t1\tr\tcasa\thouse\t{category}\t{severity}" for k, (category, severity, _) in enumerate(errors)]
    assert [row.score for row in read(*rows)] == [score for _, _, score in errors]


def test_errors_of_a_translation_and_means_of_raters() -> None:
    first, second = read(
        "a\td\t1\tr1\tcasa mare\tthe <v>bg</v> house\tFluency\tMinor",
        "a\td\t1\tr1\tcasa <v>mare</v>\tthe bg house\tAccuracy\tMajor",
        "a\td\t1\tr2\tcasa mare\t<v>the bg house</v>\tStyle\tMinor",
        "b\td\t1\tr1\tcasa mare\tthe big house\tNo-error\tNo-error",
    )
    assert (first.translation, first.source, first.score) == ("the bg house", "casa mare", -3.5)
    assert [(error.start, error.end, error.severity) for error in first.placed_errors] == [(4, 6, "minor")]
    assert (second.system, second.score, second.placed_errors) == ("b", 0, [])


def test_lines_of_json_have_the_last_character_of_a_term() -> None:
    row = {"system": "a", "document": "d", "segment": "1", "annotator": "x", "source": "s", "target": "one two one three"}
    errors = [
        {"term": "one", "start": 8, "end": 10, "category": "A", "severity": "Major"},
        {"term": "three", "start": 2, "end": 6, "category": "A", "severity": "Critical"},
        {"term": "one", "start": 3, "end": 5, "category": "A", "severity": "Minor"},
        {"term": "", "start": 0, "end": 0, "category": "A", "severity": "Neutral"},
    ]
    (found,) = read_mqm(TextFile("t.jsonl", json.dumps({**row, "errors": errors}).encode()), False)
    # The second term is elsewhere; nothing says which "one" the third is.
    assert [(error.start, error.end) for error in found.placed_errors] == [(8, 11), (12, 17)] and found.score == -31
    with pytest.raises(InputError, match="has no target"):
        read_mqm(TextFile("t.jsonl", b'{"system": "a", "document": "d", "segment": "1", "annotator": "x", "source": "s"}'), False)
    with pytest.raises(InputError, match="list of errors"):
        read_mqm(TextFile("t.jsonl", json.dumps({**row, "errors": "x"}).encode()), False)


def test_two_translations_of_a_segment_keep_their_own_errors() -> None:
    # As 15 segments of BioMQM's en-de.
    row = {"system": "a", "document": "d", "segment": "1", "annotator": "x", "source": "s"}
    error = {"term": "two", "start": 4, "category": "A", "severity": "Major"}
    objects = [{**row, "target": "one", "errors": []}, {**row, "target": "the two", "errors": [error]}]
    text = "\n".join(json.dumps(part) for part in objects)
    rows = read_mqm(TextFile("t.jsonl", text.encode()), False)
    assert [part.translation for part in rows] == ["one", "the two"]
    assert [[(mark.start, mark.end) for mark in part.placed_errors] for part in rows] == [[], [(4, 7)]]


def test_segments_of_systems_are_one_by_their_sources() -> None:
    # Numbers need not say which sources are equal.
    def rows(system: str, *sources: str) -> list[MqmTranslation]:
        return [MqmTranslation(system, "d", str(number), source, "t") for number, source in enumerate(sources, 8)]

    translations = [*rows("a", "x", "y", "Yes.", "z", "Yes."), *rows("b", "y", "Yes.", "Yes.", "w")]
    names = segment_names(translations)
    first, second = names[:5], names[5:]
    assert len(set(first)) == 5
    assert second[:3] == [first[1], first[2], first[4]]
    assert second[3] not in first


def test_hostile_judgements_are_refused() -> None:
    row = {"system": "a", "document": "d", "segment": "1", "annotator": "x", "source": "s", "target": "one", "errors": []}
    error = {"term": "one", "start": True, "category": "A", "severity": "Major"}

    def read(*rows: dict[str, object]) -> None:
        read_mqm(TextFile("t.jsonl", "\n".join(json.dumps(row) for row in rows).encode()), False)

    for rows, words in (
        ([{**row, "errors": [{**error, "severity": "bogus"}]}], "t.jsonl, line 1: bogus is no severity"),
        ([{**row, "target": "\ud800"}], "lone surrogate"),
        ([{**row, "errors": [error] * 1001}], "at most 1000"),
    ):
        with pytest.raises(InputError, match=words):
            read(*rows)


def test_the_table_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "m.tsv"
    rows = ["a\td\t1\tr\tcasa\tthe <v>hause</v>\tFluency\tMajor", "ref\td\t1\tr\tcasa\tthe house\tNo-error\tNo-error"]
    path.write_text(HEADING + "".join(f"{row}\n" for row in rows))
    heading, row = (line.split("\t") for line in assay("mqm", str(path), "--reference", "ref").stdout.splitlines())
    found = dict(zip(heading, row, strict=True))
    assert json.loads(found.pop("spans")) == [{"start": 4, "end": 9, "severity": "major"}]
    assert found == {
        "document": "a:d", "segment": "d:1", "system": "a", "source": "casa", "translation": "the hause", "reference": "the house", "mqm": "-5.0",
    }  # fmt: skip
    refused = assay("mqm", str(path), "--reference", "no")
    assert refused.returncode == 2 and "systems are a, ref" in refused.stderr
