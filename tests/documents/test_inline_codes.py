"""Inline codes of XLIFF: those that a translation loses are an error `tags` in reviews and in annotated files."""

from pathlib import Path

import pytest
from httpx2 import Client

from app.documents import read_file
from tests.commands import assay
from tests.operations.test_review import review

VERSION_1 = (
    '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" source-language="en" target-language="de" '
    'datatype="html"><body><trans-unit id="1"><source>{}</source><target>{}</target></trans-unit></body></file></xliff>'
)
VERSION_2 = (
    '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f"><unit id="1"><segment>'
    "<source>{}</source><target>{}</target></segment></unit></file></xliff>"
)
CASES = [
    (VERSION_1, 'Click <g id="1">here</g> <x id="2"/>.', '<x id="2"/> <g id="1">Hier</g> klicken.', [], []),
    (VERSION_1, 'Click <g id="1">here</g> <x id="2"/>.', "<x id='2'/> Hier klicken.", ["<g 1>"], []),
    (VERSION_1, '<bpt id="1">&lt;b></bpt>Yes<ept id="1">&lt;/b></ept> you', "Ja du", ["<bpt 1>", "<ept 1>"], []),
    (VERSION_1, "Yes you", 'Ja <ph id="9">x</ph> du', [], ["<ph 9>"]),
    # Plural forms repeat codes.
    (VERSION_1, 'Two <x id="N"/> days', 'Zwei <x id="N"/> Tage, <x id="N"/> Tage', [], []),
    # Deleted text has no codes.
    (VERSION_1, "Yes you", 'Ja du<mrk mtype="x-sdl-deleted"><x id="4"/></mrk>', [], []),
    (VERSION_1, 'Yes <mrk mtype="term">you</mrk>', "Ja du", [], []),
    (VERSION_2, 'Click <pc id="1">here</pc> <ph id="2"/>.', '<ph id="2"/> <sc id="1"/>Hier<ec startRef="1"/> klicken.', [], []),
    (VERSION_2, 'Click <pc id="1">here</pc> <ph id="2"/>.', "Hier klicken.", ["<sc 1>", "<ec 1>", "<ph 2>"], []),
]


@pytest.mark.parametrize(("version", "source", "target", "missing", "extra"), CASES)
def test_lost_codes_are_errors(
    client: Client, version: str, source: str, target: str, missing: list[str], extra: list[str]
) -> None:
    answer = review(client, {"a.xlf": version.format(source, target)})
    expected = [(" → ".join(", ".join(side) for side in (missing, extra) if side), "error")] if missing or extra else []
    rows = [row for row in answer["findings"] if row["code"] == "tags"]
    assert [(row["message"].partition(": ")[2], row["severity"]) for row in rows] == expected


def test_a_lost_code_alone_is_a_change(client: Client) -> None:
    old, new = (VERSION_1.format('Click <x id="2"/> here', f"Hier {code}klicken") for code in ('<x id="2"/> ', ""))
    rows = [{"path": "a.xlf", "text": new, "old_text": old}]
    answer = client.post("/v1/review", json={"files": rows, "compare": True, "predict": False}).json()
    assert [row["code"] for row in answer["findings"]] == ["tags"]


def test_an_annotated_file_names_them(tmp_path: Path) -> None:
    (tmp_path / "a.xlf").write_text(VERSION_1.format('Close the <x id="2"/> door', "Schließe die Tür"))
    done = assay("annotate", str(tmp_path / "a.xlf"), "--profile", "fast")
    assert "check tags" in done.stdout, done.stderr


def test_tags_of_phrase_are_codes() -> None:
    document = VERSION_1.replace("xmlns=", 'xmlns:m="http://www.memsource.com/mxlf/2.0" xmlns=').format(
        "Close {1}the door{2}", "Tür {1}zu"
    )
    [unit] = read_file(document.encode(), "a.mxliff").units
    assert (unit.source, unit.codes) == ("Close the door", (("{1}", "{2}"), ("{1}",)))
